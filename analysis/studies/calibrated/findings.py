"""Whether calibrated users reach what is asked of them."""

from collections.abc import Iterator

import numpy as np

from thinktime.analysis.studies.calibrated.errors import NOMINAL, aim, differences_held, held, lacking, typical
from thinktime.analysis.studies.calibrated.runs import CALIBRATED, MODES
from thinktime.analysis.studies.calibrated.study import KNOWN, UNKNOWN, Evidence
from thinktime.analysis.study import Finding


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
            shares = [share(each) for each in found.values()]
            inside = [each for each in shares if each.met]
            yield Finding(
                says=f"80 % intervals of {words} hold the truth in families that are {kind}",
                criterion=f"in {100 * NOMINAL[0]:.0f} to {100 * NOMINAL[1]:.0f} % of worlds and cases, in every family",
                ours=f"{len(inside)} of {len(found)} families; all: {np.mean([each.share for each in shares]):.0%}",
                seen=len(inside) == len(found),
            )
        poor = [lacking(each).share for each in found.values() if differences_held(each).share < NOMINAL[0]]
        if known := [each for each in poor if np.isfinite(each)]:
            yield Finding(
                says=f"Where intervals of differences hold it too seldom, the log warns, in families that are {kind}",
                criterion="the log shows in most worlds of each such family what the model lacks",
                ours=f"in {', '.join(f'{each:.0%}' for each in known)} of their worlds",
                seen=len(known) == len(poor) and min(known) > 0.5,
            )
