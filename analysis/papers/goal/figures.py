"""The counterparts of the goal paper's Figures 1 to 5."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import thinktime as tt
from thinktime.analysis.papers.goal.findings import FAIR, FCFS, LXF, OURS, PLAIN
from thinktime.analysis.papers.goal.study import ENTITLED, TITLES, Evidence
from thinktime.analysis.papers.goal.who_suffers import Case, of_user, sufferers, worst_month
from thinktime.analysis.pictures.style import GREY, PALETTE, looks_of, plotting

PERFORMANCE = (
    ("mean_bounded_slowdown", 1.0, "mean bounded slowdown"),
    ("mean_wait", tt.HOUR, "mean wait (h)"),
    ("max_wait", tt.HOUR, "maximum wait (h)"),
    ("p99_wait", tt.HOUR, "99th percentile of waits (h)"),
)
FAIRNESS = (
    ("mean_abs_deviation", 1.0, "mean |dev| of users (processor-hours)"),
    ("sum_abs_deviation", 1.0, "sum of |dev| (processor-hours)"),
)


def figures(study: Evidence) -> dict[str, Figure]:
    """By the name of the file; figures 4 and 5 are left out where no user suffers under RelShare."""
    found = {
        "figure-1": _by_month(study, PERFORMANCE, (FCFS, LXF, FAIR, OURS), "Scheduling performance"),
        "figure-2": _by_month(study, FAIRNESS, (FCFS, LXF, FAIR, OURS), f"Deviation from {ENTITLED[study.entitled]}"),
        "figure-3": _by_month(study, PERFORMANCE + FAIRNESS, (FAIR, PLAIN, OURS), "RelShare and the two searches"),
    }
    cases = worst_month(sufferers(study))
    if cases:
        found |= {"figure-4": _jobs_of(study, cases[0]), "figure-5": _hours_of(study, cases[0])}
    return found


def _by_month(study: Evidence, panels: Sequence[tuple[str, float, str]], policies: Sequence[str], title: str) -> Figure:
    """One panel for each measure, one line for each policy, month by month."""
    rows = (len(panels) + 1) // 2
    looks = looks_of(TITLES.values())  # a policy looks the same in all of them
    with plotting(7.6, 1.2 + 2.0 * rows, rows, 2, squeeze=False, sharex=True) as (picture, panes):
        at = np.arange(len(study.months))
        for axes, (measure, unit, label) in zip(panes.flat, panels, strict=True):
            for policy in policies:
                values, name = study.series(policy, measure) / unit, TITLES[policy]
                axes.plot(at, values, **looks[name].line, markersize=3.5, label=name)
            axes.set_title(label)
            axes.set_ylim(bottom=0)
        for axes in panes[-1]:
            _name_months(axes, study)
        picture.suptitle(title, x=0.01, ha="left")
        picture.legend(*panes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(policies))
    return picture


def _jobs_of(study: Evidence, case: Case) -> Figure:
    """Figure 4: jobs that wait at the beginning of each day, are submitted, and start."""
    kinds = (("waiting", "waiting at midnight"), ("submitted", "submitted"), ("started", "started"))

    def draw(axes: Axes, outcome: Any) -> None:
        for step, ((table, label), colour) in enumerate(zip(kinds, PALETTE, strict=False)):
            jobs = of_user(outcome, case, table)
            axes.bar(np.arange(1, len(jobs) + 1) + 0.27 * (step - 1), jobs, 0.27, color=colour, label=label)
        axes.set_ylabel("jobs")

    return _two(study, case, draw, f"Jobs of user {case.user} in {case.month}")


def _hours_of(study: Evidence, case: Case) -> Figure:
    """Figure 5: demand, use and entitled share of each day, and the mean demand of the users active that day."""

    def draw(axes: Axes, outcome: Any) -> None:
        days = np.arange(1, outcome.days.used.shape[1] + 1)
        axes.bar(days, of_user(outcome, case, "used"), 0.7, color=PALETTE[5], label="used")
        lines = (("demand", PALETTE[0], "o"), ("entitled", PALETTE[1], "s"))
        for table, colour, marker in lines:
            axes.plot(days, of_user(outcome, case, table), color=colour, marker=marker, markersize=3, label=table)
        active = np.maximum(outcome.days.active.sum(axis=0), 1)
        mean = outcome.days.demand.sum(axis=0) / active
        axes.plot(days, mean, color=GREY, linestyle="dashed", label="mean demand of active users")
        axes.set_ylabel("processor-hours")

    return _two(study, case, draw, f"Processor-hours of user {case.user} in {case.month}")


def _two(study: Evidence, case: Case, draw: Any, title: str) -> Figure:
    """RelShare above Tradeoff-fs, on the same scale."""
    with plotting(7.2, 4.8, 2, 1, sharex=True, sharey=True) as (picture, panes):
        for axes, policy in zip(panes, (FAIR, OURS), strict=True):
            draw(axes, study.outcomes[case.month][policy])
            axes.set_title(TITLES[policy])
        panes[-1].set_xlabel("day of the month")
        panes[-1].set_xlim(0.2, study.outcomes[case.month][FAIR].days.used.shape[1] + 0.8)
        picture.suptitle(title, x=0.01, ha="left")
        handles, labels = panes[0].get_legend_handles_labels()
        picture.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return picture


def _name_months(axes: Axes, study: Evidence) -> None:
    """Every month by name, or every second, third, … where there are many."""
    step = -(-len(study.months) // 8)
    shown = list(range(0, len(study.months), step))
    axes.set_xticks(shown, labels=[study.months[at].name for at in shown], rotation=45, ha="right")
