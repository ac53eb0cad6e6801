"""Reads an SCXML file with the library python-statemachine. Prints a line `SOURCE EVENT TARGET` for each transition, and a
line `STATE final` for each final state."""

import sys

from statemachine.io import load

machine = load(sys.argv[1])
for state in machine.states:
    if state.final:
        print(state.id, "final")
    for transition in state.transitions:
        for event in str(transition.event).split():
            print(state.id, event, " ".join(target.id for target in transition.targets) or "-")
