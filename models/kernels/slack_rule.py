"""Slack-based backfilling as a compiled rule: what it remembers, and what it does at an instant.

Columns of jobs are those of `thinktime.models.kernels.slack`. A job's average wait is NaN until its first pass, which
gives it that of its class: ``waits[i]`` is for estimates up to ``limits[i]``. ``numbers`` are the slack factor and the
next reservation that falls due.
"""

import numpy as np

from thinktime.models.kernels.gapped import line_up
from thinktime.models.kernels.machine_state import GRACE, INFINITY
from thinktime.models.kernels.room import available, overrunning
from thinktime.models.kernels.rules import due, ended, select, started, withdrawn
from thinktime.models.kernels.slack_pass import slack_pass
from thinktime.workloads.compiler import Floats, Ints, Structure, StructureKind, maker, written_for

REMOVALS, HEURISTIC, PERMUTED, AFRESH, READING = range(5)  # places in ``options``
SLACK_FACTOR, NEXT_DUE = 0, 1  # places in ``numbers``
SLACK = StructureKind(
    "Slack",
    options=Ints,
    numbers=Floats,
    weights=Floats,
    counters=Ints,
    limits=Floats,
    waits=Floats,
    due=Floats,
    latest=Floats,
    slack0=Floats,
    priority=Floats,
    user_priority=Floats,
    political_priority=Floats,
    awt=Floats,
)
make_slack = maker(SLACK)


@written_for(SLACK, select)
def slack_select(state: Structure, rule: Structure, now: float, rows: Ints) -> int:
    """Price removals, start what is due, insert newcomers."""
    options, numbers = rule.options, rule.numbers
    removals, options[REMOVALS], numbers[NEXT_DUE] = options[REMOVALS], 0, INFINITY
    if rows.size == 0:
        return 0
    for row in rows:
        if np.isnan(rule.awt[row]):
            rule.awt[row] = rule.waits[np.searchsorted(rule.limits, state.estimate[row])]
    skip = overrunning(state, now)
    k, numbers[NEXT_DUE] = slack_pass(
        now, state.clock[GRACE], removals, rows, state.processors, state.estimate, state.submit,
        available(state, skip), state.running[: line_up(state)], skip, state.expected_end, state.promised,
        state.latest_start, rule.due, rule.latest, rule.slack0, rule.priority, rule.user_priority,
        rule.political_priority, rule.awt, numbers[SLACK_FACTOR], rule.weights, options[HEURISTIC],
        options[PERMUTED], options[AFRESH] > 0, options[READING], rule.counters, state.out,
    )  # fmt: skip
    return k


@written_for(SLACK, ended)
def slack_ended(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """A job that ends before the profile expected it is removed from it."""
    for row in rows:
        rule.options[REMOVALS] += state.clock[GRACE] > 0.0 or state.expected_end[row] > now


@written_for(SLACK, withdrawn)
def slack_withdrawn(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """A job that has left the queue is removed from the profile."""
    rule.options[REMOVALS] += rows.size


@written_for(SLACK, started)
def slack_started(state: Structure, rule: Structure, now: float, rows: Ints) -> None:
    """Jobs that were evicted for these starts ended after the pass, and the profile did not count them."""
    rule.options[REMOVALS] = 0


@written_for(SLACK, due)
def slack_due(state: Structure, rule: Structure, now: float, rows: Ints) -> float:
    """The next reservation that falls due."""
    return float(rule.numbers[NEXT_DUE])
