"""Violations of a guarantee, which end a round at once."""


class Violation(Exception):
    """A guarantee does not hold. The message names it."""


def expect(condition, violation, *details):
    """Raises a violation with the details if the condition is false."""
    if not condition:
        raise Violation("\n".join([violation, *(f"  {detail}" for detail in details)]))
