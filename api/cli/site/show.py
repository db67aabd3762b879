"""`thinktime site show`: a site's nodes, partitions, QOS, accounts and rules as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from thinktime.cli.console import stdout
from thinktime.cli.layout import NONE, counted, duration, listing, number, percentage, titled
from thinktime.cli.options import argument

if TYPE_CHECKING:
    from thinktime.models.site.accounts import AccountTree, Association
    from thinktime.models.site.site import Site


def show(file: Annotated[str, argument("FILE", "A site's file: site.toml.")]) -> None:
    """Show the nodes, partitions, QOS, the tree of accounts, and the rules that are not Slurm's defaults."""
    from thinktime.models.site.site import Site

    site = Site.read(file)
    console = stdout()
    typer.echo(
        f"{site.name}: {counted(site.nodes.count, 'node')}, {counted(site.nodes.total(), 'processor')}, "
        f"{counted(len(site.accounts.users), 'association')} of users"
    )
    for table in tables(site):
        console.print()
        console.print(table)


def tables(site: Site) -> Iterator[Table]:
    """One table for each part of a site; those of rules only where they differ from Slurm's defaults."""
    yield nodes(site)
    yield partitions(site)
    yield qualities(site)
    if len(site.accounts):
        yield accounts(site)
    for title, rows in rules(site):
        if rows:
            yield listing(title, rows)
        if title == "preemption":
            yield from victims(site)


def nodes(site: Site) -> Table:
    """The kinds of nodes, with what each node has."""
    from thinktime.workloads.host_lists import compress
    from thinktime.workloads.reading.values import memory_text

    have = site.nodes.resources
    table = titled("nodes", "kind", "count", *have)
    table.add_column("properties")
    table.add_column("names")
    for each in site.nodes.clusters:
        amounts = {name: number(amount) for name, amount in each.resources.items()}
        if "memory" in amounts:
            amounts["memory"] = str(memory_text(each.resources["memory"]))
        listed = ", ".join(sorted(each.properties)) or NONE
        cells = [amounts.get(name, NONE) for name in have]
        table.add_row(each.name, number(each.count), *cells, listed, compress(each.node_names))
    return table


def partitions(site: Site) -> Table:
    """The partitions, the default one first marked."""
    from thinktime.workloads.host_lists import compress

    table = titled("partitions", "name")
    for heading in ("nodes", "tier", "job factor", "max time", "default time", "QOS", "other rules"):
        words = heading in ("nodes", "QOS", "other rules")
        table.add_column(heading, justify="left" if words else "right", no_wrap=not words)
    for each in site.partitions:
        shown = ("name", "nodes", "tier", "job_factor", "max_time", "default_time", "qos")
        table.add_row(
            each.name,
            "all" if each.nodes is None else compress(each.nodes) or "none",
            number(each.tier),
            number(each.job_factor),
            duration(each.max_time),
            duration(each.default_time),
            each.qos or NONE,
            differing(each, shown),
        )
    return table


def qualities(site: Site) -> Table:
    """The QOS with their limits."""
    table = titled("QOS", "name", "priority")
    for heading in ("preempts", "limits", "other rules"):
        table.add_column(heading)
    for each in site.qos:
        others = differing(each, ("name", "priority", "preempts", "limits"))
        table.add_row(each.name, number(each.priority), ", ".join(each.preempts) or NONE, limits(each), others)
    return table


def victims(site: Site) -> Iterator[Table]:
    """Whose jobs may be preempted by whose, and how, if any may."""
    from thinktime.models.site import preempting

    if not (found := preempting.victims(site)):
        return
    table = titled("preempted", "partition" if site.preemption.type == "partition_prio" else "QOS")
    for heading in ("by", "mode"):
        table.add_column(heading)
    for heading in ("grace", "not before"):
        table.add_column(heading, justify="right")
    for each in found:
        table.add_row(each.name, ", ".join(each.by), each.mode, duration(each.grace), duration(each.exempt))
    yield table


def accounts(site: Site) -> Table:
    """The tree of accounts: shares, what they are of those of all siblings, use, QOS and limits."""
    table = titled("accounts", "account, user", "shares", "of siblings", "used")
    for heading in ("QOS", "limits"):
        table.add_column(heading)
    for depth, each, fraction in walk(site.accounts, "root"):
        own = each.account if each.user is None else f"· {each.user}"
        default = f"default {each.default_qos}" if each.default_qos else ""
        table.add_row(
            "  " * depth + own + (f" ({each.partition})" if each.partition else ""),
            str(each.shares),
            percentage(fraction),
            number(site.used(each.account, each.user)) if site.usage else NONE,
            "; ".join(part for part in (", ".join(each.qos or ()), default) if part) or NONE,
            limits(each),
        )
    return table


def walk(tree: AccountTree, account: str, depth: int = 0) -> Iterator[tuple[int, Association, float | None]]:
    """The associations below an account: depth, association, and its part of the shares; None with the parent's."""
    children = tree.children(account)
    total = sum(int(each.shares) for each in children if each.shares != "parent")
    for each in children:
        yield depth, each, int(each.shares) / total if each.shares != "parent" and total else None
        if each.user is None:
            yield from walk(tree, each.account, depth + 1)


def rules(site: Site) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The settings that differ from Slurm's defaults, part by part."""
    from thinktime.workloads.reading.table import table_of

    for title in ("priority", "backfill", "preemption", "time_limits"):
        table = table_of(getattr(site, title))
        yield title.replace("_", " "), [(name, text(value)) for name, value in table.items()]
    general = ("enforce", "enforce_partition_limits", "accounting", "memory", "kill_invalid_dependencies")
    placing = tuple(name for name in ("least_loaded", "serial_at_end") if getattr(site, name))
    yield "enforced", [(name, text(plain(getattr(site, name)))) for name in general + placing]


def differing(part: Any, shown: tuple[str, ...]) -> str:
    """The fields of a part that are no defaults and not in columns of their own."""
    from thinktime.workloads.reading.table import table_of

    limited = {name for name, _ in part.limits.given()} if "limits" in shown else set()
    table = {name: each for name, each in table_of(part).items() if name not in shown and name not in limited}
    return "; ".join(name if each is True else f"{name} {text(each)}" for name, each in table.items()) or NONE


def limits(part: Any) -> str:
    """The limits of a QOS or an association."""
    from thinktime.workloads.reading.table import table_of

    return "; ".join(f"{name} {text(each)}" for name, each in table_of(part.limits).items()) or NONE


def plain(value: Any) -> Any:
    """A value as it stands in a file."""
    return sorted(value) if isinstance(value, frozenset) else value


def text(value: Any) -> str:
    """A value of a file for a cell.

    >>> text({"cpu": 8, "mem": "16G"}), text(["a", "b"]), text(10000), text(True), text([])
    ('cpu=8, mem=16G', 'a, b', '10,000', 'yes', '–')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(value) or NONE
    return str(value) if isinstance(value, str) or not float(value).is_integer() else number(value)
