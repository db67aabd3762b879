"""Slurm's own scheduler: a main pass, and backfill with reservations that are made anew in every pass.

Down the queue, the main pass starts what fits; the first job of a partition that does not closes its partition. The
backfill pass then gives a reservation to each job that it looks at, and starts what fits beside them. So it is
conservative backfilling without memory, with limits on whom it looks at and habits of its own: running jobs leave in
groups, reservations take whole nodes, and one that begins exactly when a job would end is in this job's way. With
``bf_job_part_count_reserve=1`` it is EASY.

Source: Slurm 22.05.8, as measured on a real one. Options have Slurm's names and defaults. What depends on the load of
Slurm's daemon (``bf_max_time``, ``bf_yield_interval``, ``max_rpc_cnt``) is left out.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from thinktime.models.engine.limits.ranking import by_tier
from thinktime.models.jobs.view import View
from thinktime.models.orders.accounts import accounts_of
from thinktime.models.orders.named_orders import FCFS
from thinktime.models.orders.options import as_time, one_of
from thinktime.models.orders.order import Order
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.entry import listed
from thinktime.models.policies.queue_policy import ReplanningPolicy
from thinktime.models.policies.slurm.rule import Slurm as SlurmRule
from thinktime.models.state import Reason
from thinktime.workloads import checks
from thinktime.workloads.arrays import writable
from thinktime.workloads.grid import to_grid
from thinktime.workloads.units import DAY, as_text

COUNTS = (
    "default_queue_depth", "partition_job_depth", "bf_max_job_test", "bf_max_job_user", "bf_max_job_part",
    "bf_max_job_user_part", "bf_max_job_assoc", "bf_max_job_start", "bf_job_part_count_reserve",
)  # fmt: skip
TIMES = (
    "bf_window", "bf_min_age_reserve", "bf_resolution", "bf_interval", "groups", "bf_window_linear", "sched_interval",
    "origin",
)  # fmt: skip
SWITCHES = "backfill", "whole_nodes", "inclusive_edge"


@listed(
    "Slurm's main pass and backfill: reservations rebuilt, on whole nodes, with Slurm's knobs",
    "Slurm 22.05",
    "order, backfill=yes|no, default_queue_depth=100, partition_job_depth=0, sched_interval=60s, bf_max_job_test=500, "
    "bf_max_job_user=0, bf_max_job_part=0, bf_max_job_user_part=0, bf_max_job_assoc=0, bf_max_job_start=0, "
    "bf_job_part_count_reserve=0, bf_window=1d, bf_min_age_reserve=0, bf_resolution=60s, bf_interval=30s, "
    "bf_window_linear=0, groups=30s, whole_nodes=yes|no, inclusive_edge=yes|no, origin=0",
)
class Slurm(ReplanningPolicy):
    """``slurm``: the main pass at every instant, and backfill at multiples of ``bf_interval`` if something happened.

    Where priorities change at ticks (``order=multifactor``), these are instants, too, while jobs wait.
    With ``bf_interval=0`` there is a backfill pass at every instant, and with ``backfill=no`` none at all
    (``sched/builtin``). The main pass looks at the first ``default_queue_depth`` jobs, at all of them at multiples of
    ``sched_interval`` (0: never), and of each partition at the first ``partition_job_depth``. The backfill pass looks
    at the first ``bf_max_job_test``, of each user at ``bf_max_job_user``, of a partition at ``bf_max_job_part``, of a
    user in a partition at ``bf_max_job_user_part``, of a user in an account at ``bf_max_job_assoc``, and starts at most
    ``bf_max_job_start`` (each 0: all). At most ``bf_job_part_count_reserve`` jobs of a partition (0: all) get a
    reservation, and only those that have waited for ``bf_min_age_reserve``, for a time up to ``bf_window`` from now (0:
    any). Its begin and end are rounded down to multiples of ``bf_resolution``.

    Running jobs are expected to leave in groups: if w is the first expected end, rounded up to the next multiple of
    ``groups``, a group has all ends up to w + ``groups``, the next those up to w + 2 ``groups``, then 4, 8, … (with
    ``bf_window_linear`` above 0, each reaches so many seconds further); all of a group leave with its last.
    ``groups=0``: each leaves by itself. A reservation takes all of its nodes
    (``whole_nodes``). Multiples count from ``origin``, where a log's clock need not be at a full minute.
    """

    rule = "slurm"
    compiles = True
    reason = Reason.RESERVATION

    def __init__(
        self, order: str | Order | Callable[..., Any] = FCFS, backfill: str = "yes", default_queue_depth: int = 100,
        partition_job_depth: int = 0, sched_interval: float | str = 60.0, bf_max_job_test: int = 500,
        bf_max_job_user: int = 0, bf_max_job_part: int = 0, bf_max_job_user_part: int = 0, bf_max_job_assoc: int = 0,
        bf_max_job_start: int = 0, bf_job_part_count_reserve: int = 0, bf_window: float | str = DAY,
        bf_min_age_reserve: float | str = 0.0, bf_resolution: float | str = 60.0, bf_interval: float | str = 30.0,
        bf_window_linear: float | str = 0.0, groups: float | str = 30.0, whole_nodes: str = "yes",
        inclusive_edge: str = "yes", origin: float | str = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(order)
        given = locals()
        self._options: dict[str, Any] = (
            {name: one_of(name, given[name], ("yes", "no")) for name in SWITCHES}
            | {name: checks.whole(name, given[name], 0) for name in COUNTS}
            | {name: to_grid(as_time(name, given[name])) for name in TIMES}
        )
        if self._options["bf_max_job_start"] and not self._options["bf_interval"]:
            raise ValueError("bf_max_job_start needs a bf_interval above 0, after which the next jobs start")
        told = self._options
        self._structure = SlurmRule(
            backfills=told["backfill"] == "yes", depth=told["default_queue_depth"],
            partition_depth=told["partition_job_depth"], tests=told["bf_max_job_test"],
            at_most=np.array([told[f"bf_max_job_{name}"] for name in ("user", "part", "user_part", "assoc")]),
            starts_most=told["bf_max_job_start"], reservations=told["bf_job_part_count_reserve"],
            whole=told["whole_nodes"] == "yes", inclusive=told["inclusive_edge"] == "yes", window=told["bf_window"],
            min_age=told["bf_min_age_reserve"], resolution=told["bf_resolution"], interval=told["bf_interval"],
            groups=told["groups"], linear=told["bf_window_linear"], main_interval=told["sched_interval"],
            origin=told["origin"],
        )  # fmt: skip

    def next_clock(self, now: float) -> float:
        """The next backfill pass, if anything has happened since the last, main pass, candidate, or tick."""
        rule = self._structure
        return min(rule.next_backfill, rule.next_candidate, rule.next_main, rule.next_tick)

    def begin_late(self, time: float) -> None:
        """Begin in the middle: a main pass is due at a time, though nothing may happen then, and backfill follows."""
        self._structure.next_main = time

    def as_rule(self, rows: int, jobs: int) -> SlurmRule:
        """The options and the clock."""
        rule = self._structure
        if (accounts := accounts_of(self)) is not None:
            rule.tick, rule.tick_origin = accounts.ticks
        return rule

    def select(self, view: View, now: float) -> Proposal:
        """Both passes, or the main pass alone."""
        rule = self.as_rule(0, view.jobs)
        return self.decided(view, rule, now, np.asarray(by_tier(view.state, writable(self.in_order(view, rule, now)))))

    def options(self) -> dict[str, Any]:
        """All that differs from Slurm's defaults."""
        usual = {name: each.default for name, each in inspect.signature(Slurm).parameters.items()}
        return super().options() | {
            name: as_text(value) if name in TIMES else value
            for name, value in self._options.items()
            if value != usual[name]
        }
