"""The reference scheduler itself: what holds of it on any workload."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.twin.by_hand import A, Outcomes, job, run, starts
from tests.models.twin.reference import COMPRESS, OVERRUNS, RULES
from tests.models.twin.reference_rules import ORDERS, Hold, Profile, RefJob, plan_by_profile, plan_easy_by_shadow

PROCESSORS = 5


@st.composite
def workloads(draw: st.DrawFn, cancels: bool = True, exact: bool = False) -> list[RefJob]:
    """Up to 14 jobs within 20 s, so that most of them wait and many times coincide; quarters occur."""
    jobs = []
    for id in range(draw(st.integers(1, 14))):
        submit = draw(st.integers(0, 80)) / 4 if draw(st.booleans()) else draw(st.integers(0, 20))
        processors = draw(st.integers(1, PROCESSORS))
        estimate = draw(st.integers(1, 12))
        runtime = draw(st.integers(0, 14)) if draw(st.booleans()) else estimate
        if exact:
            runtime = estimate
        cancel_at = None
        if cancels and draw(st.integers(0, 4)) == 0:
            cancel_at = submit + draw(st.integers(0, 20))
        jobs.append(RefJob(id, submit, processors, runtime, estimate, cancel_at))
    return jobs


rules = st.sampled_from(RULES)
orders = st.sampled_from(sorted(ORDERS))
overruns = st.sampled_from(OVERRUNS)
compressions = st.sampled_from(COMPRESS)
many = settings(max_examples=150, deadline=None)


def in_use(jobs: list[RefJob], outcomes: Outcomes, time: float) -> int:
    """Processors in use at one time."""
    spans = [(each.processors, outcomes[each.id].start, outcomes[each.id].end) for each in jobs]
    return sum(n for n, start, end in spans if start is not None and end is not None and start <= time < end)


@many
@given(workloads(), rules, orders, overruns, compressions, st.integers(1, 3))
def test_every_job_is_over_once_and_the_machine_is_never_over_full(
    jobs: list[RefJob], rule: Any, order: str, overrun: str, compress: str, reservations: int
) -> None:
    """Starts follow submissions, ends and states follow from the overruns, processors always suffice."""
    outcomes, info = run(jobs, PROCESSORS, rule, order, overrun=overrun, compress=compress, reservations=reservations)
    assert outcomes.keys() == {each.id for each in jobs}
    assert info.passes == sorted(info.passes)
    for each in jobs:
        outcome = outcomes[each.id]
        if outcome.state == "withdrawn":
            assert each.cancel_at is not None
            assert outcome.start is None
            assert outcome.end is None
            continue
        assert outcome.start is not None
        assert outcome.end is not None
        assert outcome.start >= each.submit
        assert each.cancel_at is None or outcome.start < each.cancel_at
        assert in_use(jobs, outcomes, outcome.start) <= PROCESSORS
        length = outcome.end - outcome.start
        if outcome.state == "finished":
            assert length == each.runtime
            assert overrun != "kill" or each.runtime <= each.estimate
        elif outcome.end != each.cancel_at:
            assert length < each.runtime
            assert overrun != "extend"
            assert length == each.estimate if overrun == "kill" else length >= each.estimate


@many
@given(workloads(), rules, orders, compressions)
def test_until_needed_ends_the_first_in_line_and_no_more_than_needed(
    jobs: list[RefJob], rule: Any, order: str, compress: str
) -> None:
    """Jobs are evicted where others start, none later in line than a survivor, and the last not in vain."""
    outcomes, _ = run(jobs, PROCESSORS, rule, order, overrun="until_needed", compress=compress)

    def in_line(each: RefJob) -> tuple[float, int]:
        start = outcomes[each.id].start
        assert start is not None
        return start + each.estimate, each.id

    killed = [each for each in jobs if outcomes[each.id].state == "killed"]
    for now in {outcomes[each.id].end for each in killed if outcomes[each.id].end != each.cancel_at}:
        assert now is not None
        evicted = [each for each in killed if outcomes[each.id].end == now != each.cancel_at]
        running = [each for each in jobs if in_use([each], outcomes, now)]
        survivors = [each for each in running if in_line(each)[0] <= now]
        started = [each for each in jobs if outcomes[each.id].start == now]
        assert started
        last = max(evicted, key=in_line)
        assert all(in_line(last) < in_line(each) for each in survivors)
        if all(each.runtime > 0 for each in started):
            assert in_use(jobs, outcomes, now) + last.processors > PROCESSORS


@many
@given(workloads())
def test_the_head_of_easy_starts_by_its_shadow_time(jobs: list[RefJob]) -> None:
    """First come first served, ended at the estimate: no shadow time that was ever computed is missed."""
    outcomes, info = run(jobs, PROCESSORS, "easy")
    for head in info.heads:
        start = outcomes[head.job].start
        assert start is None or start <= head.shadow


@many
@given(workloads(), st.sampled_from(sorted(ORDERS)), compressions)
def test_no_conservative_promise_is_broken_where_estimates_bind(jobs: list[RefJob], order: str, compress: str) -> None:
    """No job starts later than promised; without compression, every one exactly then."""
    outcomes, info = run(jobs, PROCESSORS, "conservative", order, compress=compress)
    assert info.broken == 0
    for outcome in outcomes.values():
        if outcome.start is not None:
            assert outcome.promised is not None
            assert outcome.start <= outcome.promised
            assert compress != "none" or outcome.start == outcome.promised


@many
@given(workloads(cancels=False, exact=True), compressions)
def test_exact_estimates_leave_nothing_to_compress(jobs: list[RefJob], compress: str) -> None:
    """First come first served with exact estimates: every promise is kept exactly, however compressed."""
    outcomes, _ = run(jobs, PROCESSORS, "conservative", compress=compress)
    assert all(outcome.start == outcome.promised for outcome in outcomes.values())


@many
@given(workloads(cancels=False, exact=True))
def test_exact_estimates_make_a_rebuilt_plan_the_kept_one(jobs: list[RefJob]) -> None:
    """First come first served with exact estimates: forgetting reservations finds them again."""
    assert starts(jobs, PROCESSORS, "conservative-dynamic") == starts(jobs, PROCESSORS, "conservative")


@many
@given(workloads(), orders, overruns)
def test_easy_with_a_reservation_for_every_job_is_dynamic_conservative(
    jobs: list[RefJob], order: str, overrun: str
) -> None:
    """Reserving for all that cannot start is rebuilding the whole plan in every pass."""
    easy = starts(jobs, PROCESSORS, "easy", order, overrun=overrun, reservations=len(jobs) + 1)
    assert easy == starts(jobs, PROCESSORS, "conservative-dynamic", order, overrun=overrun)


@many
@given(workloads(), orders)
def test_no_guarantee_leaves_nothing_waiting_that_fits(jobs: list[RefJob], order: str) -> None:
    """After the last pass of an instant no waiting job is narrower than what is idle."""
    outcomes, info = run(jobs, PROCESSORS, "no-guarantee", order)
    for now in info.passes:
        idle = PROCESSORS - in_use(jobs, outcomes, now)
        for each in jobs:
            start = outcomes[each.id].start
            waits = each.submit <= now and (start is None or start > now)
            gone = each.cancel_at is not None and each.cancel_at <= now
            assert not waits or gone or each.processors > idle


@many
@given(workloads(cancels=False), st.sampled_from(("none", "easy", "conservative-dynamic")))
def test_the_head_never_waits_while_it_fits(jobs: list[RefJob], rule: Any) -> None:
    """First come first served, after every pass the first that waits is wider than what is idle."""
    outcomes, info = run(jobs, PROCESSORS, rule)
    for now in info.passes:
        waiting = [each for each in jobs if each.submit <= now and (outcomes[each.id].start or 0) > now]
        if waiting:
            head = min(waiting, key=lambda each: (each.submit, each.id))
            assert head.processors > PROCESSORS - in_use(jobs, outcomes, now)


@many
@given(workloads(), overruns)
def test_strict_first_come_first_served_starts_in_order_of_submission(jobs: list[RefJob], overrun: str) -> None:
    """No job overtakes."""
    found = starts(jobs, PROCESSORS, "none", overrun=overrun)
    in_order = [found[each.id] for each in sorted(jobs, key=lambda each: (each.submit, each.id))]
    begun = [start for start in in_order if start is not None]
    assert begun == sorted(begun)


@many
@given(workloads(cancels=False), rules, st.sampled_from(("fcfs", "sjf", "lxf", "wfp3")), overruns, compressions)
def test_a_later_clock_and_shuffled_input_change_nothing(
    jobs: list[RefJob], rule: Any, order: str, overrun: str, compress: str
) -> None:
    """Moved by 1000 s and given backwards, the schedule is the same 1000 s later."""
    moved = [replace(each, submit=each.submit + 1000) for each in reversed(jobs)]
    here = starts(jobs, PROCESSORS, rule, order, overrun=overrun, compress=compress)
    there = starts(moved, PROCESSORS, rule, order, overrun=overrun, compress=compress)
    assert there == {id: start + 1000 for id, start in here.items() if start is not None}


@st.composite
def passes(draw: st.DrawFn) -> tuple[list[RefJob], Profile]:
    """A queue, and running jobs that leave some processors of a larger machine free; now is 0."""
    capacity = 12
    holds: list[Hold] = []
    for _ in range(draw(st.integers(0, 8))):
        left = capacity - sum(hold.processors for hold in holds)
        if left:
            holds.append(Hold(0, draw(st.integers(1, 9)), draw(st.integers(1, min(4, left)))))
    widths = draw(st.lists(st.integers(1, capacity), min_size=1, max_size=10))
    queue = [job(id, 0, width, draw(st.integers(1, 12))) for id, width in enumerate(widths)]
    return queue, Profile(capacity, tuple(holds))


@settings(max_examples=500, deadline=None)
@given(passes())
def test_one_reservation_by_shadow_time_and_by_profile_agree(case: tuple[list[RefJob], Profile]) -> None:
    """The shadow time with its extra is the profile with the head in it."""
    queue, profile = case
    by_shadow, _ = plan_easy_by_shadow(queue, profile, 0)
    assert by_shadow == plan_by_profile(queue, profile, 0, reservations=1)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 15), st.integers(1, 6), st.integers(1, 4)), max_size=8),
    st.integers(1, 6),
    st.integers(1, 8),
    st.integers(0, 10),
)
def test_earliest_fit_is_the_first_second_that_fits(
    spans: list[tuple[int, int, int]], width: int, estimate: int, now: int
) -> None:
    """With whole seconds, trying each in turn and counting in each finds the same; over-committed too."""
    profile = Profile(6, tuple(Hold(start, start + length, n) for start, length, n in spans))

    def free_throughout(time: int) -> bool:
        return all(
            6 - sum(n for start, length, n in spans if start <= second < start + length) >= width
            for second in range(time, time + estimate)
        )

    first = next(time for time in range(now, 100) if free_throughout(time))
    assert profile.earliest_fit(job(A, 0, width, estimate), now) == first
