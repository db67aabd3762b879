"""What the study of shapes looks for: what the paper says of an open loop, and what is left of it with users."""

from collections.abc import Iterator
from itertools import product

from thinktime.analysis.studies.shapes.runs import FITTED, MODES
from thinktime.analysis.studies.shapes.study import Evidence
from thinktime.analysis.study import Finding, Thresholds, together

USUAL = Thresholds()
WHO = {MODES[1]: "wait for results", FITTED: "are fitted to the log"}
"""What users do, by mode."""
PRINTED = {
    "wait": ("Waits are shorter", 73, 99), "response": ("Turnaround is shorter", 37, 67),
    "run": ("Job makespans (start to end) are shorter", 16, 65), "utilization": ("More of the machine is used", 5, 52),
}  # fmt: skip
"""What the paper prints for the best strategy on each of Cori, Eagle and Theta, %."""


def best(study: Evidence, log: str, share: float, mode: str = "open") -> str:
    """The strategy with the least mean response time."""
    return min(study.strategies, key=lambda name: study.of(log, name, share, mode).response)


def findings(study: Evidence) -> Iterator[Finding]:
    """What the paper prints, few malleable jobs, rigid jobs, users, throughput, the price of anarchy, in this order."""
    logs, few, every = list(study.jobs), study.shares[0], study.shares[-1]
    tops = {log: best(study, log, every) for log in logs}
    for what, (says, low, high) in PRINTED.items():
        name, more = (max, 1) if what == "utilization" else (min, -1)
        found = {log: name(_changes(study, what, log, every)) for log in logs}
        yield Finding(
            says=f"{says} in an open loop, by {low} to {high} %",
            criterion=f"all jobs malleable, the best strategy: {low} % at least, every log",
            ours=", ".join(f"{log} {change:+.0f} % ({who})" for log, (change, who) in found.items()),
            seen=together(USUAL.more(more * change, low) for change, _ in found.values()),
        )
    part = {log: study.change("response", log, best(study, log, few), few, "open") for log in logs}
    whole = {log: study.change("response", log, tops[log], every, "open") for log in logs}
    yield Finding(
        says=f"{100 * few:g} % of malleable jobs give much of the gain",
        criterion="at least half of the gain in mean response time of all, best strategies, every log",
        ours=", ".join(f"{log} {part[log]:+.0f} of {whole[log]:+.0f} %" for log in logs),
        seen=together(USUAL.less(2 * part[log], whole[log]) for log in logs),
    )
    rigid = {log: study.change("others", log, best(study, log, few), few, "open") for log in logs}
    yield Finding(
        says="Owners of rigid jobs gain as well",
        criterion=f"shorter mean response times of the rigid jobs among {100 * few:g} % malleable ones, every log",
        ours=", ".join(f"{log} {rigid[log]:+.0f} %" for log in logs),
        seen=together(USUAL.less(rigid[log], 0.0) for log in logs),
    )
    few_tops = {log: best(study, log, few) for log in logs}
    for mode, (share, names) in product(study.modes[1:], ((every, tops), (few, few_tops))):
        left = {log: _left(study, log, names[log], share, mode) for log in logs}
        yield Finding(
            says=f"Users who {WHO[mode]} leave less of the gain in waits ({100 * share:g} % malleable)",
            criterion="a smaller part of the mean wait is saved than in the open loop, same strategy, every log",
            ours=", ".join(f"{log} {users:+.0f} instead of {alone:+.0f} %" for log, (alone, users) in left.items()),
            seen=together(USUAL.less(alone, users) for alone, users in left.values()),
        )
    for mode in study.modes[1:]:
        done = {log: [study.change("work", log, tops[log], every, each) for each in (MODES[0], mode)] for log in logs}
        yield Finding(
            says=f"Users who {WHO[mode]} get more work done in the same time",
            criterion="more work by the end of the log than in the open loop, against rigid jobs, every log",
            ours=", ".join(f"{log} {users:+.1f} instead of {alone:+.1f} %" for log, (alone, users) in done.items()),
            seen=together(USUAL.more(users, alone) for alone, users in done.values()),
        )
    prices = {load: study.price(load) for load in study.loads}
    yield Finding(
        says="Users who choose sizes for themselves do worse than the scheduler",
        criterion="a longer mean response time than with the scheduler's best choice, every load",
        ours=", ".join(f"{price:.2f} times at {load:g}" for load, price in prices.items()),
        seen=together(USUAL.more(price, 1.0) for price in prices.values()),
    )


def _changes(study: Evidence, what: str, log: str, share: float) -> Iterator[tuple[float, str]]:
    """Of each strategy, what changes in an open loop."""
    return ((study.change(what, log, name, share, MODES[0]), name) for name in study.strategies)


def _left(study: Evidence, log: str, strategy: str, share: float, mode: str) -> tuple[float, float]:
    alone, users = (study.change("wait", log, strategy, share, each) for each in (MODES[0], mode))
    return alone, users
