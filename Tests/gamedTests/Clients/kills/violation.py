"""The violation of a guarantee, which ends the program at once."""


class Violation(Exception):
    """A guarantee of the daemon does not hold. The message says what is wrong."""


def expect(condition, violation, *details):
    """Raises a violation with the details if the condition is false."""
    if not condition:
        raise Violation("\n".join([violation, *(f"  {detail}" for detail in details)]))
