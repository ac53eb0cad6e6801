"""A `send` that changes the state, against bare libevent, which sends the same bytes back.

Also many connections and sessions against one of each: 32 messages in one write, over 64 connections in turn, each message for
one of 1 000 sessions at random.
"""
from ..rows import Curve, Row
from ..servers.gamed import Gamed, open_sessions, reset_sessions, sends
from ..servers.libevent import Echo
from .transition import IN_FLIGHT, PANEL, SESSION

TITLE = "A send, against the bare libevent echo, server CPU, one core"
ROWS = [
    Row("32 in flight", "ns", "gamed 32", "echo 32", at_most=5.0, peer="libevent"),
    Row("1 in flight", "ns", "gamed 1", "echo 1", at_most=1.3, peer="libevent"),
    Row("64 connections and 1 000 sessions, against one of each", "ns", "many", "gamed 32", at_most=1.3, peer="gamed itself"),
]
CURVES = [Curve(PANEL, "libevent echo", scale, f"echo {scale}") for scale in IN_FLIGHT]


def measure(bench):
    with Echo(bench) as echo, Gamed(bench) as gamed:
        open_sessions(bench, gamed, 1000)
        one, any_of_them = sends(SESSION), sends("s%d")
        for server in (gamed, echo):
            bench.load(server, 32, bench.count(64_000, 64), one)
        while True:
            samples = {}
            for in_flight in IN_FLIGHT:
                count = bench.count(40_000 if in_flight <= 2 else 192_000, 256)
                for name, server in (("gamed", gamed), ("echo", echo)):
                    samples[f"{name} {in_flight}"] = bench.load(server, in_flight, count, one)
            samples["many"] = bench.load(gamed, 32, bench.count(192_000, 256), any_of_them, "-c", 64, "-s", 1000, "-r")
            reset_sessions(bench, gamed, 1000)
            yield samples
