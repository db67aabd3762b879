"""What a paper finds, and whether it is seen here.

A finding is a statement about shape, with a criterion of ours: who is better, and about how much. Numbers
that hang on what a paper leaves open are not held against it.
"""

from __future__ import annotations

from dataclasses import dataclass


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


MARGIN = 0.05
"""By how much two sides of a comparison must differ, as a part of the larger, to be told apart (our decision)."""


def less(one: float, other: float, margin: float = MARGIN) -> bool | None:
    """Whether one number is less than another: None where they differ by less than the margin, or one is missing.

    >>> less(90, 100), less(97, 100), less(100, 90), less(0, 0)
    (True, None, False, None)
    """
    larger = max(abs(one), abs(other))
    if not larger > 0 or not abs(other - one) >= margin * larger:
        return None
    return one < other


def every(*answers: bool | None) -> bool | None:
    """Whether all of several answers are yes; one no decides, else one that is not known leaves it open.

    >>> every(True, True), every(True, None), every(False, None)
    (True, None, False)
    """
    if False in answers:
        return False
    return None if None in answers else True
