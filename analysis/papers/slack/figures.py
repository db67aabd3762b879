"""The pictures of the slack study: the months, the heuristics and the priority gap.

The paper prints these numbers as tables (`printed`); crosses mark them.
"""

import numpy as np
from matplotlib.figure import Figure

from thinktime.analysis.papers.slack.printed import HEURISTICS, MONTHS
from thinktime.analysis.papers.slack.runs import gap_cases
from thinktime.analysis.papers.slack.study import Evidence
from thinktime.analysis.pictures.style import BLACK, GREY, looks_of, plotting

PAPER = {"color": BLACK, "marker": "x", "linestyle": "none", "zorder": 3}


def figures(found: Evidence) -> dict[str, Figure]:
    """The months, the heuristics, and the priority gap, by the name of the file."""
    return {
        "slack-months": months_picture(found),
        "slack-heuristics": heuristics_picture(found),
        "slack-gap": gap_picture(found),
    }


def months_picture(found: Evidence) -> Figure:
    """Mean wait of each month under both schedulers; crosses are what the paper prints."""
    with plotting(7.2, 3.6) as (picture, axes):
        looks = looks_of(["conservative", "slack"])
        places = np.arange(len(found.months))
        for at, (title, case) in enumerate((("conservative", "conservative"), ("slack", "ast"))):
            middle = places + (at - 0.5) * 0.4
            means = [each.mean for each in found.waits[case]]
            axes.bar(middle, means, 0.38, color=looks[title].colour, label=title)
            known = [(x, MONTHS[month][at]) for x, month in zip(middle, found.months, strict=True) if month in MONTHS]
            if known:
                label = "as printed in the paper" if at else None
                axes.plot(*np.transpose(known), label=label, **PAPER)
        axes.set_xticks(places, found.months, rotation=45, ha="right")
        axes.set_ylabel("mean wait [s]")
        axes.grid(axis="x", visible=False)
        axes.set_title(f"Mean wait by month on {found.processors} processors, AST, slack factor 3")
        axes.legend()
    return picture


def heuristics_picture(found: Evidence) -> Figure:
    """Mean wait under each heuristic, with equal priorities and with preferred jobs; crosses are the paper's."""
    with plotting(7.2, 3.4) as (picture, axes):
        names = list(HEURISTICS)
        looks = looks_of(["equal priorities", "preferred jobs", "the others"])
        shown = {
            "equal priorities": [(found.mean(name), HEURISTICS[name].equal) for name in names],
            "preferred jobs": [(found.total(_preferred(name)).high, HEURISTICS[name].high) for name in names],
            "the others": [(found.total(_preferred(name)).low, HEURISTICS[name].low) for name in names],
        }
        for at, (title, pairs) in enumerate(shown.items()):
            middle = np.arange(len(names)) + (at - 1) * 0.27
            axes.bar(middle, [pair[0] for pair in pairs], 0.25, color=looks[title].colour, label=title)
            label = None if at else "as printed in the paper"
            axes.plot(middle, [pair[1] for pair in pairs], label=label, **PAPER)
        axes.axhline(found.mean("conservative"), color=GREY, linestyle="dashed", label="conservative, here")
        axes.set_xticks(range(len(names)), [name.upper() for name in names])
        axes.set_ylabel("mean wait [s]")
        axes.grid(axis="x", visible=False)
        axes.set_title("Mean wait by heuristic")
        axes.legend(ncols=2, loc="upper left")
        axes.set_ylim(0, 1.35 * axes.get_ylim()[1])
    return picture


def gap_picture(found: Evidence) -> Figure:
    """Mean wait of preferred and other jobs against the difference of their priorities UP + PP."""
    with plotting(7.2, 3.6) as (picture, axes):
        waits = [found.total(case) for case in gap_cases().values()]
        looks = looks_of(["all", "preferred jobs", "the others"])
        for title, values in (
            ("the others", [each.low for each in waits]),
            ("all", [each.mean for each in waits]),
            ("preferred jobs", [each.high for each in waits]),
        ):
            axes.plot(list(gap_cases()), values, **looks[title].line, label=title)
        axes.set(xlabel="priority gap: UP + PP of every fifth job", ylabel="mean wait [s]")
        axes.set_title("Mean wait against the priority gap, AST")
        axes.legend()
    return picture


def _preferred(name: str) -> str:
    return f"{name} preferred"
