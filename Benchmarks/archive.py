#!/usr/bin/env python3
"""Measures what the loss of the journal's disk would cost: archive.py GAMED [KILLS].

A client opens sessions as fast as they are acknowledged, with pauses of 2 ms. KILLS times the program kills the daemon with SIGKILL at a
random moment, and compares the newest rows of the journal and of its archive. It prints the number of rows that the archive lacks, and
the seconds between the two newest rows; at the end the worst.
"""
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

from shared.processes import connect

SEED = 7
PAUSE_S = 0.002
# The most that the archive may lack.
BOUND_S = 10


def newest_row(folder):
    """The position of the newest row, and its time in seconds."""
    journal = sqlite3.connect(folder / "journal.db")
    position, nanoseconds = journal.execute("SELECT max(position), max(at) FROM row").fetchone()
    journal.close()
    return position, nanoseconds / 1e9


def open_sessions(path, seconds):
    """Opens sessions for some seconds."""
    client = connect(str(path))
    lines = client.makefile("rw")
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        lines.write(f"open @s{number} flow=quiz\n")
        lines.flush()
        answer = lines.readline()
        if not answer.startswith("OK"):
            sys.exit(f"archive.py: the daemon answers {answer}")
        number += 1
        time.sleep(PAUSE_S)


def lose_disk(program, seconds):
    """Returns the rows and the seconds that the archive lacks after a kill."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, state, archive = folder / "s", folder / "state", folder / "archive"
        with open(folder / "log", "w", encoding="utf-8") as log:
            daemon = subprocess.Popen([program, "--socket", path, "--state-dir", state, "--archive", archive], stderr=log)
        while not path.exists() or not (archive / "journal.db").exists():
            time.sleep(0.01)
        open_sessions(path, seconds)
        daemon.kill()
        daemon.wait()
        journal, copy = newest_row(state), newest_row(archive)
        return journal[0] - copy[0], journal[1] - copy[1]


def main(program, kills):
    random.seed(SEED)
    results = []
    for number in range(kills):
        rows, seconds = lose_disk(program, 2 + 3 * random.random())
        results.append(seconds)
        print(f"  kill {number + 1}: the archive lacks {rows} rows, {seconds:.2f} s")
    worst = max(results)
    print(f"  worst {worst:.2f} s; bound {BOUND_S} s {'holds' if worst <= BOUND_S else 'DOES NOT HOLD'}")


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 12)
