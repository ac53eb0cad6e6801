#!/usr/bin/env python3
"""A buzzer: package_buzzer.py ADDRESS PLAYER presses once, and prints the state after each change."""
import os
import sys

import gamed

with gamed.connect(sys.argv[1], token=os.environ.get("TOKEN")) as daemon:
    try:
        print(daemon.send("buzz", {"player": sys.argv[2]}).to.state, flush=True)
    except gamed.NoTransition as refusal:
        print(refusal.name, flush=True)
    for item in daemon.watch("main"):
        if isinstance(item, gamed.Change):
            print(item.to.state, flush=True)
