"""The tables of the study of forecasts: its page, and the object of ``--json``."""

from collections.abc import Iterator
from typing import Any

import thinktime as tt
from thinktime.analysis.now import SHARES
from thinktime.analysis.statistics import Interval
from thinktime.analysis.studies.now.findings import findings
from thinktime.analysis.studies.now.runs import APART, METHODS, UNTIL
from thinktime.analysis.studies.now.study import DRAWS, Evidence
from thinktime.analysis.study import Report, Table, attributes, verdicts

ENDS = "mean", "low", "high"


def report(found: Evidence) -> Report:
    """Coverage and CRPS by family, and what was looked for."""
    return Report(page=lambda: _page(found), values=lambda: _values(found))


def _values(found: Evidence) -> dict[str, Any]:
    rows = {
        family or "all": {
            "forecasts": _forecasts(found, family),
            "jobs": len(found.joined("pit", family)),
            "coverage": {f"{share:.0%}": attributes(found.coverage(share, family), *ENDS) for share in SHARES},
            "crps": {name: attributes(found.crps(name, family), *ENDS) for name in METHODS},
        }
        for family in (*found.families, None)
        if len(found.joined("pit", family))
    }
    return {"families": rows, "pit": found.joined("pit").tolist(), "draws": DRAWS}


def _forecasts(found: Evidence, family: str | None) -> int:
    return sum(each.forecasts for key, each in found.answers.items() if family in (None, key[0]))


def _page(found: Evidence) -> Iterator[Table | str]:
    shown = Table("Starts within the intervals, and CRPS (min)", "worlds", whole=True)
    shown.numbers("forecasts", "jobs", *(f"in {share:.0%}" for share in SHARES), *METHODS)
    for family in (*found.families, None):
        if not len(found.joined("pit", family)):
            continue
        coverage = [found.coverage(share, family) for share in SHARES]
        shown.row(
            family or "all", f"{_forecasts(found, family):,}", f"{len(found.joined('pit', family)):,}",
            *map(_share, coverage), *(f"{found.crps(name, family).mean / tt.MINUTE:.1f}" for name in METHODS),
        )  # fmt: skip
    yield shown
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield (
        f"64 processors under EASY, from the third week on; a forecast every {APART / tt.HOUR:.0f} h, of {DRAWS} draws "
        f"up to {UNTIL / tt.HOUR:.0f} h ahead, from the log until then. In brackets: 95 % intervals, by forecasts."
    )


def _share(found: Interval) -> str:
    between = f" [{100 * found.low:.0f}, {100 * found.high:.0f}]" if found.low == found.low else ""
    return f"{100 * found.mean:.0f} %{between}"
