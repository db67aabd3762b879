"""An agent with an adviser: another policy, which says at every decision what it would do itself.

The adviser is a policy of the catalogue, or one's own. It has all of its hooks, at the times at which it would have
them as the machine's policy. An agent that follows the advice makes the adviser's schedule, start by start, so any
policy can act as an agent; and whatever an agent does, it can learn from the advice.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from thinktime.models.engine.codes.agent import FREE, SIZE, WIDTH
from thinktime.models.engine.shapes import choose
from thinktime.models.jobs.leaving import Leave, Resize
from thinktime.models.jobs.view import Request, View
from thinktime.models.policies.agents.agent import Agent, Mask, Observation
from thinktime.models.policies.base import ATTRIBUTES, HOOKS, Policy, Proposal
from thinktime.models.policies.entry import ReadyPolicy
from thinktime.models.policies.hooks import Hooks
from thinktime.workloads.arrays import Rows

Wish = tuple[int, int]
"""The row of a job, and a size that it is to have."""
OWN = (
    "select", "reshape", "copy", "rehearse", "on_start", "on_end", "on_interrupt", "on_resizing", "on_resize",
    "on_calendar",
)  # fmt: skip
"""Hooks that are not simply the adviser's."""


class Advised(Policy):
    """The policy of an ``agent`` that can see what an ``adviser`` would do (`advice`).

    The answer that no job starts is always allowed, as the adviser may wait. An adviser that hears what happens
    (``on_start`` and others) plans ahead, so its advice must be followed. One without such hooks may be asked in any
    situation: it advises those that it would start at the beginning of the pass, as long as they have room.

    An adviser that chooses sizes advises an agent that does so (``shapes``), if it sees all sizes of each job.
    """

    def __init__(self, adviser: Any, agent: Agent) -> None:
        self.adviser, self.agent = adviser, agent.that_idles(self._advise)
        self._answer = agent.choose
        self._wanted: list[Wish] = []
        self._resizes: list[Wish] = []
        self._resizing = False
        self.advice = 0
        """What the adviser would answer."""
        if isinstance(adviser, ReadyPolicy):
            adviser.told = True  # every hook is passed on
        hooks = Hooks(adviser)
        self._plans = any(getattr(hooks, name) is not None for name in HOOKS if name.startswith("on_"))
        for name in HOOKS:
            if name not in OWN:
                setattr(self, name, getattr(hooks, name) and getattr(adviser, name))
        for name in ATTRIBUTES:
            setattr(self, name, getattr(hooks, name))
        self.may_hear_late = False
        if hooks.resizes and not agent.resizes:
            raise ValueError(
                f"the adviser {adviser} chooses sizes, and the agent none: give shapes=, at least the sizes of a job"
            )
        self.resizes = agent.resizes
        self._reshapes = hooks.reshape and adviser.reshape
        self._starts = adviser.on_start if hooks.on_start else None
        self._ends = adviser.on_end if hooks.on_end else None
        self._before_resizes = adviser.on_resizing if hooks.on_resizing else None
        self._after_resizes = adviser.on_resize if hooks.on_resize else None

    def rehearse(self, run: Callable[[Any], Any]) -> "Advised":
        """Let the adviser rehearse."""
        rehearse = Hooks(self.adviser).rehearse
        return self if rehearse is None else Advised(rehearse(run), self.agent.asking(self._answer))

    def on_calendar(self, calendar: Any) -> None:
        """Tell the agent and the adviser about the calendar."""
        self.agent.on_calendar(calendar)
        if tell := Hooks(self.adviser).on_calendar:
            tell(calendar)

    def select(self, view: View, now: float) -> Proposal:
        """Ask the adviser, then the agent."""
        wanted = self.adviser.select(view, now)
        self._wanted, self._resizes = [], []
        for each in wanted.tolist() if isinstance(wanted, np.ndarray) else wanted or ():
            if isinstance(each, Resize):
                self._resizes.append((each.row, each.processors))
                continue
            row = self._row(view, each)
            if row in view.proposed.rows:
                raise ValueError(f"the adviser {self.adviser} starts a job twice at {now:g} s")
            processors = view.requests.processors.item(row)
            view.proposed.add(row, processors)
            self._wanted.append((row, processors))
        view.proposed.forget()
        advised, sizes = list(self._wanted), self._sizes(view)
        rows = np.array(self.agent.select(view, now), np.int64)
        found = list(zip(rows.tolist(), view.requests.processors[rows].tolist(), strict=True))
        self._follows(found == advised, now)
        self._choose(view, [wish for wish in sizes if wish[0] not in rows])
        return rows

    def reshape(self, view: View, now: float) -> Iterable[Resize]:
        """Ask the adviser, then the agent, for sizes of running jobs."""
        if self._reshapes:
            self._resizes += [(each.row, each.processors) for each in self._reshapes(view, now) or ()]
        advised, sizes = list(self._resizes), self._sizes(view)
        self._resizing = True
        found = list(self.agent.reshape(view, now))
        self._resizing = False
        self._follows([(each.row, each.processors) for each in found] == advised, now)
        self._choose(view, sizes)
        return found

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Tell the agent and the adviser which jobs have started."""
        self.agent.on_start(view, rows, now)
        if self._starts:
            self._starts(view, rows, now)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Tell the agent and the adviser which jobs have ended."""
        self.agent.on_end(view, rows, now)
        if self._ends:
            self._ends(view, rows, now)

    on_interrupt = on_end

    def on_resizing(self, view: View, rows: Rows, now: float) -> None:
        """Tell the agent and the adviser which jobs are about to have other sizes."""
        self.agent.on_resizing(view, rows, now)
        if self._before_resizes:
            self._before_resizes(view, rows, now)

    def on_resize(self, view: View, rows: Rows, now: float) -> None:
        """Tell the agent and the adviser which have them."""
        self.agent.on_resize(view, rows, now)
        if self._after_resizes:
            self._after_resizes(view, rows, now)

    def copy(self) -> "Advised":
        """An independent adviser, and the same agent."""
        return Advised(Hooks(self.adviser).own_copy(), self.agent.asking(self._answer))

    def _advise(self, observation: Observation, mask: Mask) -> Any:
        """Find out what the adviser would answer, and let the agent answer."""
        agent = self.agent
        rows = agent.shown_at_work.tolist() if self._resizing else agent.shown.tolist()
        wishes = self._resizes if self._resizing else self._wanted
        self._check(set(rows), wishes)
        free = observation["machine"][FREE]
        answers = {self._answer_for(observation, rows.index(row), size): (row, size) for row, size in wishes}
        room = [answer for answer, (_, size) in answers.items() if mask[answer] and (self._resizing or size <= free)]
        self.advice = room[0] if room else agent.jobs
        answer = self._answer(observation, mask)
        if answer in answers:
            wishes.remove(answers[answer])
        return answer

    def _answer_for(self, observation: Observation, place: int, size: int) -> int:
        """The answer by which the job at a place starts with a size, or is given it."""
        if not self._resizing and observation["waiting"][place, WIDTH] == size:
            return place
        seen = observation["running_sizes" if self._resizing else "sizes"][place, :, SIZE]
        if size not in seen:
            raise ValueError(
                f"the adviser {self.adviser} gives a job {size} processors, and the agent sees {self.agent.shapes} of "
                "its sizes, without this one: give shapes=, at least the sizes of a job"
            )
        first = self.agent.jobs * self._resizing + place
        return self.agent.jobs + 1 + self.agent.shapes * first + int((seen == size).argmax())

    def _check(self, seen: set[int], wishes: list[Wish]) -> None:
        if all(row in seen for row, _ in wishes):
            return
        if self._resizing:
            raise ValueError(
                f"the adviser {self.adviser} resizes job number {len(seen) + 1} of those that run or a later one, and "
                f"the agent sees {self.agent.running}: give running=, at least the most jobs that run at once"
            )
        raise ValueError(
            f"the adviser {self.adviser} starts job number {len(seen) + 1} of the queue or a later one, and the "
            f"agent sees {self.agent.jobs}: give jobs=, at least the length of the longest queue"
        )

    def _follows(self, follows: bool, now: float) -> None:
        """Whether the agent has done what was advised; ``ValueError`` if it must."""
        if self._plans and not follows:
            raise ValueError(f"the adviser {self.adviser} plans ahead, so its advice must be followed at {now:g} s")

    def _row(self, view: View, each: Any) -> int:
        """The row of a job that the adviser starts, which has the size that it says."""
        if isinstance(each, Leave):
            raise ValueError("an adviser sends a running job away, and no answer of an agent does")
        job, processors = each if isinstance(each, tuple) else (each, None)
        row = job.row if isinstance(job, Request) else int(job)
        if processors is not None:
            self._choose(view, [(row, processors)])
        return row

    def _sizes(self, view: View) -> list[Wish]:
        """The sizes that the adviser has chosen for waiting jobs, which the agent may choose anew."""
        if not self.resizes:
            return []
        return [(row, view.requests.processors.item(row)) for row in view.waiting.tolist()]

    def _choose(self, view: View, wishes: list[Wish]) -> None:
        """Waiting jobs would start with sizes."""
        state = view.trusted().state
        for row, size in wishes:
            if (place := view.request(row).place_of(size)) >= 0:
                choose(state, row, place)

    def __str__(self) -> str:
        return f"{self.agent} advised by {self.adviser}"
