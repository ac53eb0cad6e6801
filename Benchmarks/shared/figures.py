"""Summarizes measured values, and prints ratios and bounds."""
import math
import statistics


def percentile(values, percent):
    """The percentile of the values, by the nearest-rank method."""
    return sorted(values)[max(1, math.ceil(len(values) * percent / 100)) - 1]


def median(values):
    return statistics.median(values)


def short(value):
    """A number with at most three significant digits after the first, and without an exponent."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def verdict(holds):
    return "holds" if holds else "DOES NOT HOLD"


def compare_with_bound(value, bound):
    return f"(bound {bound}: {verdict(value <= bound)})"
