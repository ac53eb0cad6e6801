"""Violations of a guarantee, which end a round at once."""


class Violation(Exception):
    """A guarantee does not hold. The message names it."""


def expect(holds, what, *facts):
    """Raises a violation with the facts if a condition is false."""
    if not holds:
        raise Violation("\n".join([what, *(f"  {fact}" for fact in facts)]))
