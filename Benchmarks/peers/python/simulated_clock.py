#!/usr/bin/env python3
"""simulated_clock.py GAMES SECONDS: plays the games of parts/virtual_time.py with xstate-statemachine, on one simulated clock,
and prints how many seconds are simulated in a second."""
import logging
import sys
import time

from xstate_statemachine import SimulatedClock, SyncInterpreter, create_machine

logging.disable(logging.CRITICAL)
MACHINE = {
    "id": "games",
    "initial": "playing",
    "states": {"playing": {"after": {"90000": "finished"}}, "finished": {"after": {"15000": "playing"}}},
}
games, seconds = int(sys.argv[1]), int(sys.argv[2])
clock = SimulatedClock()
machines = [SyncInterpreter(create_machine(MACHINE), clock=clock).start() for _ in range(games)]
began = time.monotonic()
clock.increment(seconds * 1000)
elapsed = time.monotonic() - began
# 105 s make a round; so the state shows whether the clock has moved the machines.
expected = "games.playing" if seconds % 105 < 90 else "games.finished"
if any(expected not in machine.current_state_ids for machine in machines):
    sys.exit(f"the machines are in other states than {expected}: {machines[0].current_state_ids}")
print(f"{seconds / elapsed:.0f}")
