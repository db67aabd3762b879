"""The tables of the ostrich study: its page, the object of ``--json``, and two files."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from thinktime.analysis.papers.ostrich.findings import findings
from thinktime.analysis.papers.ostrich.runs import Variation
from thinktime.analysis.papers.ostrich.study import Evidence, Numbers
from thinktime.analysis.statistics import Interval
from thinktime.analysis.study import NONE, Report, Table, attributes, cell, in_two_units, verdicts

_percent = partial(cell, form=".1%")


def report(found: Evidence) -> Report:
    """The comparison, the verdicts and the sensitivity table; shares of the object are fractions of 1.

    `excess_of_bound` has, for each instance, the largest excess of idle area as a part of Lemma 1's bound.
    """
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "policies": {policy: _policy(each) for policy, each in found.numbers.items()},
            "bound_violations": found.numbers["ostrich"].late,
            "lemma_1_violations": found.numbers["ostrich"].behind,
        },
        frames=lambda: _frames(found),
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    setup = found.setup
    yield comparison(found)
    yield (
        f"{found.instances:,} instances of {setup.jobs:,} jobs on {setup.processors} processors; "
        f"{setup.users} users, {_percent(setup.share_short)} short, "
        f"think time {in_two_units(setup.think_time)} (ours: the paper does not say); "
        "\N{PLUS-MINUS SIGN}: 95 % t-interval over instances.\n"
    )
    yield verdicts(findings(found))
    if found.sensitivity:
        yield ""
        yield sensitivity(found)
        yield (
            f"{found.sensitivity_instances} instances each; one thing changed at a time; "
            "short, long: mean maximum stretch; FCFS / OStrich."
        )


def comparison(found: Evidence) -> Table:
    """The paper's numbers and ours, by policy."""
    heads = ("FCFS\npaper", "\nours", "OStrich\npaper", "\nours")
    shown = Table("Campaigns under FCFS and OStrich", "", *heads)
    fcfs, own = found.numbers["fcfs"], found.numbers["ostrich"]

    def row(title: str, printed: tuple[str, str], show: Callable[[Numbers], str]) -> None:
        shown.row(title, printed[0], show(fcfs), printed[1], show(own))

    row("campaigns", (NONE, NONE), lambda n: f"{n.campaigns:,}")
    row("stretch above 20", ("42.3 %", "1.3 %"), lambda n: _share(n.above_20))
    row("stretch below 2", (NONE, "> 2 × FCFS"), lambda n: _share(n.below_2))
    row("mean maximum stretch, short users", ("> 50", "12.8"), lambda n: _mean(n.short))
    row("  its median over users", (NONE, NONE), lambda n: cell(n.short_median))
    row("mean maximum stretch, long users", ("6.3", "6.8"), lambda n: _mean(n.long))
    row("  its median over users", (NONE, NONE), lambda n: cell(n.long_median))
    row("instances beyond Lemma 1's bound", (NONE, "0"), lambda n: str(n.behind))
    row("  largest excess of idle area", (NONE, NONE), lambda n: _percent(max(n.idle_shares)) + " of it")
    row("campaigns later than Lemma 2's bound", (NONE, "0"), lambda n: f"{n.late:,}")
    row("campaigns above Theorem 1's bound", (NONE, "0"), lambda n: f"{n.stretched:,}")
    row("processors in use", (NONE, NONE), lambda n: _percent(n.utilization))
    return shown


def sensitivity(found: Evidence) -> Table:
    """The same numbers for other set-ups; a dash where a policy was not run."""
    shown = Table("If something else is assumed", "changed", "above 20", "below 2", "short", "long", "in use")
    for row in found.sensitivity:
        both = [row.numbers.get("fcfs"), next(n for name, n in row.numbers.items() if name != "fcfs")]

        def pair(show: Callable[[Numbers], str], both: list[Numbers | None] = both) -> str:
            return " / ".join(NONE if each is None else show(each) for each in both)

        shown.row(
            row.variation.differs,
            pair(lambda n: _percent(n.above_20.mean)),
            pair(lambda n: _percent(n.below_2.mean)),
            pair(lambda n: cell(n.short.mean)),
            pair(lambda n: cell(n.long.mean)),
            pair(lambda n: _percent(n.utilization)),
        )
    return shown


def _share(interval: Interval) -> str:
    return f"{100 * interval.mean:.1f}{_half(100 * interval.half)} %"


def _mean(interval: Interval) -> str:
    return cell(interval.mean) + _half(interval.half)


def _half(half: float) -> str:
    return "" if half != half else f" \N{PLUS-MINUS SIGN} {half:.1f}"


def _policy(numbers: Numbers) -> dict[str, Any]:
    return {
        "campaigns": numbers.campaigns,
        "share_above_20": numbers.above_20.mean,
        "share_below_2": numbers.below_2.mean,
        "mean_max_stretch": {"short": numbers.short.mean, "long": numbers.long.mean},
        "lemma_1": {"violations": numbers.behind, "excess_of_bound": list(numbers.idle_shares)},
    }


def _frames(found: Evidence) -> dict[str, list[dict[str, Any]]]:
    """Every campaign of every instance under each policy, and a row per set-up and policy."""
    return {
        "campaigns": [
            {
                "policy": policy,
                "instance": number,
                "profile": "short" if short else "long",
                "user": user,
                "stretch": stretch,
            }
            for policy, outcomes in found.outcomes.items()
            for number, each in enumerate(outcomes)
            for short, user, stretch in zip(each.short, each.user, each.stretch, strict=True)
        ],
        "sensitivity": [
            _sensitivity(row.variation, policy, numbers)
            for row in found.sensitivity
            for policy, numbers in row.numbers.items()
        ],
    }


def _sensitivity(variation: Variation, policy: str, numbers: Numbers) -> dict[str, Any]:
    return {
        "changed": variation.differs,
        "policy": policy,
        **attributes(variation.setup, "users", "share_short", "think_time"),
        "campaigns": numbers.campaigns,
        "share_above_20": numbers.above_20.mean,
        "share_below_2": numbers.below_2.mean,
        "mean_max_stretch_short": numbers.short.mean,
        "mean_max_stretch_long": numbers.long.mean,
        "utilization": numbers.utilization,
        "instances_beyond_lemma_1": numbers.behind,
        "largest_excess_of_lemma_1": max(numbers.idle_shares),
        "later_than_lemma_2": numbers.late,
    }
