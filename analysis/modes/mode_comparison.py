"""A comparison of modes: each mode's ranking, and the policies that change places, as text and in notebooks."""

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

from thinktime.analysis.experiments.observed import Observed
from thinktime.analysis.json_values import attributes, or_none, without_nan
from thinktime.analysis.modes.rankings import SCORE, ComparedLog, Drawn, Pair, Rankings, Reversal
from thinktime.analysis.modes.user_measures import NUMBERS, WithinRun
from thinktime.analysis.statistics import mean
from thinktime.workloads.calibration.beyond import sentence
from thinktime.workloads.html import paragraph, table
from thinktime.workloads.mode_names import CALIBRATED
from thinktime.workloads.units import HOUR

PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
SIGNS = {
    "beyond chance": ("<", "smaller beyond chance"),
    "within chance": ("\N{ALMOST EQUAL TO}", "within chance"),
    "equal": ("=", "equal"),
    "in doubt": ("<?", "in doubt: smaller, by batches that depend on each other or hold fewer than ten jobs"),
    "too little data": ("?", "too little data"),
}
"""The sign between neighbours in a ranking, by verdict, and its meaning."""
_CORRECTED = {"mean_wait": "mean waits", SCORE: "mean slowdowns", "throughput_per_day": "jobs a day"}
"""Of the measures that are corrected, those for which it is told by how much."""
_SHOWN = {
    "mean_wait": "mean wait (s)",
    SCORE: "mean bounded slowdown (10 s)",
    "throughput_per_day": "jobs a day",
    "mean_user_response_time": "mean of users' response times (s)",
}


class ModeComparison(Rankings):
    """Several policies on the same jobs in several modes (what `compare_modes` returns)."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        rows = [
            [mode, policy, *(f"{self.mean(mode, policy, name):,.2f}" for name in _SHOWN)]
            for mode in self.measures
            for policy in self.measures[mode]
        ]
        made = [line for mode in self.measures for line in made_of(self, mode)]
        lines = "".join(paragraph(line.strip()) for line in [*made, *rankings(self)])
        return table(["mode", "policy", *_SHOWN.values()], rows, keys=2) + lines


def made_of(found: Rankings, mode: str) -> Iterator[str]:
    """The numbers of users and sessions behind the mean response times of a mode; jobs given up and hit, if any."""
    told: dict[str, list[str]] = {}
    for policy in found.measures[mode]:
        of = found.observed(mode, policy)
        counts = f"{_part(of['users'], 'users')} and {_part(of['sessions'], 'sessions')}"
        told.setdefault(counts, []).append(policy)
    count = found.runs(mode)
    runs = f", in all {count} {'replications' if count == found.replications else 'runs'}" if count > 1 else ""
    parts = [f"{counts} under {' and '.join(policies)}" for counts, policies in told.items()]
    yield f"{mode}: response times are means of {'; '.join(parts) if len(parts) > 1 else counts}{runs}."
    for policy in found.measures[mode]:
        jobs = found.observed(mode, policy)["jobs"]
        hours = found.mean(mode, policy, "lost_processor_hours")
        if (share := found.mean(mode, policy, "abandoned_share")) > 0:
            yield (
                f"{mode}: users gave up {share:.1%} of the jobs that they wanted under {policy} "
                f"({hours:,.0f} processor-hours{' on average' if runs else ''}); means are of the {jobs.n:,} "
                f"that were served{runs}."
            )
    if mode in found.correction:
        by = found.correction[mode]
        by_how_much = ", ".join(f"{text} by {by[name]:.2f}" for name, text in _CORRECTED.items())
        yield f"{mode}: corrected, which multiplies {by_how_much}."
    changing = [each for each in found.measures[mode] if "interruptions" in found.numbers(mode, each)]
    if any(found.mean(mode, policy, "interruptions") > 0 for policy in changing):
        hit = ", ".join(_interruptions(found, mode, policy) for policy in changing)
        yield f"{mode}: jobs were interrupted {hit}{' on average' if runs else ''}."


def _interruptions(found: Rankings, mode: str, policy: str) -> str:
    times, lost = (found.mean(mode, policy, name) for name in ("interruptions", "lost_work"))
    shown = f"{times:,.0f}" if found.runs(mode) == 1 else f"{times:,.1f}"
    return f"{shown} times under {policy} ({lost / HOUR:,.0f} processor-hours lost)"


def _part(of: Observed, noun: str) -> str:
    return f"{of.n:,}{f' of {of.wanted:,}' if of.n < of.wanted else ''} {noun}"


def rankings(found: Rankings) -> Iterator[str]:
    """Each mode's ranking with the differences of neighbours, the legend, and the policies that change places."""
    for mode in found.measures:
        yield f"{mode}: {ranking(found, mode)}"
        yield from foretold(found, mode)
        if mode == CALIBRATED and found.lacks:
            yield f"  {sentence(found.lacks).capitalize()}."
    used = {pair.verdict for mode in found.measures for pair in found.pairs(mode)}
    if used:
        yield legend(used)
    if len(found.measures) > 1:
        yield from _changes(list(found.reversals()))


