"""The machine of a configured site, as it is and as it could be.

The policy ``site`` is the site's own scheduler, and ``site:CHANGE`` that of the site with other settings
(`thinktime.models.site.changed`). A change may also be a maintenance window, ``maintenance=BEGIN/END`` or
``maintenance=BEGIN/END/NODES``: times as in `thinktime.models.machine.changing.tables`, and nodes as a partition or a
host list (by default all).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from thinktime.models.machine.spec import MachineSpec
from thinktime.models.site import site as configuration
from thinktime.models.site.changed import Setting, changed, settings_of
from thinktime.workloads.host_lists import expand
from thinktime.workloads.names import quoted

OWN = "site"
"""The site's own scheduler."""
MAINTENANCE = "maintenance"


class Site(configuration.Site):
    """A site that gives its machine; what it is made of is said by `thinktime.models.site.site`.

    >>> import thinktime as tt
    >>> site = Site(name="small", nodes=tt.Nodes.uniform(4, 16))
    >>> str(site.machine().policy).partition(":")[0], [each.name for each in site.partitions]
    ('slurm', ['main'])
    """

    def machine(self) -> MachineSpec:
        """Its nodes under its own scheduler (`MachineSpec.of_site`)."""
        return MachineSpec.of_site(self)


class Configured(NamedTuple):
    """A machine, and windows as tables, which need the calendar of a log."""

    machine: MachineSpec
    windows: tuple[dict[str, Any], ...] = ()


def is_own(policy: Any) -> bool:
    """Whether a policy is the site's own scheduler, perhaps with other settings."""
    return isinstance(policy, str) and policy.partition(":")[0] == OWN


def settings_in(policy: str) -> list[Setting]:
    """The settings that a policy of the site changes; ``ValueError`` if it does not say so."""
    _, colon, text = policy.partition(":")
    return settings_of(text) if colon else []


def configured(site: configuration.Site, policy: Any) -> Configured:
    """The machine of a site under its own scheduler, perhaps with other settings, or under any policy."""
    if not is_own(policy):
        return Configured(replace(MachineSpec.of_site(site), policy=policy))
    settings = settings_in(policy)
    then = changed(site, [each for each in settings if each[0] != MAINTENANCE])
    windows = tuple(_window(then, value) for path, value in settings if path == MAINTENANCE)
    return Configured(MachineSpec.of_site(then), windows)


def _window(site: configuration.Site, value: Any) -> dict[str, Any]:
    begin, _, rest = str(value).partition("/")
    end, _, where = rest.partition("/")
    if not begin or not end:
        raise ValueError(
            f"maintenance must be BEGIN/END or BEGIN/END/NODES, such as 7d/+8h/n[1-4], not {quoted(value)}"
        )
    return {"start": begin, "end": end, "processors": _nodes(site, where)}


def _nodes(site: configuration.Site, where: str) -> Sequence[str]:
    if not where:
        return site.nodes.names
    return site.nodes_of(where) if where in {each.name for each in site.partitions} else expand(where)
