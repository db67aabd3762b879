"""The tree of accounts: what is in it, who belongs where, and what is inherited."""

import pytest

from thinktime.models.site.accounts import PARENT, AccountTree, Association
from thinktime.models.site.limits import Limits
from thinktime.models.site.tres import Tres


def measured() -> AccountTree:
    """The tree that was measured on a Slurm 22.05.8: three accounts, one of them with another below it."""
    return AccountTree(
        [
            Association("root", "root"),
            Association("a", shares=40, limits=Limits(max_jobs=4, max_tres=Tres({"cpu": 8}))),
            Association("a", "tt1"),
            Association("a", "tt2", shares=3, limits=Limits(max_jobs=9)),
            Association("a1", parent="a", shares=2, qos=("normal", "long"), default_qos="long"),
            Association("a1", "tt5"),
            Association("c", shares=30),
            Association("c", "tt1", default=True),
            Association("c", "tt6", shares=PARENT),
        ]
    )


def test_the_account_root_is_there_without_being_named_and_its_user_is_a_leaf() -> None:
    """Root has the shares of its user among those of its children."""
    tree = measured()
    assert list(tree.accounts) == ["root", "a", "a1", "c"]
    assert [str(each) for each in tree.children("root")] == ["user root of account root", "account a", "account c"]
    assert [each.shares for each in tree.children("root")] == [1, 40, 30]


def test_children_are_in_the_order_of_the_file() -> None:
    """Users and accounts, as they were listed."""
    assert [each.key for each in measured().children("a")] == [
        ("a", "tt1", None), ("a", "tt2", None), ("a1", None, None),
    ]  # fmt: skip


def test_a_path_goes_up_to_root() -> None:
    """A user, the account, and all accounts above it."""
    tree = measured()
    user = tree.find("a1", "tt5")
    assert user is not None
    assert [each.account for each in tree.path(user)] == ["a1", "a1", "a", "root"]
    assert tree.path(tree.account("root")) == (tree.account("root"),)


def test_a_user_has_the_default_account_that_is_marked_else_the_first() -> None:
    """A stranger has none."""
    tree = measured()
    assert [tree.default_account(user) for user in ("tt1", "tt2", "nobody")] == ["c", "a", None]


def test_values_are_inherited_from_the_nearest_account_that_has_one() -> None:
    """A limit of its own counts even where it is wider."""
    tree = measured()
    tt2, tt5, tt6 = tree.find("a", "tt2"), tree.find("a1", "tt5"), tree.find("c", "tt6")
    assert tt2 and tt5 and tt6
    assert [tree.inherited(each, "max_jobs") for each in (tt2, tt5, tt6)] == [9, 4, None]
    assert [tree.inherited(each, "max_tres") for each in (tt2, tt6)] == [{"cpu": 8}, {}]
    assert [tree.inherited(each, "default_qos") for each in (tt2, tt5)] == [None, "long"]


def test_the_association_of_a_partition_comes_before_the_one_of_all() -> None:
    """A user may have several in one account."""
    tree = AccountTree([Association("a"), Association("a", "u"), Association("a", "u", partition="gpu", shares=5)])
    shares = [each.shares for part in ("gpu", "cpu", None) if (each := tree.find("a", "u", part))]
    assert shares == [5, 1, 1]


@pytest.mark.parametrize(
    ("associations", "message"),
    [
        ([Association("a", parent="b")], "account a: there is no account 'b'; the accounts are root, a"),
        ([Association("a", "u")], "user u of account a: there is no account 'a'; the accounts are root"),
        ([Association("a"), Association("a")], "account a comes twice"),
        (
            [Association("a", parent="b"), Association("b", parent="c"), Association("c", parent="a")],
            "account a is below itself: a in b in c in a",
        ),
        ([Association("a", parent="a")], "account a is below itself: a in a"),
    ],
)
def test_a_tree_that_is_none_is_refused(associations: list[Association], message: str) -> None:
    """What is wrong, and what would be right."""
    with pytest.raises(ValueError, match="^" + message.replace(".", r"\.") + "$"):
        AccountTree(associations)


@pytest.mark.parametrize("shares", [-1, 1.5, True, "half"])
def test_shares_are_whole_numbers_or_those_of_the_parent(shares: object) -> None:
    """Nothing else."""
    with pytest.raises(ValueError, match="account a: shares must be a whole number of at least 0 or 'parent'"):
        Association("a", shares=shares)  # type: ignore[arg-type]
