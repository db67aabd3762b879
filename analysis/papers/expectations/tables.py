"""The tables of the expectations study: its page, the object of ``--json``, and its files."""

from collections.abc import Iterator
from typing import Any

from thinktime.analysis.evaluation import report as told_of
from thinktime.analysis.papers.expectations.findings import RULE, findings, shown
from thinktime.analysis.papers.expectations.runs import Variant, in_use
from thinktime.analysis.papers.expectations.study import Evidence
from thinktime.analysis.study import SHORT, Report, Table, verdicts

_CELLS = "Violated EETs in % of all jobs / upper quartile of VEET over users in %.\n"
_WORDS = "NOT: not seen; ?: undecided; columns are the rows of the table before."


def report(found: Evidence) -> Report:
    """Beyond what `thinktime expectations` tells, the rule, and numbers and findings under all that was varied."""
    shown = told_of(found.shown, found.site)
    return Report(
        page=lambda: _page(found, shown),
        values=lambda: shown.values() | {"rule": RULE, "variants": _variants(found)},
        frames=lambda: {**told_of(found.expectations, found.site).frames(), **_frames(found)},
    )


def _page(found: Evidence, told: Report) -> Iterator[Table | str]:
    yield from told.page()
    yield f"\n{RULE}"
    yield verdicts(findings(found))
    yield "Numbers by scheduler: FIFO, FIFO with fairshare, backfilling, backfilling with fairshare.\n"
    yield sensitivity("If something else is expected", found.judgements)
    yield _CELLS
    yield verdict_table("The findings then", found.judgements)
    yield f"{_WORDS}\n"
    if len(found.sizes) > 1:
        yield sensitivity("On other sizes of the machine", found.sizes)
        yield _CELLS
        yield verdict_table("The findings then", found.sizes)
        yield _WORDS


def sensitivity(title: str, variants: list[Variant]) -> Table:
    """Violated EETs and upper quartiles of VEET under other assumptions."""
    shown = Table(title, "changed")
    loads = len({variant.load for variant in variants}) > 1
    policies = list(variants[0].expectations)
    shown.numbers(*(("load", "too\nlarge") if loads else ()), *(p.replace(":", ":\n") for p in policies))
    for each in variants:
        more = (f"{100 * each.load:.0f}%", f"{each.dropped:,}") if loads else ()
        cells = (f"{each.violated(p):.1f} / {each.upper_quartile(p):.0f}" for p in policies)
        shown.row(each.changed, *more, *cells)
    return shown


def verdict_table(title: str, variants: list[Variant]) -> Table:
    """Every finding under each variant."""
    shown = Table(title)
    shown.texts(*(each.short for each in variants))
    for same in zip(*map(findings, variants), strict=True):
        shown.row(same[0].says, *(SHORT[each.verdict] for each in same))
    return shown


def _frames(found: Evidence) -> dict[str, Any]:
    """The numbers of every variant and policy, and the verdicts."""
    variants = _variants(found)
    sensitivity = [
        {
            "changed": variant.changed,
            "load": variant.load,
            "too_large": variant.dropped,
            "policy": policy,
            "violated_percent": variant.violated(policy),
            "veet_upper_quartile": variant.upper_quartile(policy),
            "in_use": in_use(jobs),
        }
        for variant in shown(found)
        for policy, jobs in variant.expectations.items()
    ]
    verdicts = [{"changed": each["changed"]} | row for each in variants for row in each["findings"]]
    return {"sensitivity": sensitivity, "verdicts": verdicts}


def _variants(found: Evidence) -> list[dict[str, Any]]:
    """Each variant with its numbers by policy and its verdicts by finding: load as a part of 1, others in %."""
    return [
        {
            "changed": variant.changed,
            "load": variant.load,
            "too_large": variant.dropped,
            "violated_percent": {policy: variant.violated(policy) for policy in variant.expectations},
            "veet_upper_quartile": {policy: variant.upper_quartile(policy) for policy in variant.expectations},
            "findings": [
                {"finding": each.says, "seen_if": each.criterion, "ours": each.ours, "verdict": each.verdict}
                for each in findings(variant)
            ],
        }
        for variant in shown(found)
    ]
