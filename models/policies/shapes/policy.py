"""The policy ``shapes``: sizes of moldable and malleable jobs, around a policy that decides who starts.

With which size jobs start (``size``):

* ``preferred``, ``min``, ``max``, or ``average``, the largest at or below (min + max) / 2
* ``largest``: the largest that fits into what is idle when the job's turn comes, else the least
* ``earliest``: that with which it is predicted to end first, in the profile of running jobs and those before it in the
  queue (W. Cirne and F. Berman, A model for moldable supercomputer jobs, IPDPS 2001)

Who grows on processors that are idle (``expand``): nobody (``none``), the ``oldest`` first, the ``smallest``, or the
``best``, which gains most speed for each processor. Nobody is delayed for it who has a reservation. Who shrinks to
start the head of the queue (``shrink``), down to the least or the preferred size (``to``): nobody, the ``latest``
first, the ``largest``, or the ``least``, who loses the least speed for each processor. Nobody shrinks if the head could
not be placed then, which on nodes takes more than as many processors.

With ``share=equal`` (equipartition) or ``share=pool`` all malleable jobs share the processors instead, and jobs are
admitted in queue order (`thinktime.models.policies.shapes.sharing`).
"""

from collections.abc import Iterable
from copy import copy
from math import inf
from typing import Any

from thinktime.models.engine.codes import shapes as codes
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.shapes import propose
from thinktime.models.jobs.leaving import Resize
from thinktime.models.jobs.sizes import proposed_resizes
from thinktime.models.jobs.view import View
from thinktime.models.orders.options import one_of
from thinktime.models.orders.order import Order
from thinktime.models.policies.backfilling import Easy, Strict
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.entry import ReadyPolicy, listed
from thinktime.models.policies.hooks import Hooks
from thinktime.models.policies.queue_policy import QueuePolicy
from thinktime.models.policies.shapes.rule import Shaped
from thinktime.models.policies.shapes.sharing import Sharing
from thinktime.models.state import Reason
from thinktime.workloads.arrays import Rows, writable
from thinktime.workloads.names import quoted

NAME = "shapes"
SIZES = ("preferred", "min", "max", "average", "largest", "earliest")
EXPAND = ("none", "oldest", "smallest", "best")
SHRINK = ("none", "latest", "largest", "least")
TO = ("preferred", "min")
SHARE = ("none", "equal", "pool")
BASES = ("none", "no-guarantee", "easy", "conservative", "conservative-dynamic")
REMEMBER = ("on_end", "on_withdraw", "on_bar", "on_start", "on_revise")
"""Hooks of a base that keeps reservations."""
USUAL = {"size": "preferred", "expand": "none", "shrink": "none", "to": "min", "share": "none"}


