"""Fair shares in a tree: random trees with ties against brute force, and worked examples."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.policies.multifactor.twin import below, classic, fair_tree
from thinktime.models.engine.spare import Spare
from thinktime.models.orders import fair_tree as compiled
from thinktime.models.orders.account_nodes import AccountNodes
from thinktime.models.site.accounts import AccountTree, Association


def package_tree(tree):
    """The same tree as associations, in the same order."""
    made = []
    for name, (parent, shares, user) in tree.items():
        above = None if parent == "root" else parent
        made.append(
            Association(parent, name, shares=shares) if user else Association(name, parent=above, shares=shares)
        )  # fmt: skip
    return AccountTree(made)


def factors(tree, used, before=None, dampening=None):
    """The factors of users by the engine: Fair Tree without a dampening, else classic."""
    nodes = AccountNodes.of(package_tree(tree))
    number = {each.user or each.account: v for v, each in enumerate(nodes.associations)}
    amounts = [np.zeros(len(nodes)), np.zeros(len(nodes))]
    for array, by in zip(amounts, (used, before or used), strict=True):
        for user, amount in by.items():
            array[number[user]] = amount
        array[:] = compiled.summed_up(Spare(), nodes.parent, array)
    factor = np.zeros(len(nodes))
    if dampening is None:
        level = compiled.levels(Spare(), nodes.parent, nodes.shares, amounts[0])
        line = nodes.child.copy()
        for begin, stop in pairwise(nodes.first.tolist()):
            line[begin:stop] = line[begin:stop][::-1]  # any order
        compiled.fair_tree(Spare(), nodes.parent, nodes.first, nodes.child, nodes.user, level, line, factor)
    else:
        compiled.classic(Spare(), nodes.parent, nodes.user, nodes.shares, *amounts, dampening, factor)
    return {name: float(factor[v]) for name, v in number.items() if nodes.user[v]}


@st.composite
def trees(draw, most=9):
    """Small trees in which shares and usages are often equal, and some accounts are empty."""
    tree, accounts = {}, ["root"]
    for number in range(draw(st.integers(1, most))):
        parent, user = draw(st.sampled_from(accounts)), draw(st.booleans())
        shares = draw(st.sampled_from([0, 1, 1, 2, *(["parent"] if user else [])]))
        tree[f"{'u' if user else 'a'}{number}"] = (parent, shares, user)
        if not user:
            accounts.append(f"a{number}")
    users = [node for node, (_, _, user) in tree.items() if user]
    amounts = st.sampled_from([0, 0, 1, 2, 4])
    return tree, *({user: float(draw(amounts)) for user in users} for _ in range(2))


@settings(max_examples=400, deadline=None)
@given(trees())
def test_fair_tree_is_that_of_brute_force(drawn):
    """Ranks, ties, users before accounts, and the later one of tied accounts first."""
    tree, used, _ = drawn
    assert factors(tree, used) == fair_tree(tree, used)


@settings(max_examples=200, deadline=None)
@given(trees(), st.sampled_from([1, 2, 5]))
def test_classic_fair_shares_are_those_of_brute_force(drawn, dampening):
    """Effective usage goes down the tree, that of accounts by what was used before the tick."""
    tree, used, before = drawn
    assert factors(tree, used, before, dampening) == pytest.approx(classic(tree, used, before, dampening), rel=1e-12)


def test_many_siblings_are_sorted_whatever_order_they_come_in():
    """Users of one account with few levels and many ties, by falling level."""
    rng = np.random.default_rng(1)
    tree = {f"u{k}": ("root", 1, True) for k in range(300)}
    used = {user: float(rng.integers(0, 40)) for user in tree}
    assert factors(tree, used) == fair_tree(tree, used)


def test_children_of_tied_accounts_are_not_merged():
    """Of two tied accounts the later one is walked first, and the first user of the other one has its rank.

    Slurm 22.05.8, measured; by its documentation tt2 would have .833, tt3 and tt4 .667 and tt1 .333.
    """
    tree = {
        "root user": ("root", 1, True), "a": ("root", 1, False), "b": ("root", 1, False), "z": ("root", 1, False),
        "tt1": ("a", 1, True), "tt2": ("a", 1, True), "tt3": ("b", 1, True), "tt4": ("b", 1, True),
        "tt6": ("z", 1, True),
    }  # fmt: skip
    found = factors(tree, {"tt1": 120.0, "tt3": 60.0, "tt4": 60.0, "tt6": 240.0})
    assert found == {"root user": 1, "tt2": 5 / 6, "tt3": 5 / 6, "tt4": 5 / 6, "tt1": 2 / 6, "tt6": 1 / 6}


def test_the_children_of_an_account_without_shares_of_its_own_belong_to_the_one_above():
    """An account with fairshare=parent changes no fair share."""
    tree = {"a": ("root", 1, False), "u": ("a", 2, True), "v": ("a", 1, True), "w": ("root", 3, True)}
    between = {"a": ("root", "parent", False), **{k: v for k, v in tree.items() if k != "a"}}
    flat = {"u": ("root", 2, True), "v": ("root", 1, True), "w": ("root", 3, True)}
    used = {"u": 5.0, "v": 2.0, "w": 8.0}
    assert factors(between, used) == factors(flat, used) == fair_tree(flat, used)
    assert below(tree, "a") == ["u", "v"]
