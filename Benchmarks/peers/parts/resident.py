"""The resident memory of the daemon with 100 000 sessions, after three sends to each in the mean, at random. So some sessions
have a timer, and the daemon remembers the newest changes for watchers, for `undo` and for `history`."""
from shared.processes import resident_bytes

from ..rows import Row
from ..servers.gamed import Gamed, open_sessions, sends

TITLE = "100 000 sessions after 300 000 sends at random"
ROWS = [Row("resident memory", "MiB", "memory", at_most=90)]


def measure(bench):
    count = bench.count(100_000, 400)
    while True:
        with Gamed(bench) as gamed:
            open_sessions(bench, gamed, count)
            bench.load(gamed, 32, 3 * count, sends("s%d"), "-s", count, "-r")
            yield {"memory": resident_bytes(gamed.pid) / 2**20}
