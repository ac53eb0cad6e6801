"""What a round is over with at once."""


class Violation(Exception):
    """Something that was promised does not hold; the message says what."""


def expect(holds, what, *facts):
    """Raises a violation with all facts unless that holds."""
    if not holds:
        raise Violation("\n".join([what, *(f"  {fact}" for fact in facts)]))
