"""A comparison of modes: each mode's ranking, and the policies that change places, as text and in notebooks."""

from collections.abc import Collection, Iterator

from thinktime.analysis.experiments.observed import Observed
from thinktime.analysis.modes.rankings import SCORE, Pair, Rankings, Reversal
from thinktime.workloads.html import paragraph, table

PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
SIGNS = {
    "beyond chance": ("<", "smaller beyond chance"),
    "within chance": ("\N{ALMOST EQUAL TO}", "within chance"),
    "equal": ("=", "equal"),
    "in doubt": ("<?", "in doubt: smaller, by batches that depend on each other or hold fewer than ten jobs"),
    "too little data": ("?", "too little data"),
}
"""The sign between neighbours in a ranking, by verdict, and its meaning."""
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
        """The means of each mode and policy, and the rankings as text, for notebooks."""
        rows = [
            [mode, policy, *(f"{self.mean(mode, policy, name):,.2f}" for name in _SHOWN)]
            for mode in self.measures
            for policy in self.measures[mode]
        ]
        made = [line for mode in self.measures for line in made_of(self, mode)]
        lines = "".join(paragraph(line.strip()) for line in [*made, *rankings(self)])
        return table(["mode", "policy", *_SHOWN.values()], rows, keys=2) + lines


def made_of(found: Rankings, mode: str) -> Iterator[str]:
    """The numbers of users and sessions behind the mean response times of a mode, and the jobs given up, if any."""
    told: dict[str, list[str]] = {}
    for policy in found.measures[mode]:
        of = found.observed(mode, policy)
        counts = f"{_part(of['users'], 'users')} and {_part(of['sessions'], 'sessions')}"
        told.setdefault(counts, []).append(policy)
    runs = f", in all {found.replications} replications" if found.replications > 1 else ""
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


def _part(of: Observed, noun: str) -> str:
    return f"{of.n:,}{f' of {of.wanted:,}' if of.n < of.wanted else ''} {noun}"


def rankings(found: Rankings) -> Iterator[str]:
    """Each mode's ranking with the differences of neighbours, the legend, and the policies that change places."""
    for mode in found.measures:
        yield f"{mode}: {ranking(found, mode)}"
    used = {pair.verdict for mode in found.measures for pair in found.pairs(mode)}
    if used:
        yield legend(used)
    if len(found.measures) > 1:
        yield from _changes(list(found.reversals()))


def ranking(found: Rankings, mode: str, differences: bool = True) -> str:
    """The policies of a mode, best first, with signs between them and, by default, differences of neighbours."""
    return " ".join([found.ranking(mode)[0], *(_step(pair, differences) for pair in found.pairs(mode))])


def legend(used: Collection[str]) -> str:
    """The meaning of the signs of these verdicts."""
    return f"({'; '.join(f'{sign} {means}' for verdict, (sign, means) in SIGNS.items() if verdict in used)})"


def _step(pair: Pair, differences: bool) -> str:
    sign = SIGNS[pair.verdict][0]
    if not differences or pair.difference is None or pair.verdict == "equal":
        return f"{sign} {pair.second}"
    mean, half = pair.difference.interval
    return f"{sign} {pair.second} ({mean:+,.1f} {PLUS_MINUS} {half:,.1f})"


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
