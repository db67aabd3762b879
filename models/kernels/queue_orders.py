"""Orders that change while jobs wait: their keys, the sorted queue, and the charges to the accounts that they keep.

One kind of structure stands for all orders by which queues are sorted. Its ``options`` are a code, whose accounts are
kept (``BY_USER`` or ``BY_GROUP``), and what is measured. ``logs[n]`` is log2(n), made by NumPy, whose logarithms differ
from those of compiled code in the last bit. The other arrays are those of `thinktime.models.kernels.usage`, with the
``standing`` of every account at the last pass and the ``divisors`` that its usage is divided by; account 0 is nobody's,
and account 1 + code is a user's or a group's.
"""

import numpy as np

from thinktime.models.kernels.rules import order_matters
from thinktime.models.kernels.usage import charge, usage_at
from thinktime.workloads.compiler import Floats, Ints, kernel
from thinktime.workloads.kinds import by_kind_of, written_for
from thinktime.workloads.structures import Structure, StructureKind, fields, maker

LXF, WFP3, UNICEF, BY_USAGE, CRITICALITY = range(1, 6)  # codes
CODE, BY, MEASURE = range(3)  # places in ``options``
BY_USER, BY_GROUP = 0, 1
PROCESSORS, EQUIVALENTS = 0, 1  # what is measured
MINUTE = 60.0  # s
LONGEST = 2.0**60  # s: stands for an infinite estimate where the limit is wanted
ORDER = StructureKind(
    "Order",
    **fields((Ints, "options"), (Floats, "logs how clock usage rate"), (Ints, "jobs"), (Floats, "standing divisors")),
)
make_order = maker(ORDER)


AS_KEPT = StructureKind("AsKept", options=Ints)
"""By arrival or by a static key: as the machine keeps the queue. Its option says whether a job's key is not known
before it joins the queue."""
make_as_kept = maker(AS_KEPT)


@by_kind_of("order")
def is_kept(order: Structure) -> bool:
    """Whether the machine keeps the queue in this order."""
    return False


@written_for(AS_KEPT, is_kept)
def kept_is_kept(order: Structure) -> bool:
    """It does."""
    return True


@by_kind_of("order")
def asks_for_keys(order: Structure) -> bool:
    """Whether the keys of newcomers have to be computed before they join the queue."""
    return False


@written_for(AS_KEPT, asks_for_keys)
def kept_asks_for_keys(order: Structure) -> bool:
    """What the option says."""
    return bool(order.options[0])


@by_kind_of("order")
def arranged(state: Structure, rule: Structure, order: Structure, now: float, rows: Ints) -> Ints:
    """The waiting rows, which come by arrival or by a static key, as a pass wants them."""
    return rows


@written_for(ORDER, arranged)
def arranged_by_key(state: Structure, rule: Structure, order: Structure, now: float, rows: Ints) -> Ints:
    """In order, where this pass needs it."""
    if order_matters(state, rule, now, rows):
        return in_order(state, order, now, rows)
    return rows


@kernel
def in_order(state: Structure, order: Structure, now: float, rows: Ints) -> Ints:
    """Sort waiting rows, which come by arrival, by their keys; equal keys stay in order of arrival."""
    keys = np.empty(rows.size)
    code = order.options[CODE]
    if code == BY_USAGE:
        how, owner = order.how, owners(state, order.options[BY])
        usage_at(now, order.clock, order.usage, order.rate, how[0], how[1], how[2], how[3], order.standing)
        for i in range(rows.size):
            account = owner[rows[i]] + 1
            keys[i] = order.standing[account] / order.divisors[account]
    else:
        for i in range(rows.size):
            row = rows[i]
            n = state.processors[row]
            log = order.logs[n] if code == UNICEF else 0.0
            keys[i] = aged_key(code, now - state.submit[row], state.estimate[row], n, log, order.how)
    return sorted_by(keys, rows)


@kernel
def sorted_by(keys: Floats, rows: Ints) -> Ints:
    """The rows by ascending keys; equal keys stay as they are."""
    n = rows.size
    places = sort_places(keys, np.arange(n), np.empty(n, np.int64))
    for k in range(n):
        places[k] = rows[places[k]]
    return places


@kernel
def sort_places(keys: Floats, places: Ints, spare: Ints) -> Ints:
    """Sort places by their keys, in one of these arrays; equal keys stay as they are.

    A merge sort of our own: it takes 2 s less to compile than NumPy's, which every rule would have to.
    """
    n, width = places.size, 1
    while width < n:
        for begin in range(0, n, 2 * width):
            i, j = begin, min(begin + width, n)
            middle, end = j, min(begin + 2 * width, n)
            for k in range(begin, end):
                if j >= end or (i < middle and keys[places[i]] <= keys[places[j]]):
                    spare[k] = places[i]
                    i += 1
                else:
                    spare[k] = places[j]
                    j += 1
        places, spare = spare, places
        width *= 2
    return places


@kernel
def aged_keys(
    code: int, now: float, submit: Floats, estimate: Floats, processors: Ints, logs: Floats, how: Floats
) -> Floats:
    """The keys of some jobs; ``logs`` are the logarithms of their processors."""
    keys = np.empty(submit.size)
    for i in range(submit.size):
        keys[i] = aged_key(code, now - submit[i], estimate[i], processors[i], logs[i], how)
    return keys


@kernel
def aged_key(code: int, waited: float, estimate: float, processors: int, log: float, how: Floats) -> float:
    """The key of a job that has waited so long, smaller first; ``how`` are alpha, level and decay of `creasy`."""
    if code == CRITICALITY:
        alpha, level, decay = float(how[0]), float(how[1]), float(how[2])
        reach = decay * min(waited + estimate, LONGEST) / MINUTE + 1.0
        return -(alpha * (level * decay / (reach * reach)) + waited)
    if code == LXF:
        limit = min(estimate, LONGEST)
        return -((waited + limit) / limit)
    if code == WFP3:
        ratio = waited / estimate
        return -(ratio * ratio * ratio * processors)
    return -(waited / (log * estimate))


@by_kind_of("order")
def charge_jobs(state: Structure, order: Structure, now: float, sign: int, rows: Ints) -> None:
    """Jobs have started or ended: charge their accounts, if the order keeps any."""


@by_kind_of("order")
def count_as(order: Structure, row: int, entry: int) -> None:
    """A job counts as its entry from now on, where an order knows partitions."""


@written_for(ORDER, charge_jobs)
def charge_accounts(state: Structure, order: Structure, now: float, sign: int, rows: Ints) -> None:
    """Jobs start or end: charge their owners' accounts, if the order keeps any."""
    if order.options[CODE] != BY_USAGE:
        return
    accounts, amounts = np.empty(rows.size, np.int64), np.empty(rows.size)
    owner, how = owners(state, order.options[BY]), order.how
    for i in range(rows.size):
        row = rows[i]
        accounts[i], amounts[i] = owner[row] + 1, state.processors[row]
        if order.options[MEASURE] == EQUIVALENTS and not np.isnan(state.equivalents[row]):
            amounts[i] = state.equivalents[row]
    charge(
        now, accounts, amounts, sign, order.clock, order.usage, order.rate, order.jobs, how[0], how[1], how[2], how[3]
    )  # fmt: skip


@kernel
def owners(state: Structure, by: int) -> Ints:
    """The codes of the jobs' users or groups."""
    owner: Ints = state.user if by == BY_USER else state.group
    return owner
