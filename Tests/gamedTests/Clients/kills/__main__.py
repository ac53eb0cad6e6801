"""Kills the daemon repeatedly under load, and checks that it has lost no acknowledged change, invented none,
and executed none twice. Ends with status 1 at the first violation.

    python Tests/gamedTests/Clients/kills GAMED [--rounds N] [--seed N] [--within DIRECTORY]
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time

from damage import KINDS
from series import Series
from violation import Violation


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("gamed", help="the daemon's program")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--most", type=int, default=10_000, help="requests in a round, about")
    parser.add_argument("--within", help="where the state directories are made, and what disk is used")
    parser.add_argument("--damage", choices=KINDS, help="damages the journal after the second kill")
    return parser.parse_args()


def show(text):
    """Shows the progress, if the output is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def run(asked, base, totals):
    """Runs series of rounds, each in its own directory."""
    dice = random.Random(asked.seed)
    began = time.monotonic()
    while totals["rounds"] < asked.rounds:
        directory = tempfile.mkdtemp(prefix="", dir=base)
        series = Series(asked.gamed, directory, dice, totals, asked.most, asked.damage)
        for _ in range(min(dice.randrange(3, 12), asked.rounds - totals["rounds"])):
            series.round()
            totals["rounds"] += 1
            show(f"{totals['rounds']} of {asked.rounds} kills, {time.monotonic() - began:.0f} s")
        series.end()
        shutil.rmtree(directory)
    show("")


def main():
    asked = arguments()
    asked.gamed = os.path.abspath(asked.gamed)
    base = tempfile.mkdtemp(prefix="kills-", dir=asked.within)
    totals = dict.fromkeys(Series.COUNTED, 0)
    print(f"seed {asked.seed}", flush=True)
    try:
        run(asked, base, totals)
    except Violation as violation:
        show("")
        print(f"VIOLATION in round {totals['rounds'] + 1}: {violation}")
        print(f"seed {asked.seed}; what is left is in {base}")
        return 1
    shutil.rmtree(base)
    for name, count in totals.items():
        print(f"{count:9} {name}")
    return 0


sys.exit(main())
