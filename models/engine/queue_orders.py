"""Orders that change while jobs wait: their keys, the sorted queue, and the charges to the accounts that they keep.

One class, `SortedOrder`, stands for all orders by which queues are sorted. ``logs[n]`` is log2(n), made by NumPy, whose
logarithms differ from those of compiled code in the last bit. ``standing`` is that of every account at the last pass,
and ``divisors`` is what its usage is divided by; account 0 is nobody's, and account 1 + code is a user's or a group's.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thinktime.models.engine import usage
from thinktime.models.engine.codes import queue_orders as queue_orders_codes
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rules import Rule
from thinktime.models.engine.structure import Structure
from thinktime.models.engine.usage import Usage
from thinktime.workloads.arrays import Floats, Ints


class Order(Structure):
    """How the waiting jobs are sorted, and the accounts that this needs; as it is here, by arrival."""

    def is_kept(self) -> bool:
        """Whether the machine keeps the queue in this order."""
        return False

    def asks_for_keys(self) -> bool:
        """Whether the keys of newcomers have to be computed before they join the queue."""
        return False

    def arranged(self, state: State, rule: Rule, now: float, rows: Ints) -> Ints:
        """The waiting rows, which come by arrival or by a static key, as a pass wants them."""
        return rows

    def charge_jobs(self, state: State, now: float, sign: int, rows: Ints) -> None:
        """Jobs have started or ended: charge their accounts, if the order keeps any."""

    def count_as(self, row: int, entry: int) -> None:
        """A job counts as its entry from now on, where an order knows partitions."""


MINUTE = 60.0  # s
LONGEST = queue_orders_codes.LONGEST
NO_KEYS: Floats = np.empty(0)
NO_ROWS: Ints = np.empty(0, np.int64)


def in_order(state: State, order: SortedOrder, now: float, rows: Ints) -> Ints:
    """Sort waiting rows, which come by arrival, by their keys; equal keys stay in order of arrival.

    They are in an array of the order's own, until the next call.
    """
    n = len(rows)
    order.make_room(n)
    code, by_user = order.code, order.by == queue_orders_codes.BY_USER
    if code == queue_orders_codes.BY_USAGE:
        usage.usage_at(order.accounts, now, order.standing)
    for i in range(n):
        row = rows[i]
        order.rows[i] = row
        if code == queue_orders_codes.BY_USAGE:
            account = 1 + (state.user[row] if by_user else state.group[row])
            order.keys[i] = order.standing[account] / order.divisors[account]
        else:
            width = state.processors[row]
            log = order.logs[width] if code == queue_orders_codes.UNICEF else 0.0
            order.keys[i] = aged_key(order, now - state.submit[row], state.estimate[row], width, log)
    if sort_together(order.keys, order.rows, order.spare_keys, order.spare_rows, n):
        return order.spare_rows[:n]
    return order.rows[:n]


def sort_together(keys: Floats, rows: Ints, spare_keys: Floats, spare_rows: Ints, n: int) -> bool:
    """Sort the first ``n`` rows by their keys, equal keys as they are; whether they are in the spare arrays then.

    Runs of a few are sorted by insertion, and then merged.
    """
    for i in range(n):
        key, row, begin, j = keys[i], rows[i], i - i % queue_orders_codes.RUN, i
        while j > begin and keys[j - 1] > key:
            keys[j], rows[j] = keys[j - 1], rows[j - 1]
            j -= 1
        keys[j], rows[j] = key, row
    width, turned = queue_orders_codes.RUN, False
    while width < n:
        if turned:
            _merge_runs(spare_keys, spare_rows, keys, rows, width, n)
        else:
            _merge_runs(keys, rows, spare_keys, spare_rows, width, n)
        width, turned = 2 * width, not turned
    return turned


def _merge_runs(keys: Floats, rows: Ints, to_keys: Floats, to_rows: Ints, width: int, n: int) -> None:
    """Merge each two neighbouring sorted runs of so many."""
    end = 0
    while end < n:
        begin, middle, end = end, min(end + width, n), min(end + 2 * width, n)
        i = begin
        j = middle
        for k in range(begin, end):
            if j >= end or (i < middle and keys[i] <= keys[j]):
                to_keys[k], to_rows[k] = keys[i], rows[i]
                i += 1
            else:
                to_keys[k], to_rows[k] = keys[j], rows[j]
                j += 1


def sorted_by(keys: Floats, rows: Ints) -> Ints:
    """The rows by ascending keys; equal keys stay as they are."""
    n = len(rows)
    first = np.empty(n, np.int64)
    for k in range(n):
        first[k] = k
    places = sort_places(keys, first, np.empty(n, np.int64))
    for k in range(n):
        places[k] = rows[places[k]]
    return places


def sort_places(keys: Floats, places: Ints, spare: Ints) -> Ints:
    """Sort places by their keys, in one of these arrays; equal keys stay as they are.

    A merge sort: NumPy's cannot be called from here.
    """
    n, width = len(places), 1
    while width < n:
        begin = 0
        while begin < n:
            i, j = begin, min(begin + width, n)
            middle, end = j, min(begin + 2 * width, n)
            for k in range(begin, end):
                if j >= end or (i < middle and keys[places[i]] <= keys[places[j]]):
                    spare[k] = places[i]
                    i += 1
                else:
                    spare[k] = places[j]
                    j += 1
            begin = end
        places, spare = spare, places
        width *= 2
    return places


def aged_keys(
    order: SortedOrder, now: float, submit: Floats, estimate: Floats, processors: Ints, logs: Floats
) -> Floats:
    """The keys of some jobs; ``logs`` are the logarithms of their processors."""
    keys = np.empty(len(submit))
    for i in range(len(submit)):
        keys[i] = aged_key(order, now - submit[i], estimate[i], processors[i], logs[i])
    return keys


def aged_key(order: SortedOrder, waited: float, estimate: float, processors: int, log: float) -> float:
    """The key of a job that has waited so long, smaller first."""
    if order.code == queue_orders_codes.CRITICALITY:
        reach = order.decay * min(waited + estimate, LONGEST) / MINUTE + 1.0
        return -(order.alpha * (order.level * order.decay / (reach * reach)) + waited)
    if order.code == queue_orders_codes.LXF:
        limit = min(estimate, LONGEST)
        return -((waited + limit) / limit)
    if order.code == queue_orders_codes.WFP3:
        ratio = waited / estimate
        return -(ratio * ratio * ratio * processors)
    return -(waited / (log * estimate))


def owners(state: State, by: int) -> Ints:
    """The codes of the jobs' users or groups."""
    owner: Ints = state.user if by == queue_orders_codes.BY_USER else state.group
    return owner


