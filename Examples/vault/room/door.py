#!/usr/bin/env python3
"""A simulated door with a serial line: `door.py LINK`. The link leads to a pseudo terminal, as an Arduino's would."""
import os
import pty
import sys
import tty

link = sys.argv[1]
ours, theirs = pty.openpty()
tty.setraw(theirs)
if os.path.lexists(link):
    os.unlink(link)
os.symlink(os.ttyname(theirs), link)
print("door: closed", flush=True)
with os.fdopen(ours, "rb", buffering=0) as line:
    rest = b""
    while True:
        rest += line.read(256)
        while b"\n" in rest:
            command, rest = rest.split(b"\n", 1)
            print("door:", command.decode().lower(), flush=True)
