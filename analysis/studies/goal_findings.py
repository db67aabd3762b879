"""What the goal paper finds (section V), and whether it is seen on this log.

The paper states shapes over ten months without thresholds; the criteria are ours: "better" is counted month
by month and must hold in more than half of them, "close to the best" is within a fifth, "similar" within a
quarter.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.studies.findings import Finding
from thinktime.analysis.studies.goal import Outcome, Study
from thinktime.analysis.studies.goal_users import Case, gaining, suffering

Floats = NDArray[np.float64]

FCFS, LXF, FAIR, PLAIN, OURS = "easy", "easy:order=lxf", "relshare", "tradeoff", "tradeoff-fs"
MEASURES = {
    "mean_bounded_slowdown": "mean slowdown",
    "mean_wait": "mean wait",
    "max_wait": "maximum wait",
    "p99_wait": "99 % wait",
}
DEV = "mean_abs_deviation"
CLOSE, SIMILAR = 1.2, 1.25


def findings(study: Study) -> list[Finding]:
    """Every finding of section V, in its order."""
    return [
        _below(study, "FCFS-backfill: better maximum wait than LXF", "max_wait", FCFS, LXF),
        _below(study, "LXF-backfill: better slowdown than FCFS", "mean_bounded_slowdown", LXF, FCFS),
        _below(study, "LXF-backfill: better mean wait than FCFS", "mean_wait", LXF, FCFS),
        *(_close(study, measure, name) for measure, name in MEASURES.items()),
        _ratio(study, "Tradeoff-fs: maximum wait far below RelShare", "max_wait", OURS, FAIR, 0.0, 0.8),
        _lowest_deviation(study),
        _below(study, "RelShare: less deviation than FCFS-backfill", DEV, FAIR, FCFS),
        _below(study, "RelShare: more deviation than LXF-backfill", DEV, LXF, FAIR),
        _below(study, "Tradeoff-fs: less deviation than Tradeoff", DEV, OURS, PLAIN),
        *(
            _ratio(study, f"Tradeoff-fs: {name} like Tradeoff", measure, OURS, PLAIN, 1 / SIMILAR, SIMILAR)
            for measure, name in MEASURES.items()
        ),
        *_sufferers(study),
        _gainers(study),
        *_worst_user(study),
    ]


def _below(study: Study, says: str, measure: str, better: str, worse: str) -> Finding:
    wins = int((study.series(better, measure) < study.series(worse, measure)).sum())
    months = len(study.months)
    return Finding(says, "most months", f"{wins} of {months}", 2 * wins > months)


def _close(study: Study, measure: str, name: str) -> Finding:
    """Best or close to the best of the four policies of the paper's Figure 1."""
    best = np.min([study.series(policy, measure) for policy in (FCFS, LXF, FAIR, OURS)], axis=0)
    good = int((study.series(OURS, measure) <= CLOSE * best).sum())
    months = len(study.months)
    return Finding(
        f"Tradeoff-fs: {name} best or close",
        f"<= {CLOSE:g} x best, always",
        f"{good} of {months}",
        good == months,
    )


def _ratio(study: Study, says: str, measure: str, a: str, b: str, low: float, high: float) -> Finding:
    """The median over months of a's value over b's."""
    ratio = _median(_over(study.series(a, measure), study.series(b, measure)))
    wanted = f"median ratio < {high:g}" if not low else f"ratio {low:g} to {high:g}"
    seen = None if np.isnan(ratio) else (ratio < high if not low else low <= ratio <= high)
    return Finding(says, wanted, f"{ratio:.2f}", seen)


def _lowest_deviation(study: Study) -> Finding:
    others = np.min([study.series(policy, DEV) for policy in (FCFS, LXF, FAIR)], axis=0)
    lowest, months = int((study.series(OURS, DEV) < others).sum()), len(study.months)
    return Finding(
        "Tradeoff-fs: least deviation in all months", "all months", f"{lowest} of {months}", lowest == months
    )


def _sufferers(study: Study) -> list[Finding]:
    """Table II: those who suffer under RelShare do better under Tradeoff-fs."""
    cases = suffering(study)
    if not cases:
        none = "nobody waits longer"
        return [Finding("RelShare: some users suffer", "a longer mean wait", none, False)]
    month = study.outcomes[cases[0].month]
    first = cases[0]
    worst = _one(first, month[FAIR], "max_wait") / max(_one(first, month[FCFS], "max_wait"), 1.0)
    return [
        Finding("RelShare: worst sufferer's maximum wait", "> 1.5 x FCFS's", f"{worst:.1f} x", worst > 1.5),
        _most(cases, month, "... shorter maximum wait under Tradeoff-fs", "max_wait"),
        _most(cases, month, "... shorter mean wait under Tradeoff-fs", "mean_wait"),
        _most(cases, month, "... dev nearer to 0 under Tradeoff-fs", "dev"),
    ]


def _gainers(study: Study) -> Finding:
    """Table III: those who gain under RelShare are nearer to their share under Tradeoff-fs."""
    cases = gaining(study)
    says = "RelShare's gainers: nearer to 0, Tradeoff-fs"
    if not cases:
        return Finding(says, "most", "nobody gains", None)
    nearer = sum(
        abs(_one(case, study.outcomes[case.month][OURS], "dev"))
        < abs(_one(case, study.outcomes[case.month][FAIR], "dev"))
        for case in cases
    )
    return Finding(says, "most", f"{nearer} of {len(cases)}", 2 * nearer > len(cases))


def _worst_user(study: Study) -> list[Finding]:
    """Figures 4 and 5: the backlog and the demand of the user who suffers most."""
    cases = suffering(study, count=1)
    if not cases:
        return []
    month, found = study.outcomes[cases[0].month], []
    for what, table in (("backlog", "waiting"), ("daily demand", "demand")):
        ours, fair = (float(of_user(month[policy], cases[0], table).mean()) for policy in (OURS, FAIR))
        found.append(
            Finding(
                f"Worst sufferer: less {what}, Tradeoff-fs",
                "mean < RelShare's",
                f"{ours:,.1f} / {fair:,.1f}",
                ours < fair,
            )
        )
    return found


def of_user(outcome: Outcome, case: Case, table: str) -> Floats:
    """One user's row of a daily table."""
    users, days = outcome.users, outcome.days
    rows = getattr(days, table)
    if case.user not in users.name:
        return np.zeros(rows.shape[1])
    return np.asarray(rows[users.name.index(case.user)], np.float64)


def _most(cases: list[Case], month: Mapping[str, Outcome], says: str, column: str) -> Finding:
    better = sum(
        abs(_one(case, month[OURS], column)) < abs(_one(case, month[FAIR], column)) for case in cases
    )
    return Finding(says, "most", f"{better} of {len(cases)}", 2 * better > len(cases))


def _one(case: Case, outcome: Outcome, column: str) -> float:
    return case.under(outcome, column)


def _over(a: Floats, b: Floats) -> Floats:
    ratios: Floats = np.divide(a, b, out=np.full(len(a), np.nan), where=b > 0)
    return ratios


def _median(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else np.nan
