"""The pictures of the feedback study."""

from typing import Any

from thinktime.analysis.pictures.style import GREY, PALETTE, Axes, Figure, Look, figure, looks_of, plotting, styled
from thinktime.analysis.statistics import mean
from thinktime.analysis.studies.feedback.runs import BASE, MODES, POLICIES, Level
from thinktime.analysis.studies.feedback.study import Evidence


def figures(study: Evidence) -> dict[str, Figure]:
    """All pictures, by name."""
    return {
        "slowdown-by-mode": slowdown_by_mode(study),
        "backlog-by-load": backlog_by_load(study),
        "users-who-gain": users_who_gain(study),
    }


def looks() -> dict[str, Look]:
    """The looks of the study's policies: well-known ones have their own colours under any name."""
    of = looks_of([spec.partition(":")[0] if ":" not in spec else name for name, spec in POLICIES.items()])
    return dict(zip(POLICIES, of.values(), strict=True))


def slowdown_by_mode(study: Evidence) -> Figure:
    """A panel per level: the mean bounded slowdown of each policy in each mode; bars are 95 % intervals."""
    with styled():
        picture = figure(10.0, 4.2)
        panels = picture.subplots(1, len(study.levels), sharey=True, squeeze=False)[0]
        for axes, level in zip(panels, study.levels, strict=True):
            for policy, look in looks().items():
                _line(axes, study, level, policy, look)
            axes.set(title="the log itself" if level is None else f"{level:g} users per user", yscale="log")
            axes.yaxis.set_major_formatter("{x:,g}")
            axes.set_xticks(range(len(MODES)), labels=MODES, fontsize="small")
            axes.set_xlim(-0.4, len(MODES) - 0.6)
            axes.grid(False, axis="x")
        panels[0].set_ylabel("mean bounded slowdown (10 s)")
        _legend(picture, panels[0])
    return picture


def backlog_by_load(study: Evidence) -> Figure:
    """The work that waits, over the level of load, open-loop and with feedback: where the queue runs away."""
    loads = [level for level in study.levels if level is not None]
    with plotting(8.6, 3.8, 1, 2, sharey=True) as (picture, panels):
        for axes, mode in zip(panels, ("open", "feedback"), strict=True):
            for policy, look in looks().items():
                values = [study.levels[level].mean(mode, policy, "mean_backlog") for level in loads]
                axes.plot(loads, values, **look.line, label=policy)
            axes.axhline(24.0, color=GREY, linewidth=0.8, zorder=0)
            axes.set(title={"open": "Open loop", "feedback": "With feedback"}[mode], yscale="log")
            axes.yaxis.set_major_formatter("{x:,g}")
            axes.set(xticks=loads, xlabel="users per user of the log")
        panels[0].set_ylabel("work in the queue, mean\n(hours of the whole machine)")
        _legend(picture, panels[0])
    return picture


def users_who_gain(study: Evidence) -> Figure:
    """Shares of users who gain (right) and lose (left) against EASY in the same mode, on the log itself."""
    level: Level = None
    names = [name for name in POLICIES if name != BASE]
    with plotting(8.6, 3.4, 1, 2, sharey=True, sharex=True) as (picture, panels):
        for axes, mode in zip(panels, ("open", "feedback"), strict=True):
            for row, policy in enumerate(names):
                gains = study.gain(level, mode, policy)
                axes.barh(row, 100 * gains.gain, color=PALETTE[2], height=0.7)
                axes.barh(row, -100 * gains.lose, color=PALETTE[1], height=0.7)
            axes.axvline(0, color=GREY, linewidth=0.8)
            axes.set_title({"open": "Open loop", "feedback": "With feedback"}[mode])
            axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
            axes.set_xlabel("% of users:  lose  |  gain")
            axes.grid(False, axis="y")
        panels[0].set_yticks(range(len(names)), labels=names)
        panels[0].invert_yaxis()
        picture.suptitle(f"Users whose mean response is at least 10 % longer or shorter than under {BASE}")
    return picture


def _line(axes: Axes, study: Evidence, level: Level, policy: str, look: Look) -> None:
    of = study.levels[level]
    intervals = [mean(of.values(mode, policy)) for mode in MODES]
    means = [each.mean for each in intervals]
    halves: Any = [min(each.half, 0.95 * each.mean) if each.half == each.half else 0.0 for each in intervals]
    axes.errorbar(range(len(MODES)), means, halves, **look.line, markersize=4, capsize=2, label=policy)


def _legend(picture: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside right upper")