def ranking(found: Rankings, mode: str, differences: bool = True) -> str:
    """The policies of a mode, best first, with signs between them and, by default, differences of neighbours."""
    return " ".join([found.ranking(mode)[0], *(_step(pair, differences) for pair in found.pairs(mode))])


def foretold(found: Rankings, mode: str) -> Iterator[str]:
    """Between what mean waits of neighbours in the ranking differ, by draws of what calibrated users may do."""
    for better, worse in pairwise(found.ranking(mode)):
        if (interval := found.foretold(mode, worse, better, "mean_wait")) is None:
            return
        low, high = interval
        silent = ": the log does not say under which of them waits are shorter" if low <= 0 <= high else ""
        yield (
            f"  {worse} less {better}: the mean wait differs by {low:+,.0f} to {high:+,.0f} s "
            f"(80 % of what these users may do, over {found.runs(mode)} draws){silent}."
        )


def legend(used: Collection[str]) -> str:
    """The meaning of the signs of these verdicts."""
    return f"({'; '.join(f'{sign} {means}' for verdict, (sign, means) in SIGNS.items() if verdict in used)})"


def _step(pair: Pair, differences: bool) -> str:
    sign = SIGNS[pair.verdict][0]
    if not differences or pair.difference is None or pair.verdict == "equal":
        return f"{sign} {pair.second}"
    mean, half = pair.difference.interval
    return f"{sign} {pair.second} ({mean:+,.1f} {PLUS_MINUS} {half:,.1f})"


def mode_ranges(found: Rankings) -> Iterator[str]:
    """For each policy, how far apart the modes are; the truth may lie outside."""
    modes = list(found.measures)
    if len(modes) < 2:
        return
    yield "Range of these modes (lowest and highest mean wait, and their ratio; the truth may lie outside):"
    for policy in found.measures[modes[0]]:
        waits = {mode: found.mean(mode, policy, "mean_wait") for mode in modes}
        low, high = min(waits, key=waits.__getitem__), max(waits, key=waits.__getitem__)
        ratio = f", a factor of {waits[high] / waits[low]:,.1f}" if waits[low] > 0 else ""
        yield f"  {policy}: {waits[low]:,.0f} s ({low}) to {waits[high]:,.0f} s ({high}){ratio}"


def _changes(reversals: list[Reversal]) -> Iterator[str]:
    certain, others = ([each for each in reversals if each.certain is sure] for sure in (True, False))
    if not reversals:
        yield "The ranking is the same in all modes."
    if certain:
        yield "The ranking changes beyond chance:"
        yield from map(_change, certain)
    if others:
        yield "Not beyond chance:" if certain else "No change of the ranking is beyond chance:"
        yield from map(_change, others)


def _change(each: Reversal) -> str:
    here, there = each.verdicts
    where = f"in {each.mode} ({here}), worse in {each.other_mode} ({there})"
    return f"  {each.better} is better than {each.worse} {where}."


