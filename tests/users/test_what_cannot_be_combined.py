"""What cannot be combined is refused before anything runs, and each row of the table of combinations is tried."""

import dataclasses

import pytest

import thinktime as tt
from tests.users.busy import PROFILE, busy_log
from thinktime import sources
from thinktime.models.machine import combinations
from thinktime.models.policies import as_policy
from thinktime.models.policies.agents.advised import Advised
from thinktime.models.policies.agents.agent import Agent
from thinktime.models.site.limits import Limits
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.qos import QOS
from thinktime.models.site.site import Site
from thinktime.models.site.time_limits import TimeLimits
from thinktime.workloads.nodes import Nodes


@pytest.fixture(scope="module")
def trace() -> tt.Trace:
    """The log of a busy machine."""
    return busy_log()


def campaigns(**more: object) -> object:
    return sources.campaigns({"ada": dataclasses.replace(PROFILE, **more)}, campaigns=2)


class Deaf(tt.policies.Policy):
    """A policy that hears of ends alone."""

    def select(self, view, now):
        return view.waiting[:0]

    def on_end(self, view, rows, now):
        """Nothing."""


class Lenient(tt.policies.Policy):
    """A policy that lets jobs go on at their estimates."""

    def select(self, view, now):
        return view.waiting[:0]

    def on_estimate(self, view, rows, now):
        return [now] * len(rows)


NODES = Nodes.uniform(2, 4)
ONE_TIER = Site(
    partitions=(Partition("all", default=True),),
    qos=(QOS("urgent", preempts=("normal",)), QOS("normal")),
    preemption=Preemption("qos", "suspend", gang=True),
    nodes=NODES,
)
LIMITED = Site(qos=[QOS("normal", limits=Limits(max_jobs=2))], enforce=frozenset({"limits"}))


def advised(adviser: str) -> Advised:
    """An agent that takes no advice."""
    return Advised(as_policy(adviser), Agent(lambda observation, mask: 0))


def budget(spent: str) -> dict[str, object]:
    """A budget, and what is charged to it."""
    return {"charge": tt.Charge(), "budget": tt.Budget(1, spent=spent)}


def renouncing(log: tt.Trace) -> object:
    """A log whose users do not submit what comes at its beginning."""
    return sources.log(log).with_responses(tt.behaviours.Renounce(tt.behaviours.Windows([(0, 9)])))


REFUSED = [
    (tt.MachineSpec(8, "recorded"), [lambda log: sources.drawn(log)], "jobs that no log recorded"),
    (tt.MachineSpec(8, "recorded"), [lambda log: campaigns()], "jobs that no log recorded"),
    (tt.MachineSpec(policy="recorded", nodes=NODES), [sources.log], "policy recorded cannot .* nodes"),
    (tt.MachineSpec(8, "recorded", estimates="exact"), [sources.log], "recorded schedule plans nothing"),
    (tt.MachineSpec(8, overrun="until_needed", estimates="exact"), [sources.log], "no limit to plan with"),
    (
        tt.MachineSpec(nodes=NODES),
        [lambda log: campaigns(nodes="1", behaviours=[tt.behaviours.Degrade(lambda user: True)])],
        "they change processors alone",
    ),
    (
        tt.MachineSpec(8),
        [lambda log: sources.feedback(log).with_responses(tt.behaviours.Patience(9))],
        "no user is told of starts, .*; here Patience",
    ),
    (
        tt.MachineSpec(8),
        [lambda log: sources.log(log).with_responses(tt.behaviours.Continuation())],
        "no user thinks there .*; here Continuation",
    ),
    (tt.MachineSpec(8, "recorded"), [renouncing], "jobs as they were submitted"),
    (tt.MachineSpec(8, changes=tt.Changes(on_failure="shrink")), [sources.log], "sizes that do not change; give a pol"),
    (tt.MachineSpec(8, "easy:runtime_limit=9s"), [renouncing], "segments of their jobs"),
    (tt.MachineSpec(8, "slack"), [lambda log: lambda env, machine: None], "a process cannot be run twice"),
    (tt.MachineSpec(8), [lambda log: sources.campaigns({"ada": PROFILE})], "it would never be over"),
    (tt.MachineSpec(8, overrun="until_needed", changes=tt.Changes()), [sources.log], "evicted for two reasons"),
    (tt.MachineSpec(8, "recorded", changes=tt.Changes()), [sources.log], "knows nothing of the changes"),
    (tt.MachineSpec(8, estimates="exact", changes=tt.Changes()), [sources.log], "a job that has run in part"),
    (tt.MachineSpec(8, "easy:runtime_limit=9s", changes=tt.Changes()), [sources.log], "use checkpoints"),
    (tt.MachineSpec(policy="slack:awt=9", nodes=NODES, changes=tt.Changes()), [sources.log], "moves jobs in time"),
    (tt.MachineSpec(8, "slack:heuristic=du,awt=9", changes=tt.Changes()), [sources.log], "give delayed=removed"),
    (tt.MachineSpec(8, "slack:tick=yes,awt=9", changes=tt.Changes()), [sources.log], "tenth of an estimate"),
    (tt.MachineSpec(8, "tradeoff:goals=deviation", changes=tt.Changes()), [sources.log], "users are entitled to"),
    (tt.MachineSpec(8, "ostrich:within=mlpt", changes=tt.Changes()), [sources.log], "stay until the campaign is over"),
    (tt.MachineSpec(8, Deaf(), changes=tt.Changes()), [sources.log], "on_end is not called for jobs that"),
    (tt.MachineSpec(8, "easy:order=multifactor"), [sources.log], "the weights of the factors are the site's"),
    (
        tt.MachineSpec(8, "easy:order=age*2+fairshare*3", site=Site(priority=PriorityRules(flags=["INCR_ONLY"]))),
        [sources.log],
        "PriorityFlags=DEPTH_OBLIVIOUS or INCR_ONLY",
    ),
    (
        tt.MachineSpec(8, Lenient(), site=Site(time_limits=TimeLimits("slurm"))),
        [sources.log],
        "there the job is ended later, at a sweep",
    ),
    (tt.MachineSpec(policy="slurm", nodes=NODES, site=ONE_TIER), [sources.log], "take turns on the same processors"),
    (tt.MachineSpec(8, advised("recorded")), [sources.log], "an agent starts what fits"),
    (tt.MachineSpec(8, advised("easy:preempt=requeue,ranks=1:2+2:1")), [sources.log], "and never who leaves"),
    (tt.MachineSpec(policy=advised("easy"), nodes=NODES), [sources.log], "and not on which nodes"),
    (tt.MachineSpec(8, advised("ostrich"), site=LIMITED), [sources.log], "a part of the queue"),
    (tt.MachineSpec(8, "ostrich", **budget("lowest")), [sources.log], "which these do not follow"),
]


