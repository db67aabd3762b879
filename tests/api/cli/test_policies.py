"""`thinktime policies` lists every rule and order, with one line and the source of each."""

from __future__ import annotations

from collections.abc import Callable

from thinktime.models.policies import catalogue

from .conftest import Outcome

RULES = {"none", "no-guarantee", "easy", "conservative", "conservative-dynamic", "recorded"}
ORDERS = {"fcfs", "sjf", "ljf", "lxf", "smallest", "largest", "wfp3", "unicef", "f1", "f2", "f3", "f4"} | {"fairshare"}


def test_all_are_listed(run: Callable[..., Outcome]) -> None:
    """Each policy and order has a line and a source, within 100 columns."""
    outcome = run("policies")
    names = [line.split()[0] for line in outcome.out.splitlines() if line[:1].islower()]
    assert set(names) >= RULES | ORDERS
    assert outcome.out.count("source: ") == len(catalogue())
    table = outcome.out.partition("A policy is")[0]
    assert max(map(len, table.splitlines())) <= 100