def values_of(found: ModeComparison) -> dict[str, Any]:
    """A comparison as plain values: times in s, work in processor-hours, None for what cannot be measured.

    `observations` counts the jobs, users and sessions behind the means, over all replications, and those without a
    value. `intervals` has, for each pair of neighbours in a ranking, the 95 % interval of second minus first, over
    replications or, for a single run, over batches of jobs. Its `difference` is None if there is too little data; its
    `verdict` is one of `VERDICTS`. `ranking_changes` is true if some pair significantly changes places.
    """
    modes = list(found.measures)
    changes = list(found.reversals())
    shaken = found.source is not None and found.source.shake is not None
    return {
        **({} if found.source is None else {"log": _source(found.source)}),
        **({"chaos_floor": {mode: _floors(found, mode) for mode in modes}} if shaken else {}),
        **attributes(found, "processors", "replications", "draw"),
        "modes": {mode: {policy: _policy(found, mode, policy) for policy in found.measures[mode]} for mode in modes},
        "ranking": {mode: found.ranking(mode) for mode in modes},
        "intervals": {mode: [_pair(each) for each in found.pairs(mode)] for mode in modes},
        "range_of_modes": _ranges(found),
        **({"correction": {mode: dict(by) for mode, by in found.correction.items()}} if found.correction else {}),
        **({"lacks": list(found.lacks)} if CALIBRATED in modes else {}),
        "ranking_changes": {
            mode: any(each.certain for each in changes if each.other_mode == mode) for mode in modes[1:]
        },
        "reversals": [_reversal(each) for each in changes],
    }


def _ranges(found: ModeComparison) -> dict[str, Any]:
    """By policy, the lowest and the highest mean wait of all modes, s."""
    policies = next(iter(found.measures.values()))
    waits = {policy: [found.mean(mode, policy, "mean_wait") for mode in found.measures] for policy in policies}
    return {policy: {"low": or_none(min(of)), "high": or_none(max(of))} for policy, of in waits.items()}


def _source(source: ComparedLog) -> dict[str, Any]:
    """The part of the log that was used and the users drawn from it: jobs, users, offered loads."""
    return {
        "jobs": source.whole,
        "from": source.start,
        "to": source.end,
        "outside": source.whole - source.log.jobs,
        "part": _drawn(source.log),
        **attributes(source, "load", "population"),
        **({} if source.shake is None else attributes(source, "shake")),
        "without_user": source.nobodys,
        "drawn": [_drawn(each) for each in source.drawn],
    }


def _drawn(each: Drawn) -> dict[str, Any]:
    return {"users": each.users, "jobs": each.jobs, "offered_load": or_none(each.offered_load)}


def _floors(found: ModeComparison, mode: str) -> dict[str, Any]:
    """The chaos floor of each policy's measures."""
    return {
        policy: {name: or_none(found.floor(mode, policy, name)) for name in NUMBERS} for policy in found.measures[mode]
    }


def _reversal(each: Reversal) -> dict[str, Any]:
    verdicts = dict(zip((each.mode, each.other_mode), each.verdicts, strict=True))
    return attributes(each, "better", "worse", "mode", "other_mode", "certain") | {"verdicts": verdicts}


def _policy(found: ModeComparison, mode: str, policy: str) -> dict[str, Any]:
    means = {name: or_none(found.mean(mode, policy, name)) for name in found.numbers(mode, policy)}
    if found.runs(mode) == 1:
        means["jobs"] = found.measures[mode][policy][0]["jobs"]
    of_slowdown = slowdown_interval(found, mode, policy)
    return means | {
        "observations": {of: counts._asdict() for of, counts in found.observed(mode, policy).items()},
        "mean_bounded_slowdown_10_interval": None if of_slowdown.low != of_slowdown.low else of_slowdown._asdict(),
    }


def slowdown_interval(found: ModeComparison, mode: str, policy: str) -> WithinRun:
    """The interval over replications; for a single run, by batch means."""
    if found.runs(mode) == 1:
        return found.measures[mode][policy][0].slowdown_interval
    interval = mean(found.values(mode, policy))
    return WithinRun(interval.low, interval.high)


def _pair(pair: Pair) -> dict[str, Any]:
    difference = None
    if pair.difference is not None:
        difference = without_nan(attributes(pair.difference.interval, "mean", "low", "high"))
    return attributes(pair, "first", "second", "verdict", "certain") | {"difference": difference}
