"""An agent as a policy: a function that says which of the first waiting jobs starts next.

In a pass in which one of them fits, the function is shown the queue and the machine, and answers with the place of a
job, which starts. Then it is asked again, with that job as if it ran, until it answers that no other starts or none
of those that it sees fits. With backfilling, it may also choose a job that does not fit: this job gets the one
reservation of EASY, the others are backfilled behind it in queue order, and the pass is over.

With ``shapes``, it also answers with which of its sizes a job starts. After the starts of a pass it is asked which
running jobs are given which other sizes, until it answers none or no other may be.

What agents of the field see and do: Zhang, Dai, He, Bao and Xie, RLScheduler (SC 2020), whose jobs arrive as recorded.
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import agent as places
from thinktime.models.engine.rules import decide
from thinktime.models.engine.structure import Structure
from thinktime.models.jobs.leaving import Resize
from thinktime.models.jobs.sizes import proposed_resizes
from thinktime.models.jobs.view import View
from thinktime.models.orders.fairshare import DecayingUsage
from thinktime.models.orders.named_orders import FCFS
from thinktime.models.orders.options import one_of
from thinktime.models.orders.order import Order
from thinktime.models.policies.agents.observation import look_around
from thinktime.models.policies.agents.rule import Agent as AgentRule
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.entry import listed
from thinktime.models.policies.queue_policy import ReplanningPolicy
from thinktime.workloads.arrays import NO_ROWS, Rows, writable
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.names import quoted
from thinktime.workloads.units import HOUR

Observation = Mapping[str, NDArray[np.float64]]
Mask = NDArray[np.int8]
Choose = Callable[[Observation, Mask], Any]
"""The place of the job that starts next, from what an agent sees and which answers are allowed; the last answer, which
is the number of jobs that it sees, means none. With ``shapes``, answers with sizes come behind that."""
MOST = 2**16


@listed(
    "an agent says which of the first waiting jobs starts next",
    "Zhang and others: RLScheduler (SC 2020)",
    takes_part=True,
)
class Agent(ReplanningPolicy):
    """A policy that asks ``choose`` which job starts next.

    ``choose(observation, mask)`` gives the place (from 0) of one of the first ``jobs`` waiting jobs in ``order``, or
    ``jobs`` for none. ``mask`` has a 1 for each answer that is allowed. Any other answer counts as none or, where
    that is not allowed, as the first that is. None is not allowed while nothing runs. The observation has

    * ``waiting``, a row for each of these jobs: its wait (s), estimate (s), processors, and the usage of its user, in
      processor-seconds that decay as those of the order `fairshare`; 0 where there is no job;
    * ``running``, a row for each of the first ``running`` jobs by expected end: the time until then (s), processors;
    * ``machine``: free processors, all processors, and hours since midnight where the machine is.

    The arrays belong to the policy, which uses them again: copy what you keep. ``choose`` must depend on nothing else,
    so that a run can be repeated. With ``backfilling="easy"``, others are backfilled behind a job that does not fit.

    With ``shapes``, a number of sizes S from 2 on, it chooses sizes (`thinktime.workloads.shapes`):

    * ``jobs + 1 + S * place + n`` starts a job with the n-th of its sizes (from 0, ascending; of more than S, some that
      are spread evenly), where ``place`` alone means the preferred one.
    * When no other starts, and the starts are made, it is asked for sizes of running jobs: ``jobs + 1 + S * (jobs +
      place) + n`` gives one its n-th size, and ``jobs`` means no other. Allowed are smaller sizes, and larger ones by
      which a job ends earlier and for which there is room until then, beside the job that has the reservation (with
      backfilling, the agent may give that also if no job fits); a job that asks for a size may have this one.
    * If processors are free by it at once, another pass follows.

    The observation then has these, too, with 0 where there is nothing:

    * ``sizes``, for each of the waiting jobs S rows of processors, and the estimate with them (s);
    * ``running_sizes``, for each running job that may be given another size now S rows of processors, and the time
      until its expected end with them (s);
    * ``running_for``, for each running job how long its run has lasted (s).

    ``ValueError`` for numbers of jobs that are not from 1 to 65,536, and of sizes that are not 0 or from 2 on.

    >>> import thinktime as tt
    >>> def shortest(observation, mask):
    ...     estimates = observation["waiting"][:, 1]
    ...     return int(min(mask[:-1].nonzero()[0], key=lambda place: estimates[place]))
    >>> log = tt.Trace({"submit": [0, 1, 1], "runtime": [9, 20, 10], "allocated": [2, 2, 2]})
    >>> tt.replay(log, tt.policies.Agent(shortest), processors=2)["start"].tolist()
    [0.0, 19.0, 9.0]
    """

    rule = "agent"
    compiles = True
    idles = False
    """Whether the answer may be that no job starts while nothing runs."""

    def __init__(
        self,
        choose: Choose,
        jobs: int = 16,
        running: int = 16,
        backfilling: str = "none",
        order: str | Order | Callable[..., Any] = FCFS,
        shapes: int = 0,
    ) -> None:
        super().__init__(order)
        if not callable(choose):
            raise TypeError(f"choose must be a function of (observation, mask), not {quoted(choose)}")
        self.choose = choose
        self.jobs, self.running = _number("jobs", jobs), _number("running", running)
        self.shapes = shapes and _number("shapes", shapes, 2)
        self.resizes = self.shapes > 0
        self.backfilling = one_of("backfilling", backfilling, ("none", "easy"))
        self._usage, self._calendar, self._day = DecayingUsage(), Calendar(), (0.0, 0.0)
        self._make_arrays()

    def _make_arrays(self) -> None:
        size = places.FIRST + places.OF_WAITING * self.jobs + places.OF_RUNNING * self.running
        sizes, ages = self.shapes * (self.jobs + self.running), self.running if self.shapes else 0
        self.seen = np.zeros(size + places.OF_SIZE * sizes + ages)
        """All that the agent sees, and the time behind ``machine``, in one array."""
        self.mask: Mask = np.zeros(self.jobs + 1 + sizes, np.int8)
        self.observation: Observation = self.laid_out(self.seen)
        self._structure = AgentRule(
            sees=self.jobs, sees_running=self.running, backfills=self.backfilling == "easy", may_idle=self.idles,
            chosen=np.empty(64, np.int64), shown=np.zeros(self.jobs, np.int64), seen=self.seen, allowed=self.mask,
            sizes=self.shapes, at_work=np.zeros(self.running, np.int64), pending=np.zeros(self.running, np.int64),
            pending_to=np.zeros(self.running, np.int64),
        )  # fmt: skip

    def laid_out(self, seen: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """The parts of what agents see, without a copy; the last axis is that of `seen`."""
        shapes = {
            "waiting": (self.jobs, places.OF_WAITING), "running": (self.running, places.OF_RUNNING),
            "sizes": (self.jobs, self.shapes, places.OF_SIZE),
            "running_sizes": (self.running, self.shapes, places.OF_SIZE),
            "running_for": (self.running if self.shapes else 0,),
        }  # fmt: skip
        parts, begin = {"machine": seen[..., : places.NOW]}, places.FIRST
        for name, shape in shapes.items():
            stop = begin + prod(shape)
            if stop > begin:
                parts[name] = seen[..., begin:stop].reshape(*seen.shape[:-1], *shape)
            begin = stop
        return parts

    @property
    def now(self) -> float:
        """The time at which the agent was last asked, s."""
        return self.seen.item(places.NOW)

    @property
    def shown(self) -> Rows:
        """The rows of the waiting jobs that the agent sees."""
        return np.asarray(self._structure.shown)[: self._structure.shown_count]

    @property
    def shown_at_work(self) -> Rows:
        """The rows of the running jobs that the agent sees."""
        return np.asarray(self._structure.at_work)[: self._structure.shown_at_work]

    def options(self) -> dict[str, Any]:
        """The name of the function, what it sees, and its order."""
        name = getattr(self.choose, "__name__", type(self.choose).__name__)
        sees = {"jobs": self.jobs, "running": self.running, "backfilling": self.backfilling}
        return {"choose": name} | sees | ({"shapes": self.shapes} if self.shapes else {}) | super().options()

    def copy(self) -> "Agent":
        """The same function with arrays of its own."""
        twin: Agent = object.__new__(type(self))
        vars(twin).update({name: value for name, value in vars(self).items() if not isinstance(value, Structure)})
        twin.order, twin._usage = self.order.copy(), self._usage.copy()  # type: ignore[assignment]
        twin._out = self._out.copy()
        twin._make_arrays()
        return twin

    def asking(self, choose: Choose) -> "Agent":
        """A copy that asks another function."""
        twin = self.copy()
        twin.choose = choose
        return twin

    def that_idles(self, choose: Choose) -> "Agent":
        """A copy that asks another function, which may let the machine idle."""
        twin = self.asking(choose)
        twin.idles = True
        twin._structure.may_idle = True
        return twin

    def on_calendar(self, calendar: Calendar) -> None:
        """The hour is that of the log."""
        self._calendar, self._day = calendar, (0.0, 0.0)

    def prepare(self, users: list[Any], processors: int) -> None:
        """Open accounts for the users."""
        self._usage.open(users)

    def as_rule(self, rows: int, jobs: int) -> AgentRule:
        """What the agent sees and has answered."""
        kept, rule = self._usage.as_structure(0, 0.0), self._structure
        rule.accounts, rule.standing, rule.seen, rule.allowed = kept.accounts, kept.standing, self.seen, self.mask
        if jobs > len(rule.chosen):
            rule.lengthen(2 * jobs, "chosen")
        return rule

    def answers(self) -> bool:
        """Ask, if that is why a pass has come back."""
        rule, mask = self._structure, self.mask
        if not rule.asked:
            return False
        rule.asked = False
        self.seen[places.HOUR] = self._hour(self.seen.item(places.NOW))
        answer = self.choose(self.observation, mask)
        try:
            place = operator.index(answer)
        except TypeError:
            place = -1
        if not 0 <= place < len(mask):
            raise ValueError(
                f"policy {self} answered {quoted(answer)}, but must answer with a whole number, 0 to {len(mask) - 1}"
            )
        if not mask[place]:
            place = self.jobs if mask[self.jobs] else int(mask.argmax())
        rule.answer = place
        return True

    def select(self, view: View, now: float) -> Proposal:
        """Ask until no other job starts."""
        if not view.waiting.size:
            return NO_ROWS
        queue = self.order.sort(view)
        self.prepare(view.labels("user"), view.capacity)
        while True:
            rule = self.as_rule(0, view.jobs)
            if (k := decide(view.state, rule, now, writable(queue))) >= 0:
                return view.started[:k]
            self.answers()

    def reshape(self, view: View, now: float) -> Iterable[Resize]:
        """Ask until no other running job is given another size."""
        if not self.shapes:
            return ()
        state, queue = view.state, writable(self.order.sort(view))
        while self.as_rule(0, view.jobs).reshape(state, now, queue):
            self.answers()
        return proposed_resizes(state)

    def look(self, view: View, now: float) -> None:
        """Write down what the agent would see now, without asking it."""
        self.prepare(view.labels("user"), view.capacity)
        look_around(view.state, self.as_rule(0, view.jobs), now, writable(self.order.sort(view)))
        self.seen[places.HOUR] = self._hour(now)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Their users use more."""
        self._usage.on_start(view, rows, now)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Their users use less."""
        self._usage.on_end(view, rows, now)

    on_resizing, on_resize = on_end, on_start

    def _hour(self, now: float) -> float:
        """Hours since local midnight."""
        begin, end = self._day
        if not begin <= now < end:
            begin, end = self._day = self._calendar.window(now)
        return (now - begin) / HOUR


def first_allowed(observation: Observation, mask: Mask) -> int:
    """The first answer that is allowed."""
    return int(mask.argmax())


def _number(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST:
        raise ValueError(f"{name} must be a whole number from {least} to {MOST:,}, not {quoted(value)}")
    return value
