"""What the goal paper finds (section V), and whether it is seen on this log.

The paper states shapes without thresholds. `RULE` is ours and holds for every row: it counts the months,
or the users, for which a statement is true. Where the paper's tables print the numbers, the same count over them
stands beside ours, so that a criterion that the paper itself does not meet is visible.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from thinktime.analysis.papers.goal import printed
from thinktime.analysis.papers.goal.study import Evidence
from thinktime.analysis.papers.goal.who_suffers import Case, gainers, heavy, sufferers
from thinktime.analysis.study import Finding

Truth = Callable[[Case], bool]

FCFS, LXF, FAIR, PLAIN, OURS = "easy", "easy:order=lxf", "relshare", "tradeoff", "tradeoff-fs"
MEASURES = {
    "mean_bounded_slowdown": "mean slowdown",
    "mean_wait": "mean wait",
    "max_wait": "maximum wait",
    "p99_wait": "99 % wait",
}
DEVIATIONS = {"mean_abs_deviation": "mean |dev|", "sum_abs_deviation": "sum |dev|"}
CLOSE = 1.2
RULE = (
    "One rule for all rows: seen if true in most (more than half) of the months, or for most of the users; where "
    'the paper says "all", in all. "Close" and "like" are within a fifth (a factor of 1.2), "far" is beyond it.'
)


@dataclass(frozen=True, slots=True)
class Row(Finding):
    """A finding that is counted, with the same count of what the paper prints (empty: it prints none)."""

    paper: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """What one part of the paper finds."""

    title: str
    rows: list[Row] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """`seen` where every row is, `in part` where some are, else `NOT seen`."""
        seen = sum(row.seen is True for row in self.rows)
        return "seen" if seen == len(self.rows) else "in part" if seen else "NOT seen"

    @property
    def count(self) -> str:
        """How many rows are seen."""
        return f"{sum(row.seen is True for row in self.rows)} of {len(self.rows)}"


def findings(study: Evidence) -> list[Row]:
    """Every finding of sections V and VI, in the paper's order."""
    return [row for part in parts(study) for row in part.rows]


def parts(study: Evidence) -> list[Part]:
    """The findings of sections V and VI by part."""
    suffer = sufferers(study)
    return [
        Part("Scheduling performance (V.A)", _performance(study)),
        Part("Fair shares (V.B)", _shares(study)),
        Part("Tradeoff-fs beside Tradeoff (V.C)", _searches(study)),
        Part(
            "Who suffers under RelShare (Table II)",
            _users(SUFFER_WAITS, suffer, printed.SUFFERERS)
            + _users(SUFFER_SHARES, suffer, printed.SUFFERERS)
            + _users(SUFFER_DAYS, suffer),
        ),
        Part("Who gains under RelShare (Table III)", _users(GAIN, gainers(study), printed.GAINERS)),
        Part("The heaviest user of each month (VI)", _users(HEAVY, heavy(study))),
    ]


def by_shares(study: Evidence, entitled: str) -> list[Part]:
    """The findings that depend on what users are entitled to, under one of `thinktime.analysis.deviation.SHARES`."""
    suffer = _users(SUFFER_SHARES, sufferers(study, entitled), printed.SUFFERERS)
    return [
        Part("All users", _shares(study, entitled)),
        Part("Tradeoff-fs beside Tradeoff", _searches(study, entitled)[: len(DEVIATIONS)]),
        Part("Who suffers under RelShare", suffer),
        Part("Who gains under RelShare", _users(GAIN, gainers(study, entitled), printed.GAINERS)),
        Part("The heaviest user of each month", _users(HEAVY, heavy(study, entitled))),
    ]


def _performance(study: Evidence) -> list[Row]:
    close = [_close(study, measure, name) for measure, name in MEASURES.items()]
    good = sum(row.seen is True for row in close)
    far = study.series(OURS, "max_wait") * CLOSE < study.series(FAIR, "max_wait")
    return [
        _below(study, "FCFS: maximum wait below LXF", "max_wait", FCFS, LXF),
        _below(study, "LXF: mean slowdown below FCFS", "mean_bounded_slowdown", LXF, FCFS),
        _below(study, "LXF: mean wait below FCFS", "mean_wait", LXF, FCFS),
        *close,
        Row("... on all four (the main claim)", "all measures", f"{good} of {len(close)}", good == len(close)),
        _counted("Tradeoff-fs: maximum wait far below RelShare", far),
    ]


def _close(study: Evidence, measure: str, name: str) -> Row:
    """Best or close to the best of the four policies of the paper's Figure 1."""
    best = np.min([study.series(policy, measure) for policy in (FCFS, LXF, FAIR, OURS)], axis=0)
    return _counted(f"Tradeoff-fs: {name} best or close", study.series(OURS, measure) <= CLOSE * best, whole=True)


