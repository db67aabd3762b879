"""Arrays of jobs, as Slurm's ``--array`` writes them: ``1-6%2``, ``0,3,7-9``, ``0-20:5``.

After ``%`` is how many tasks may run at once.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from thinktime.workloads.names import quoted

PART = re.compile(r"(\d+)(?:-(\d+)(?::(\d+))?)?")
MOST_TASKS = 1_000_000


@dataclass(frozen=True, slots=True)
class TaskList:
    """The numbers of an array's tasks, ascending, and how many of them may run ``at_most`` (None: all)."""

    numbers: tuple[int, ...]
    at_most: int | None = None

    @classmethod
    def parse(cls, text: str) -> "TaskList":
        """What a text says; ``ValueError`` with one sentence for what is no list of tasks."""
        listed, percent, most = text.partition("%")
        parts = [PART.fullmatch(part.strip()) for part in listed.split(",")]
        if not all(parts) or (percent and not most.strip().isdigit()):
            raise ValueError(
                f"the tasks of an array are such as 1-6, 0,3,7-9 or 0-20:5, perhaps with %2, not {quoted(text)}"
            )
        numbers: set[int] = set()
        for found in filter(None, parts):
            first, last, step = (None if group is None else int(group) for group in found.groups())
            assert first is not None
            if (last or first) - first > MOST_TASKS or step == 0:
                raise ValueError(
                    f"an array has at most {MOST_TASKS:,} tasks, at steps of at least 1, unlike {quoted(text)}"
                )
            numbers |= set(range(first, (first if last is None else last) + 1, step or 1))
        return cls.of(numbers, int(most) if percent else None)

    @classmethod
    def of(cls, given: Any, at_most: int | None = None) -> "TaskList":
        """Of a text, the number of tasks (which are 1 to that), or their numbers; ``at_most`` overrides the text's."""
        if isinstance(given, str):
            parsed = cls.parse(given)
            return cls.of(parsed.numbers, parsed.at_most if at_most is None else at_most)
        if isinstance(given, int) and not isinstance(given, bool):
            given = range(1, given + 1)
        if not isinstance(given, Iterable):
            raise TypeError(
                f"the tasks of an array are a text such as 1-6%2, or how many there are, not {quoted(given)}"
            )
        numbers = sorted(given)
        if not numbers or any(isinstance(number, bool) or not isinstance(number, int) for number in numbers):
            raise ValueError("an array needs at least one task, and its tasks have whole numbers")
        if numbers[0] < 0 or len(set(numbers)) < len(numbers):
            raise ValueError("the tasks of an array have numbers of at least 0, all different")
        if at_most is not None and (isinstance(at_most, bool) or not isinstance(at_most, int) or at_most < 1):
            raise ValueError(f"at_most is how many tasks may run at once, at least 1, not {quoted(at_most)}")
        return cls(tuple(numbers), at_most)

    def __len__(self) -> int:
        return len(self.numbers)
