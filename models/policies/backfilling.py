"""The rules that keep nothing between passes: none (strict), no-guarantee, and EASY."""

from collections.abc import Callable
from typing import Any

from thinktime.models.engine.codes import passes as codes
from thinktime.models.engine.passes import Greedy as GreedyRule
from thinktime.models.engine.rules import Rule
from thinktime.models.jobs.view import View
from thinktime.models.orders.named_orders import FCFS
from thinktime.models.orders.order import Order
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.entry import listed
from thinktime.models.policies.preemption import Preemption
from thinktime.models.policies.queue_policy import ONE_RESERVATION, Rebuilding, ReplanningPolicy
from thinktime.models.state import Reason
from thinktime.workloads.arrays import NO_ROWS
from thinktime.workloads.names import quoted


class Greedy(ReplanningPolicy):
    """A rule whose pass goes once along the queue, and remembers nothing."""

    compiles = True
    code: int

    def as_rule(self, rows: int, jobs: int) -> Rule:
        """Which of the rules it is."""
        self._structure: Rule
        if "_structure" not in vars(self):
            self._structure = GreedyRule(code=self.code)
        return self._structure

    def select(self, view: View, now: float) -> Proposal:
        """Start what the rule lets start."""
        if not view.waiting.size:
            return NO_ROWS
        rule = self.as_rule(0, 0)
        return self.decided(view, rule, now, self.in_order(view, rule, now))


@listed("strict order: only the head of the queue may start", "standard in the field", "order", takes_part=True)
class Strict(Greedy):
    """``none``: no backfilling. Only the head of the queue may start."""

    rule = "none"
    reason = Reason.BEHIND_HEAD
    code = codes.STRICT


@listed("start whatever fits, in queue order", "Leung, Sabin, Sadayappan: CPlant", "order", takes_part=True)
class NoGuarantee(Greedy):
    """``no-guarantee``: start whatever fits, in queue order. A wide job may wait forever."""

    rule = "no-guarantee"
    code = codes.NO_GUARANTEE


@listed(
    "aggressive backfilling: the first jobs that cannot start hold reservations",
    "Lifka (JSSPP 1995)",
    "order, reservations=1, preempt=cancel|requeue|suspend, ranks=QUEUE:RANK+…, victims=youngest|lowest, grace=0, "
    "exempt=0",
    takes_part=True,
)
class Easy(Greedy, Rebuilding):
    """``easy``: the first ``reservations`` jobs that cannot start hold one; others must not delay them.

    Aggressive backfilling. Source: Lifka, The ANL/IBM SP scheduling system (JSSPP 1995), for one
    reservation, with the shadow time and the extra processors of Mu'alem and Feitelson (IEEE TPDS 2001).
    The exact rules are those of the contract in ``docs/design.md``.
    """

    rule = "easy"
    reason = Reason.RESERVATION
    code = codes.EASY
    sorts_after_starts = True

    def __init__(
        self,
        order: str | Order | Callable[..., Any] = FCFS,
        reservations: int = 1,
        preempt: str | None = None,
        ranks: Any = None,
        victims: str = "youngest",
        grace: float | str = 0.0,
        exempt: float | str = 0.0,
    ) -> None:
        super().__init__(order)
        if isinstance(reservations, bool) or not isinstance(reservations, int) or not 1 <= reservations < 2**31:
            raise ValueError(
                f"reservations must be a whole number of at least 1, not {quoted(reservations)}; no-guarantee has none"
            )
        if self.order.each_start and reservations > 1:
            raise ValueError(ONE_RESERVATION)
        self.reservations = reservations
        self.plans = 0 if reservations == 1 else reservations
        self.preemption = None if preempt is None else Preemption(preempt, ranks, victims, grace, exempt)
        if preempt is None and (ranks, victims, grace, exempt) != (None, "youngest", 0.0, 0.0):
            raise ValueError("ranks, victims, grace and exempt are options of preempt; give preempt=requeue as well")

    @property
    def ranks(self) -> dict[str, int] | None:
        """The ranks of queues, if jobs of a higher rank send others away."""
        return None if self.preemption is None else self.preemption.ranks

    def as_rule(self, rows: int, jobs: int) -> Rule:
        """With one reservation it needs no profile."""
        if self.preemption is not None:
            return self._as_preempting()
        return (Rebuilding if self.plans else Greedy).as_rule(self, rows, jobs)

    def select(self, view: View, now: float) -> Proposal:
        """Start what fits up to the first job that does not, then whatever cannot delay reserved jobs."""
        if not view.waiting.size:
            return NO_ROWS
        rule = self.as_rule(0, view.jobs)
        if self.order.reconsiders:
            queue = self.order.arranged(view, rule)
        else:
            queue = view.waiting if view.kept is self._kept else self.order.sort(view)
        return self.decided(view, rule, now, queue)

    def options(self) -> dict[str, Any]:
        """Order and number of reservations, and who is sent away."""
        preemption = {} if self.preemption is None else self.preemption.options()
        return super().options() | {"reservations": self.reservations} | preemption

    def _as_preempting(self) -> Rule:
        assert self.preemption is not None
        if "_structure" not in vars(self):
            self._structure = self.preemption.as_rule(self.reservations)
        return self._structure
