"""A row of the results: what of the samples is compared, and with which bound."""
import shutil
from dataclasses import dataclass

from shared.figures import median


@dataclass(frozen=True)
class Row:
    """Compares the samples `ours` with the samples `theirs`.

    A part yields one sample of each name in each round. The ratio of a row is the median of the rounds' ratios, because the
    two samples of a round are measured one right after the other.
    """

    title: str
    unit: str
    ours: str
    theirs: str | None = None
    # The bound of the ratio ours/theirs, or of the value if there are no other samples.
    at_most: float | None = None
    at_least: float | None = None
    # What is wished beyond the bound; in words.
    aim: str = ""
    # The program that `theirs` are of.
    peer: str = ""


@dataclass(frozen=True)
class Curve:
    """A point of the plot: the samples of this name are at this scale on the line `line` of the panel `panel`."""

    panel: str
    line: str
    scale: float
    sample: str


@dataclass
class Result:
    """A row with the samples of all rounds."""

    part: str
    row: Row
    ours: list
    theirs: list

    @property
    def ratios(self):
        return [a / b for a, b in zip(self.ours, self.theirs) if b]

    @property
    def judged(self):
        """What the bound is for."""
        return self.ratios if self.row.theirs else self.ours

    @property
    def holds(self):
        """Whether the median keeps the bound; None without a bound."""
        value = median(self.judged) if self.judged else None
        if value is None or (self.row.at_most is None and self.row.at_least is None):
            return None
        return (self.row.at_most is None or value <= self.row.at_most) and (self.row.at_least is None or value >= self.row.at_least)


class NotMeasured(Exception):
    """Says why a part cannot be measured on this machine, such as a missing package."""


def require(program, package, path=None):
    """The path of a program. Raises NotMeasured if it is not installed."""
    found = shutil.which(path or program)
    if not found:
        raise NotMeasured(f"{program} is missing (Debian package {package})")
    return found
