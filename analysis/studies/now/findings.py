"""What the study of forecasts looks for, with criteria of ours."""

from collections.abc import Iterator

import thinktime as tt
from thinktime.analysis.now import OURS, SHARES
from thinktime.analysis.studies.now.runs import METHODS
from thinktime.analysis.studies.now.study import Evidence
from thinktime.analysis.study import Finding


def findings(study: Evidence) -> Iterator[Finding]:
    """Coverage, PIT, CRPS, in this order."""
    from scipy.stats import binomtest

    for share in SHARES:
        hold, count = study.one_each(share)
        low, high = binomtest(hold, count).proportion_ci(0.95, "exact")
        yield Finding(
            says=f"{share:.0%} intervals hold {share:.0%} of the starts",
            criterion="within the binomial's 95 % interval, of one job of each forecast",
            ours=f"{hold} of {count}: {hold / count:.0%} [{low:.0%}, {high:.0%}]",
            seen=bool(low <= share <= high),
        )
    distance, bound = study.distance()
    yield Finding(
        says="Shares of draws below the start are uniform",
        criterion="Kolmogorov's distance below its 95 % bound for as many values as forecasts",
        ours=f"{distance:.3f}, bound {bound:.3f}",
        seen=distance < bound,
    )
    for method in METHODS:
        if method != OURS:
            above = study.above(method)
            yield Finding(
                says=f"The CRPS is below that of {method}",
                criterion="the whole 95 % interval of the difference, by forecasts",
                ours=f"{study.crps(OURS).mean / tt.MINUTE:.1f} and {study.crps(method).mean / tt.MINUTE:.1f} min, "
                f"difference [{above.low / tt.MINUTE:.1f}, {above.high / tt.MINUTE:.1f}]",
                seen=None if above.low != above.low else above.low > 0,
            )
