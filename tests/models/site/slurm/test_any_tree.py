"""Any tree of accounts is read as it was dumped and as it was shown.

The two writers follow the files that a Slurm 22.05.8 wrote: a dump goes through the tree level by level and adds QOS to
those above; a table goes into the depth, repeats the QOS, and has a blank for each level.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.models.site.accounts import PARENT, AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.slurm.associations import read
from thinktime.models.site.slurm.notes import Notes
from thinktime.models.site.tres import Tres

QOS = ("long", "normal", "short")


@st.composite
def trees(draw: st.DrawFn) -> AccountTree:
    """Root with its user, accounts below each other, users in them; QOS only grow downwards."""
    found = [Association("root", qos=("normal",)), Association("root", "root")]
    reach = {"root": {"normal"}}
    for place in range(draw(st.integers(0, 4))):
        name = f"a{place}"
        parent = draw(st.sampled_from(sorted(reach)))
        more = draw(st.sets(st.sampled_from(QOS), max_size=2)) - reach[parent]
        reach[name] = reach[parent] | more
        own = tuple(sorted(reach[name])) if more else None
        above = None if parent == "root" else parent
        found.append(Association(name, None, above, draw(st.integers(0, 99)), qos=own, limits=draw(limits)))
        for user in draw(st.lists(st.sampled_from("uvw"), unique=True)):
            found.append(Association(name, user, shares=draw(st.sampled_from([0, 1, 7, PARENT])), limits=draw(limits)))
    return AccountTree(found)


limits = st.builds(
    Limits,
    max_jobs=st.none() | st.integers(0, 9),
    max_wall=st.none() | st.integers(0, 5_000).map(lambda minutes: 60 * minutes),
    group_tres=st.sampled_from([Tres[int](), Tres({"cpu": 8, "mem": 4_096 * 2**20})]),
    group_tres_seconds=st.sampled_from([Tres[int](), Tres({"cpu": 60 * 8})]),
)


def dumped(tree: AccountTree) -> str:
    """The tree as `sacctmgr dump` writes it: each account with all that is right below it."""
    lines = ["Cluster - 'x':Fairshare=1:QOS='normal'"]
    for parent in tree.accounts:
        lines.append(f"Parent - '{parent}'")
        above = set(reached(tree, parent))
        for each in tree.children(parent):
            kind, name = ("User", each.user) if each.user else ("Account", each.account)
            own = "".join(f",+{qos}" for qos in each.qos or () if qos not in above)
            cells = [f"Fairshare={2**31 - 1 if each.shares == PARENT else each.shares}", *dumped_limits(each.limits)]
            lines.append(":".join([f"{kind} - '{name}'", *cells, *([f"QOS='{own[1:]}'"] if own else [])]))
    return "\n".join(lines)


def dumped_limits(limits: Limits) -> Iterator[str]:
    """In minutes and MB."""
    if limits.max_jobs is not None:
        yield f"MaxJobs={limits.max_jobs}"
    if limits.max_wall is not None:
        yield f"MaxWallDurationPerJob={limits.max_wall // 60}"
    if limits.group_tres:
        yield f"GrpTRES=cpu={limits.group_tres['cpu']},mem={limits.group_tres['mem'] // 2**20}"
    if limits.group_tres_seconds:
        yield f"GrpTRESMins=cpu={limits.group_tres_seconds['cpu'] // 60}"


def shown(tree: AccountTree) -> str:
    """The tree as `sacctmgr -P show assoc tree` prints it."""
    heading = "Cluster|Account|User|Partition|Share|GrpTRES|GrpTRESMins|MaxJobs|MaxWall|QOS|Def QOS"
    return "\n".join([heading, *rows(tree, tree.account("root"), 0)])


def rows(tree: AccountTree, each: Association, depth: int) -> Iterator[str]:
    """Its row, and those below it."""
    own = each.limits
    wall = "" if own.max_wall is None else clock(int(own.max_wall))
    cells = (
        "x", " " * depth + each.account, each.user or "", "", str(each.shares),
        f"cpu={own.group_tres['cpu']},mem={own.group_tres['mem'] // 2**30}G" if own.group_tres else "",
        f"cpu={own.group_tres_seconds['cpu'] // 60}" if own.group_tres_seconds else "",
        "" if own.max_jobs is None else str(own.max_jobs), wall, ",".join(reached(tree, each.account)), "",
    )  # fmt: skip
    yield "|".join(cells)
    if each.user is None:
        for below in tree.children(each.account):
            yield from rows(tree, below, depth + 1)


def clock(seconds: int) -> str:
    """[D-]HH:MM:SS."""
    days, rest = divmod(seconds, 86_400)
    return (f"{days}-" if days else "") + f"{rest // 3_600:02}:{rest % 3_600 // 60:02}:{rest % 60:02}"


def reached(tree: AccountTree, account: str) -> tuple[str, ...]:
    """The QOS that count in an account: the nearest list upwards."""
    each = tree.account(account)
    while each.qos is None:
        each = tree.account(each.parent or "root")
    return each.qos


@settings(max_examples=40, deadline=None)
@given(trees())
def test_a_tree_is_read_as_it_was_written(tmp_path_factory: object, tree: AccountTree) -> None:
    """Associations, and the order of children, in either form."""
    folder = Path(str(tmp_path_factory.getbasetemp()))  # type: ignore[attr-defined]
    for name, text in (("tree.cfg", dumped(tree)), ("tree.psv", shown(tree))):
        (folder / name).write_text(text)
        notes = Notes()
        again = read(folder / name, "x", notes)
        assert (set(again), notes) == ({replace(each, default=False) for each in tree}, [])
        for account in tree.accounts:
            assert [each.key for each in again.children(account)] == [each.key for each in tree.children(account)]
