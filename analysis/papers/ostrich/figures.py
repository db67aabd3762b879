"""Figures 3a, 3b and 4 of the ostrich paper."""

from thinktime.analysis.papers.ostrich.example import example
from thinktime.analysis.papers.ostrich.printed import PRINTED
from thinktime.analysis.papers.ostrich.study import Evidence
from thinktime.analysis.pictures.matplotlib_types import Figure
from thinktime.analysis.pictures.stretches import stretch_histogram, virtual_and_real, worst_stretches


def figures(found: Evidence) -> dict[str, Figure]:
    """Each figure by the name of its file, with the paper's numbers marked."""
    stretches = {policy: found.stretches(policy) for policy in found.numbers}
    above = {policy: printed.above_20 for policy, printed in PRINTED.items()}
    maxima = {policy: {"short": each.short, "long": each.long} for policy, each in found.numbers.items()}
    worst: dict[str, dict[str, float | str]] = {
        policy: {"short": printed.short, "long": printed.long} for policy, printed in PRINTED.items()
    }
    worst["fcfs"]["short"] = f"> {PRINTED['fcfs'].short:g}"
    return {
        "figure-3a": stretch_histogram(stretches, above),
        "figure-3b": worst_stretches(maxima, worst),
        "figure-4": virtual_and_real(example()),
    }
