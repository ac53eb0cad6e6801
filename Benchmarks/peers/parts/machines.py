"""An event through a machine in memory, against Erlang's gen_statem, and the Python libraries python-statemachine and transitions.

gamed: FlowBench, the library's typed machine: leaves one state and enters the other, with the timers of the row's name in each.
gen_statem: statem.erl, the same states and timers; an event is a message to the machine's process.
Python: the same two states without timers, which neither library has.
FlowBench is Swift, which `make bench-peers` builds before.
"""
import importlib.util
import shutil
import subprocess
import sys
from importlib.metadata import version

from shared.processes import LAST_CORE, pinned

from ..bench import BENCHMARKS
from ..rows import NotMeasured, Row

TITLE = "An event through a machine in memory, one core"
ROWS = [
    Row("a countdown in each state", "ns", "gamed countdown", "gen_statem countdown", peer="gen_statem"),
    Row("a countdown and a pendulum in each", "ns", "gamed both", "gen_statem both", peer="gen_statem"),
    Row("the game's cycle", "ns", "gamed cycle", "gen_statem cycle", peer="gen_statem"),
    Row("a countdown in each (Python: no timers)", "ns", "gamed countdown", "statemachine", peer="python-statemachine"),
    Row("a countdown in each (Python: no timers)", "ns", "gamed countdown", "transitions", peer="transitions"),
]
LIBRARIES = {"statemachine": "python-statemachine", "transitions": "transitions"}
NAMES = ("countdown", "both", "cycle")


def numbers(command):
    done = subprocess.run(pinned(command, LAST_CORE), stdout=subprocess.PIPE, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def measure(bench):
    flow_bench = BENCHMARKS / ".build/release/FlowBench"
    if not flow_bench.exists():
        raise NotMeasured("FlowBench is not built: GAMED_INTERNAL_PRODUCTS=1 swift build -c release --package-path Benchmarks "
                          "--product FlowBench")
    has_erlang = shutil.which("erl") and shutil.which("erlc")
    libraries = [name for name in LIBRARIES if importlib.util.find_spec(name)]
    for name in libraries:
        bench.versions[LIBRARIES[name]] = version(LIBRARIES[name])
    if has_erlang:
        bench.version("Erlang OTP", ["erl", "-noshell", "-eval", 'io:format("~s", [erlang:system_info(otp_release)]), halt().'])
        subprocess.run(["erlc", "-o", bench.folder, BENCHMARKS / "statem.erl"], check=True)
    while True:
        samples = {f"gamed {name}": value for name, value in zip(NAMES, numbers([flow_bench]))}
        if has_erlang:
            statem = numbers(["erl", "-noshell", "-pa", bench.folder, "-s", "statem", "main"])
            samples |= {f"gen_statem {name}": value for name, value in zip(NAMES, statem)}
        for library in libraries:
            samples[library] = numbers(
                [sys.executable, BENCHMARKS / "peers/python/transitions_in_memory.py", library, str(bench.count(20_000, 200))])[0]
        yield samples
