"""What the feedback study looks for, with criteria of ours."""

from collections.abc import Iterator
from math import log

import numpy as np

from thinktime.analysis.studies.feedback.flows import swapped
from thinktime.analysis.studies.feedback.runs import BASE, POLICIES, Level
from thinktime.analysis.studies.feedback.study import Evidence, Factor
from thinktime.analysis.study import Finding

SATURATED = 24.0
"""Hours of the whole machine in the queue, on average, from which on we call it saturated."""
LOST = 0.1
"""A mode whose waits move by more than this share where only run times do has forgotten the log."""


def findings(study: Evidence) -> Iterator[Finding]:
    """What feedback keeps; distance, ranking, saturation; who gains."""
    kept = Factor.of(study.kept("feedback")).value
    yield Finding(
        says="Feedback keeps the log's mean wait if run times move by 1 %",
        criterion=f"within {LOST:.0%}",
        ours=f"{kept:.2f}, open {Factor.of(study.kept('open')).value:.2f}",
        seen=abs(1 - kept) <= LOST,
    )
    apart = {cell: study.apart(cell[0], "feedback", cell[1]) for cell in study.cells()}
    far = [each for each in apart.values() if each.value >= 2 or each.value <= 0.5]
    yield Finding(
        says=f"What a policy does to {BASE}'s slowdown differs by a factor of 2 between open loop and feedback",
        criterion="in half of the cases",
        ours=f"{len(far)} of {len(apart)} (level, policy)",
        seen=2 * len(far) >= len(apart),
    )
    yield _more_extreme(study, apart)
    yield _spread(study, study.top)
    certain = [r for of in study.levels.values() for r in of.reversals() if r.certain]
    every = [r for of in study.levels.values() for r in of.reversals()]
    yield Finding(
        says="Policies change places between the open loop and another mode",
        criterion="beyond chance, once",
        ours=f"{len(every)} pairs, {len(certain)} of them beyond chance",
        seen=bool(certain) or (None if every else False),
    )
    open_full, closed_full = (_saturated(study, study.top, mode) for mode in ("open", "feedback"))
    yield Finding(
        says="Queues run away in the open loop and not with feedback",
        criterion=f"mean queue above {SATURATED:g} h of the machine",
        ours=f"open {len(open_full)}, feedback {len(closed_full)} of {len(POLICIES)} policies",
        seen=bool(open_full) and len(closed_full) < len(open_full),
    )
    yield _swaps(study)


def _more_extreme(study: Evidence, apart: dict[tuple[Level, str], Factor]) -> Finding:
    """Recorded times make a worse policy look too bad, and a better one too good."""
    certain = {cell: each for cell, each in apart.items() if each.certain}
    more = [
        cell
        for cell in certain
        if abs(log(study.factor(cell[0], "open", cell[1]).value))
        > abs(log(study.factor(cell[0], "feedback", cell[1]).value))
    ]
    return Finding(
        says="Where open loop and feedback differ, the open loop sees the larger change",
        criterion="in all cases beyond chance",
        ours=f"{len(more)} of {len(certain)}",
        seen=len(more) == len(certain) if certain else None,
    )


def _spread(study: Evidence, level: Level) -> Finding:
    """Feedback brings policies nearer to each other: users who wait submit less."""
    of = study.levels[level]
    spreads = {}
    for mode in ("open", "feedback"):
        means = [of.mean(mode, policy, "mean_bounded_slowdown_10") for policy in POLICIES]
        spreads[mode] = max(means) / min(means)
    return Finding(
        says="Feedback brings policies nearer to each other",
        criterion="worst / best is smaller",
        ours=f"{spreads['open']:.0f} open, {spreads['feedback']:.0f} with feedback",
        seen=spreads["feedback"] < spreads["open"],
    )


def _saturated(study: Evidence, level: Level, mode: str) -> list[str]:
    of = study.levels[level]
    return [policy for policy in POLICIES if of.mean(mode, policy, "mean_backlog") > SATURATED]


def _swaps(study: Evidence) -> Finding:
    """Users who gain in the open loop and lose with feedback, or the other way round, beyond those by chance."""
    policies = [policy for policy in POLICIES if policy != BASE]
    swaps = np.mean([swapped(study.flow("open", "feedback", policy)) for policy in policies])
    lucky = np.mean([study.luck(mode, policy) for policy in policies for mode in ("open", "feedback")])
    return Finding(
        says="Users swap gain and loss between the open loop and feedback",
        criterion="twice as many as between shaken logs in one mode",
        ours=f"{100 * swaps:.1f} % of users, by chance {100 * lucky:.1f} %",
        seen=None if lucky != lucky else bool(swaps > 2 * lucky),
    )
