"""A comparison of modes as plain values, for JSON."""

from typing import Any

from thinktime.analysis.json_values import or_none
from thinktime.analysis.modes.mode_comparison import ModeComparison
from thinktime.analysis.modes.rankings import ComparedLog, Drawn, Pair, Reversal
from thinktime.analysis.statistics import mean

MEASURES = (
    "jobs", "mean_wait", "mean_bounded_slowdown_10", "throughput_per_day", "median_wait", "p95_wait",
    "utilization", "mean_backlog", "mean_user_response_time", "mean_session_response_time", "work_lost",
    "work_delayed", "abandoned_share", "lost_processor_hours",
)  # fmt: skip
"""The measures of each policy in each mode in the JSON object: means over replications."""


def as_object(found: ModeComparison) -> dict[str, Any]:
    """A comparison as plain values: times in s, work in processor-hours, None for what cannot be measured.

    `observations` counts the jobs, users and sessions behind the means, over all replications, and those without a
    value. `intervals` has, for each pair of neighbours in a ranking, the 95 % interval of second minus first, over
    replications or, for a single run, over batches of jobs. Its `difference` is None if there is too little data; its
    `verdict` is one of `VERDICTS`. `ranking_changes` is true if some pair significantly changes places.
    """
    modes = list(found.measures)
    changes = list(found.reversals())
    return {
        **({} if found.source is None else {"log": _source(found.source)}),
        "processors": found.processors,
        "replications": found.replications,
        "draw": found.draw,
        "modes": {
            mode: {policy: _policy(found, mode, policy) for policy in found.measures[mode]} for mode in modes
        },
        "ranking": {mode: found.ranking(mode) for mode in modes},
        "intervals": {mode: [_pair(each) for each in found.pairs(mode)] for mode in modes},
        "ranking_changes": {
            mode: any(each.certain for each in changes if each.other_mode == mode) for mode in modes[1:]
        },
        "reversals": [_reversal(each) for each in changes],
    }


def _source(source: ComparedLog) -> dict[str, Any]:
    """The part of the log that was used and the users drawn from it: jobs, users, offered loads."""
    return {
        "jobs": source.whole,
        "from": source.start,
        "to": source.end,
        "outside": source.whole - source.log.jobs,
        "part": _drawn(source.log),
        "load": source.load,
        "population": source.population,
        "without_user": source.nobodys,
        "drawn": [_drawn(each) for each in source.drawn],
    }


def _drawn(each: Drawn) -> dict[str, Any]:
    return {"users": each.users, "jobs": each.jobs, "offered_load": or_none(each.offered_load)}


def _reversal(each: Reversal) -> dict[str, Any]:
    names = ("better", "worse", "mode", "other_mode", "certain")
    verdicts = dict(zip((each.mode, each.other_mode), each.verdicts, strict=True))
    return {name: getattr(each, name) for name in names} | {"verdicts": verdicts}


def _policy(found: ModeComparison, mode: str, policy: str) -> dict[str, Any]:
    means = {name: or_none(found.mean(mode, policy, name)) for name in MEASURES}
    if found.replications == 1:
        means["jobs"] = found.measures[mode][policy][0].jobs
    low, high = slowdown_interval(found, mode, policy)
    return means | {
        "observations": {of: counts._asdict() for of, counts in found.observed(mode, policy).items()},
        "mean_bounded_slowdown_10_interval": None if low != low else {"low": low, "high": high},
    }


def slowdown_interval(found: ModeComparison, mode: str, policy: str) -> tuple[float, float]:
    """The interval over replications; for a single run, by batch means."""
    if found.replications == 1:
        return found.measures[mode][policy][0].slowdown_interval
    interval = mean(found.values(mode, policy))
    return interval.low, interval.high


def _pair(pair: Pair) -> dict[str, Any]:
    difference = None
    if pair.difference is not None:
        interval = pair.difference.interval
        difference = {name: or_none(getattr(interval, name)) for name in ("mean", "low", "high")}
    names = ("first", "second", "verdict", "certain")
    return {name: getattr(pair, name) for name in names} | {"difference": difference}
