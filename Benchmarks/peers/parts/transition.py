"""An accepted transition with a timer and a publication, against Redis 7 with a script.

gamed: `send` over JSON-RPC. The flow checks whether the state takes the event, the state's countdown is set or ended, and the
change is given to those who watch the session.
Redis: EVALSHA of servers/redis.py, which says what the script does and lacks.

Nobody watches the session, except in the row with a watcher, where one client reads the changes. In the last row, each message
is for one of 100 000 sessions at random.
"""
from shared.processes import Drain

from ..rows import Curve, Row
from ..servers.gamed import Gamed, open_sessions, reset_sessions, sends
from ..servers.redis import Redis, command, open_sessions as open_in_redis, transitions

TITLE = "A transition with a timer and a publication (Redis: EVALSHA), server CPU, one core"
IN_FLIGHT = (1, 2, 8, 32, 128)
ROWS = [
    Row("32 in flight", "ns", "gamed 32", "redis 32", at_most=1 / 3.5, aim="1/4.6", peer="Redis"),
    Row("two in one write", "ns", "gamed 2", "redis 2", at_most=1 / 1.7, aim="1/1.9", peer="Redis"),
    Row("1 in flight", "ns", "gamed 1", "redis 1", peer="Redis"),
    Row("32 in flight, one watcher", "ns", "gamed watched", "redis watched", peer="Redis"),
    Row("32 in flight, 100 000 sessions", "ns", "gamed of 100000", "redis of 100000", peer="Redis"),
]
PANEL = "A transition, by messages in one write|messages in one write|ns of server CPU"
SESSION_COUNTS = (1, 100, 10_000, 100_000)
SESSIONS_PANEL = "A transition, 32 in one write, by sessions at random|sessions|ns of server CPU"
CURVES = [
    Curve(panel, line, scale, f"{name}{mark} {scale}") for name, line in (("gamed", "gamed"), ("redis", "Redis"))
    for panel, mark, scales in ((PANEL, "", IN_FLIGHT), (SESSIONS_PANEL, " of", SESSION_COUNTS)) for scale in scales
]
SESSION = "s0000000"


def measure(bench):
    # The servers with one session have no others, as a user would measure them first.
    with Redis(bench) as redis, Gamed(bench) as gamed, Redis(bench) as full_redis, Gamed(bench) as full_gamed:
        most = bench.count(max(SESSION_COUNTS), 200)
        for ours, theirs, count in ((gamed, redis, 1), (full_gamed, full_redis, most)):
            open_sessions(bench, ours, count)
            open_in_redis(bench, theirs, count)
            digest = theirs.load_transition()
        servers = (("gamed", gamed, sends(SESSION)), ("redis", redis, transitions(digest, SESSION)))
        full_servers = (
            ("gamed", full_gamed, sends("s%d"), reset_sessions),
            ("redis", full_redis, transitions(digest, "s%d"), open_in_redis))
        subscriptions = {"gamed": f"watch @{SESSION}", "redis": command("SUBSCRIBE", f"changes:{SESSION}")}
        for _, server, messages in servers:
            bench.load(server, 32, bench.count(64_000, 64), messages)
        while True:
            samples = {}
            for in_flight in IN_FLIGHT:
                # An even number, so that each run ends where it began.
                count = bench.count(40_000 if in_flight <= 2 else 192_000, 256)
                for name, server, messages in servers:
                    samples[f"{name} {in_flight}"] = bench.load(server, in_flight, count, messages)
            for name, server, messages in servers:
                with Drain(server.address, subscriptions[name]):
                    samples[f"{name} watched"] = bench.load(server, 32, bench.count(96_000, 256), messages)
            for sessions in SESSION_COUNTS:
                count = min(sessions, most)
                for name, server, messages, reset in full_servers:
                    samples[f"{name} of {sessions}"] = bench.load(
                        server, 32, bench.count(96_000, 256), messages, "-s", count, "-r")
                    reset(bench, server, count)
            yield samples
