"""The tables of the feedback study: its page, and the object of ``--json``."""

from collections.abc import Iterator
from typing import Any

from thinktime.analysis.modes.mode_comparison import as_object as comparison_as_object
from thinktime.analysis.modes.mode_comparison import legend, ranking
from thinktime.analysis.named_table import NONE, Table
from thinktime.analysis.statistics import mean
from thinktime.analysis.studies.feedback.findings import findings
from thinktime.analysis.studies.feedback.runs import Level
from thinktime.analysis.studies.feedback.study import Evidence
from thinktime.analysis.studies.finding import verdicts

PLUS_MINUS = "\N{PLUS-MINUS SIGN}"


def page(found: Evidence) -> Iterator[Table | str]:
    """A table for each level of load, the rankings, and what was looked for."""
    for level in found.levels:
        yield level_table(found, level)
        yield ""
    yield from _rankings(found)
    yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield (
        f"{found.source}; slowdown: mean bounded slowdown (10 s) {PLUS_MINUS} 95 % by t over draws of users; "
        "fb: feedback; queue: work that waits, in hours of the whole machine, time average; a day: finished jobs "
        "a day; gain, lose: users whose mean response is 10 % shorter, longer than under EASY in that mode."
    )


def _rankings(found: Evidence) -> Iterator[str]:
    used = set()
    for level, of in found.levels.items():
        for mode in of.measures:
            used |= {pair.verdict for pair in of.pairs(mode)}
            yield f"{_title(level)}, {mode}: {ranking(of, mode, differences=False)}"
    yield legend(used)


def level_table(found: Evidence, level: Level) -> Table:
    """One level of load: what each mode says of each policy."""
    of = found.levels[level]
    shown = Table(_title(level), "policy", "slowdown\nopen", "\nfeedback", "\ngenerative", "open\n/ fb")
    shown.numbers("queue (h)\nopen", "\nfb", "a day\nopen", "\nfb", "gain\nfb", "lose\nfb")
    for policy in of.measures["open"]:
        slowdowns = [mean(of.values(mode, policy)) for mode in of.measures]
        gains = found.gain(level, "feedback", policy)
        shown.row(
            policy,
            *(_pm(each.mean, each.half) for each in slowdowns),
            f"{found.ratio(level, policy):,.1f}",
            *(f"{of.mean(mode, policy, 'mean_backlog'):,.1f}" for mode in ("open", "feedback")),
            *(f"{of.mean(mode, policy, 'throughput_per_day'):,.0f}" for mode in ("open", "feedback")),
            _percent(gains.gain),
            _percent(gains.lose),
        )
    return shown


def _title(level: Level) -> str:
    return "The log itself" if level is None else f"{level:g} users per user of the log"


def _pm(value: float, half: float) -> str:
    digits = 0 if value >= 100 else 1
    return f"{value:,.{digits}f}" + ("" if half != half else f"{PLUS_MINUS}{half:,.{digits}f}")


def _percent(share: float) -> str:
    return NONE if share != share else f"{100 * share:.1f}".split(".")[0] + "%"


def as_object(found: Evidence) -> dict[str, Any]:
    """Each level as `thinktime feedback --json` has it, and who gains."""
    return {
        "source": found.source,
        "seed": found.seed,
        "levels": {
            "log" if level is None else f"{level:g}": comparison_as_object(of)
            | {
                "gains": {
                    mode: {policy: found.gain(level, mode, policy)._asdict() for policy in of.measures[mode]}
                    for mode in of.measures
                }
            }
            for level, of in found.levels.items()
        },
    }


def frames(found: Evidence) -> dict[str, Any]:
    """None: the object has all numbers."""
    return {}
