"""What the size of the machine does to the expectations paper's four schedulers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thinktime.analysis.papers.expectations.study import POLICIES, Study
from thinktime.analysis.pictures.style import figure, looks_of, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def by_load(study: Study) -> Figure:
    """Violated EETs, and the upper quartile of VEET over users, by the offered load of the machine."""
    sizes = sorted(study.sizes, key=lambda variant: variant.load)
    loads = [100 * variant.load for variant in sizes]
    with styled():
        picture = figure(7.6, 3.6)
        panels = picture.subplots(1, 2, sharey=True)
        for policy, look in looks_of(POLICIES).items():
            for axes, values in (
                (panels[0], [variant.violated(policy) for variant in sizes]),
                (panels[1], [variant.upper_quartile(policy) for variant in sizes]),
            ):
                axes.plot(
                    loads, values, color=look.colour, linestyle=look.dashes, marker=look.marker,
                    markersize=5, label=f"{POLICIES[policy]} ({policy})",
                )  # fmt: skip
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
