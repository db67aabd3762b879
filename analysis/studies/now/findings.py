"""What the study of forecasts looks for, with criteria of ours."""

from collections.abc import Iterator

import thinktime as tt
from thinktime.analysis.now import OURS, SHARES
from thinktime.analysis.studies.now.runs import KNOWN
from thinktime.analysis.studies.now.study import Evidence
from thinktime.analysis.study import Finding

ABOUT = 0.76, 0.84
"""80 % intervals hold such shares of the starts."""


def findings(study: Evidence) -> Iterator[Finding]:
    """Coverage, PIT, CRPS, in this order: of all worlds together, or of each log."""
    for family in study.families if study.of_logs else [None]:
        if len(study.joined("pit", family)):
            yield from _of(study, family)


def _of(study: Evidence, family: str | None) -> Iterator[Finding]:
    from scipy.stats import binomtest

    of = "" if family is None else f"{family}: "
    found = study.coverage(0.8, family)
    yield Finding(
        says=f"{of}80 % intervals hold 76 to 84 % of the starts",
        criterion="the share of all starts",
        ours=f"{found.mean:.1%} [{found.low:.1%}, {found.high:.1%}]",
        seen=bool(ABOUT[0] <= found.mean <= ABOUT[1]),
    )
    for share in SHARES:
        hold, count = study.one_each(share, family)
        low, high = binomtest(hold, count).proportion_ci(0.95, "exact")
        yield Finding(
            says=f"{of}{share:.0%} intervals hold {share:.0%} of the starts",
            criterion="within the binomial's 95 % interval, of one job of each forecast",
            ours=f"{hold} of {count}: {hold / count:.0%} [{low:.0%}, {high:.0%}]",
            seen=bool(low <= share <= high),
        )
    distance, bound = study.distance(family)
    yield Finding(
        says=f"{of}Shares of draws below the start are uniform",
        criterion="Kolmogorov's distance, each forecast counting once, below its 95 % bound for as many values",
        ours=f"{distance:.3f}, bound {bound:.3f}",
        seen=distance < bound,
    )
    for method in study.methods(family):
        if method not in (OURS, KNOWN):
            above = study.above(method, family)
            yield Finding(
                says=f"{of}The CRPS is below that of {method}",
                criterion="the whole 95 % interval of the difference, by forecasts",
                ours=f"{study.crps(OURS, family).mean / tt.MINUTE:.1f} and "
                f"{study.crps(method, family).mean / tt.MINUTE:.1f} min, "
                f"difference [{above.low / tt.MINUTE:.1f}, {above.high / tt.MINUTE:.1f}]",
                seen=None if above.low != above.low else above.low > 0,
            )