@pytest.mark.parametrize(("spec", "given", "message"), REFUSED)
def test_what_cannot_be_combined_is_refused_before_anything_runs(
    trace: tt.Trace, spec: tt.MachineSpec, given: list, message: str
) -> None:
    """What cannot be combined is refused in one sentence, before anything runs."""
    with pytest.raises(ValueError, match=message):
        tt.run(spec, *(source(trace) for source in given))


def test_every_row_of_the_table_is_tried_here(trace: tt.Trace) -> None:
    """Each row is the reason of some refusal above, but for what is known only later.

    The hold is tried with the segments, a forecast under an agent that is stepped through with its environment, what
    data sets lack beside them (tests/workloads/test_data_set.py), and states and their files, budgets and held jobs
    where they are (tests/models/machine, and of users who respond tests/api/cli/test_respond.py); so are sizes
    (tests/api/cli/test_shaped_logs.py).
    """
    said = []
    for spec, given, _ in REFUSED:
        with pytest.raises(ValueError) as error:
            tt.run(spec, *(source(trace) for source in given))
        said.append(str(error.value))
    untried = [(this, that) for this, that, why in combinations.rows() if not any(why in each for each in said)]
    assert [pair for pair in untried if not pair[1].startswith("a data set")] == [
        ("users of a log who respond", "a run that begins from a state of the log"),
        ("a runtime limit", "a hold that is longer (machine.request)"),
        ("a run that begins from a state", "another machine, or another policy, than the one that the state is of"),
        ("[shapes] of a scenario", "users, a closed recipe or a model alone"),
        ("recorded", "jobs that are held back: the policy carbon, and budgets"),
        (
            "a state that goes on under another policy",
            "policies that remember more than reservations (slack, search, policies for campaigns, agents, your own), "
            "recorded, a runtime limit, preemption, budgets, and sites with limits or several partitions",
        ),
        ("a state of a machine that does not change", "windows, outages and failures from then on"),
        ("a state in a file", "policies, orders, estimators, allocators and agents of your own"),
        (
            "an agent that is stepped through (thinktime.gym)",
            "users or observers who ask for forecasts, and runs that begin from its machine's state",
        ),
    ]


PREEMPTING = [{"name": "normal", "preempts": ["scavenger"]}, {"name": "scavenger"}]


@pytest.mark.parametrize(
    ("policy", "how"), [("shapes", "running jobs are given other sizes"), ("slurm", "jobs are preempted")]
)
def test_what_a_policy_changes_is_said(policy, how):
    """Who gave neither windows nor failures reads why the machine changes."""
    site = tt.Site.of_tables({"preemption": {"type": "qos", "mode": "requeue"}, "qos": PREEMPTING})
    spec = tt.MachineSpec(4, policy, site=site if policy == "slurm" else None, overrun="until_needed")
    with pytest.raises(ValueError, match=f"^a machine that changes cannot .*; here {how}$"):
        spec.check()
