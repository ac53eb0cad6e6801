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


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("gamed", help="the daemon's program")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument(
        "--requests", type=int, default=10_000, help="the greatest number of requests in a round, approximately")
    parser.add_argument("--within", help="the directory in which the state directories are made, on the disk to be tested")
    parser.add_argument("--damage", choices=KINDS, help="damages the journal after the second kill, or a later one")
    return parser.parse_args()


def show(text):
    """Shows the progress, if the output is a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def run(options, base, totals):
    """Runs series of rounds, each in its own directory."""
    generator = random.Random(options.seed)
    start = time.monotonic()
    while totals["rounds"] < options.rounds:
        directory = tempfile.mkdtemp(prefix="", dir=base)
        series = Series(
            options.gamed, directory, generator, totals, options.requests, options.damage)
        for _ in range(min(generator.randrange(3, 12), options.rounds - totals["rounds"])):
            series.round()
            totals["rounds"] += 1
            show(f"{totals['rounds']} of {options.rounds} kills, {time.monotonic() - start:.0f} s")
        series.end()
        shutil.rmtree(directory)
    show("")


def main():
    options = read_options()
    options.gamed = os.path.abspath(options.gamed)
    base = tempfile.mkdtemp(prefix="kills-", dir=options.within)
    totals = dict.fromkeys(Series.COUNTED, 0)
    print(f"seed {options.seed}", flush=True)
    try:
        run(options, base, totals)
    except Violation as violation:
        show("")
        print(f"VIOLATION in round {totals['rounds'] + 1}: {violation}")
        print(f"seed {options.seed}; the state directory is in {base}")
        return 1
    shutil.rmtree(base)
    for name, count in totals.items():
        print(f"{count:9} {name}")
    return 0


sys.exit(main())
