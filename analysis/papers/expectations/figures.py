"""The pictures of the expectations study: Figures 5 to 7 of the paper, and violated EETs by load."""

from matplotlib.figure import Figure

from thinktime.analysis.evaluation import pictures
from thinktime.analysis.papers.expectations.printed import POLICIES
from thinktime.analysis.papers.expectations.study import Evidence
from thinktime.analysis.pictures.style import looks_of, plotting


def figures(study: Evidence) -> dict[str, Figure]:
    """Every picture of the study, by the name of its file."""
    sizes = {"machine-size": by_load(study)} if len(study.sizes) > 1 else {}
    return pictures(study.expectations) | sizes


def by_load(study: Evidence) -> Figure:
    """Violated EETs, and the upper quartile of VEET over users, by the offered load of the machine."""
    sizes = sorted(study.sizes, key=lambda variant: variant.load)
    loads = [100 * variant.load for variant in sizes]
    with plotting(7.6, 3.6, 1, 2, sharey=True) as (picture, panels):
        for policy, look in looks_of(POLICIES).items():
            for axes, values in (
                (panels[0], [variant.violated(policy) for variant in sizes]),
                (panels[1], [variant.upper_quartile(policy) for variant in sizes]),
            ):
                axes.plot(loads, values, **look.line, markersize=5, label=f"{POLICIES[policy]} ({policy})")
        panels[0].set_title("Violated EETs (% of all jobs)")
        panels[1].set_title("Upper quartile of VEET over users (%)")
        panels[0].set_ylim(0, 102)
        for axes in panels:
            axes.set_xticks(
                loads, [f"{load:.0f}%\n{variant.short}" for load, variant in zip(loads, sizes, strict=True)]
            )
            axes.tick_params(axis="x", labelsize=7.5)
            axes.set_xlabel("offered load, size of the machine")
        picture.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return picture
