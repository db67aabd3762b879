"""What is told of schedules and their expected end times: on the terminal, as CSV files, as plain values for JSON."""

from collections.abc import Mapping
from typing import Any

from thinktime.analysis.evaluation.figures import pictures
from thinktime.analysis.expectations.evaluate import Expectations, name_of
from thinktime.analysis.expectations.evaluated_site import Site, held_by_no_node
from thinktime.analysis.named_table import Table
from thinktime.analysis.report import Report
from thinktime.models.machine.changing.tables import in_words
from thinktime.workloads.arrays import DataFrame, pd
from thinktime.workloads.units import counted, in_two_units

Named = Mapping[str, Expectations]
"""Expectations by the name of the schedule."""


def report(found: Named, site: Site) -> Report:
    """How schedules, by name, meet expectations: a table, plain values, the users and jobs of each, and pictures."""
    return Report(
        page=lambda: [comparison(found), *_conditions(found, site)],
        values=lambda: _values(found, site),
        frames=lambda: {
            f"{name}/{what}": table
            for name, jobs in found.items()
            for what, table in (("users", jobs.users().reset_index()), ("jobs", jobs_table(jobs)))
        },
        figures=lambda: pictures(found),
    )


def comparison(found: Named) -> Table:
    """One row per schedule."""
    shown = Table("Expected end times (EET)", "schedule", "violated\njobs", "\nof all", whole=True)
    shown.numbers("VEET of users\nmedian", "\n75 %", "\nat 100 %", "WT of users\nmedian", "\nsum")
    for name, jobs in found.items():
        users = jobs.users()
        veet, late = users["veet"], users["weighted_tardiness"]
        shown.row(
            name,
            f"{int(jobs.violated.sum()):,}",
            f"{100 * float(jobs.violated.mean()):.1f}%",
            f"{float(veet.median()):.1f}%",
            f"{float(veet.quantile(0.75)):.1f}%",
            f"{int((veet == 100.0).sum()):,}",
            in_two_units(float(late.median())),
            in_two_units(float(late.sum())),
        )
    return shown


def _conditions(found: Named, site: Site) -> list[str]:
    """The conditions under which the numbers hold."""
    jobs = next(iter(found.values()))
    chosen = jobs.chosen
    lines = [
        "VEET: violated EETs of a user in %; WT: weighted tardiness of a user, processor-time.",
        f"A user expects {amounts_in_words(chosen.amounts)}: {chosen.said}.",
        f"{counted(len(jobs), 'job')} of {counted(len(jobs.users()), 'user')} on {site.described}.",
        *(f"Under the policies the machine changes: {words}." for words in _changes(site).values()),
        *(f"{counted(count, 'job')} dropped: {why}." for why, count in site.report.dropped.items()),
        *(f"{note[0].upper()}{note[1:]}." for note in site.notes),
        *(f"{note}." for note in (held_by_no_node(site.log) if "recorded" in found else [])),
    ]
    if chosen.of_users:
        lines.append(f"The options give {counted(len(chosen.of_users), 'user')} another capacity.")
    return lines


def amounts_in_words(amounts: Mapping[str, int]) -> str:
    """The capacity that a user expects, in words.

    >>> amounts_in_words({"processors": 8, "memory": 2**30, "gpus": 1})
    '8 processors, 1.0 GiB of memory and 1 of gpus'
    """
    words = {"processors": lambda n: counted(n, "processor"), "memory": lambda n: f"{n / 2**30:,.1f} GiB of memory"}
    parts = [words[name](n) if name in words else f"{n:,} of {name}" for name, n in amounts.items()]
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _values(found: Named, site: Site) -> dict[str, Any]:
    """Amounts of resources (bytes of memory), ``veet`` in per cent, processor-seconds.

    `held_by_no_node` lists the jobs of the recorded schedule that no described node could hold.
    """
    chosen = next(iter(found.values())).chosen
    columns = ["jobs", "veet", "weighted_tardiness"]
    policies: dict[str, dict[str, Any]] = {
        name: {
            "violated_jobs": int(jobs.violated.sum()),
            "users": {str(user): row for user, row in jobs.users()[columns].to_dict("index").items()},
        }
        for name, jobs in found.items()
    }
    if "recorded" in policies and site.log is not None and (beyond := site.log.held_by_no_node()):
        policies["recorded"]["held_by_no_node"] = [{"job": job, "request": str(request)} for job, request in beyond]
    expected = {"processors": 0, "memory": None, **chosen.amounts}
    return {"expected_capacity": expected, **_changes(site), "policies": policies}


def _changes(site: Site) -> dict[str, str]:
    """What changes on the machine, in words; empty if nothing does."""
    return {} if site.changes is None else {"changes": in_words(site.changes)}


def jobs_table(jobs: Expectations) -> DataFrame:
    """One row per job: times in s, memory in bytes and other resources (of the whole job), ``violated`` as 0 or 1."""
    names = ("id", "submit", "start", "end", "processors", "memory", "eet")
    frame = pd.DataFrame({name: getattr(jobs, name) for name in names})
    frame.insert(1, "user", [name_of(label) for label in jobs.user.tolist()])
    late = {"tardiness": jobs.tardiness, "violated": jobs.violated.astype(int)}
    return frame.assign(**jobs.others, **late)