def _shares(study: Evidence, entitled: str | None = None) -> list[Row]:
    found = []
    for measure, name in DEVIATIONS.items():
        series = {policy: study.series(policy, measure, entitled) for policy in (FCFS, LXF, FAIR, OURS)}
        others = np.min([series[policy] for policy in (FCFS, LXF, FAIR)], axis=0)
        found += [
            _counted(f"Tradeoff-fs: least {name}", series[OURS] < others, whole=True),
            _counted(f"Tradeoff-fs: {name} below FCFS", series[OURS] < series[FCFS]),
            _counted(f"Tradeoff-fs: {name} below LXF", series[OURS] < series[LXF]),
            _counted(f"RelShare: {name} below FCFS", series[FAIR] < series[FCFS]),
            _counted(f"RelShare: {name} above LXF", series[FAIR] > series[LXF]),
        ]
    return found


def _searches(study: Evidence, entitled: str | None = None) -> list[Row]:
    return [
        *(
            _below(study, f"{name} below Tradeoff's", measure, OURS, PLAIN, entitled)
            for measure, name in DEVIATIONS.items()
        ),
        *(_like(study, measure, name) for measure, name in MEASURES.items()),
    ]


def _like(study: Evidence, measure: str, name: str) -> Row:
    ours, plain = study.series(OURS, measure), study.series(PLAIN, measure)
    return _counted(f"{name} like Tradeoff's", (ours <= CLOSE * plain) & (plain <= CLOSE * ours))


def _below(study: Evidence, says: str, measure: str, better: str, worse: str, entitled: str | None = None) -> Row:
    return _counted(says, study.series(better, measure, entitled) < study.series(worse, measure, entitled))


def _counted(says: str, true: NDArray[np.bool_], whole: bool = False) -> Row:
    count, months = int(true.sum()), len(true)
    return Row(
        says,
        "all months" if whole else "most months",
        f"{count} of {months}",
        count == months if whole else 2 * count > months,
    )


def less(measure: str, a: str, b: str, factor: float = 1.0) -> Truth:
    """Whether a's value, times a factor, is below b's."""
    return lambda case: case.under(a, measure) * factor < case.under(b, measure)


def nearer(a: str, b: str) -> Truth:
    """Whether the deviation under a is nearer to 0 than under b."""
    return lambda case: abs(case.under(a, "dev")) < abs(case.under(b, "dev"))


def under_share(case: Case, policy: str) -> float:
    """By how much a user is below the share (processor-hours); 0 for a user above it."""
    return max(0.0, -case.under(policy, "dev"))


SUFFER_WAITS: dict[str, Truth] = {
    "RelShare: maximum wait far above FCFS": less("max_wait", FCFS, FAIR, CLOSE),
    "Tradeoff-fs: shorter maximum wait": less("max_wait", OURS, FAIR),
    "Tradeoff-fs: shorter mean wait": less("mean_wait", OURS, FAIR),
    "Tradeoff-fs: lower mean slowdown": less("slowdown", OURS, FAIR),
}
SUFFER_SHARES: dict[str, Truth] = {
    "Tradeoff-fs: dev nearer to 0": nearer(OURS, FAIR),
    "Tradeoff-fs: under-share not larger": lambda case: under_share(case, OURS) <= under_share(case, FAIR),
}
SUFFER_DAYS: dict[str, Truth] = {
    "Tradeoff-fs: fewer wait at midnight": less("backlog", OURS, FAIR),
    "Tradeoff-fs: less daily demand": less("demand", OURS, FAIR),
    "Tradeoff-fs: more jobs start per day": less("started", FAIR, OURS),
}
GAIN: dict[str, Truth] = {
    "RelShare: overshoot (dev above 0)": lambda case: case.under(FAIR, "dev") > 0,
    "Tradeoff-fs: no overshoot": lambda case: case.under(OURS, "dev") <= 0,
    "Tradeoff-fs: dev nearer to 0": nearer(OURS, FAIR),
    "Tradeoff-fs: under-share below FCFS": lambda case: under_share(case, OURS) < under_share(case, FCFS),
}
HEAVY: dict[str, Truth] = {
    "RelShare: dev below FCFS": less("dev", FAIR, FCFS),
    "Tradeoff-fs: dev below FCFS": less("dev", OURS, FCFS),
}


def _users(rows: dict[str, Truth], cases: Sequence[Case], paper: Sequence[Case] = ()) -> list[Row]:
    """Statements on users, of ours and of those that the paper prints."""
    found = []
    for says, true in rows.items():
        count = sum(map(true, cases))
        found.append(
            Row(
                says,
                "most users",
                f"{count} of {len(cases)}" if cases else "nobody",
                2 * count > len(cases) if cases else None,
                f"{sum(map(true, paper))} of {len(paper)}" if paper else "",
            )
        )
    return found
