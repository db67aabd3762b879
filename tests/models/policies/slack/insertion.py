"""One insertion, as the engine prices it."""

import numpy as np

from tests.models.policies.standing import standing
from thinktime.models.engine.codes.machine_state import ZERO
from thinktime.models.engine.codes.slack_moves import INSERT
from thinktime.models.policies.slack import Slack
from thinktime.models.policies.slack.rule import begin, cheapest


def insertion(jobs, newcomer, due, slack, slack0, priority, heuristic, permutations=0):
    """The slot and the price of the cheapest schedule for a newcomer, and the others' starts.

    A newcomer is (processors, estimate, priority). Jobs are (processors, estimate) on an idle machine of 4 processors,
    with the reserved starts ``due``.
    """
    *size, p = newcomer
    view, count = standing(4, [(0, *job) for job in (*jobs, size)]), len(jobs)
    policy = Slack(heuristic, awt=100, permutations=permutations)
    rule = policy.as_rule(view.requests.capacity, view.jobs)
    due = np.array(due, float)
    for name, column in (("due", due), ("latest", due + slack), ("slack0", slack0), ("priority", priority)):
        np.asarray(getattr(rule, name))[:count] = column
    begin(view.state, rule, 0.0, ZERO, view.waiting)
    slot, price, _ = cheapest(view.state, rule, 0.0, INSERT, view.waiting[count], float(size[1]), p, 1.0)
    return slot, price, np.asarray(rule.chosen)[:count].tolist()
