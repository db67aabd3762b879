"""Limits that do nothing, or that no job can meet."""

from collections.abc import Iterator

from thinktime.models.site.limits import Limits
from thinktime.models.site.site import Site
from thinktime.models.site.tres import Tres, resource_of

COUNTS = ("max_jobs", "max_submit", "max_jobs_per_account", "max_submit_per_account", "group_jobs", "group_submit")


def problems(site: Site) -> Iterator[tuple[str, str]]:
    """What looks wrong with a site's limits: where, and a sentence."""
    parts = [*((f"QOS {each.name}", each.limits) for each in site.qos)]
    parts += [(str(each), each.limits) for each in site.accounts]
    limited = [where for where, limits in parts if limits.given()]
    if limited and "limits" not in site.enforce:
        yield "enforce", f"limits are not enforced, so those of {_some(limited)} do nothing"
    if limited and not site.accounting:
        yield "enforce", "without accounting (slurmdbd) there are no limits"
    have = {"node": site.nodes.count} | {name: site.nodes.total(name) for name in site.nodes.resources}
    for where, limits in parts:
        yield from _closed(where, limits)
        yield from _amounts(where, limits, have)
    if "safe" in site.enforce and "limits" not in site.enforce:
        yield "enforce", "safe means something only with limits"


def _closed(where: str, limits: Limits) -> Iterator[tuple[str, str]]:
    for name in COUNTS:
        if getattr(limits, name) == 0:
            yield where, f"{name} is 0, so no job ever {'gets in' if 'submit' in name else 'starts'}"
    if limits.max_wall == 0:
        yield where, "max_wall is 0, so no job ever starts"
    for name, least in limits.min_tres.items():
        for kind in ("max_tres", "max_tres_per_user", "max_tres_per_account", "group_tres"):
            most: Tres[int] = getattr(limits, kind)
            if name in most and most[name] < least:
                yield where, f"a job needs at least {least} of {name}, but {kind} is {most[name]}: none ever starts"


def _amounts(where: str, limits: Limits, have: dict[str, int]) -> Iterator[tuple[str, str]]:
    for name, least in limits.min_tres.items():
        if least > have.get(resource_of(name), 0):
            yield where, f"a job needs at least {least} of {name}, more than the nodes have: none ever starts"
    for kind, value in limits.given():
        if isinstance(value, Tres):
            for name in value:
                if name.startswith("gres/") and ":" not in name and resource_of(name) not in have:
                    yield where, f"{kind} limits {name}, which no node has"


def _some(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} others"
