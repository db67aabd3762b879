"""Numbers of things in words."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A number of things, in the singular for one.

    >>> counted(1, "job"), counted(1234, "user")
    ('1 job', '1,234 users')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
