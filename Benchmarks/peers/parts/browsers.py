"""One change to 1 000 browsers by Server-Sent Events, against nginx with nchan.

gamed: a `send` to a session; each browser has opened /v1/events of the session, with the rights of a role.
nchan: a POST of a text, so that a delivery has as many bytes on the connection as gamed's. It checks no rights, and gives every
browser the same bytes.
"""
from ..rows import Curve, Row
from ..servers.gamed import Gamed, open_sessions, sends
from ..servers.nchan import Nchan
from .transition import SESSION
from .watchers import PANEL

TITLE = "One change to 1 000 browsers by Server-Sent Events (nginx with nchan), server CPU for a delivery, one core"
ROWS = [
    Row("1 000 browsers", "ns", "gamed", "nchan", at_most=1.0, peer="nchan"),
    Row("1 000 browsers, in the kernel", "%", "gamed kernel", "nchan kernel", peer="nchan"),
]
CURVES = [
    Curve(PANEL, "gamed, browsers", 100, "gamed 100"), Curve(PANEL, "gamed, browsers", 1000, "gamed"),
    Curve(PANEL, "nchan, browsers", 100, "nchan 100"), Curve(PANEL, "nchan, browsers", 1000, "nchan"),
]


def get(path, address):
    return f"GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n"


def publish(address, length):
    body = "x" * length
    # The load program writes the last newline.
    return f"POST /publish HTTP/1.1\r\nHost: {address}\r\nContent-Type: text/plain\r\nContent-Length: {length + 1}\r\n\r\n{body}"


def measure(bench):
    with Nchan(bench) as nchan, Gamed(bench, "--http", "127.0.0.1:0", config="allow source:web observe\n") as gamed:
        open_sessions(bench, gamed, 1)

        def deliver(to_nchan, browsers, changes, length=0):
            if to_nchan:
                return bench.run("fanout", nchan.address, nchan.address, nchan.pid, browsers, changes, "\n\n",
                                 get("/events", nchan.address), publish(nchan.address, length))
            return bench.run("fanout", gamed.web, gamed.address, gamed.pid, browsers, changes, "\n\n",
                             get(f"/v1/events?session={SESSION}", gamed.web), *sends(SESSION))

        framing = deliver(True, 1, 2, 100)[1] - 100
        while True:
            samples = {}
            for browsers, suffix in ((100, " 100"), (1000, "")):
                count, changes = bench.count(browsers, 20), bench.count(200_000 // browsers, 2)
                ours = deliver(False, count, changes)
                theirs = deliver(True, count, changes, round(ours[1] - framing))
                for name, (cost, _, kernel) in (("gamed", ours), ("nchan", theirs)):
                    samples[name + suffix], samples[f"{name} kernel{suffix}"] = cost, kernel
            yield samples
