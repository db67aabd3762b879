"""An agent with an adviser: another policy, which says at every decision what it would do itself.

The adviser is a policy of the catalogue, or one's own. It has all of its hooks, at the times at which it would have
them as the machine's policy. An agent that follows the advice makes the adviser's schedule, start by start, so any
policy can act as an agent; and whatever an agent does, it can learn from the advice.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.engine.codes.agent import FREE, WIDTH
from thinktime.models.jobs.leaving import Leave
from thinktime.models.jobs.view import Request, View
from thinktime.models.policies.agents.agent import Agent, Mask, Observation
from thinktime.models.policies.base import ATTRIBUTES, HOOKS, Policy, Proposal, Rows
from thinktime.models.policies.entry import ReadyPolicy
from thinktime.models.policies.hooks import Hooks

OWN = ("select", "copy", "rehearse", "on_start", "on_end", "on_interrupt", "on_calendar")
"""Hooks that are not simply the adviser's."""


class Advised(Policy):
    """The policy of an ``agent`` that can see what an ``adviser`` would do (`advice`).

    The answer that no job starts is always allowed, as the adviser may wait. An adviser that hears what happens
    (``on_start`` and others) plans ahead, so its advice must be followed. One without such hooks may be asked in any
    situation: it advises those that it would start at the beginning of the pass, as long as they have room.
    """

    def __init__(self, adviser: Any, agent: Agent) -> None:
        self.adviser, self.agent = adviser, agent.that_idles(self._advise)
        self._answer = agent.choose
        self._wanted: list[int] = []
        self.advice = 0
        """What the adviser would answer: the place of a job among those that the agent sees, or none."""
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
        self._starts = adviser.on_start if hooks.on_start else None
        self._ends = adviser.on_end if hooks.on_end else None

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
        self._wanted = []
        for each in wanted.tolist() if isinstance(wanted, np.ndarray) else wanted or ():
            row = _row(each)
            if row in view.proposed.rows:
                raise ValueError(f"the adviser {self.adviser} starts a job twice at {now:g} s")
            view.proposed.add(row, view.requests.processors.item(row))
            self._wanted.append(row)
        view.proposed.forget()
        advised = list(self._wanted)
        rows = np.array(self.agent.select(view, now), np.int64)
        if self._plans and rows.tolist() != advised:
            raise ValueError(f"the adviser {self.adviser} plans ahead, so its advice must be followed at {now:g} s")
        return rows

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

    def copy(self) -> "Advised":
        """An independent adviser, and the same agent."""
        return Advised(Hooks(self.adviser).own_copy(), self.agent.asking(self._answer))

    def _advise(self, observation: Observation, mask: Mask) -> Any:
        """Find out what the adviser would answer, and let the agent answer."""
        shown = self.agent.shown.tolist()
        self._check(shown)
        room = observation["waiting"][:, WIDTH] <= observation["machine"][FREE]
        places = [shown.index(row) for row in self._wanted]
        self.advice = next((place for place in places if mask[place] and room[place]), self.agent.jobs)
        answer = self._answer(observation, mask)
        if answer in places:
            self._wanted.remove(shown[answer])
        return answer

    def _check(self, shown: list[int]) -> None:
        if not set(self._wanted) <= set(shown):
            raise ValueError(
                f"the adviser {self.adviser} starts job number {len(shown) + 1} of the queue or a later one, and the "
                f"agent sees {self.agent.jobs}: give jobs=, at least the length of the longest queue"
            )

    def __str__(self) -> str:
        return f"{self.agent} advised by {self.adviser}"


def _row(each: Any) -> int:
    if isinstance(each, Leave):
        raise ValueError("an adviser sends a running job away, and no answer of an agent does")
    return each.row if isinstance(each, Request) else int(each)
