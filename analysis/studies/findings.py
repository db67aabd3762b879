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
