"""One change to many watchers, against Redis PUBLISH of as many bytes to as many subscribers.

gamed: a `send` to a session that all clients watch; each delivery is a line with the change.
Redis: PUBLISH of a text, so that a delivery has as many bytes on the connection as gamed's.
The next change is made when the last one has arrived everywhere.
"""
from ..rows import Curve, Row
from ..servers.gamed import Gamed, open_sessions, sends
from ..servers.redis import Redis, command
from .transition import SESSION

TITLE = "One change to many watchers (Redis: PUBLISH), server CPU for a delivery, one core"
SCALES = (100, 1_000, 10_000)
ROWS = [
    Row("1 000 watchers", "ns", "gamed 1000", "redis 1000", at_most=1 / 0.8, peer="Redis"),
    Row("10 000 watchers", "ns", "gamed 10000", "redis 10000", at_most=1 / 0.8, peer="Redis"),
    Row("1 000 watchers, in the kernel", "%", "gamed 1000 kernel", "redis 1000 kernel", peer="Redis"),
    Row("10 000 watchers, in the kernel", "%", "gamed 10000 kernel", "redis 10000 kernel", peer="Redis"),
]
PANEL = "A delivery, by watchers of a change|watchers|ns of server CPU"
CURVES = [
    Curve(PANEL, line, scale, f"{name} {scale}") for name, line in (("gamed", "gamed"), ("redis", "Redis")) for scale in SCALES
]


def fanout(bench, server, watchers, changes, mark, subscribe, messages):
    """Returns the CPU time of a delivery, its bytes, and the kernel's part."""
    return bench.run("fanout", server.address, server.address, server.pid, watchers, changes, mark, subscribe, *messages)


def publish(length):
    return command("PUBLISH", "changes", "x" * (length - 1) + "!")


def measure(bench):
    subscribe = command("SUBSCRIBE", "changes") + "\n"
    with Redis(bench) as redis, Gamed(bench) as gamed:
        open_sessions(bench, gamed, 1)
        # The bytes of a delivery by Redis beside its text.
        framing = fanout(bench, redis, 1, 2, "!", subscribe, [publish(100)])[1] - 100
        while True:
            samples = {}
            for watchers in SCALES:
                count = bench.count(watchers, min(watchers, 100))
                changes = bench.count(300_000 // watchers, 2)
                ours = fanout(bench, gamed, count, changes, "\n", f"watch @{SESSION}\n", sends(SESSION))
                theirs = fanout(bench, redis, count, changes, "!", subscribe, [publish(round(ours[1] - framing))])
                for name, (cost, _, kernel) in (("gamed", ours), ("redis", theirs)):
                    samples[f"{name} {watchers}"], samples[f"{name} {watchers} kernel"] = cost, kernel
            yield samples
