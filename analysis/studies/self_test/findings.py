"""What the study of the shaken self-test looks for, with criteria of ours."""

from collections.abc import Iterator
from math import log

import numpy as np

from thinktime.analysis.studies.self_test.runs import REJOIN
from thinktime.analysis.studies.self_test.study import Evidence
from thinktime.analysis.study import Finding, cell
from thinktime.workloads.mode_names import CALIBRATED

STABLE = 0.05
"""A ratio nearer to 1 than this is no change."""
LOST = 0.1
"""A mode whose ratio is further from 1 than this has forgotten the log."""


def findings(study: Evidence) -> Iterator[Finding]:
    """What is lost and kept, and possible reasons."""
    open_loop, feedback = study.ratio("open"), study.ratio("feedback")
    lost = abs(1 - feedback) > LOST
    yield Finding(
        says="The open loop keeps the mean wait",
        criterion=f"within {STABLE:.0%}",
        ours=f"{open_loop:.2f}",
        seen=abs(1 - open_loop) <= STABLE,
    )
    yield Finding(
        says="Feedback does not", criterion=f"further than {LOST:.0%} from 1", ours=f"{feedback:.2f}", seen=lost
    )
    fitted = study.ratio(CALIBRATED)
    yield Finding(
        says="Users who are fitted to the log keep it",
        criterion=f"within {STABLE:.0%}",
        ours=cell(fitted, ".2f"),
        seen=None if np.isnan(fitted) else abs(1 - fitted) <= STABLE,
    )
    yield _explains(study, "Because users drift: rejoined each day, they keep it", REJOIN[1], lost)
    yield _explains(study, "Because breaks are kept as durations", "partly-open", lost)
    yield _explains(study, "Because a night is not kept as a night", "clock", lost)
    yield _explains(study, "Because think times do not depend on the wait", "reacting", lost)
    yield _explains(study, "Because several batches are waited for", "one predecessor", lost)
    yield _explains(
        study, "Because users who drift meet each other less, even if they do not react", "drifted apart", lost, -1
    )
    yield _explains(study, "Because the submissions were made under other waits", "its own log", lost)


def _explains(study: Evidence, says: str, way: str, lost: bool, sign: int = 1) -> Finding:
    """A reason explains the share of the loss, in logarithms, that is gone where it does not act."""
    share = 1 - log(study.ratio(way)) / log(study.ratio("feedback"))
    share = share if sign > 0 else 1 - share
    return Finding(
        says=says,
        criterion="half of the loss, in logarithms",
        ours=f"{study.ratio(way):.2f}" + (f" ({share:.0%})" if lost else ""),
        seen=share >= 0.5 if lost else None,
    )
