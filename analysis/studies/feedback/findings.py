"""What the feedback study looks for, with criteria of ours."""

from collections.abc import Iterator

from thinktime.analysis.studies.feedback.runs import POLICIES, Level
from thinktime.analysis.studies.feedback.study import Evidence
from thinktime.analysis.studies.finding import Finding

SATURATED = 24.0
"""Hours of the whole machine in the queue, on average, from which on we call it saturated."""


def findings(study: Evidence) -> Iterator[Finding]:
    """Distance, ranking, saturation, in this order; level by level where it matters."""
    levels = list(study.levels)
    ratios = {(level, policy): study.ratio(level, policy) for level in levels for policy in POLICIES}
    far = [ratio for ratio in ratios.values() if ratio >= 2 or ratio <= 0.5]
    yield Finding(
        says="Slowdowns of both modes differ by a factor of 2 or more",
        criterion="in half of the cases",
        ours=f"{len(far)} of {len(ratios)} (level, policy)",
        seen=2 * len(far) >= len(ratios),
    )
    top = levels[-1]
    high = [policy for policy in POLICIES if ratios[top, policy] > 1]
    yield Finding(
        says="At the highest load, the open loop is worse for every policy",
        criterion="ratio above 1",
        ours=f"{len(high)} of {len(POLICIES)} policies",
        seen=len(high) == len(POLICIES),
    )
    yield _spread(study, top)
    certain = [r for level in levels for r in study.levels[level].reversals() if r.certain]
    every = [r for level in levels for r in study.levels[level].reversals()]
    yield Finding(
        says="Policies change places between modes",
        criterion="beyond chance, once",
        ours=f"{len(every)} pairs, {len(certain)} of them beyond chance",
        seen=bool(certain) or (None if every else False),
    )
    open_full, closed_full = (_saturated(study, top, mode) for mode in ("open", "feedback"))
    yield Finding(
        says="Queues run away in the open loop and not with feedback",
        criterion=f"mean queue above {SATURATED:g} h of the machine",
        ours=f"open {len(open_full)}, feedback {len(closed_full)} of {len(POLICIES)} policies",
        seen=bool(open_full) and len(closed_full) < len(open_full),
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
