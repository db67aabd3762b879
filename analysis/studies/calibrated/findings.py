"""Whether calibrated users reach what is asked of them."""

from collections.abc import Iterator

import numpy as np

from thinktime.analysis.studies.calibrated.errors import aim, differences_held, held, typical
from thinktime.analysis.studies.calibrated.runs import CALIBRATED, MODES
from thinktime.analysis.studies.calibrated.study import KNOWN, UNKNOWN, Evidence
from thinktime.analysis.study import Finding

NOMINAL = (0.72, 0.88)
"""Of intervals of 80 %."""


def findings(study: Evidence) -> Iterator[Finding]:
    """By families that are known, and by those that nobody fitted to."""
    for names, kind in ((KNOWN, "known"), (UNKNOWN, "unknown")):
        found = {family: study.of(family) for family in names if study.of(family)}
        if not found:
            continue
        factors = {family: typical(each) for family, each in found.items()}
        met = [family for family, each in factors.items() if each.factor <= aim(family)]
        yield Finding(
            says=f"Calibrated users predict mean waits in families that are {kind}",
            criterion="typical factor at most as asked, in every family",
            ours=f"{len(met)} of {len(found)} families; worst {max(each.factor for each in factors.values()):.2f}",
            seen=len(met) == len(found),
        )
        best = [
            family
            for family, each in found.items()
            if typical(each).factor <= min(typical(each, mode).factor for mode in MODES if mode != CALIBRATED) + 0.005
        ]
        yield Finding(
            says=f"No other mode is nearer in families that are {kind}",
            criterion="typical factor at most 0.005 above that of open, feedback and reacting",
            ours=f"{len(best)} of {len(found)} families",
            seen=len(best) == len(found),
        )
        for words, share in (("mean waits", held), ("differences of two changes", differences_held)):
            shares = {family: share(each).share for family, each in found.items()}
            inside = [family for family, each in shares.items() if NOMINAL[0] <= each <= NOMINAL[1]]
            yield Finding(
                says=f"80 % intervals of {words} hold the truth in families that are {kind}",
                criterion="in 72 to 88 % of worlds and cases, in every family",
                ours=f"{len(inside)} of {len(found)} families; all: {np.mean(list(shares.values())):.0%}",
                seen=len(inside) == len(found),
            )
