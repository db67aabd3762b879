"""What looks wrong in a tree of accounts."""

from collections.abc import Iterator

from thinktime.models.site.accounts import PARENT
from thinktime.models.site.site import Site


def problems(site: Site) -> Iterator[tuple[str, str]]:
    """What looks wrong in the tree of accounts: where, and a sentence."""
    for name in site.accounts.accounts:
        children = site.accounts.children(name)
        if children and not any(each.shares for each in children):
            yield f"account {name}", "all below it have 0 shares, so none of them has a fair share"
        if name != "root" and not children:
            yield f"account {name}", "has neither users nor accounts, so nobody can use it"
        if site.accounts.accounts[name].shares == PARENT:
            yield f"account {name}", "has the shares of its parent, which is meant for users"
    yield from _qualities(site)
    yield from _usage(site)


def _qualities(site: Site) -> Iterator[tuple[str, str]]:
    tree = site.accounts
    for each in tree:
        allowed, default = tree.inherited(each, "qos"), tree.inherited(each, "default_qos")
        if allowed is not None and default is not None and default not in allowed and each.default_qos:
            yield str(each), f"its default QOS {default} is not among those it may use ({', '.join(allowed)})"
    if (used := [each.qos for each in tree if each.qos]) and "qos" in site.enforce:
        reached = {name for names in used for name in names}
        for qos in site.qos:
            if qos.name not in reached and qos.name not in {each.qos for each in site.partitions}:
                yield f"QOS {qos.name}", "no association may use it"


def _usage(site: Site) -> Iterator[tuple[str, str]]:
    if not site.usage:
        return
    if not site.accounting:
        yield "usage", "without accounting (slurmdbd) nothing is done with it"
    for name in site.accounts.accounts:
        below = sum(site.used(each.account, each.user) for each in site.accounts.children(name))
        if (own := site.used(name)) and below > own + len(site.usage):
            yield f"usage of account {name}", f"is {own:,.0f}, but that of those below it is {below:,.0f}"
