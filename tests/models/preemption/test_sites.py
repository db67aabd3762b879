"""A site that preempts: what its machine is, what is refused, and whom it leaves alone."""

from dataclasses import replace

import pytest
import simpy

import thinktime as tt
from thinktime.models.machine.changing.ranks import changes_for, ranks_for
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.policies import from_spec
from thinktime.models.site.partitions import Partition
from thinktime.models.site.preempting import victims
from thinktime.models.site.preemption import Preemption
from thinktime.models.site.qos import QOS
from thinktime.models.state import State

SITE = tt.Site(
    qos=(QOS("normal"), QOS("high", 10, preempts=("normal",))), preemption=Preemption("qos", "requeue", requeue_delay=9)
)


def played(policy="slurm:bf_interval=0", site=SITE, **job):
    """The records of a job in QOS normal and of one in high, on one processor, from 0 and 10 s on."""
    env = simpy.Environment()
    machine = tt.Machine(env, 1, policy, site=site)
    events = [machine.submit(tt.Job(runtime=25, processors=1, queue="normal", user="ann", **job))]

    def later():
        yield env.timeout(10)
        events.append(machine.submit(tt.Job(runtime=5, processors=1, queue="high", user="bob")))

    env.process(later())
    env.run()
    return [event.value for event in events]


def test_a_requeued_job_starts_from_zero_after_its_delay():
    """It has two runs, and is one job to its user."""
    low, high = played()
    assert low.runs == ((0.0, 10.0, "preempted"), (19.0, 44.0, "finished"))
    assert (low.submit, low.state, low.preempted) == (0.0, State.FINISHED, False)
    assert (high.start, high.end) == (10.0, 15.0)


@pytest.mark.parametrize("job, site", [({"requeue": False}, SITE), ({}, "no")], ids=["job", "site"])
def test_jobs_that_cannot_be_requeued_are_cancelled(job, site):
    """By the job's own word, or by the site's for all that do not say."""
    if site == "no":
        site = replace(SITE, preemption=replace(SITE.preemption, requeue=False))
    low, high = played(site=site, **job)
    assert (low.state, low.preempted, low.end, high.start) == (State.KILLED, True, 10.0, 10.0)


def test_a_job_may_be_requeued_where_others_are_not():
    """If it says so."""
    low, _ = played(site=replace(SITE, preemption=replace(SITE.preemption, requeue=False)), requeue=True)
    assert len(low.runs) == 2


@pytest.mark.parametrize("requeue", [True, False])
def test_a_job_in_two_partitions_preempts_through_the_higher_one(requeue):
    """And is preempted as one of the partition in which it runs: by a job of the highest tier."""
    low, high = Partition("low", default=True), Partition("high", tier=2)
    site = tt.Site(
        partitions=(low, high, Partition("top", tier=3)),
        preemption=Preemption("partition_prio", "requeue", requeue_delay=1, requeue=requeue),
    )
    env = simpy.Environment()
    machine = tt.Machine(env, 1, "slurm:bf_interval=0", site=site)
    events = []

    def submit():
        for name in ("low", "low,high", "top", "high"):
            events.append(machine.submit(tt.Job(runtime=9, processors=1, partition=name)))
            yield env.timeout(2)

    env.process(submit())
    env.run()
    runs = [[(start, end) for start, end, _ in event.value.runs] for event in events]
    if requeue:
        assert runs == [[(0, 2), (31, 40)], [(2, 4), (13, 22)], [(4, 13)], [(22, 31)]]
    else:
        assert runs == [[(0, 2)], [(2, 4)], [(4, 13)], [(13, 22)]]


@pytest.mark.parametrize("policy", ["easy", "conservative-dynamic"])
def test_only_slurm_preempts_for_the_site(policy):
    """Under other policies, the second job waits."""
    low, high = played(policy)
    assert (low.end, high.start, low.runs) == (25.0, 25.0, ())


@pytest.mark.parametrize("policy, said", [("slurm:bf_interval=0", 0), ("easy", 1)])
def test_a_result_says_that_no_job_was_preempted_under_its_policy(policy, said):
    """Where the site preempts, and the policy does not."""

    def one_job(env, machine):
        yield machine.submit(tt.Job(runtime=5))

    found = tt.run(tt.MachineSpec(1, policy, site=SITE), one_job)
    assert sum("no job was preempted" in note for note in found.notes) == said


def test_what_a_user_says_of_interruptions_holds():
    """And the rest is the site's."""
    ranks = ranks_for(from_spec("slurm"), SITE)
    assert changes_for(ranks, None) == Changes(requeue_at="now", requeue_delay=9, suspended_holds="all")
    assert changes_for(ranks, Changes(requeue_delay=30)).requeue_delay == 30


def test_suspension_in_one_tier_is_refused():
    """With the reason, unless the preemptors have a higher tier."""
    paused = replace(SITE, preemption=Preemption("qos", "suspend", gang=True))
    with pytest.raises(ValueError, match="take turns on the same processors"):
        tt.Machine(simpy.Environment(), 1, "slurm", site=paused)
    tiers = replace(paused, partitions=(Partition("low", default=True), Partition("high", tier=2)))
    assert tt.Machine(simpy.Environment(), 1, "slurm", site=tiers).changes.suspended_holds == "all"


def test_modes_and_graces_are_those_of_qos_or_partition():
    """With partition_prio, those of the partition count, and with qos those of the QOS."""
    low = Partition("low", default=True, preempt_mode="cancel", grace=60)
    both = replace(SITE, partitions=(low, Partition("high", tier=2)))
    assert [tuple(each)[:4] for each in victims(both)] == [("normal", ("high",), "requeue", 0)]
    tiers = replace(both, preemption=Preemption("partition_prio", "requeue"))
    assert [tuple(each)[:4] for each in victims(tiers)] == [("low", ("high",), "cancel", 60)]
    assert victims(replace(both, preemption=Preemption())) == []
