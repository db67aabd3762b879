"""What was used before the start, out of `sshare -a -l -P`: the column RawUsage."""

from pathlib import Path

from thinktime.models.site.accounts import AccountTree
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.slurm.psv import table
from thinktime.models.site.slurm.values import at, number
from thinktime.models.site.usage import Usage

COMMAND = "sshare -a -l -P"


def read(path: Path, tree: AccountTree, notes: Notes) -> tuple[Usage, ...]:
    """What accounts and users of the tree have used, unless it is nothing; those of others are noted."""
    found: dict[tuple[str, str | None], Usage] = {}
    for row in table(path, ("account", "user", "rawusage"), COMMAND):
        account, user = row["account"].lower(), row["user"] or None
        amount = at(row.where, "RawUsage", number, row["rawusage"] or "0")
        if tree.find(account, user) is None:
            notes.add(row.where, f"usage of {user or 'all'} in account {account}, which is not in the tree")
        elif (account, user) in found:
            notes.add(row.where, f"usage of {user} in account {account} comes twice (partitions): it is added")
            found[account, user] = Usage(account, user, found[account, user].amount + amount)
        else:
            found[account, user] = Usage(account, user, amount)
    return tuple(each for each in found.values() if each.amount)
