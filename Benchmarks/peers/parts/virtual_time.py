"""Virtual time: a day of 1 000 games, beside xstate-statemachine with its simulated clock.

A game is played for 90 s, its score is shown for 15 s, and the next one begins, without end. So each game makes 1 646
transitions a day, each by a timer that ends and another that begins.
gamed: a daemon with `--clock virtual`; a client advances the clock, and receives each firing with its session and its time.
xstate-statemachine: as many machines in one Python process, on one simulated clock; nobody receives the firings. It simulates
a part of a day only, because it is slower; the machines do the same all day.
The second row is what a beat each second of play costs; xstate's timers have no periods.
"""
import importlib.util
import pathlib
import subprocess
import sys
import time
from importlib.metadata import version

from shared.processes import LAST_CORE, connect, pinned

from ..bench import BENCHMARKS
from ..rows import Row
from ..servers.gamed import Gamed, message

TITLE = "Virtual time: a day of 1 000 games (xstate-statemachine: SimulatedClock), one core"
ROWS = [
    Row("simulated seconds in a second", "s/s", "gamed", "xstate", peer="xstate-statemachine"),
    Row("simulated seconds in a second, against the bound", "s/s", "gamed", at_least=10_000),
    Row("the same with a beat each second of play", "s/s", "gamed with beats"),
]


def flow(name, beats):
    timers = "{timeUp: {after: 90s}, tick: {every: 1s}}" if beats else "{timeUp: {after: 90s}}"
    tick = "      tick: stay\n" if beats else ""
    return f"""
flow: {name}
start: playing
states:
  playing:
    timers: {timers}
    on:
      timeUp: {{to: finished}}
{tick}  finished:
    timers: {{idle: {{after: 15s}}}}
    on:
      idle: {{to: playing}}
"""


def simulate(bench, flows, name, games, seconds, step):
    """How many seconds a daemon simulates in a second. Advances the clock by `step` seconds at a time, because a request makes
    at most 10 000 firings."""
    with Gamed(bench, "--flows", flows, "--clock", "virtual") as gamed:
        bench.load(gamed, min(200, games), games, [message("open", session="s%d", flow=name)], "-s", games)
        began = time.monotonic()
        with connect(gamed.address) as client, client.makefile() as replies:
            for _ in range(0, seconds, step):
                client.sendall(f"advance by={step}s\n".encode())
                # The list of the firings is received, but not read.
                reply = replies.readline()
                if not reply.startswith("OK") or not reply.rstrip().endswith('"more":false}'):
                    raise RuntimeError(f"advance: {reply[:200]} ... {reply[-100:]}")
        return len(range(0, seconds, step)) * step / (time.monotonic() - began)


def measure(bench):
    flows = bench.new_folder(bench.folder)
    for name, beats in (("games", False), ("beating-games", True)):
        pathlib.Path(flows, f"{name}.yaml").write_text(flow(name, beats), encoding="utf-8")
    has_xstate = importlib.util.find_spec("xstate_statemachine")
    if has_xstate:
        bench.versions["xstate-statemachine"] = version("xstate-statemachine")
    games = bench.count(1000, 20)
    while True:
        samples = {
            "gamed": simulate(bench, flows, "games", games, bench.count(86_400, 600), 400),
            "gamed with beats": simulate(bench, flows, "beating-games", games, bench.count(600, 100), 9),
        }
        if has_xstate:
            done = subprocess.run(
                pinned([sys.executable, BENCHMARKS / "peers/python/simulated_clock.py", str(games), str(bench.count(420, 110))], LAST_CORE),
                stdout=subprocess.PIPE, text=True, check=True)
            samples["xstate"] = float(done.stdout)
        yield samples
