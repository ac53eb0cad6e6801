"""How late the beats of many timers come at a watcher: 10 000 beats a second, in 1 000 sessions with a pendulum of 100 ms, without
load, and while 64 clients send at full speed with one request in flight each. Server, watcher and clients share a core.

gamed: a beat is a line with the session, its state and its timers. The clients' requests are sends that change the state of
other sessions.
libevent: beats.c has periodic timers that write lines of the same form, and sends the clients' lines back.
The watcher is lateness.c, which says how the lateness is measured. No beat may be lost.
"""
import pathlib
import subprocess
import time

from shared.processes import LAST_CORE, connect, pinned

from ..rows import Row
from ..servers.gamed import Gamed, message, open_sessions, sends
from ..servers.libevent import Beats

TITLE = "Lateness of 10 000 beats a second at a watcher (bare libevent), one core"
PERIOD_MS = 100
# The bound is a difference: under load, at most half a millisecond later than libevent.
ROWS = [
    *(
        Row(f"{situation}, {figure}", "us", f"gamed {situation} {figure}", f"libevent {situation} {figure}", peer="libevent")
        for situation in ("calm", "load") for figure in ("median", "p99", "most")
    ),
    Row("load, p99 later than libevent by", "us", "later", at_most=500),
    Row("beats lost or skipped by gamed", "beats", "gamed lost", at_most=0),
    Row("requests of the 64 clients meanwhile", "1/s", "gamed requests", "libevent requests", peer="libevent"),
]
FLOW = f"""
flow: beats
start: beating
states:
  beating:
    timers: {{tick: {{every: {PERIOD_MS}ms}}}}
    on:
      tick: stay
"""


def open_evenly(gamed, count):
    """Opens the sessions of the beats, so that the beats are spread evenly over a period."""
    with connect(gamed.address) as client, client.makefile() as replies:
        began = time.monotonic()
        for number in range(count):
            due = began + number * PERIOD_MS / 1000 / count
            while time.monotonic() < due:
                pass
            client.sendall(message("open", session=f"s{number:07}", flow="beats").encode() + b"\n")
        for _ in range(count):
            reply = replies.readline()
            if '"error":' in reply:
                raise RuntimeError(reply)


def measure_lateness(bench, server, address, timers, load, watch=()):
    """The figures of lateness.c by name, and the requests of the clients in a second."""
    calm_ms, load_ms = bench.count(2000, 400), bench.count(3000, 400)
    command = [bench.programs / "lateness", address, str(timers), str(PERIOD_MS), str(calm_ms), str(load_ms), *watch]
    watcher = subprocess.Popen(pinned(command, LAST_CORE), stdout=subprocess.PIPE, text=True)
    time.sleep(calm_ms / 1000)
    # More requests than can be answered in the time: the clients are ended.
    clients = subprocess.Popen(
        pinned([bench.programs / "clients", server.address, "64", "100000000", *load], LAST_CORE), stdout=subprocess.PIPE, text=True)
    printed, _ = watcher.communicate()
    failed = clients.poll() is not None or watcher.returncode != 0
    clients.terminate()
    rate, _ = clients.communicate()
    if failed:
        raise RuntimeError(f"the watcher or the clients have failed; server: {server.log[-300:]}")
    names = ("beats", "lost", "calm median", "calm p99", "calm most", "load median", "load p99", "load most")
    return dict(zip(names, map(float, printed.split()))) | {"requests": float(rate)}


def measure(bench):
    timers = bench.count(1000, 50)
    flows = pathlib.Path(bench.new_folder(bench.folder))
    (flows / "beats.yaml").write_text(FLOW, encoding="utf-8")
    load = [body.replace("s%d", "room-%d") for body in sends("s%d")]
    while True:
        samples = {}
        with Gamed(bench, "--flows", str(flows)) as gamed:
            bench.load(gamed, 64, 64, [message("open", session="room-%d", flow="game")], "-s", 64)
            open_evenly(gamed, timers)
            ours = measure_lateness(bench, gamed, gamed.address, timers, load, ["watch @* topics=beats"])
        with Beats(bench, timers, PERIOD_MS) as libevent:
            theirs = measure_lateness(bench, libevent, libevent.watched, timers, load)
        for name, figures in (("gamed", ours), ("libevent", theirs)):
            samples |= {f"{name} {figure}": value for figure, value in figures.items()}
        samples["later"] = ours["load p99"] - theirs["load p99"]
        yield samples
