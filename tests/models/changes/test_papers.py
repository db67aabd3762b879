"""The papers' policies on a machine that changes, start by start against their definitions."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

from tests.how_many import in_turn
from tests.models.changes import campaigns, papers, search, slack
from tests.models.changes.case import Case, describe
from tests.models.changes.cases import random_cases
from tests.models.changes.engine import engine
from tests.models.changes.invariants import check

RULES = {
    "creasy:alpha=20000": papers.Creasy(20_000),
    "creasy:alpha=20000,reservations=2": papers.Creasy(20_000, reservations=2),
    "easy:order=fairshare,decay=8s": partial(papers.EasyByUsage, decay=8),
    "cplant:starve=6s,order=fairshare,decay=8s": partial(papers.CPlant, decay=8, starve=6, barred=False),
    "cplant:starve=3s,barred=heavy,order=fairshare,decay=8s": partial(papers.CPlant, decay=8, starve=3, barred=True),
    "easy:order=relshare,window=10s": partial(papers.RelShare, window=10, each_start=False),
    "easy:order=relshare,window=10s,resort=start": partial(papers.RelShare, window=10, each_start=True),
    "tradeoff:limit=40,tau=5": search.Tradeoff(search.expansion),
    "tradeoff:limit=40,tau=5,heuristic=fcfs,algorithm=lds": search.Tradeoff(lambda task, now: 0, algorithm="lds"),
    "tradeoff:limit=40,tau=5,goals=wait+stretch": search.Tradeoff(search.expansion, ("wait", "stretch")),
    "tradeoff-fs:limit=40,tau=5,window=10s": partial(search.TradeoffFs, window=10, each_start=False),
    "ostrich": campaigns.OStrich,
    "ostrich:corrected=yes,within=spt,backfilling=none": partial(
        campaigns.OStrich, corrected=True, within="spt", backfilling="none"
    ),
    "ostrich:corrected=yes,held_back=no,within=fcfs": partial(
        campaigns.OStrich, corrected=True, held_back=False, within="fcfs"
    ),
    "ostrich:threshold=4": partial(campaigns.OStrich, threshold=4),
    "ostrich-slurm:threshold=5": partial(campaigns.Slurm, threshold=5),
    "faircamp": campaigns.FairCamp,
    "faircamp:threshold=4,within=fcfs": partial(campaigns.FairCamp, threshold=4, within="fcfs"),
    "slack:awt=10": partial(slack.Slack, awt=10),
    "slack:awt=4,heuristic=du,delayed=removed": partial(slack.Slack, awt=4, heuristic="du"),
}


HOW_MANY = 4, pytest.param(40, marks=pytest.mark.thorough)
ON_NODES = [text for text in RULES if not text.startswith(("slack", "tradeoff"))]


def cases(seed: str, count: int, nodes: bool = False) -> Iterator[Case]:
    """Random cases without preemption; the rule is another."""
    for case in random_cases(seed, count, nodes=nodes, preempting=()):
        yield replace(case, options=replace(case.options, rule="easy", n=1, order="fcfs"))


@pytest.mark.parametrize(("observed", "text"), in_turn(4, [False, True], RULES))
@pytest.mark.parametrize("count", HOW_MANY)
def test_random_cases(text, observed, count):
    """Every start, end, processor, loss and state of random cases is that of the definition."""
    for case in cases(f"papers {text}", count):
        found = engine(case, observed, text)
        assert found == papers.paper(case, RULES[text]), describe(case)
        check(case, found)


@pytest.mark.parametrize(("observed", "text"), in_turn(4, [True, False], ON_NODES))
@pytest.mark.parametrize("count", HOW_MANY)
def test_random_cases_on_nodes(text, observed, count):
    """The same on nodes, where windows and outages name them."""
    for case in cases(f"papers on nodes {text}", count, nodes=True):
        found = engine(case, observed, text)
        assert found == papers.paper(case, RULES[text]), describe(case)
        check(case, found)
