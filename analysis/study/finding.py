"""What a paper finds, and whether it is seen here.

A finding is a statement about shape, with a criterion of ours: who is better, and about how much. Numbers
that depend on what a paper leaves open do not count against it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from thinktime.analysis.named_table import Table


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of a paper, in our words, with our criterion, our numbers, and the verdict."""

    says: str
    criterion: str
    ours: str
    seen: bool | None
    """True where our numbers meet the criterion, False where they do not, None where they cannot tell."""

    @property
    def verdict(self) -> str:
        """`seen`, `NOT seen` or `undecided`.

        >>> Finding("A is faster than B", "A < B", "3 / 4", seen=True).verdict
        'seen'
        """
        return {True: "seen", False: "NOT seen", None: "undecided"}[self.seen]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """One rule for all verdicts of a study, printed before them: how large a difference must be to count.

    All are fractions of the reference number. A difference of up to ``least`` decides nothing, and numbers that differ
    by up to ``alike`` are about the same. A printed size is met by anything from it divided by ``factor`` to it
    multiplied by ``factor``. The defaults are ours.
    """

    least: float = 0.01
    alike: float = 0.05
    factor: float = 2.0

    def less(self, ours: float, than: float) -> bool | None:
        """Whether a number is less than another; None where they differ too little, or one is missing.

        >>> Thresholds().less(90, 100), Thresholds().less(110, 100), Thresholds().less(99.5, 100)
        (True, False, None)
        """
        difference = ours - than
        if not abs(difference) > self.least * abs(than):
            return None
        return difference < 0

    def more(self, ours: float, than: float) -> bool | None:
        """Whether a number is more than another."""
        less = self.less(ours, than)
        return None if less is None else not less

    def same(self, ours: float, other: float) -> bool:
        """Whether two numbers are about the same.

        >>> Thresholds().same(104, 100), Thresholds().same(94, 100)
        (True, False)
        """
        return abs(ours - other) <= self.alike * abs(other)

    def size(self, ours: float, printed: float) -> bool:
        """Whether an effect has the sign of a printed one, and about its size.

        >>> Thresholds().size(0.18, 0.165), Thresholds().size(0.02, 0.111), Thresholds().size(-0.1, 0.1)
        (True, False, False)
        """
        return 1 / self.factor <= ours / printed <= self.factor

    def __str__(self) -> str:
        return (
            f"Differences of up to {100 * self.least:g} % decide nothing, about the same is within "
            f"{100 * self.alike:g} %, and a printed size is met from 1/{self.factor:g} to {self.factor:g} times."
        )


def together(verdicts: Iterable[bool | None]) -> bool | None:
    """The verdict of statements that must all hold: False if one does not, else None if one is undecided.

    >>> together([True, None]), together([None, False]), together([True, True])
    (None, False, True)
    """
    each = list(verdicts)
    return False if False in each else None if None in each else True


def verdicts(found: Iterable[Finding], title: str = "What the paper finds, and whether it is seen here") -> Table:
    """One row per finding."""
    shown = Table(title)
    shown.texts("", "ours", "seen if")
    for each in found:
        shown.row(each.says, each.verdict, each.ours, each.criterion)
    return shown


SHORT = {"seen": "seen", "NOT seen": "NOT", "undecided": "?"}
"""Verdicts in columns of many."""
