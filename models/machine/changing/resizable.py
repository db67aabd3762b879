"""Jobs whose sizes a policy of one's own proposes: the machine looks at each; a part of a machine that changes."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from thinktime.models.engine import questions, shapes
from thinktime.models.jobs.forms import RIGID
from thinktime.models.jobs.refusing import NOT_RESIZING, PolicyError
from thinktime.models.machine.changing.interruptible import InterruptibleJobs
from thinktime.models.state import State
from thinktime.workloads.arrays import NO_ROWS, Flags, Rows
from thinktime.workloads.names import quoted


class ResizableJobs(InterruptibleJobs):
    """A pool whose jobs may be given sizes."""

    def start_with(self, row: int, processors: Any) -> None:
        """A waiting job is to start with so many processors; ``PolicyError`` if that is none of its sizes."""
        place = self._place_of(row, processors, f"proposed to start job {self.requests.id[row]}")
        if place != RIGID:
            shapes.choose(self.state, row, place)

    def to_resize(self, row: int, processors: Any, now: float) -> tuple[int, int]:
        """The row, and the place of a size that it is to have; ``PolicyError`` for a job that cannot have it now."""
        if self.forms is None:
            raise PolicyError(NOT_RESIZING)
        job = f"job {self.requests.id[row]}" if 0 <= row < self.requests.size else f"row {row}"
        what = f"proposed to resize {job}"
        if not 0 <= row < self.requests.size or self.requests.state[row] != State.RUNNING:
            raise PolicyError(f"{what} at {now:g} s, which does not run")
        place = self._place_of(row, processors, what)
        if self.requests.processors[row] == processors:
            raise PolicyError(f"{what} to {processors} processors at {now:g} s, which it has")
        if not shapes.may_be_given(self.state, row, now, place):
            raise PolicyError(
                f"{what} at {now:g} s, which is not malleable, or is in the middle of a resize, or was resized within "
                "its gap: ask view.resizable(job)"
            )
        return row, place

    def narrow(self, rows: Rows, kept: Sequence[Flags]) -> None:
        """Waiting jobs may have only some of their sizes: for each job, which of them."""
        assert self.forms is not None
        every = zip(self.arrays["form"][rows].tolist(), kept, strict=True)
        codes = [self.forms.narrowed(form, each) for form, each in every]
        self.arrays |= self.forms.arrays()
        self.arrays["form"][rows] = codes
        self.bind()
        for row, place in zip(rows.tolist(), self.arrays["form_preferred"][codes].tolist(), strict=True):
            shapes.choose(self.state, row, place)

    def _place_of(self, row: int, processors: Any, what: str) -> int:
        if self.forms is None:
            raise PolicyError(NOT_RESIZING)
        form, first = int(self.arrays["form"][row]), self.arrays["form_first"]
        every = self.arrays["form_sizes"][first[form] : first[form + 1]] if form >= 0 else NO_ROWS
        sizes = every.tolist() or [int(self.requests.processors[row])]
        if isinstance(processors, bool | np.bool_) or processors not in sizes:
            told = (
                f"its sizes are {', '.join(map(str, sizes))}" if len(sizes) > 1 else f"it has {sizes[0]} and no other"
            )
            raise PolicyError(f"{what} on {quoted(processors)} processors, but {told}")
        return int(first[form]) + sizes.index(int(processors)) if form >= 0 else RIGID

    def resize(self, proposed: Sequence[tuple[int, int]], now: float) -> None:
        """Propose sizes, by their places, for running jobs; ``PolicyError`` for one for which there is no room."""
        first, before = True, set[int]()
        for row, place in proposed:
            what = f"proposed to resize job {self.requests.id[row]}"
            size, own = int(self.arrays["form_sizes"][place]), int(self.requests.processors[row])
            if row in before or not shapes.may_be_given(self.state, row, now, place):
                raise PolicyError(f"{what} at {now:g} s twice, or to leave as well")
            before.add(row)
            if size < own:
                shapes.propose(self.state, row, place)
            elif questions.grows(self.state, now, row, place, first):
                first = False
            else:
                raise PolicyError(
                    f"{what} from {own} to {size} processors at {now:g} s, for which there is no room until it would "
                    "end, or it is beyond a limit, or it would end no earlier"
                )
