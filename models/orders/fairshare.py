"""Fairshare: who has used the least lately is next.

A user's usage is a decaying sum of processor-seconds. It accrues while jobs run, up to now, and decays
either by a factor at fixed times (decay_origin + k decay; default: halved every 24 h of the log's own clock)
or continuously with a half-life:

    usage' = processors in use - usage ln 2 / half_life

The decay is computed when usage is asked for, and is no instant of its own. At the time of a decay, usage is what it is
after the decay. Source: the cplant paper, section II.A, which says "decayed every 24 hours". The factor is our
decision: it is the default of PBS, from which the paper's scheduler derives. So is the origin, which the paper does not
give. Moving the origin by a few hours changes a fifth of all starts on a loaded log, so the name of a policy has it.

On a machine that changes, users are charged for what their jobs used, whether or not the work was lost.
"""

from typing import Any

import numpy as np

from thinktime.models.engine.codes import usage as codes
from thinktime.models.engine.codes.queue_orders import BY_USAGE, EQUIVALENTS, PROCESSORS
from thinktime.models.engine.queue_orders import SortedOrder
from thinktime.models.engine.usage import Usage, usage_at
from thinktime.models.jobs.view import View
from thinktime.models.orders.accounts import BY, AccountOrder, Accounts, Measure, usage_key
from thinktime.workloads.arrays import Floats, Rows
from thinktime.workloads.names import quoted
from thinktime.workloads.units import DAY, as_text, plain, seconds


class DecayingUsage(Accounts):
    """Accounts of use that decays."""

    def __init__(
        self, decay: float = DAY, factor: float = 0.5, decay_origin: float = 0.0, half_life: float = 0.0, **shared: Any
    ) -> None:
        super().__init__(**shared)
        self.decay, self.factor, self.decay_origin, self.half_life = decay, factor, decay_origin, half_life
        accounts = Usage(period=decay, origin=decay_origin, factor=factor, half_life=half_life)
        accounts.lengthen(1, *accounts.FIELDS)
        measure = PROCESSORS if self.measure == "processors" else EQUIVALENTS
        self._structure = SortedOrder(code=BY_USAGE, by=BY.index(self.by), measure=measure, accounts=accounts)

    @property
    def compiled(self) -> bool:  # type: ignore[override]
        """Whether the measure is one of the package's own."""
        return isinstance(self.measure, str)

    def as_structure(self, rows: int, now: float) -> SortedOrder:
        """The accounts as the engine keeps them."""
        self._structure.standing, self._structure.divisors = self.current, self._divisors
        return self._structure

    def standing(self, now: float) -> Floats:
        """The usage of every account at ``now``."""
        accounts = self._structure.accounts
        out = np.empty(len(accounts.usage))
        usage_at(accounts, now, out)
        return out

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Usage accrues from now on."""
        self._charge(view, rows, now, codes.START)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Usage accrues until now."""
        self._charge(view, rows, now, codes.END)

    def grow(self, size: int) -> None:
        """New accounts are empty."""
        accounts = self._structure.accounts
        accounts.lengthen(size, *accounts.FIELDS)

    def options(self) -> dict[str, Any]:
        """How usage decays, then what all accounts have."""
        if self.half_life:
            return {"half_life": as_text(self.half_life)} | super().options()
        return {
            "decay": as_text(self.decay),
            "factor": plain(self.factor),
            "decay_origin": as_text(self.decay_origin),
        } | super().options()

    def _charge(self, view: View, rows: Rows, now: float, sign: int) -> None:
        self.open(view.labels(self.by))
        jobs = view.columns(rows)
        self._structure.accounts.charge(now, self.of(jobs), self.rates(jobs), sign)


class DominantUsage(DecayingUsage):
    """Usage of each resource by itself. What counts is the resource of which a user has used the largest part.

    Source: Ghodsi and others: Dominant resource fairness (NSDI 2011), with decaying use in the place of current
    allocations. With R resources, account a has the entries a R to a R + R - 1 of the arrays, in parts of the machine.
    """

    compiled = False  # the engine keeps one number for each account
    _resources = 1

    def standing(self, now: float) -> Floats:
        """The dominant part of every account at ``now``."""
        parts: Floats = super().standing(now).reshape(-1, self._resources)
        largest: Floats = parts.max(axis=1)
        return largest

    def grow(self, size: int) -> None:
        """New accounts are empty."""
        super().grow(size * self._resources)

    def _charge(self, view: View, rows: Rows, now: float, sign: int) -> None:
        if view.nodes is None:
            super()._charge(view, rows, now, sign)
            return
        parts = view.nodes.parts_of(rows)
        self.open(view.labels(self.by))
        if self._resources != parts.shape[1]:  # no account has used anything yet
            size = len(self._structure.accounts.usage) // self._resources
            self._resources = parts.shape[1]
            self.grow(size)
        accounts = self.of(view.columns(rows))[:, None] * self._resources + np.arange(self._resources)
        self._structure.accounts.charge(now, accounts.ravel(), parts.ravel(), sign)


def fairshare(
    decay: float | str | None = None,
    factor: float | None = None,
    decay_origin: float | str | None = None,
    half_life: float | str | None = None,
    by: str = "user",
    weights: dict[Any, float] | str | list[str] | None = None,
    measure: str | Measure = "processors",
) -> AccountOrder:
    """The order ``fairshare``: the user with the least decayed usage first.

    ``decay`` (default 24 h), ``factor`` (0.5) and ``decay_origin`` (0, the log's own zero) say that usage is
    multiplied by ``factor`` at decay_origin + k decay; ``half_life`` instead of them, that it decays
    continuously. Times are seconds, or text such as ``"7d"``. The others are those of `Accounts`.
    """
    if half_life is not None and not (decay is None and factor is None and decay_origin is None):
        raise ValueError(
            "half_life cannot be combined with decay, factor and decay_origin, which are for decay at fixed times"
        )
    kind = DominantUsage if measure == "dominant-resource" else DecayingUsage
    accounts = kind(
        decay=_positive("decay", DAY if decay is None else decay),
        factor=_fraction(0.5 if factor is None else factor),
        decay_origin=0.0 if decay_origin is None else _time("decay_origin", decay_origin),
        half_life=0.0 if half_life is None else _positive("half_life", half_life),
        by=by,
        weights=weights,
        measure=measure,
    )
    return AccountOrder(
        "fairshare",
        usage_key(accounts),
        dynamic=True,
        line="least processor-seconds used first, by user; usage decays",
        source="Leung, Sabin, Sadayappan: CPlant",
        accounts=accounts,
    )


def _time(name: str, value: float | str) -> float:
    """Seconds, which may lie before 0."""
    text = str(value)
    try:
        return -seconds(text[1:]) if text.startswith("-") else seconds(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _positive(name: str, value: float | str) -> float:
    found = _time(name, value)
    if found <= 0:
        raise ValueError(f"{name} is {quoted(value)}, but must be above 0")
    return found


def _fraction(factor: float) -> float:
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not 0 <= factor <= 1:
        raise ValueError(f"factor is {quoted(factor)}, but must be between 0 (forget) and 1 (never decay)")
    return float(factor)
