"""Reads an SCXML file with a state-machine library of another project. Prints a line for each transition,
`from event to`, and a line for each final state."""

import sys

from statemachine.io import load

machine = load(sys.argv[1])
for state in machine.states:
    if state.final:
        print(state.id, "final")
    for transition in state.transitions:
        for event in str(transition.event).split():
            print(state.id, event, " ".join(target.id for target in transition.targets) or "-")
