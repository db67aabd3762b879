"""The classic rules on a machine of nodes: the same names, orders and options, but what fits is decided on the nodes.

A policy's entry names its member here. Users' own policies work as they are: the machine places what they propose, and
refuses what has no room. The rules are defined in ``docs/design.md``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from thinktime.models.kernels.node_profile import ProfileSteps, SiteArrays
from thinktime.models.kernels.nodes import TAKE
from thinktime.models.kernels.reservations import COMPRESS, ENDED, LENGTH, LOOSE, NO_SWEEP, which_sweep
from thinktime.models.nodes.pool import NodePool
from thinktime.models.nodes.site import NodeSite
from thinktime.models.policies.base import NOBODY, Proposal, Rows
from thinktime.models.policies.conservative import KeptReservations
from thinktime.models.policies.entry import is_trusted, member_on_nodes, trusted
from thinktime.models.policies.queue_policy import QueuePolicy, ReplanningPolicy
from thinktime.models.view import View
from thinktime.workloads.nodes import Nodes

ALL = 2**62


class OnNodes(QueuePolicy):
    """A classic rule whose passes look at nodes. It has the text of the rule."""

    def __init__(self, given: Any) -> None:
        super().__init__(given.order)
        self.rule = given.rule
        self._options = given.options
        self._left = np.empty((0, 0), np.int64)

    def options(self) -> dict[str, Any]:
        """Those of the rule."""
        found: dict[str, Any] = self._options()
        return found | super().options()

    def propose(self, view: View, out: Rows, started: int) -> Proposal:
        """Propose the first rows of ``out``. The machine uses the places that the pass has found for them."""
        rows = out[:started]
        site: NodeSite = view.nodes
        site.planned[view.waiting] = site.planned[view.left_out] = False  # proposed before, but not started
        site.planned[rows] = True
        return rows

    def free(self, site: NodeSite) -> Any:
        """A copy of what is free now, which the pass may change."""
        if self._left.shape != site.free.shape:
            self._left = np.empty_like(site.free)
        self._left[:] = site.free
        return self._left


class GreedyOnNodes(OnNodes, ReplanningPolicy):
    """What ``none`` and ``no-guarantee`` have in common."""

    strict: bool

    def select(self, view: View, now: float) -> Proposal:
        """Start what fits, in queue order."""
        if not view.free or not len(view.waiting):
            return NOBODY
        site: NodeSite = view.nodes
        out = self.room(len(view.waiting))
        k = site.kernels.greedy_pass(
            self.strict, site.allocator, self.order.sort(view), site.shape, self.free(site), site.capacity,
            site.shapes, site.places, site.taken, np.zeros(len(site.kinds), np.int64), out,
        )  # fmt: skip
        return self.propose(view, out, k)


@trusted
class StrictOnNodes(GreedyOnNodes):
    """``none``."""

    strict = True


@trusted
class NoGuaranteeOnNodes(GreedyOnNodes):
    """``no-guarantee``."""

    strict = False


class WithProfile(OnNodes):
    """Rules that look ahead. They keep a profile of what every node will have left."""

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        self._steps: ProfileSteps | None = None
        self._low = np.empty((0, 0), np.int64)

    def steps(self, site: NodeSite, count: int) -> ProfileSteps:
        """A profile with room for ``count`` steps, which keeps the steps of the old one."""
        if self._steps is None or len(self._steps.times) < count:
            size = 2 * count
            slab = np.empty((size, *site.free.shape), np.int64)
            times, slot = np.empty(size), np.arange(size)
            if self._steps is not None:
                old = len(self._steps.times)
                times[:old], slot[:old], slab[:old] = self._steps
            self._steps = ProfileSteps(times, slot, slab)
        return self._steps

    def site(self, site: NodeSite) -> SiteArrays:
        """The arrays of the nodes, for the kernels that keep a profile."""
        if self._low.shape != site.free.shape:
            self._low = np.empty_like(site.free)
        return SiteArrays(site.capacity, site.shapes, site.places, site.taken, self._low)


@trusted
class RebuildOnNodes(WithProfile, ReplanningPolicy):
    """``conservative-dynamic``: every pass makes all reservations again."""

    reservations = ALL

    def select(self, view: View, now: float) -> Proposal:
        """Rebuild all reservations, and start the jobs that are reserved for now."""
        if not view.free or not len(view.waiting):
            return NOBODY
        site: NodeSite = view.nodes
        out = self.room(len(view.waiting))
        k = site.kernels.rebuild_pass(
            now, view.grace, self.reservations, site.allocator, self.order.sort(view), site.shape,
            view.requests.estimate, site.free, view.running_rows, view.requests.expected_end, self.steps(site,
            2 * (len(view.waiting) + len(view.running_rows)) + 8), self.site(site), out,
        )  # fmt: skip
        return self.propose(view, out, k)


@trusted
class EasyOnNodes(RebuildOnNodes):
    """``easy``."""

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        self.reservations = given.reservations

    def select(self, view: View, now: float) -> Proposal:
        """Start what can be placed up to the first job that cannot, then whatever does not delay that job."""
        if self.reservations > 1:
            return super().select(view, now)
        if not view.free or not len(view.waiting):
            return NOBODY
        site: NodeSite = view.nodes
        out = self.room(len(view.waiting))
        left = self.free(site)
        k = site.kernels.easy_pass(
            now, view.grace, site.allocator, self.order.sort(view), site.shape, view.requests.estimate,
            view.running_rows, view.requests.expected_end, left, np.empty_like(left), np.empty_like(left),
            site.capacity, site.shapes, site.places, site.taken, np.zeros(len(site.kinds), np.int64), out,
        )  # fmt: skip
        return self.propose(view, out, k)


@trusted
class ConservativeOnNodes(WithProfile, KeptReservations):
    """``conservative``: reservations with their nodes, kept and compressed."""

    def __init__(self, given: Any) -> None:
        super().__init__(given)
        self.compress = given.compress
        self._memory[COMPRESS] = given._memory[COMPRESS]

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """Give back what the profile still holds for jobs that have ended."""
        self._memory[ENDED] = True
        site: NodeSite = view.nodes
        steps = self._room(view)
        site.kernels.give_back(now, rows, site.shape, self._hold, self._memory, steps, self.site(site))

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """Give back the reservations of jobs that have left the queue."""
        self._memory[ENDED] = True
        site: NodeSite = view.nodes
        steps = self._room(view)
        estimate, arrays = view.requests.estimate, self.site(site)
        site.kernels.withdraw(now, rows, site.shape, estimate, self._reserved, self._memory, steps, arrays)

    def replan(self, view: View) -> None:
        """Estimates are others now: forget all reservations; the next pass makes them anew, in queue order."""
        self._memory[LENGTH], self._due[0] = 0, view.now
        self._room(view)
        self._reserved[:] = self._hold[:] = np.nan
        self._memory[LOOSE] = True
        site: NodeSite = view.nodes
        steps, arrays, n = self._room(view), self.site(site), 1
        self._hold[view.running_rows] = view.expected_ends()
        for row in view.running_rows.tolist():
            n = site.kernels.book(row, site.shape[row], TAKE, view.now, self._hold[row], steps, n, arrays)
        self._memory[LENGTH] = n

    def select(self, view: View, now: float) -> Proposal:
        """Sweep, reserve for newcomers, start what is due."""
        site: NodeSite = view.nodes
        steps, arrays = self._room(view), self.site(view.nodes)
        if len(view.left_out):
            self._leave_out(view)
        if view.grace:
            self._memory[LENGTH] = site.kernels.advance(now, steps, self._memory[LENGTH])
            site.kernels.refresh_holds(
                now, view.grace, view.running_rows, site.shape, self._hold, self._memory, steps, arrays
            )
        if not len(view.waiting):
            self._memory[ENDED], self._due[0] = False, np.inf
            return NOBODY
        queue = self.order.sort(view)
        sweep, order = which_sweep(self._memory, self._reserved, queue, True)
        if sweep != NO_SWEEP and (site.shapes.first[1:] - site.shapes.first[:-1] > 1).any():
            self._memory[LOOSE] = True  # with several kinds of chunks, less room may help: sweep always
        self._memory[ENDED] = False
        out = self.room(len(queue))
        spare = np.empty(3 * int(site.most.max(initial=0)) + 1, np.int64)
        k, self._due[0] = site.kernels.conservative_pass(
            now, sweep, site.allocator, queue, order, site.shape, view.requests.estimate, self.free(site),
            self._reserved, view.requests.promised, self._hold, self._memory, steps, arrays, spare,
            np.zeros(len(site.kinds)), view.grace, out,
        )  # fmt: skip
        return self.propose(view, out, k)

    def _room(self, view: View) -> ProfileSteps:
        self._grow(view.requests.capacity)
        steps = self.steps(view.nodes, 2 * (len(view.waiting) + len(view.running_rows)) + 12)
        if self._memory[LENGTH] == 0:
            steps.times[0] = view.now
            steps.slab[steps.slot[0]] = view.nodes.capacity
            self._memory[LENGTH] = 1
        return steps


def machine_of_nodes(
    nodes: Nodes, processors: int | None, policy: Any, overrun: str, allocator: Any
) -> tuple[Any, NodePool]:
    """The policy and the pool of a machine of nodes."""
    if not isinstance(nodes, Nodes):
        raise TypeError(f"nodes must be Nodes, such as Nodes.read('x.machines'), not {nodes!r}")
    if processors is not None and processors != nodes.total():
        raise ValueError(
            f"the nodes have {nodes.total()} processors, not {processors!r}; leave processors out"
        )
    return on_nodes(policy), NodePool(nodes, overrun, allocator)


def on_nodes(policy: Any) -> Any:
    """The policy as it works on nodes; ``ValueError`` for one that only knows processors."""
    member = member_on_nodes(policy)
    return member if is_trusted(policy) else policy
