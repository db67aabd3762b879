"""What the study of urgent jobs looks for, with criteria of ours."""

import math
from collections.abc import Iterator

import thinktime as tt
from thinktime.analysis.studies.urgent.runs import Answer
from thinktime.analysis.studies.urgent.study import Evidence
from thinktime.analysis.study import Finding, Thresholds, together

USUAL = Thresholds()


def findings(study: Evidence) -> Iterator[Finding]:
    """Gain, price, checkpoints, open loop, intervals, in this order."""
    share = max(key[0] for key in study.arms)

    def of(name: str, checkpoints: bool = False, mode: str = "users") -> Answer:
        return study.arms[share, name, checkpoints, mode]

    waits = [of(name).urgent_wait / 60 for name in ("no privilege", "priority", "suspend")]
    yield Finding(
        says="Preemption lets urgent jobs wait less than priority does",
        criterion="mean wait under suspend below that under priority",
        ours=" / ".join(f"{wait:,.1f}" for wait in waits) + " min (no privilege, priority, suspend)",
        seen=USUAL.less(waits[2], waits[1]),
    )
    slow = [of(name).others_slowdown for name in ("no privilege", "requeue")]
    yield Finding(
        says="Others pay for it",
        criterion="slowdown under requeue above that without privilege",
        ours=f"{slow[0]:,.1f} and {slow[1]:,.1f}",
        seen=USUAL.more(slow[1], slow[0]),
    )
    lost = [of("requeue", checkpoints).lost for checkpoints in (False, True)]
    yield Finding(
        says="Hourly checkpoints save most of the work that requeued jobs lose",
        criterion="less than half is lost",
        ours=f"{100 * lost[0]:.2f} and {100 * lost[1]:.2f} %",
        seen=USUAL.less(lost[1], lost[0] / 2),
    )
    ratios = [of(name, mode="open").others_slowdown / of(name).others_slowdown for name in ("requeue", "suspend")]
    yield Finding(
        says="The open loop overstates what others pay",
        criterion="slowdown open / users above 1 under requeue and suspend",
        ours=" and ".join(f"{ratio:.2f}" for ratio in ratios),
        seen=together(USUAL.more(ratio, 1.0) for ratio in ratios),
    )
    yield from _intervals(study)


def _intervals(study: Evidence) -> Iterator[Finding]:
    """Whether the measured optimum is near Daly's interval, with failures alone and with preemption as well."""
    for preempted, words in ((False, "failures"), (True, "failures and preemption")):
        best, daly = study.best(preempted), study.formulas(preempted)[1]
        yield Finding(
            says=f"Daly's interval is near the best one under {words}",
            criterion="Daly's and ours, within a factor of 2",
            ours=f"{minutes(daly)} and {minutes(best)}",
            seen=USUAL.size(best, daly),
        )


def minutes(interval: float) -> str:
    """An interval between checkpoints in words."""
    return "none" if interval == math.inf else f"{interval / tt.MINUTE:,.0f} min"
