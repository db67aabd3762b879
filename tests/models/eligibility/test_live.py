"""Jobs that wait outside the queue, one sentence at a time."""

from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
import simpy

from thinktime import Job, Machine
from thinktime.models.site.priority import PriorityRules
from thinktime.models.site.site import Site


def machine_of(processors: int = 4, policy: str = "easy", **options: Any) -> Machine:
    return Machine(simpy.Environment(), processors, policy, **options)


def starts(machine: Machine) -> dict[int, float]:
    machine.env.run()
    result = machine.result()
    return dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))


def at(machine: Machine, time: float, call: Any) -> None:
    """Call something at a time."""

    def later() -> Generator[simpy.Event, Any, None]:
        yield machine.env.timeout(time)
        call()

    machine.env.process(later())


def test_a_job_with_a_begin_is_not_eligible_before() -> None:
    """It holds no reservation, so a long job behind it starts; it counts as waiting."""
    machine = machine_of()
    first, then = machine.submit(Job(runtime=5, processors=4, begin=10)), machine.submit(Job(runtime=30, processors=4))
    machine.env.run(until=3)
    assert [first.state.label, then.state.label] == ["waiting", "running"]
    assert (machine.queue, machine.aside) == ([], [first])
    assert starts(machine) == {1: 30.0, 2: 0.0}
    assert machine.result()["eligible"].tolist() == [10.0, 0.0]


def test_a_job_joins_the_queue_where_its_submission_says() -> None:
    """Job 2 was submitted before job 3, so it is the next when it is eligible."""
    machine = machine_of()
    machine.submit(Job(runtime=20, processors=4))
    machine.submit(Job(runtime=5, processors=4, begin=10))
    machine.submit(Job(runtime=5, processors=4))
    assert starts(machine) == {1: 0.0, 2: 20.0, 3: 25.0}


@pytest.mark.parametrize("policy", ["easy", "conservative", "slack:awt=9", "ostrich:held_back=no", "cplant"])
def test_a_waiting_job_can_be_held_and_let_go(policy: str) -> None:
    """The others move up while it is held."""
    machine = machine_of(policy=policy)
    machine.submit(Job(runtime=10, processors=4))
    job = machine.submit(Job(runtime=5, processors=4))
    machine.submit(Job(runtime=5, processors=4))
    at(machine, 2, job.hold)
    at(machine, 12, job.release)
    assert starts(machine) == {1: 0.0, 2: 15.0, 3: 10.0}
    assert machine.result()["eligible"].tolist() == [0.0, 12.0, 0.0]


def test_what_is_held_while_it_runs_is_not_touched() -> None:
    """A release of a job that is not held does nothing, either."""
    machine = machine_of()
    job = machine.submit(Job(runtime=10))
    at(machine, 2, job.hold)
    at(machine, 3, job.release)
    assert starts(machine) == {1: 0.0} and job.value.end == 10.0


def test_a_held_job_can_be_taken_back() -> None:
    """Its event says so at once."""
    machine = machine_of()
    job = machine.submit(Job(runtime=10, held=True))
    at(machine, 2, job.cancel)
    machine.env.run()
    assert (job.value.state.label, job.value.end) == ("withdrawn", 2.0)


def test_a_request_of_a_process_is_not_held() -> None:
    """It gives processors back instead."""
    with pytest.raises(TypeError, match="only jobs can be held back"):
        machine_of().request().hold()


def test_a_job_waits_for_all_segments_of_a_split_one() -> None:
    """Under a runtime limit a job is over when its last segment is."""
    machine = machine_of(policy="easy:runtime_limit=4s")
    first = machine.submit(Job(runtime=10))
    then = machine.submit(Job(runtime=1, depends=first))
    array = machine.submit_array(Job(runtime=6), 3, at_most=1)
    last = machine.submit(Job(runtime=1, depends=array))
    machine.env.run()
    assert [each.value.start for each in (then, *array.jobs, last)] == [10.0, 0.0, 6.0, 12.0, 18.0]


def test_users_wait_for_jobs_that_depend_on_others() -> None:
    """The event of a job that could never start succeeds where the site withdraws such jobs."""
    machine = machine_of(site=Site(kill_invalid_dependencies=True))
    failing = machine.submit(Job(runtime=5, fails=True))
    after = machine.submit(Job(runtime=5, depends=failing))
    last = machine.submit(Job(runtime=5, depends={"afterany": after}))
    machine.env.run()
    assert (after.value.state.label, after.value.end, last.value.start) == ("withdrawn", 5.0, 5.0)


def test_jobs_that_wait_for_ever_are_in_the_notes() -> None:
    """Without a site that withdraws them, they wait, as Slurm's do."""
    machine = machine_of()
    machine.submit(Job(runtime=5, depends=machine.submit(Job(runtime=5, fails=True))))
    machine.env.run()
    assert machine.result().notes == [
        "1 job waits for ever, since its dependencies can never be met; "
        "a site with kill_invalid_dependencies withdraws it"
    ]


def test_a_job_killed_at_its_limit_is_not_ok() -> None:
    """So afternotok is met."""
    machine = machine_of()
    killed = machine.submit(Job(runtime=9, estimate=5))
    machine.submit(Job(runtime=1, depends={"afternotok": killed}))
    machine.submit(Job(runtime=1, depends=killed))
    assert str(starts(machine)) == "{1: 0.0, 2: 5.0, 3: nan}"


