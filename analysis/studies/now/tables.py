"""The tables of the study of forecasts: its page, and the object of ``--json``."""

from collections.abc import Iterator
from typing import Any

import thinktime as tt
from thinktime.analysis.now import ARRIVING, ERRORS, SHARES
from thinktime.analysis.statistics import Interval
from thinktime.analysis.studies.now import logs
from thinktime.analysis.studies.now.findings import findings
from thinktime.analysis.studies.now.runs import APART, UNTIL
from thinktime.analysis.studies.now.study import DRAWS, Evidence
from thinktime.analysis.study import NONE, Report, Table, attributes, in_two_units, verdicts

ENDS = "mean", "low", "high"


def report(found: Evidence) -> Report:
    """Coverage, CRPS and errors by family or log, and what was looked for."""
    return Report(page=lambda: _page(found), values=lambda: _values(found))


def _names(found: Evidence) -> list[str | None]:
    """The families and all of them, or the logs: those with jobs that were forecast."""
    names = [*found.families, *([] if found.of_logs else [None])]
    return [name for name in names if len(found.joined("pit", name))]


def _values(found: Evidence) -> dict[str, Any]:
    rows = {
        family or "all": {
            "forecasts": found.count("forecasts", family),
            "jobs": len(found.joined("pit", family)),
            "coverage": {f"{share:.0%}": attributes(found.coverage(share, family), *ENDS) for share in SHARES},
            "crps": {name: attributes(found.crps(name, family), *ENDS) for name in found.methods(family)},
            "within": {
                name: dict(zip(ERRORS, found.near(name, family), strict=True)) for name in found.methods(family)
            },
            "error_by_horizon": {
                span: {"starts": count, "in_80": share, "median_error": errors}
                for span, (count, share, errors) in found.by_horizon(family).items()
            },
            "pit": found.joined("pit", family).tolist(),
        }
        | ({"policy": found.rule(family)} if family else {})
        | (dict(zip(("waiting", "held"), found.held[family], strict=True)) if family and family in found.held else {})
        for family in _names(found)
    }
    return {"families": rows, "draws": DRAWS, "arrivals": found.arrivals}


def _page(found: Evidence) -> Iterator[Table | str]:
    named = "logs" if found.of_logs else "worlds"
    shown = Table("Starts within the intervals, and CRPS (min)", named, whole=True)
    methods = found.methods()
    shown.numbers("forecasts", "jobs", *(f"in {share:.0%}" for share in SHARES), *methods)
    for family in _names(found):
        shown.row(
            family or "all", f"{found.count('forecasts', family):,}", f"{len(found.joined('pit', family)):,}",
            *(_share(found.coverage(share, family)) for share in SHARES),
            *(f"{found.crps(name, family).mean / tt.MINUTE:.1f}" for name in methods),
        )  # fmt: skip
    yield shown
    yield ""
    told = _names(found) if found.of_logs else [None]
    shown = Table(
        "By how long after the forecast the job started: starts, and median absolute errors", named, whole=True
    )
    shown.texts("started")
    shown.numbers("starts", "in 80%", *methods)
    for family in told:
        for span, (count, share, errors) in found.by_horizon(family).items():
            times = (in_two_units(errors[name]) if name in errors else NONE for name in methods)
            shown.row(family or "all", span, f"{count:,}", f"{100 * share:.0f} %", *times)
    yield shown
    yield ""
    shown = Table("Starts that the median misses by at most so much, and its median absolute error", named, whole=True)
    shown.texts("method")
    shown.numbers(*ERRORS, "median")
    for family in told:
        for name in methods:
            near = (f"{100 * each:.0f} %" for each in found.near(name, family))
            shown.row(family or "all", name, *near, in_two_units(found.error(name, family)))
    yield shown
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield from _setup(found)


def _setup(found: Evidence) -> Iterator[str]:
    if not found.of_logs:
        yield (
            f"64 processors under EASY, from the third week on; a forecast every {APART / tt.HOUR:.0f} h, of {DRAWS} "
            f"draws up to {UNTIL / tt.HOUR:.0f} h ahead, from the log until then; who comes: "
            f"{ARRIVING[found.arrivals]}. In brackets: 95 % intervals, by forecasts."
        )
        return
    for family, (waiting, held) in found.held.items():
        yield (
            f"{family}: under {found.rule(family)}, which fits the first half best of {', '.join(logs.RULES)}; jobs "
            f"waited at {found.count('forecasts', family):,} of {found.count('moments', family):,} moments. Of all "
            f"{waiting:,} moments with waiting jobs, the oldest would fit into idle processors at "
            f"{100 * held / max(1, waiting):.0f} %: something that is not in the log holds it."
        )
    yield (
        f"The second half of each log, at moments {logs.APART / tt.HOUR:.0f} h apart, or multiples of it; {DRAWS} "
        f"draws up to {logs.UNTIL / tt.HOUR:.0f} h ahead, from the {logs.HISTORY / tt.DAY:.0f} days before; who "
        f"comes: {ARRIVING[found.arrivals]}. Rule alone: run times and who comes are taken from the log. In brackets: "
        "95 % intervals, by forecasts."
    )


def _share(found: Interval) -> str:
    between = f" [{100 * found.low:.0f}, {100 * found.high:.0f}]" if found.low == found.low else ""
    return f"{100 * found.mean:.0f} %{between}"
