"""Jobs that outlive their estimates (section 4.7): killed, killed only when in the way, or extended by a tenth."""

import numpy as np
import simpy

import thinktime as tt
from thinktime.models.policies.slack import Slack
from thinktime.models.state import State


def trace(*rows: tuple[float, int, float, float]) -> tt.Trace:
    """Jobs as (submit, processors, estimate, run time)."""
    submit, processors, estimate, runtime = (np.array(column, float) for column in zip(*rows, strict=True))
    return tt.Trace(
        {
            "submit": submit, "allocated": processors.astype(int), "requested_processors": processors.astype(int),
            "requested_time": estimate, "runtime": runtime,
        }
    )  # fmt: skip


def replay(jobs: tt.Trace, overrun: str = "kill", **options: object) -> tt.Result:
    """On four processors, with an average wait of 100 s."""
    return tt.replay(jobs, Slack(awt=100, **options), 4, overrun=overrun)  # type: ignore[arg-type]


def test_a_job_in_nobodys_way_runs_on_until_needed() -> None:
    """A job in no other's way runs on beyond its estimate, and ends when its processors are needed."""
    result = replay(trace((0, 2, 10, 30), (5, 2, 5, 5), (20, 4, 5, 5)), "until_needed")
    assert result["end"].tolist() == [20, 10, 25]
    assert result["state"].tolist() == [State.KILLED, State.FINISHED, State.FINISHED]


def test_a_reservation_behind_an_overrunning_job_is_broken() -> None:
    """Under `extend`, a reservation behind an overrunning job is placed anew each second, and a note says so."""
    result = replay(trace((0, 4, 10, 13), (0, 4, 5, 5)), "extend")
    assert result["start"].tolist() == [0, 13]
    assert any("3 reservations fell due" in note for note in result.notes)


LATER = ((0, 4, 10, 10), (0, 4, 10, 12), (11, 4, 5, 5))
"""Three jobs that need all processors: the second one, A, waits 10 s and runs 12 instead of 10; B comes at 11."""


def test_the_tick_strategy_extends_a_job_that_is_cheaper_to_keep() -> None:
    """The tick strategy extends a job as long as that is cheaper than killing it."""
    result = replay(trace(*LATER), tick=True)
    assert result["end"].tolist() == [10, 22, 27]
    assert result["state"].tolist() == [State.FINISHED] * 3
    assert result.overrun == "kill, after extensions by a tenth"


def test_an_extension_has_the_priority_of_the_job() -> None:
    """An extension has the job's own priority, so at p = 0 any delay is infinitely dear.

    With SP = 1/2 it would cost less than killing A: the option ``half``, our departure.
    """
    jobs = trace((0, 4, 10, 12), (0, 4, 5, 5))
    assert replay(jobs, tick="yes")["end"].tolist() == [10, 15]
    assert replay(jobs, tick="half")["end"].tolist() == [12, 17]
    assert replay(trace((0, 2, 10, 12), (0, 4, 5, 5)), tick="yes")["end"].tolist() == [10, 15]
    assert replay(trace((0, 2, 10, 12), (11, 2, 5, 5)), tick="yes")["end"].tolist() == [12, 16]


def test_the_decision_comes_after_the_completions_of_the_instant() -> None:
    """The decision comes after the completions of the instant, so A goes on where B has ended.

    C has no slack, so if B still stood in the profile, A would be killed.
    """
    result = replay(trace((0, 2, 10, 12), (0, 2, 20, 10), (0, 2, 30, 30)), tick=True, slack_factor=0)
    assert result["start"].tolist() == [0, 0, 10]
    assert result["end"].tolist() == [12, 10, 40]


def test_the_decision_comes_after_cancellations_as_well() -> None:
    """The decision comes after the cancellations of the instant."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, Slack(awt=100, slack_factor=0, tick=True))
    one = machine.submit(tt.Job(runtime=12, estimate=10, processors=2))
    other = machine.submit(tt.Job(runtime=20, estimate=20, processors=2))
    third = machine.submit(tt.Job(runtime=30, estimate=30, processors=2))
    env.run(until=10)
    other.cancel()
    env.run()
    assert (one.value.end, other.value.end, third.value.start) == (12, 10, 10)


def test_a_users_policy_sees_the_machine_without_what_has_completed() -> None:
    """``on_estimate`` of any policy is asked when the jobs that end by themselves have ended."""
    seen = []

    class Mine:
        def select(self, view, now):
            return list(view.queue)

        def on_end(self, view, rows, now):
            seen.append(("end", now, len(rows)))

        def on_estimate(self, view, rows, now):
            seen.append(("asked", now, view.free))
            return [now] * len(rows)

    tt.replay(trace((0, 1, 10, 12), (0, 2, 20, 10)), Mine(), 4)
    assert seen == [("end", 10, 1), ("asked", 10, 3), ("end", 10, 1)]


def test_the_tick_strategy_keeps_the_guarantees() -> None:
    """Where no job may be delayed, the tick strategy kills."""
    result = replay(trace(*LATER), tick=True, slack_factor=0)
    assert result["end"].tolist() == [10, 20, 25]
    assert result["state"].tolist() == [State.FINISHED, State.KILLED, State.FINISHED]


def test_the_tick_strategy_kills_what_is_cheaper_to_kill() -> None:
    """The tick strategy kills a job if an extension would cost more.

    B's p is (1 + 1 + 0) / 3, A's counts as 1 / 6: the price of 1.6 is more than 1.
    """
    policy = Slack(awt=100, tick="half", priorities=lambda job: (float(job.id == 2),) * 2)
    result = tt.replay(trace((0, 1, 1, 9), (0, 4, 5, 5)), policy, 4)
    assert result["state"].tolist() == [State.KILLED, State.FINISHED]


def test_extensions_go_on_until_the_end() -> None:
    """A job that is alone is extended by a second at a time to its true end, 5.5 s after its estimate."""
    result = replay(trace((0, 1, 10, 15.5)), tick=True)
    assert result["end"].tolist() == [15.5]


def test_a_hold_is_extended_as_well() -> None:
    """A process that holds processors beyond its estimate is not interrupted while no job wants them."""
    env = simpy.Environment()
    machine = tt.Machine(env, 2, Slack(awt=100, tick=True))

    def holder():
        with machine.request(processors=2, estimate=10) as hold:
            yield hold
            yield env.timeout(14)
        return env.now

    process = env.process(holder())
    env.run()
    assert process.value == 14


def test_behind_an_endless_hold_jobs_wait_without_a_reservation() -> None:
    """Behind an endless hold a job has no reservation, and is placed like a newcomer afterwards."""
    env = simpy.Environment()
    machine = tt.Machine(env, 2, Slack(awt=100))

    def holder():
        with machine.request(processors=2) as hold:
            yield hold
            yield env.timeout(7)

    env.process(holder())
    env.run(until=1)
    job = machine.submit(tt.Job(runtime=3, processors=1))
    env.run(until=job)
    assert (job.value.start, job.value.promised) == (7, np.inf)
