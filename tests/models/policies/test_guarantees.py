"""What EASY and conservative backfilling promise, judged from outside on random workloads."""

import numpy as np
import pytest
import simpy

import thinktime as tt

PROCESSORS = 16


def random_log(seed, jobs=400, overruns=False):
    """A loaded log with early ends, ties and wide jobs."""
    rng = np.random.default_rng(seed)
    estimate = rng.choice([5, 20, 60, 200, 600], jobs)
    longest = estimate * (1.5 if overruns else 1)
    return tt.Trace(
        {
            "submit": np.sort(rng.integers(0, 40 * jobs, jobs)),
            "runtime": np.round(rng.random(jobs) ** 2 * longest),
            "requested_processors": np.minimum(2 ** rng.integers(0, 5, jobs), PROCESSORS),
            "requested_time": estimate,
        }
    )


class WatchedEasy(tt.policies.Easy):
    """EASY that writes down whom it left waiting at the head, and the head's shadow time, computed anew."""

    heads: list

    def select(self, view, now):
        ends = sorted((job.expected_end, job.processors) for job in view.running)
        queue = [(job.id, job.processors, job.estimate) for job in view.queue]
        free = view.free
        chosen = np.array(super().select(view, now))
        for number, processors, estimate in queue:
            if processors > free:
                WatchedEasy.heads.append((number, now, self.shadow(free, processors, sorted(ends))))
                break
            free -= processors
            ends.append((now + estimate, processors))
        return chosen

    @staticmethod
    def shadow(free, needed, ends):
        for end, processors in ends:
            free += processors
            if free >= needed:
                return end
        raise AssertionError("no end in sight")


@pytest.mark.parametrize("seed", range(8))
def test_the_head_under_easy_is_never_delayed(seed):
    """Whoever is left at the head of the queue starts by the shadow time of that pass, in order of arrival."""
    WatchedEasy.heads = []
    result = tt.replay(random_log(seed), WatchedEasy(), PROCESSORS)
    start = dict(zip(result["id"].tolist(), result["start"].tolist(), strict=True))
    assert len(WatchedEasy.heads) > 100
    assert [(head, now) for head, now, shadow in WatchedEasy.heads if start[head] > shadow] == []


def test_the_watch_sees_a_delay():
    """The shadow time computed here is the textbook's."""
    assert WatchedEasy.shadow(1, 4, [(5, 2), (9, 1), (9, 3)]) == 9
    assert WatchedEasy.shadow(0, 2, [(5, 1), (5, 1), (7, 8)]) == 5


@pytest.mark.parametrize("compress", ["completion", "event", "scheduled", "none"])
@pytest.mark.parametrize("seed", range(4))
def test_conservative_starts_never_exceed_their_promise(seed, compress):
    """First come first served with binding estimates, nobody starts later than was said at the submission."""
    result = tt.replay(random_log(seed, overruns=True), f"conservative:compress={compress}", PROCESSORS)
    assert np.isfinite(result["promised"]).all()
    assert (result["start"] <= result["promised"]).all()
    assert (result["start"] < result["promised"]).any() or compress == "none"


def test_without_compression_a_promise_is_the_start():
    """Reservations that nobody improves are kept to the second."""
    result = tt.replay(random_log(1), "conservative:compress=none", PROCESSORS)
    assert (result["start"] == result["promised"]).all()


def test_strict_order_is_kept():
    """Under ``none`` with the order of arrival nobody starts before one who came earlier."""
    result = tt.replay(random_log(2), "fcfs", PROCESSORS)
    assert (np.diff(result["start"]) >= 0).all()


@pytest.mark.parametrize("policy", ["no-guarantee", "easy", "easy:reservations=3", "conservative-dynamic"])
def test_the_head_never_waits_while_it_fits(policy):
    """At no time does the first of the queue wait for processors that are idle."""
    result = tt.replay(random_log(5), policy, PROCESSORS)
    start, end, submit = result["start"], result["end"], result["submit"]
    for now in np.unique(np.concatenate([submit, end])):
        waiting = np.flatnonzero((submit <= now) & (start > now))
        idle = PROCESSORS - result["processors"][(start <= now) & (end > now)].sum()
        assert not waiting.size or result["processors"][waiting[0]] > idle


@pytest.mark.parametrize("overrun", ["kill", "extend", "until_needed"])
def test_overruns_end_as_their_rule_says(overrun):
    """``kill`` ends jobs at the estimate, ``extend`` never, ``until_needed`` not before it."""
    result = tt.replay(random_log(6, overruns=True), "easy", PROCESSORS, overrun=overrun)
    ran, killed = result["end"] - result["start"], result["state"] == tt.State.KILLED
    over = result["runtime"] > result["estimate"]
    assert over.sum() > 20
    if overrun == "kill":
        assert (killed == over).all() and (ran[killed] == result["estimate"][killed]).all()
    elif overrun == "extend":
        assert not killed.any()
    else:
        assert 0 < killed.sum() < over.sum() and (ran[killed] >= result["estimate"][killed]).all()
    assert (ran[~killed] == result["runtime"][~killed]).all()


def test_longest_overrun_is_killed_first():
    """Under ``until_needed`` victims are taken one at a time, longest overrun first, then by id."""
    env = simpy.Environment()
    machine = tt.Machine(env, 4, "fcfs", "until_needed")
    estimates = {4: 8, 2: 5, 3: 5, 1: 9}
    jobs = {n: machine.submit(tt.Job(id=n, runtime=100, estimate=e)) for n, e in estimates.items()}
    log = []
    for time, processors in ((10, 1), (11, 2)):
        env.run(until=time)
        machine.submit(tt.Job(runtime=50, processors=processors))
        env.run(until=time + 0.5)
        log.append({n: job.value.end for n, job in jobs.items() if job.triggered})
    assert log == [{2: 10}, {2: 10, 3: 11, 4: 11}]
