"""The tables of the feedback study: its page, and the object of ``--json``."""

from collections.abc import Iterator
from typing import Any

from thinktime.analysis.modes import legend, ranking, values_of
from thinktime.analysis.statistics import mean
from thinktime.analysis.studies.feedback.findings import findings
from thinktime.analysis.studies.feedback.flows import VERDICTS, swapped
from thinktime.analysis.studies.feedback.runs import BASE, MEASURED, MODES, POLICIES, Level
from thinktime.analysis.studies.feedback.study import Evidence, Factor
from thinktime.analysis.study import NONE, Report, Table, cell, verdicts
from thinktime.workloads.shaking import SHARE

PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
CLOSED = tuple(mode for mode in MODES if mode not in ("open", "generative"))
"""The modes between which and the open loop the same users can be followed."""


def report(found: Evidence) -> Report:
    """What shaking does, three tables for each level of load, the rankings, the users, and what was looked for.

    The object has each level as `thinktime feedback --json` has it, what policies change, and who gains.
    """
    return Report(lambda: _page(found), lambda: _values(found))


def _page(found: Evidence) -> Iterator[Table | str]:
    yield kept_table(found)
    yield ""
    for level in found.levels:
        yield factor_table(found, level)
        yield plain_table(found, level, "mean_backlog", "Work that waits, in hours of the whole machine", 1)
        yield plain_table(found, level, "throughput_per_day", "Finished jobs a day", 0)
        yield ""
    yield from _rankings(found)
    yield ""
    yield flow_table(found)
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield (
        f"{found.source}, as {BASE} would have left them, with times moved by up to {SHARE:.0%} in the log itself; "
        f"measured: the first {MEASURED:.0%} of the log. Slowdown: mean bounded slowdown (10 s). Intervals: 95 % by t "
        f"over draws of users or shaken logs (of logarithms for ratios). Gain, lose: users whose mean response is at "
        f"least 10 % shorter, longer than under {BASE} in the same mode; swap: gain in one mode and lose in the other; "
        "by chance: in two shaken logs in the same mode."
    )


def kept_table(found: Evidence) -> Table:
    """What each mode keeps of the log's mean wait under the policy that made it."""
    shown = Table(f"Mean wait under {BASE}, shaken log over log", "mode", "ratio", "least", "most", whole=True)
    for mode in MODES:
        kept = found.kept(mode)
        shown.row(mode, *(cell(each, ".2f") for each in (Factor.of(kept).value, kept.min(), kept.max())))
    return shown


def factor_table(found: Evidence, level: Level) -> Table:
    """One level of load: the slowdown of each policy over that of EASY, by mode; that of EASY itself."""
    of = found.levels[level]
    shown = Table(f"{_title(level)}: slowdown of {BASE}, and of the others over it", "policy", *MODES, whole=True)
    own = [mean(of.values(mode, BASE)) for mode in MODES]
    shown.row(f"{BASE} itself", *(_pm(each.mean, each.half) for each in own))
    for policy in (each for each in POLICIES if each != BASE):
        shown.row(policy, *(_factor(found.factor(level, mode, policy)) for mode in MODES))
    return shown


def plain_table(found: Evidence, level: Level, name: str, says: str, digits: int) -> Table:
    """One level of load: a measure of each policy by mode."""
    of = found.levels[level]
    shown = Table(f"{_title(level)}: {says[0].lower()}{says[1:]}", "policy", *MODES, whole=True)
    for policy in POLICIES:
        shown.row(policy, *(cell(of.mean(mode, policy, name), f",.{digits}f") for mode in MODES))
    return shown


def flow_table(found: Evidence) -> Table:
    """For each policy and mode with feedback: who gains and loses there and in the open loop, and who swaps."""
    shown = Table("The log itself: users in the open loop and in another mode", "policy", whole=True)
    shown.texts("mode")
    shown.numbers("open\ngain", "\nlose", "mode\ngain", "\nlose", "gain to\nlose", "lose to\ngain")
    shown.numbers("by chance\nopen", "\nmode")
    for policy in (each for each in POLICIES if each != BASE):
        for mode in CLOSED:
            flow = found.flow("open", mode, policy)
            here, there = flow.sum(axis=1), flow.sum(axis=0)
            shares = (here[0], here[2], there[0], there[2], flow[0, 2], flow[2, 0])
            lucky = (found.luck("open", policy), found.luck(mode, policy))
            shown.row(policy, mode, *(_percent(each) for each in (*shares, *lucky)))
    return shown


def _rankings(found: Evidence) -> Iterator[str]:
    used = set()
    for level, of in found.levels.items():
        for mode in of.measures:
            used |= {pair.verdict for pair in of.pairs(mode)}
            yield f"{_title(level)}, {mode}: {ranking(of, mode, differences=False)}"
    yield legend(used)


def _title(level: Level) -> str:
    return "The log itself" if level is None else f"{level:g} users per user of the log"


def _factor(of: Factor) -> str:
    value = f"{of.value:,.{_digits(of.value)}f}"
    if of.low != of.low:
        return value
    return f"{value} [{of.low:,.{_digits(of.low)}f}, {of.high:,.{_digits(of.high)}f}]"


def _digits(value: float) -> int:
    return 2 if value < 10 else 1 if value < 100 else 0


def _pm(value: float, half: float) -> str:
    digits = 0 if value >= 100 else 1
    return f"{value:,.{digits}f}" + ("" if half != half else f"{PLUS_MINUS}{half:,.{digits}f}")


def _percent(share: float) -> str:
    return NONE if share != share else f"{100 * share:.0f}%"


def _values(found: Evidence) -> dict[str, Any]:
    return {
        "source": found.source,
        "seed": found.seed,
        "kept": {mode: found.kept(mode).tolist() for mode in MODES},
        "levels": {
            "log" if level is None else f"{level:g}": values_of(of)
            | {
                "factors": {
                    mode: {policy: found.factor(level, mode, policy)._asdict() for policy in POLICIES} for mode in MODES
                },
                "apart": {
                    mode: {policy: found.apart(level, mode, policy)._asdict() for policy in POLICIES}
                    for mode in MODES[1:]
                },
                "gains": {
                    mode: {policy: found.gain(level, mode, policy)._asdict() for policy in POLICIES} for mode in MODES
                },
            }
            for level, of in found.levels.items()
        },
        "flows": {
            mode: {policy: _flow(found, mode, policy) for policy in POLICIES if policy != BASE} for mode in CLOSED
        },
    }


def _flow(found: Evidence, mode: str, policy: str) -> dict[str, Any]:
    """From the open loop to another mode: shares of users by verdict here and there."""
    flow = found.flow("open", mode, policy)
    shares: dict[str, Any] = {
        here: dict(zip(VERDICTS, row, strict=True)) for here, row in zip(VERDICTS, flow.tolist(), strict=True)
    }
    return shares | {
        "swapped": swapped(flow),
        "swapped_by_chance": {each: found.luck(each, policy) for each in ("open", mode)},
    }
