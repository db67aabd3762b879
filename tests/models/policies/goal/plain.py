"""Goal-oriented search in plain Python, straight from its definition: no code is shared with the package.

A job is a dictionary of submit, n, est. Running jobs are pairs (end, n).
"""

from fractions import Fraction
from itertools import permutations


def lds(n, k, top=False):
    """The ranks of iteration k of LDS, non-revisiting: exactly k discrepancies."""

    def rec(depth, left):
        if depth == n - 1:
            if left == 0:
                yield ()
            return
        rest = n - 1 - depth
        plain = [(0, *path) for path in rec(depth + 1, left)] if left < rest else []
        other = [(c, *path) for c in range(1, n - depth) for path in rec(depth + 1, left - 1)] if left else []
        yield from other + plain if top else plain + other

    return rec(0, k)


def dds(n, i):
    """The ranks of iteration i of DDS, non-revisiting."""

    def rec(depth):
        if depth == n - 1:
            yield ()
            return
        children = range(n - depth) if depth < i - 1 else range(1, n - depth) if depth == i - 1 else [0]
        for c in children:
            for path in rec(depth + 1):
                yield (c, *path)

    return rec(0)


def order_of(ranks, n):
    """The order of jobs that ranks stand for."""
    rest = list(range(n))
    return tuple(rest.pop(c) for c in (*ranks, 0))


def sequence(n, algorithm, top=False):
    """All orders in the sequence of the search, iteration by iteration."""
    return [
        [order_of(ranks, n) for ranks in (lds(n, it, top) if algorithm == "lds" else dds(n, it))] for it in range(n)
    ]


def schedule(jobs, order, running, processors, now):
    """The starts of the jobs (in the order given, not the path's), each at its earliest fit along the path."""
    taken = [(now, end, n) for end, n in running]
    starts = {}
    for j in order:
        need, length = jobs[j]["n"], jobs[j]["est"]
        for at in sorted({now} | {end for _, end, _ in taken if end > now}):
            moments = {at} | {a for a, _, _ in taken if at <= a < at + length}
            if all(sum(n for a, b, n in taken if a <= m < b) + need <= processors for m in moments):
                break
        starts[j] = at
        taken.append((at, at + length, need))
    return [starts[j] for j in range(len(jobs))]


def values(jobs, starts, bound, tau):
    """Total excessive wait and mean bounded slowdown, exactly."""
    waits = [start - job["submit"] for job, start in zip(jobs, starts, strict=True)]
    longest = [max(job["est"], tau) for job in jobs]
    excess = sum(max(0, wait - bound) for wait in waits)
    slow = sum(Fraction(x + wait) / Fraction(x) for x, wait in zip(longest, waits, strict=True))
    return Fraction(excess), slow / len(jobs)


def wins(a, b, comparison, weights=(1, 1)):
    """Whether a replaces b; a product must be smaller by more than a relative 1e-12."""
    if comparison == "hierarchical":
        return a < b
    if comparison == "relative":
        gains = [0 if x == y == 0 else Fraction(y - x) / max(x, y) for x, y in zip(a, b, strict=True)]
        return sum(w * g for w, g in zip(weights, gains, strict=True)) > Fraction(1, 10**12)
    zeros = [sum(w for w, x in zip(weights, each, strict=True) if x == 0) for each in (a, b)]
    if zeros[0] != zeros[1]:
        return zeros[0] > zeros[1]
    product_a, product_b = 1, 1
    for w, x, y in zip(weights, a, b, strict=True):
        product_a *= x**w if x else 1
        product_b *= y**w if y else 1
    return product_b - product_a > Fraction(1, 10**12) * product_b


def fold(decision, algorithm, comparison, bound, tau, weights=(1, 1), top=False):
    """The incumbents' values over the whole sequence, one per leaf, and the best starts.

    A decision is (waiting jobs, running ones, processors, now).
    """
    jobs, *machine = decision
    best = None
    history = []
    for iteration in sequence(len(jobs), algorithm, top):
        for order in iteration:
            starts = schedule(jobs, order, *machine)
            found = values(jobs, starts, bound, tau)
            if best is None or wins(found, best[0], comparison, weights):
                best = (found, starts)
            history.append(best[0])
    return best, history


def nodes_until(n, algorithm, top=False):
    """Placements made before each leaf is complete, with the common prefix of successive paths shared."""
    done, before, total = [], (), 0
    for iteration in sequence(n, algorithm, top):
        for order in iteration:
            shared = next((i for i, (a, b) in enumerate(zip(order, before, strict=False)) if a != b), len(before))
            total += n - shared
            done.append(total)
            before = order
    return done


def leaves_within(limit, until):
    """How many leaves ``limit`` placements complete; the first one is completed whatever the limit."""
    return max(1, sum(nodes <= limit for nodes in until))


def everything(jobs, running, processors, now, bound, tau):
    """The values of all n! schedules."""
    return [
        values(jobs, schedule(jobs, order, running, processors, now), bound, tau)
        for order in permutations(range(len(jobs)))
    ]
