#!/usr/bin/env python3
"""transitions_in_memory.py LIBRARY COUNT: sends COUNT events to a machine of two states, and prints the nanoseconds of one.
LIBRARY is `statemachine` (python-statemachine) or `transitions`. Neither library has timers; an event changes the state only."""
import sys
import time

library, count = sys.argv[1], int(sys.argv[2])
if library == "statemachine":
    from statemachine import State, StateMachine

    class Machine(StateMachine):
        red = State(initial=True)
        green = State()
        go = red.to(green)
        stop = green.to(red)

    machine = Machine()
else:
    from transitions import Machine as Transitions

    class Model:
        pass

    machine = Model()
    Transitions(machine, states=["red", "green"], initial="red", transitions=[["go", "red", "green"], ["stop", "green", "red"]])
began = time.monotonic_ns()
for _ in range(count // 2):
    machine.go()
    machine.stop()
print((time.monotonic_ns() - began) // (count // 2 * 2))
