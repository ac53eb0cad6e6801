"""A restart with a million sessions, each with a timer, against Redis that loads as many from its append-only file.

gamed: started on the journal into which it has opened the sessions; until it answers its first request.
Redis: started on the file of the commands that made a hash and an entry of a sorted set for each session, which was not
rewritten; until it answers a PING without the error LOADING. The files are read from the page cache. All cores may be used.
"""
import pathlib
import time

from shared.processes import resident_bytes

from ..rows import Row
from ..servers.gamed import Gamed, message
from ..servers.redis import Redis, command

TITLE = "A restart with a million sessions (Redis: from its append-only file)"
ROWS = [
    Row("start to first answer", "s", "gamed", "redis", peer="Redis"),
    Row("resident memory then", "MiB", "gamed memory", "redis memory", peer="Redis"),
]
# The countdowns must not fire during the measurement, on a real clock: on a virtual one, all sessions are decoded at the start.
FLOW = """
flow: waiting
start: waiting
events: {go: }
states:
  waiting:
    timers: {over: {after: 24h}}
    on: {go: again, over: again}
  again: {on: {go: waiting}}
"""
TWO_COMMANDS = "\n".join([
    command("HSET", "s%d", "flow", "game", "state", "help", "seq", "1"), command("ZADD", "deadlines", "1764170030000", "s%d"),
])


def fill(bench, gamed_options, redis_options):
    count = bench.count(1_000_000, 2000)
    with Gamed(bench, *gamed_options, core=None) as gamed:
        # A list of ids per session is not needed, and 1 000 in flight share a transaction.
        bench.load(gamed, 1000, count, [message("open", session="s%d", flow="waiting")], "-s", count)
    with Redis(bench, *redis_options, core=None) as redis:
        bench.load(redis, 1000, count, [TWO_COMMANDS], "-s", count, "-l", 2)


def until_answered(server, ask):
    """The seconds from the start to the first answer."""
    while True:
        try:
            ask()
            return time.monotonic() - server.began
        except RuntimeError:
            time.sleep(0.01)


def measure(bench):
    folder = bench.new_folder()
    flows = pathlib.Path(folder, "flows")
    flows.mkdir()
    (flows / "waiting.yaml").write_text(FLOW, encoding="utf-8")
    gamed_options = ["--state-dir", folder + "/state", "--flows", str(flows)]
    redis_options = ["--dir", bench.new_folder(), "--appendonly", "yes", "--appendfsync", "everysec",
                     "--auto-aof-rewrite-percentage", "0"]
    fill(bench, gamed_options, redis_options)
    while True:
        samples = {}
        with Gamed(bench, *gamed_options, core=None, first_seconds=300) as gamed:
            samples["gamed"] = until_answered(gamed, lambda: gamed.ask("ping"))
            samples["gamed memory"] = resident_bytes(gamed.pid) / 2**20
        with Redis(bench, *redis_options, core=None, first_seconds=300) as redis:
            samples["redis"] = until_answered(redis, lambda: redis.ask("PING"))
            samples["redis memory"] = resident_bytes(redis.pid) / 2**20
        yield samples