@listed(
    "sizes of moldable and malleable jobs, around the policy base",
    "Feitelson, Rudolph (JSSPP 1996); Cirne, Berman (IPDPS 2001)",
    "size=preferred|min|max|average|largest|earliest, expand=none|oldest|smallest|best, "
    "shrink=none|latest|largest|least, to=min|preferred, share=none|equal|pool, base=easy",
)
class Shapes(ReadyPolicy):
    """``shapes``: sizes around a ``base``, one of the classic rules, or its text."""

    rule = NAME
    compiles = True
    resizes = True

    def __init__(
        self, size: str = "preferred", expand: str = "none", shrink: str = "none", to: str = "min", share: str = "none",
        base: Any = None,
    ) -> None:  # fmt: skip
        given = {"size": one_of("size", size, SIZES), "expand": one_of("expand", expand, EXPAND),
                 "shrink": one_of("shrink", shrink, SHRINK), "to": one_of("to", to, TO),
                 "share": one_of("share", share, SHARE)}  # fmt: skip
        base = (Easy() if share == "none" else Strict()) if base is None else base
        self.base = _checked(base, given)
        self._given = given
        self.order: Order | None = self.base.order
        self._shrinking: list[tuple[int, int]] = []
        for name in REMEMBER:
            if getattr(Hooks(self.base), name) is None:
                setattr(self, name, None)  # it remembers nothing
        self._structure: Rule
        if share != "none":
            self._structure = Sharing(share=SHARE.index(share) - 1)
            return
        reserved = {"easy": getattr(self.base, "reservations", 1), "none": 1, "no-guarantee": 0}
        self._structure = Shaped(
            size=SIZES.index(size), expand=EXPAND.index(expand), shrink=SHRINK.index(shrink),
            least=codes.PREFERRED if to == "preferred" else codes.LEAST, strict=self.base.rule == "none",
            reserved=reserved.get(self.base.rule, codes.EVERYBODY),
        )  # fmt: skip

    @property
    def reason(self) -> Reason:  # type: ignore[override]
        """That of the policy in the middle."""
        return self.base.reason

    def as_rule(self, rows: int, jobs: int) -> Rule:
        """The sizes, with the rule in the middle."""
        if isinstance(self._structure, Shaped):
            self._structure.base = self.base.as_rule(rows, jobs)
        return self._structure

    def prepare(self, users: list[Any], processors: int) -> None:
        """As the policy in the middle is prepared."""
        self.base.prepare(users, processors)

    def select(self, view: View, now: float) -> Proposal:
        """Choose sizes, and let the policy in the middle decide."""
        rule = self._rule(view)
        rows = self.base.decided(view, rule, now, self.base.in_order(view, rule, now))
        self._shrinking = [(each.row, each.processors) for each in proposed_resizes(view.state)]
        return rows

    def reshape(self, view: View, now: float) -> Iterable[Resize]:
        """Choose sizes of running jobs."""
        state, rule = view.state, self._rule(view)
        for row, processors in self._shrinking:
            propose(state, row, view.request(row).place_of(processors))
        rule.reshape(state, now, writable(self.base.in_order(view, rule, now)))
        return proposed_resizes(state)

    def on_resizing(self, view: View, rows: Rows, now: float) -> None:
        """Running jobs are about to have other sizes."""
        self._rule(view).resizing(view.state, now, writable(rows))

    def on_resize(self, view: View, rows: Rows, now: float) -> None:
        """Running jobs have the other sizes that they were about to have."""
        self._rule(view).resized(view.state, now, writable(rows))

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Tell the policy in the middle."""
        self.base.on_end(view, rows, now)

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """Tell the policy in the middle."""
        self.base.on_withdraw(view, rows, now)

    def on_bar(self, view: View, rows: Rows, now: float) -> None:
        """Tell the policy in the middle."""
        self.base.on_bar(view, rows, now)

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Tell the policy in the middle."""
        self.base.on_start(view, rows, now)

    def on_revise(self, view: View, rows: Rows, now: float) -> None:
        """Tell the policy in the middle."""
        self.base.on_revise(view, rows, now)

    def _rule(self, view: View) -> Rule:
        return self.as_rule(view.requests.capacity, view.jobs)

    def predict(self, view: View, row: int) -> float:
        """As the policy in the middle has planned it."""
        found = getattr(self.base, "predict", None)
        return float("nan") if found is None else float(found(view, row))

    def next_clock(self, now: float) -> float:
        """That of the policy in the middle."""
        return float(self.base.next_clock(now))  # type: ignore[arg-type]

    def replan(self, view: View) -> None:
        """Estimates are others now."""
        self.base.replan(view)

    def options(self) -> dict[str, Any]:
        """All that differs from the usual, and the policy in the middle."""
        told = {name: value for name, value in self._given.items() if value != USUAL[name]}
        return told | {"base": str(self.base)}


def _checked(base: Any, given: dict[str, str]) -> QueuePolicy:
    """The policy in the middle; ``ValueError`` for what has no meaning around it."""
    rule, changed = (
        getattr(base, "rule", ""),
        [name for name in ("size", "expand", "shrink", "to") if given[name] != USUAL[name]],
    )
    if rule == NAME:
        raise ValueError("sizes are chosen once; give a base without shapes")
    if rule not in BASES:
        raise ValueError(
            f"base cannot be {quoted(str(base))}, which plans with sizes that do not change; it can be "
            f"{', '.join(BASES)}"
        )
    if base.deferral is not None or getattr(base, "ranks", None) is not None:
        raise ValueError("base cannot hold jobs back or send them away: write carbon:…,base=shapes:…, without preempt")
    if base.runtime_limit < inf:
        raise ValueError("base cannot have a runtime limit: a segment of a job would begin again")
    if given["share"] != "none" and (rule != "none" or changed):
        raise ValueError(
            "with share, jobs are admitted in queue order (base=none) and have their shares; give no "
            f"{changed[0] if changed else 'other base'}"
        )
    if given["to"] != USUAL["to"] and given["shrink"] == "none":
        raise ValueError(
            f"to={given['to']} says how far jobs shrink for the head of the queue; give shrink as well, such as "
            "shrink=latest"
        )
    if rule == "conservative" and given["size"] in ("largest", "earliest"):
        raise ValueError(
            f"size={given['size']} is chosen anew in every pass, and conservative keeps its reservations; give "
            "base=conservative-dynamic"
        )
    if rule == "conservative" and base.compress != "completion":
        raise ValueError(f"around conservative, shapes needs compress=completion, not {base.compress}")
    found: QueuePolicy = copy(base)
    return found
