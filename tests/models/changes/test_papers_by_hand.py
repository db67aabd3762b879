"""What interruptions mean to the papers' policies, in cases that can be checked by hand."""

from collections.abc import Iterable

import simpy

import thinktime as tt
from thinktime.models.policies import OStrich, Slack
from thinktime.workloads.changes import Outages


def machine_of(policy: object, processors: int, outages: Iterable[tuple], **how: object) -> tt.Machine:
    """A machine on which these processors are down."""
    changes = tt.Changes(outages=Outages.of(list(outages)), **how)
    return tt.Machine(simpy.Environment(), processors, policy, changes=changes)


def test_a_job_that_runs_again_keeps_its_place_in_its_campaign() -> None:
    """Ann's campaign, which is complete in V first, goes on before Bob's; it is over once, when all jobs are."""
    machine = machine_of(OStrich(within="fcfs"), 2, [(4, 6, [1])])
    ann = machine.submit_campaign([tt.Job(runtime=10, user="ann") for _ in range(2)])
    bob = machine.submit_campaign([tt.Job(runtime=20, user="bob") for _ in range(2)])
    machine.env.run()
    assert [job.runs for job in ann.value.jobs] == [((0, 10, "finished"),), ((0, 4, "failed"), (6, 16, "finished"))]
    assert [job.start for job in bob.value.jobs] == [10, 16]


def test_a_job_that_is_withdrawn_on_its_way_back_has_left_its_campaign() -> None:
    """It is killed, and Ann has no jobs any more."""
    machine = machine_of(OStrich(), 1, [(4, 5, [0])], requeue_delay=10)
    ann, bob = (machine.submit(tt.Job(runtime=9, user=user)) for user in ("ann", "bob"))
    machine.env.run(until=8)
    ann.cancel()
    machine.env.run(until=9)
    assert (ann.value.state.name, ann.value.end) == ("KILLED", 8)
    assert machine.policy.virtual.arrays["jobs"].tolist()[1:3] == [0, 1]
    machine.env.run()
    assert bob.value.start == 5


def test_a_quota_is_charged_for_what_is_lost() -> None:
    """Bob's run of 4 x 10 s is lost, and his next job is over a quota of 36 s; one that runs again is not judged."""
    quotas = [{"user": "bob", "processor_hours": 0.01}]
    machine = machine_of(Slack(awt=5, quotas=quotas), 4, [(10, 12, [0])])
    machine.submit(tt.Job(runtime=20, processors=4, user="bob"))
    machine.env.run(until=11)
    machine.submit(tt.Job(runtime=20, processors=4, user="bob"))
    machine.env.run()
    assert any("1 job was submitted over quota" in note for note in machine.result().notes)


def test_every_kth_job_is_counted_at_its_first_submission() -> None:
    """The first job comes back before the second is submitted, which is the second nevertheless."""
    machine = machine_of(Slack(awt=5, every=2), 4, [(3, 9, [0])])
    machine.submit(tt.Job(runtime=20, processors=4))
    machine.env.run(until=5)
    machine.submit(tt.Job(runtime=20, processors=1))
    machine.env.run(until=6)
    assert machine.policy._jobs["user_priority"][:2].tolist() == [0.0, 1.0]


def test_a_promise_stays_the_first() -> None:
    """A reservation that a failure has broken is made again, and counted; the job was promised 10 and starts at 20."""
    machine = machine_of(Slack(awt=5), 4, [(5, 20, [0])], on_failure="cancel", repairs="told")
    machine.submit(tt.Job(runtime=10, processors=4))
    event = machine.submit(tt.Job(runtime=10, processors=4))
    machine.env.run()
    assert (event.value.promised, event.value.start, machine.policy.broken) == (10, 20, 1)