def test_what_has_happened_before_counts() -> None:
    """A job may depend on one that is over, or has started."""
    machine = machine_of()
    first = machine.submit(Job(runtime=5))
    at(machine, 70, lambda: machine.submit(Job(runtime=1, depends=f"afterok:{first.id},after:{first.id}+1")))
    assert starts(machine) == {1: 0.0, 2: 70.0}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("afterok:99", "job 2 waits for job 99, but this machine has no such job"),
        ("afterok:2", "job 2 waits for itself"),
        ("afterok:1_3", "job 2 waits for task 3 of 1, which is no array on this machine"),
        ("aftercorr:1", "aftercorr:1 is for the tasks of an array after those of another one, and 1 is none"),
        ("singleton", "job 2 is a singleton, so it needs a name, .*"),
    ],
)
def test_nonsense_changes_nothing(given: str, sentence: str) -> None:
    """One sentence, and the next job has the number."""
    machine = machine_of()
    machine.submit(Job(runtime=5))
    with pytest.raises(ValueError, match=sentence):
        machine.submit(Job(runtime=5, depends=given))
    assert machine.submit(Job(runtime=5)).id == 2


def test_an_array_is_an_event_with_tasks() -> None:
    """Its number is that of its first task; tasks have their own numbers."""
    machine = machine_of()
    array = machine.submit_array(Job(runtime=5), "0,4-8:4", at_most=1)
    assert (array.id, sorted(array.tasks), array.tasks[4].id) == (1, [0, 4, 8], 2)
    assert starts(machine) == {1: 0.0, 2: 5.0, 3: 10.0} and array.value.end == 15.0


def test_the_sight_of_a_job_that_is_not_eligible() -> None:
    """It is unknown when it will start, and it is among its owner's jobs."""
    machine = machine_of()
    job = machine.submit(Job(runtime=5, user="ada", held=True))
    machine.env.run()
    sight = machine.sight("ada")
    assert [each.id for each in sight.own] == [1]
    assert sight.predicted_start(job) == float("inf")
    with pytest.raises(ValueError, match="job 1 is not in the queue: it is not eligible yet"):
        sight.position(job)


def test_all_jobs_of_a_campaign_are_held_and_let_go() -> None:
    """Those that run go on."""
    machine = machine_of()
    campaign = machine.submit_campaign([Job(runtime=5, processors=4)] * 3)
    at(machine, 1, campaign.hold)
    at(machine, 9, campaign.release)
    assert starts(machine) == {1: 0.0, 2: 9.0, 3: 14.0}


@pytest.mark.parametrize(
    ("flags", "points"), [((), [458.33, 225.0, 141.67]), (("ACCRUE_ALWAYS",), [458.33, 450.0, 425.0])]
)
def test_age_counts_from_eligibility(flags: tuple[str, ...], points: list[float]) -> None:
    """At the tick of 57 s, jobs of 2 s, held until 30 s, and with a begin at 40 s (Slurm 22.05.8, measured)."""
    rules = PriorityRules("multifactor", age=1000, max_age=120.0, calc_period=57.0, flags=frozenset(flags))
    machine = machine_of(1, "easy:order=multifactor", site=Site(priority=rules))
    at(machine, 0, lambda: machine.submit(Job(runtime=100)))
    at(machine, 2, lambda: machine.submit(Job(runtime=1)))
    at(machine, 3, lambda: at(machine, 27, machine.submit(Job(runtime=1, held=True)).release))
    at(machine, 6, lambda: machine.submit(Job(runtime=1, begin=40)))
    machine.env.run(until=60)
    found = machine.policy.order.accounts.priorities_of(np.array([1, 2, 3]), 60.0)
    assert found == pytest.approx(np.floor(points))
    assert list(starts(machine).values()) == [0.0, 100.0, 101.0, 102.0]


def test_jobs_aside_lose_no_capacity() -> None:
    """Processors are idle for want of jobs that may run, not although jobs wait."""
    machine = machine_of()
    first = machine.submit(Job(runtime=10, processors=2))
    machine.submit(Job(runtime=10, processors=2, begin=30))
    machine.submit(Job(runtime=10, depends={"afternotok": first}))
    machine.env.run()
    assert machine.result().summary()["loss_of_capacity"] == 0.0


def test_a_campaign_that_is_refused_leaves_no_name_behind() -> None:
    """Singletons wait for those of the same campaign before them, and for no job that never was."""
    machine = machine_of()
    daily = Job(runtime=5, name="daily", depends="singleton")
    with pytest.raises(ValueError, match="no such job"):
        machine.submit_campaign([daily, Job(runtime=5, depends="afterok:99")])
    machine.submit(Job(runtime=50, processors=2))
    machine.submit_campaign([daily, daily])
    assert starts(machine) == {1: 0.0, 2: 0.0, 3: 5.0}


def test_many_jobs_keep_their_conditions() -> None:
    """However many are submitted one by one, so that arrays are lengthened in between, each waits for its time."""
    env = simpy.Environment()
    machine = Machine(env, 1_000, "fcfs")
    events = [machine.submit(Job(runtime=1, begin=100 + number, held=number == 0)) for number in range(400)]
    env.run(until=50)
    events[0].release()
    env.run()
    assert [event.value.start for event in events] == [100.0 + number for number in range(400)]
