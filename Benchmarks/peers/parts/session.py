"""The memory of a session with two timers, and the cost of opening it, against Redis.

gamed: the state of a game that is being played, with a countdown and a pendulum. On the virtual clock, so that no timer fires
meanwhile: in Redis nobody fires them.
Redis: a hash with flow, state, data and number, and two entries of a sorted set, which three commands make.
The memory is what the process's resident memory has grown by.
"""
from shared.processes import resident_bytes

from ..rows import Row
from ..servers.gamed import Gamed, open_sessions
from ..servers.redis import Redis, command

TITLE = "A session with two timers (Redis: a hash and two entries of a sorted set), 200 in flight, one core"
ROWS = [
    Row("memory of a session", "bytes", "gamed bytes", "redis bytes", at_most=1 / 0.6, peer="Redis"),
    Row("opening one, server CPU", "ns", "gamed open", "redis open", at_most=1.0, peer="Redis"),
]
THREE_COMMANDS = "\n".join([
    command("HSET", "s%d", "flow", "game", "state", "playingLevel", "episode", "1", "level", "1", "seq", "1"),
    command("ZADD", "deadlines", "1764170090000", "s%d:timeUp"),
    command("ZADD", "deadlines", "1764170001000", "s%d:tick"),
])


def measure(bench):
    count = bench.count(200_000, 400)
    while True:
        samples = {}
        with Gamed(bench, "--clock", "virtual") as gamed:
            before = resident_bytes(gamed.pid)
            samples["gamed open"] = open_sessions(bench, gamed, count, state="playingLevel", data={"episode": 1, "level": 1})
            samples["gamed bytes"] = (resident_bytes(gamed.pid) - before) / count
        with Redis(bench) as redis:
            before = resident_bytes(redis.pid)
            samples["redis open"] = bench.load(redis, 200, count, [THREE_COMMANDS], "-s", count, "-l", 3)
            samples["redis bytes"] = (resident_bytes(redis.pid) - before) / count
        yield samples
