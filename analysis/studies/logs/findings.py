"""Whether users have changed: between the logs of a study, and within the machines that have several years.

Between logs, a number is fitted by a straight line over the middle year of each log. Logs are the sample, each counts
once, and the slope's interval is Student's with n − 2 degrees of freedom: two machines differ by chance as much as they
do, whatever the intervals within each. Since several numbers are asked, each interval has 1 − 0.05 / their number, so
that all of them together hold with 95 % (Bonferroni). Within a machine, the first year is compared with the last; years
differ if their intervals do not meet.
"""

from collections.abc import Callable, Iterator

import numpy as np

from thinktime.analysis.statistics import UNKNOWN, Estimate, t_quantile
from thinktime.analysis.studies.logs.runs import Row
from thinktime.analysis.studies.logs.study import Evidence
from thinktime.analysis.study import Finding

LEAST_LOGS = 4
"""With fewer logs there is no line to fit."""
CHANCE = 0.5
DECADE = 10.0

SIGNS: dict[str, tuple[str, Callable[[Row], float]]] = {
    "jump": ("the jump", lambda row: row.jump.value),
    "over_placebo": ("the jump over that at ends that nobody saw", lambda row: row.over_placebo.value),
    "clock_gain": ("what the hour says (nats)", lambda row: row.clock_gain.value),
    "wait_gain": (
        "what the wait says beyond a world without reactions (nats)",
        lambda row: row.wait_gain.value - row.wait_gain_null.value,
    ),
    "self_test": ("what feedback keeps (self-test)", lambda row: row.self_test.value),
    "batches": ("the share of batches of users who react", lambda row: row.reactions.reacting_batches),
    "outstanding": ("the hazard while a batch is outstanding (logarithm)", lambda row: _log(row.reactions.outstanding)),
    "after_end": ("the hazard right after an end (logarithm)", lambda row: _log(row.reactions.after_end)),
}
"""What may have changed."""
WITHIN: dict[str, Callable[[Row], Estimate]] = {
    "the jump": lambda row: row.jump,
    "the hazard while a batch is outstanding": lambda row: row.reactions.outstanding,
    "the hazard right after an end": lambda row: row.reactions.after_end,
}
"""What is compared between years of a machine."""
TOGETHER = 1 - 0.05 / len(SIGNS)
"""The confidence of each slope."""


def findings(study: Evidence) -> Iterator[Finding]:
    """Whether users wait for results, and whether any sign of it has changed."""
    rows = [row for row in study.whole().values() if row.measured]
    waiting = [row for row in rows if waits_for_results(row)]
    against = [row for row in rows if row.over_placebo.high < 0 or row.jump.high < CHANCE]
    yield Finding(
        says="Some users of every log come back when they see results",
        criterion="jump above that without reactions, and above that at ends that nobody saw",
        ours=f"{len(waiting)} of {len(rows)} logs",
        seen=True if rows and len(waiting) == len(rows) else False if against else None,
    )
    for word, value in SIGNS.values():
        slope = per_decade([row.middle for row in rows], [value(row) for row in rows])
        yield Finding(
            says=f"From log to log, {word} changes with the years",
            criterion=f"slope per decade beyond chance (95 % for all {len(SIGNS)} together)",
            ours=_in_words(slope),
            seen=None if np.isnan(slope.low) or slope.low <= 0 <= slope.high else True,
        )
    for words, of in WITHIN.items():
        apart = [_apart(list(map(of, study.years(name).values()))) for name in study.whole()]
        known = [each for each in apart if each]
        yield Finding(
            says=f"Within a machine, {words} of its last year is another than that of its first",
            criterion="intervals that do not meet, in most machines, and in one direction",
            ours=f"{known.count('up')} up, {known.count('down')} down, {known.count('same')} neither" if known else "–",
            seen=_one_way(known),
        )


def waits_for_results(row: Row) -> bool:
    """Whether some users surely wait."""
    return bool(row.jump.low > max(row.null, CHANCE) and row.over_placebo.low > 0)


def per_decade(years: list[float], values: list[float], confidence: float = TOGETHER) -> Estimate:
    """The slope of a straight line, per ten years, with its interval.

    >>> per_decade([2000, 2010, 2020, 2030], [1, 2, 3, 4]).value
    1.0
    """
    known = np.isfinite(years) & np.isfinite(values)
    x, y = np.array(years, float)[known] / DECADE, np.array(values, float)[known]
    if len(x) < LEAST_LOGS or not np.ptp(x):
        return UNKNOWN
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * y).sum()) / spread
    rest = y - y.mean() - slope * (x - x.mean())
    half = t_quantile(len(x) - 2, confidence) * float(np.sqrt((rest**2).sum() / (len(x) - 2) / spread))
    return Estimate(slope, slope - half, slope + half)


def _log(factor: Estimate) -> float:
    return float(np.log(factor.value)) if factor.value > 0 else np.nan


def _apart(years: list[Estimate]) -> str:
    """How a number of the last year lies to that of the first; empty if there are not two."""
    known = [each for each in years if each.value == each.value]
    if len(known) < 2:
        return ""
    first, last = known[0], known[-1]
    return "up" if last.low > first.high else "down" if last.high < first.low else "same"


def _one_way(known: list[str]) -> bool | None:
    most = len(known) / 2
    return True if known and max(known.count("up"), known.count("down")) > most else None


def _in_words(slope: Estimate) -> str:
    if np.isnan(slope.low):
        return "–"
    return f"{slope.value:+.3f} [{slope.low:+.3f}, {slope.high:+.3f}]"
