"""What the study of shapes looks for: what the paper says of an open loop, and what is left of it with users."""

from collections.abc import Iterator

from thinktime.analysis.studies.shapes.study import Evidence
from thinktime.analysis.study import Finding, Thresholds, together

USUAL = Thresholds()
PRINTED = {"response": (-67, -37), "makespan": (-65, -16), "wait": (-99, -73), "utilization": (5, 52)}
"""What the paper prints, on Cori, Eagle and Theta, for the best strategy and all shares, %."""


def best(study: Evidence, log: str, share: float, mode: str = "open") -> str:
    """The strategy with the least mean response time."""
    return min(study.strategies, key=lambda name: study.of(log, name, share, mode).response)


def findings(study: Evidence) -> Iterator[Finding]:
    """Waits, few malleable jobs, rigid jobs, users, throughput, the price of anarchy, in this order."""
    logs, few, every = list(study.jobs), study.shares[0], study.shares[-1]
    tops = {log: best(study, log, every) for log in logs}
    waits = {log: study.change("wait", log, tops[log], every, "open") for log in logs}
    low, high = PRINTED["wait"]
    yield Finding(
        says=f"In an open loop waits fall by {-high} to {-low} %",
        criterion=f"mean wait with all jobs malleable, best strategy: {-high} % less at least, every log",
        ours=", ".join(f"{log} {waits[log]:+.0f} % ({tops[log]})" for log in logs),
        seen=together(USUAL.less(waits[log], high) for log in logs),
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
    for share, names in ((every, tops), (few, {log: best(study, log, few) for log in logs})):
        left = {log: _left(study, log, names[log], share) for log in logs}
        yield Finding(
            says=f"Users who wait for results leave less of the gain in waits ({100 * share:g} % malleable)",
            criterion="a smaller part of the mean wait is saved than in the open loop, same strategy, every log",
            ours=", ".join(f"{log} {users:+.0f} instead of {alone:+.0f} %" for log, (alone, users) in left.items()),
            seen=together(USUAL.less(alone, users) for alone, users in left.values()),
        )
    done = {log: [study.change("work", log, tops[log], every, mode) for mode in ("open", "users")] for log in logs}
    yield Finding(
        says="They get more work done in the same time",
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


def _left(study: Evidence, log: str, strategy: str, share: float) -> tuple[float, float]:
    alone, users = (study.change("wait", log, strategy, share, mode) for mode in ("open", "users"))
    return alone, users