class SortedOrder(Order):
    """An order by keys that change while jobs wait: of their age and size, or of what their owners have used."""

    FIELDS = {"logs": Floats, "standing": Floats, "divisors": Floats}
    NUMBERS = {"code": 0, "by": 0, "measure": 0, "alpha": 0.0, "level": 0.0, "decay": 0.0}
    PARTS = ("accounts",)
    code: int
    """Which order it is (`thinktime.models.engine.codes.queue_orders`)."""
    by: int
    """Whose accounts are kept, users' or groups'."""
    measure: int
    """What counts as use."""
    alpha: float
    level: float
    decay: float
    """The numbers of the order `creasy` (`thinktime.models.policies.creasy`)."""
    accounts: Usage
    """What the owners of jobs have used."""
    logs: Floats
    standing: Floats
    divisors: Floats
    keys: Floats
    rows: Ints
    spare_keys: Floats
    spare_rows: Ints

    def __init__(self, **given: Any) -> None:
        self.accounts = Usage()
        super().__init__(**given)
        self.keys, self.rows, self.spare_keys, self.spare_rows = NO_KEYS, NO_ROWS, NO_KEYS, NO_ROWS

    def make_room(self, count: int) -> None:
        """So many rows will be sorted."""
        if count > len(self.rows):
            self.keys, self.spare_keys = np.empty(2 * count), np.empty(2 * count)
            self.rows, self.spare_rows = np.empty(2 * count, np.int64), np.empty(2 * count, np.int64)

    def arranged(self, state: State, rule: Rule, now: float, rows: Ints) -> Ints:
        """Sorted, if it matters to the rule."""
        if rule.order_matters(state, now, rows):
            return in_order(state, self, now, rows)
        return rows

    def charge_jobs(self, state: State, now: float, sign: int, rows: Ints) -> None:
        """Jobs start or end: charge their owners' accounts, if the order keeps any."""
        if self.code != queue_orders_codes.BY_USAGE:
            return
        by_user = self.by == queue_orders_codes.BY_USER
        equivalents = self.measure == queue_orders_codes.EQUIVALENTS
        self.accounts.bring_up(now)
        for i in range(len(rows)):
            row = rows[i]
            amount = float(state.processors[row])
            if equivalents and not math.isnan(state.equivalents[row]):
                amount = state.equivalents[row]
            self.accounts.change_rate(1 + (state.user[row] if by_user else state.group[row]), amount, sign)


class AsKept(Order):
    """The order in which the machine keeps the queue."""

    NUMBERS = {"late": False}
    late: bool
    """Whether keys of newcomers are computed when they join the queue."""

    def is_kept(self) -> bool:
        """It does so in this one."""
        return True

    def asks_for_keys(self) -> bool:
        """If these are ``late``."""
        return self.late
