"""The tables of the slack study: its page, the object of ``--json``, and two files."""

from collections.abc import Callable, Iterator
from functools import partial
from math import nan
from typing import Any

from thinktime.analysis.papers.slack.findings import RULE, findings
from thinktime.analysis.papers.slack.printed import CONSERVATIVE, HEURISTICS, MONTHS, PREFERRED, SLACK
from thinktime.analysis.papers.slack.runs import Waits, gap_cases
from thinktime.analysis.papers.slack.study import Evidence
from thinktime.analysis.study import NONE, Report, Table, cell, verdicts

_plain = partial(cell, form=".0f")


def report(found: Evidence) -> Report:
    """The paper's tables with ours beside them, what else was tried, and the verdicts; mean waits in s."""
    return Report(lambda: _page(found), lambda: _values(found), lambda: _frames(found))


def _page(found: Evidence) -> Iterator[Table | str]:
    yield months_table(found)
    yield (
        f"Mean waits in s on {found.processors} processors, each month a run of its own; AST, slack factor 3, "
        f"awt={found.awt}; jobs are killed at their estimates.\n"
    )
    for each in (preferred_table, heuristics_table, machines_table, variations_table, gap_table):
        yield each(found)
        yield ""
    yield readings_table(found)
    yield "Every fifth job has UP = PP = 1, the others 0.\n"
    yield f"Verdicts: {RULE}\n"
    yield verdicts(findings(found))


def months_table(found: Evidence) -> Table:
    """The paper's monthly table, with our numbers on its machine and on the other one beside it."""
    other = "" if found.other is None else f"{found.other} pr."
    shown = Table(f"Mean wait by month, s: paper, {found.processors} processors, {other or 'none other'}", "month")
    shown.numbers("jobs")
    for first in ("conserv.", "slack", "better by"):
        shown.numbers(f"{first}\npaper", "\nours", *([f"\n{other}"] if other else []))
    for place, month in enumerate([*found.months, None]):
        printed = MONTHS.get(month) if month else _printed_means(found, (CONSERVATIVE, SLACK))
        means = [_at(found, case, place).mean for case in ("conservative", "ast")]
        pairs = [printed or (nan, nan), (means[0], means[1])]
        if other:
            far = [_at(found, case, place).mean for case in ("other conservative", "other ast")]
            pairs.append((far[0], far[1]))
        shown.row(
            month or "all",
            f"{_at(found, 'conservative', place).jobs.sum():,}",
            *(_plain(base) for base, _ in pairs),
            *(_plain(slack) for _, slack in pairs),
            *(_percent(1 - slack / base if base else 0.0) for base, slack in pairs),
        )
    return shown


def preferred_table(found: Evidence) -> Table:
    """The paper's monthly table of unequal priorities, with ours beside it."""
    shown = Table("Mean wait if every fifth job is preferred, s", "month")
    for first in ("all", "preferred", "others"):
        shown.numbers(f"{first}\npaper", "\nours")
    best = HEURISTICS["ast"]
    for place, month in enumerate([*found.months, None]):
        printed = PREFERRED.get(month) if month else _printed_means(found, (best.unequal, best.high, best.low))
        ours = _at(found, "ast preferred", place)
        pairs = zip(printed or (nan,) * 3, (ours.mean, ours.high, ours.low), strict=True)
        shown.row(month or "all", *(_plain(value) for pair in pairs for value in pair))
    return shown


def _at(found: Evidence, case: str, place: int) -> Waits:
    """A case in one month; all months together behind the last one."""
    return found.waits[case][place] if place < len(found.months) else found.total(case)


def _printed_means(found: Evidence, printed: tuple[float, ...]) -> tuple[float, ...] | None:
    """The paper's means of the year, where these are its months."""
    return printed if set(found.months) == set(MONTHS) else None


def heuristics_table(found: Evidence) -> Table:
    """All rows of the paper's last table; paper / ours."""
    shown = Table("The heuristics: paper / ours", "mean wait, s", *(name.upper() for name in HEURISTICS))
    ours = {name: (found.total(name), found.total(f"{name} preferred")) for name in HEURISTICS}
    best = ours["ast"][0].mean

    def row(title: str, printed: Callable[[Any], float], of: Callable[[Any, Any], float], share: bool = False) -> None:
        show = _percent if share else _plain
        shown.row(title, *(f"{show(printed(HEURISTICS[name]))} / {show(of(*ours[name]))}" for name in HEURISTICS))

    base = found.mean("conservative")
    row("all, equal", lambda p: p.equal, lambda equal, _: equal.mean)
    row("  less by", lambda p: p.better, lambda equal, _: 1 - equal.mean / base, True)
    afresh = (f"{_percent(found.better(f'{name} removed'))}" for name in HEURISTICS)
    shown.row("  inserted afresh", *(f"{NONE} / {share}" for share in afresh))
    row("all, unequal", lambda p: p.unequal, lambda _, unequal: unequal.mean)
    row("  loss", lambda p: p.loss, lambda _, unequal: unequal.mean / best - 1, True)
    row("preferred", lambda p: p.high, lambda _, unequal: unequal.high)
    row("the others", lambda p: p.low, lambda _, unequal: unequal.low)
    row("gap", lambda p: p.gap, lambda _, unequal: unequal.gap)
    return shown


