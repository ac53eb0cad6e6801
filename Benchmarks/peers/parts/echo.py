"""A `send` that changes the state, against bare libevent, which sends the same bytes back.

Also many connections and sessions against one of each: 32 messages in one write, over 64 connections in turn, each message for
one of 1 000 sessions at random. Client and server share a core, except in the rows with a core each.
"""
from shared.processes import FIRST_CORE, LAST_CORE

from ..rows import Curve, Row
from ..servers.gamed import Gamed, open_sessions, reset_sessions, sends
from ..servers.libevent import Echo
from .transition import IN_FLIGHT, PANEL, SESSION

TITLE = "A send, against the bare libevent echo, server CPU"
ROWS = [
    Row("32 in flight", "ns", "gamed 32", "echo 32", at_most=5.0, peer="libevent"),
    Row("1 in flight", "ns", "gamed 1", "echo 1", at_most=1.3, peer="libevent"),
    Row("32 in flight, a core each", "ns", "gamed 32 apart", "echo 32 apart", peer="libevent"),
    Row("1 in flight, a core each", "ns", "gamed 1 apart", "echo 1 apart", peer="libevent"),
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
            for server in (gamed, echo):
                server.move_to(FIRST_CORE)
            for in_flight, count in ((32, 192_000), (1, 40_000)):
                for name, server in (("gamed", gamed), ("echo", echo)):
                    samples[f"{name} {in_flight} apart"] = bench.load(server, in_flight, bench.count(count, 256), one)
            for server in (gamed, echo):
                server.move_to(LAST_CORE)
            samples["many"] = bench.load(gamed, 32, bench.count(192_000, 256), any_of_them, "-c", 64, "-s", 1000, "-r")
            reset_sessions(bench, gamed, 1000)
            yield samples