def machines_table(found: Evidence) -> Table:
    """Months against the whole log as one run, and the second machine."""
    shown = Table("As one run, and on another machine", "", "conservative", "slack", "better by")
    lines = [(f"{found.processors} processors, by months", "conservative", "ast")]
    lines += [(f"{found.processors} processors, one run", "whole conservative", "whole ast")]
    if found.other is not None:
        lines += [(f"{found.other} processors, by months", "other conservative", "other ast")]
    for title, base, slack in lines:
        shown.row(title, _plain(found.mean(base)), _plain(found.mean(slack)), _percent(found.better(slack, base)))
    return shown


def variations_table(found: Evidence) -> Table:
    """Other parameters, with equal priorities, and the gap where every fifth job is preferred."""
    shown = Table("If something else is set (AST; gap: every fifth job is preferred)", "changed")
    shown.numbers("mean wait", "better by", "paper", "gap")
    for title, case, printed in (
        ("nothing", "ast", "16.5 %"),
        ("slack factor 0", "factor 0", "0 %"),
        ("slack factor 1", "factor 1", NONE),
        ("slack factor 9", "factor 9", "19.25 %"),
        ("slack factor 30", "factor 30", NONE),
        ("AWT 24 s", "awt 24", "0 %"),
        ("utilization weight 0.01", "alpha_u 0.01", "0 %"),
        ("time weight 0.01", "alpha_t 0.01", "0 %"),
        ("AWT of each month", "awt by month", "some more"),
        ("UP + PP = 1 for all", "all 1", "less"),
        ("UP + PP = 2 for all", "all 2", "less"),
        ("priority weight 1, others 0.2", "weights", NONE),
        ("all orders of up to 5 delayed jobs", "permutations 5", NONE),
        ("EASY instead", "easy", "about 0 %"),
    ):
        preferred = f"{case} preferred"
        gap = _plain(found.total(preferred).gap) if preferred in found.waits else NONE
        shown.row(title, _plain(found.mean(case)), _percent(found.better(case)), printed, gap)
    return shown


def gap_table(found: Evidence) -> Table:
    """The priority gap from 0 to 2."""
    shown = Table("The priority gap (AST)", "UP + PP of every fifth job")
    cases = gap_cases()
    shown.numbers(*(f"{gap:g}" for gap in cases))
    waits = [found.total(case) for case in cases.values()]
    shown.row("all", *(_plain(each.mean) for each in waits))
    shown.row("preferred jobs", *(_plain(each.high) for each in waits))
    shown.row("the others", *(_plain(each.low) for each in waits))
    return shown


def readings_table(found: Evidence) -> Table:
    """Where the gap between preferred and other jobs comes from."""
    shown = Table("Readings of the text", "reading", "all", "preferred", "others", "gap", "gap / others")
    literal = found.total("ast preferred")
    low = (literal.seconds.sum() - literal.seconds[0]) / (literal.jobs.sum() - literal.jobs[0])
    lines = [
        ("the paper's table", 2226.17, 1955.28, 2294.0),
        ("as printed", literal.mean, literal.high, literal.low),
        ("the same run, measured on the wrong fifth", literal.mean, literal.of_place(0), float(low)),
    ]
    for title, case in (
        ("jobs tagged, no priorities", "ast"),
        ("SP stays 1/2", "sp-kept preferred"),
        ("SP from the first fit, before pricing", "sp-first preferred"),
        ("the newcomer's priority does not count", "absolute preferred"),
        ("it counts in its own price as well", "own-price preferred"),
        ("weights 0.2 but for priority", "weights preferred"),
        ("slack factor 9", "factor 9 preferred"),
        ("slack factor 30", "factor 30 preferred"),
    ):
        waits = found.total(case)
        lines.append((title, waits.mean, waits.high, waits.low))
    for title, mean, high, others in lines:
        gap = others - high
        shown.row(title, *map(_plain, (mean, high, others, gap)), _percent(gap / others))
    return shown


def _percent(value: float) -> str:
    return cell(100 * value, unit=" %")


def _values(found: Evidence) -> dict[str, Any]:
    preferred = found.total("ast preferred")
    return {
        "processors": found.processors,
        "months": _months(found),
        "average": {"conservative": found.mean("conservative"), "slack": found.mean("ast")},
        "heuristics": {name: found.mean(name) for name in ("ast", "aat", "du", "dc", "dp")},
        "priority": {"high": preferred.high, "low": preferred.low, "all": preferred.mean},
    }


def _months(found: Evidence) -> list[dict[str, Any]]:
    """Jobs and mean waits with equal priorities, by month."""
    return [
        {"month": month, "jobs": int(base.jobs.sum()), "conservative": base.mean, "slack": slack.mean}
        for month, base, slack in zip(found.months, found.waits["conservative"], found.waits["ast"], strict=True)
    ]


def _frames(found: Evidence) -> dict[str, list[dict[str, Any]]]:
    """The months, with equal priorities and with preferred jobs, and all cases: mean waits, s."""
    with_preferred = zip(_months(found), found.waits["ast preferred"], strict=True)
    return {
        "months": [
            month | {"with_preferred": each.mean, "high": each.high, "low": each.low} for month, each in with_preferred
        ],
        "cases": [
            {"case": name, "jobs": int(each.jobs.sum()), "all": each.mean, "fifth": each.high, "others": each.low}
            for name, each in ((name, found.total(name)) for name in found.waits)
        ],
    }
