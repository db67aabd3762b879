"""The reference scheduler itself, by schedules solved by hand and by properties that hold on any workload.

In the hand-solved cases a job is written ``id(submit, processors, runtime/estimate)``, the estimate being
left out where it equals the run time, and the jobs A, B, C, ... have the ids 1, 2, 3, ...
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.twin.reference import (
    COMPRESS,
    ORDERS,
    OVERRUNS,
    RULES,
    Hold,
    Profile,
    RefInfo,
    RefJob,
    RefOutcome,
    plan_by_profile,
    plan_easy_by_shadow,
    simulate,
)

A, B, C, D, E, F = range(1, 7)

Outcomes = dict[int, RefOutcome]


def job(
    id: int,
    submit: float,
    processors: int,
    runtime: float,
    estimate: float | None = None,
    cancel_at: float | None = None,
) -> RefJob:
    """A job whose estimate is its run time unless told."""
    return RefJob(id, submit, processors, runtime, runtime if estimate is None else estimate, cancel_at)


def run(jobs: list[RefJob], processors: int, rule: Any, order: str = "fcfs", **how: Any) -> tuple[Outcomes, RefInfo]:
    """Simulate with an order given by name."""
    return simulate(jobs, processors, rule=rule, order=ORDERS[order], **how)


def starts(jobs: list[RefJob], processors: int, rule: Any, order: str = "fcfs", **how: Any) -> dict[int, float | None]:
    """When each job starts."""
    outcomes, _ = run(jobs, processors, rule, order, **how)
    return {id: outcomes[id].start for id in sorted(outcomes)}


def promises(jobs: list[RefJob], processors: int, **how: Any) -> dict[int, float | None]:
    """What each job was promised at submission under conservative backfilling."""
    outcomes, _ = run(jobs, processors, "conservative", **how)
    return {id: outcomes[id].promised for id in sorted(outcomes)}


# -- orders and the profile --------------------------------------------------------------------------------


def test_order_keys_are_the_printed_formulas() -> None:
    """At 30, a job from 10 with estimate 10 has waited 20: lxf 3, wfp3 8 n, unicef 2 / log2 n."""
    wide, single = job(A, 10, 4, 10), job(B, 10, 1, 10)
    key = {name: (order(wide, 30), order(single, 30)) for name, order in ORDERS.items()}
    exact = ("fcfs", "sjf", "ljf", "lxf", "smallest", "largest", "wfp3")
    assert [key[name] for name in exact] == [(0, 0), (10, 10), (-10, -10), (-3, -3), (4, 1), (-4, -1), (-32, -8)]
    assert key["unicef"][0] == -1
    assert key["unicef"][1] < -1e12
    assert key["f1"] == pytest.approx((4 + 870, 1 + 870))
    assert key["f2"] == pytest.approx((math.sqrt(10) * 4 + 25600, math.sqrt(10) + 25600))
    assert key["f3"] == pytest.approx((40 + 6.86e6, 10 + 6.86e6))
    assert key["f4"] == pytest.approx((20 + 530000, 10 + 530000))


def test_the_logarithm_of_the_submit_time_begins_at_one() -> None:
    """f1 to f4 take a submit time below 1 as 1, whose logarithm is 0."""
    assert ORDERS["f1"](job(A, 0, 1, 10), 0) == 1
    assert ORDERS["f3"](job(A, 0.5, 2, 10), 1) == 20


def test_earliest_fit_needs_the_processors_for_the_whole_estimate() -> None:
    """Of 4: 3 taken in [0,5), 4 in [7,9), 2 in [9,12). Two for 2 s fit at 5, for 3 s at 9; four fit at 12."""
    profile = Profile(4, (Hold(0, 5, 3), Hold(7, 9, 4), Hold(9, 12, 2)))
    assert [profile.free_at(t) for t in (0, 4, 5, 7, 8, 9, 12)] == [1, 1, 4, 0, 0, 2, 4]
    assert profile.earliest_fit(job(A, 0, 2, 2), 0) == 5
    assert profile.earliest_fit(job(A, 0, 2, 3), 0) == 9
    assert profile.earliest_fit(job(A, 0, 1, 7), 0) == 0
    assert profile.earliest_fit(job(A, 0, 4, 1), 0) == 5
    assert profile.earliest_fit(job(A, 0, 4, 3), 0) == 12
    assert profile.earliest_fit(job(A, 0, 4, 1), 6) == 6


# -- none and no-guarantee -----------------------------------------------------------------------------------


def test_strict_queue_lets_nobody_pass_the_head() -> None:
    """P=4: A(0,3,10) 0-10, B(1,4,5) 10-15, C(2,1,1) 15-16, though a processor idles from 0 on."""
    jobs = [job(A, 0, 3, 10), job(B, 1, 4, 5), job(C, 2, 1, 1)]
    assert starts(jobs, 4, "none") == {A: 0, B: 10, C: 15}


def test_no_guarantee_lets_small_jobs_delay_the_head() -> None:
    """P=4: A(0,3,10) 0-10; B(1,4,5) needs all; C(2,1,20) starts at once, so that B waits until 22."""
    jobs = [job(A, 0, 3, 10), job(B, 1, 4, 5), job(C, 2, 1, 20)]
    assert starts(jobs, 4, "no-guarantee") == {A: 0, B: 22, C: 2}


# -- EASY ----------------------------------------------------------------------------------------------------


def test_a_job_that_ends_exactly_at_the_shadow_time_backfills() -> None:
    """P=4: A(0,3,10), head B(1,4,5) has shadow 10, extra 0. C(2,1,8) ends at 10: starts. Else with 9."""
    jobs = [job(A, 0, 3, 10), job(B, 1, 4, 5), job(C, 2, 1, 8)]
    assert starts(jobs, 4, "easy") == {A: 0, B: 10, C: 2}
    assert starts([*jobs[:2], job(C, 2, 1, 9)], 4, "easy") == {A: 0, B: 10, C: 15}


def test_it_is_the_estimate_that_has_to_end_by_the_shadow_time() -> None:
    """P=4: as before, but C(2,1,1/9) would really end at 3; it waits until 15 all the same."""
    jobs = [job(A, 0, 3, 10), job(B, 1, 4, 5), job(C, 2, 1, 1, 9)]
    assert starts(jobs, 4, "easy") == {A: 0, B: 10, C: 15}


def test_extra_is_used_up() -> None:
    """P=8: A(0,4,10); head B(1,5,10) has shadow 10 and extra 8-5 = 3.

    At 2 come C(2,2,20): needs 2 of 3, starts, extra 1. D(2,2,20): fits the 2 free, but needs 2 of 1: waits.
    E(2,1,20): needs 1 of 1, starts, extra 0. F(2,1,8): ends at 10, starts without any extra.
    At 10 A and F end: 8-2-1 = 5 free, B 10-20. At 20 D has its two: 20.
    """
    jobs = [job(A, 0, 4, 10), job(B, 1, 5, 10), job(C, 2, 2, 20), job(D, 2, 2, 20), job(E, 2, 1, 20), job(F, 2, 1, 8)]
    assert starts(jobs, 8, "easy") == {A: 0, B: 10, C: 2, D: 20, E: 2, F: 2}


def test_a_job_in_time_leaves_extra_alone() -> None:
    """P=4: A(0,2,10); head B(1,3,5): shadow 10, extra 1. C(2,1,5) is in time; D(2,1,30) has the extra."""
    jobs = [job(A, 0, 2, 10), job(B, 1, 3, 5), job(C, 2, 1, 5), job(D, 2, 1, 30)]
    assert starts(jobs, 4, "easy") == {A: 0, B: 10, C: 2, D: 2}


def test_expected_ends_at_one_time_count_together() -> None:
    """P=5: A(0,2,10) and B(0,2,10) both end at 10, before which one processor is free.

    Head C(1,3,5): with A alone 1+2 = 3 would do, extra 0; together 5, extra 2. So D(1,1,20) starts at 1, and
    C still at 10, with 4 free.
    """
    jobs = [job(A, 0, 2, 10), job(B, 0, 2, 10), job(C, 1, 3, 5), job(D, 1, 1, 20)]
    outcomes, info = run(jobs, 5, "easy")
    assert {id: outcome.start for id, outcome in sorted(outcomes.items())} == {A: 0, B: 0, C: 10, D: 1}
    assert [(head.now, head.job, head.shadow, head.extra) for head in info.heads] == [(1, C, 10, 2)]


def test_an_early_end_helps_the_head_but_not_past_a_backfilled_job() -> None:
    """P=4: A(0,3,4/10). B(1,4,5) has shadow 10; C(1,1,9) ends at 10: starts. A ends at 4, C holds until 10.

    With B(1,3,5): shadow 10, extra 1; A's end at 4 frees three, and B starts at 4.
    """
    assert starts([job(A, 0, 3, 4, 10), job(B, 1, 4, 5), job(C, 1, 1, 9)], 4, "easy") == {A: 0, B: 10, C: 1}
    assert starts([job(A, 0, 3, 4, 10), job(B, 1, 3, 5), job(C, 1, 1, 9)], 4, "easy") == {A: 0, B: 4, C: 1}


def test_two_reservations_protect_the_second_as_well() -> None:
    """P=4: A(0,3,10), B(1,2,10), C(2,4,5), D(3,1,20).

    One: B has shadow 10, extra 2; D starts at 3 in it, runs until 23, and C, unprotected, waits until 23.
    Two: B is put at 10-20, C at 20-25; D would need 3-23, into C: it waits until C has run, 25.
    """
    jobs = [job(A, 0, 3, 10), job(B, 1, 2, 10), job(C, 2, 4, 5), job(D, 3, 1, 20)]
    assert starts(jobs, 4, "easy", reservations=1) == {A: 0, B: 10, C: 23, D: 3}
    assert starts(jobs, 4, "easy", reservations=2) == {A: 0, B: 10, C: 20, D: 25}


def test_a_later_job_of_equal_place_is_ranked_by_submission_then_id() -> None:
    """P=1, sjf: while A(0,1,5) runs come C(1,1,2), B(1,1,2), D(2,1,2), E(3,1,1): E 5, B 6, C 8, D 10."""
    jobs = [job(A, 0, 1, 5), job(C, 1, 1, 2), job(B, 1, 1, 2), job(D, 2, 1, 2), job(E, 3, 1, 1)]
    assert starts(jobs, 1, "easy", "sjf") == {A: 0, E: 5, B: 6, C: 8, D: 10}


def test_a_dynamic_order_is_evaluated_at_the_time_of_the_pass() -> None:
    """P=1, lxf: A(0,1,10). At 10 B(1,1,10) has (9+10)/10 = 1.9, C(8,1,2) has (2+2)/2 = 2: C 10, B 12."""
    jobs = [job(A, 0, 1, 10), job(B, 1, 1, 10), job(C, 8, 1, 2)]
    assert starts(jobs, 1, "none", "lxf") == {A: 0, B: 12, C: 10}


# -- rounds and instants -------------------------------------------------------------------------------------


def test_a_run_time_of_zero_ends_in_a_second_round() -> None:
    """P=1: A(0,1,0/1) starts and ends at 0; the second pass at 0 starts B(0,1,5). The last is B's end."""
    outcomes, info = run([job(A, 0, 1, 0, 1), job(B, 0, 1, 5)], 1, "easy")
    assert outcomes == {A: RefOutcome(0, 0, "finished"), B: RefOutcome(0, 5, "finished")}
    assert info.passes == [0, 0, 5]


def test_the_end_of_the_second_round_brings_a_sweep() -> None:
    """P=1, conservative: A(0,1,0/5) at 0, B(0,1,3) is promised 5. A's end lets B in at 0, if compressed."""
    jobs = [job(A, 0, 1, 0, 5), job(B, 0, 1, 3)]
    assert promises(jobs, 1) == {A: 0, B: 5}
    assert [starts(jobs, 1, "conservative", compress=c)[B] for c in COMPRESS] == [0, 0, 0, 5]


def test_an_estimate_reached_is_no_instant() -> None:
    """P=1, until_needed: A(0,1,20/5), B(1,1,2). Nothing happens at 5, so B waits for A's end at 20.

    A further submission C(8,1,1) makes an instant: B takes A's processor at 8, C follows at 10.
    """
    jobs = [job(A, 0, 1, 20, 5), job(B, 1, 1, 2)]
    assert starts(jobs, 1, "easy", overrun="until_needed") == {A: 0, B: 20}
    outcomes, info = run([*jobs, job(C, 8, 1, 1)], 1, "easy", overrun="until_needed")
    assert outcomes[A] == RefOutcome(0, 8, "killed")
    assert (outcomes[B].start, outcomes[C].start) == (8, 10)
    assert info.passes == [0, 1, 8, 10, 11]


# -- conservative --------------------------------------------------------------------------------------------


def test_conservative_fills_holes_and_moves_nobody() -> None:
    """P=4: A(0,3,10), B(1,4,5) promised 10, C(2,1,20) would cross B: 15. D(3,1,7) fills the hole 3-10."""
    jobs = [job(A, 0, 3, 10), job(B, 1, 4, 5), job(C, 2, 1, 20), job(D, 3, 1, 7)]
    assert promises(jobs, 4) == {A: 0, B: 10, C: 15, D: 3}
    assert starts(jobs, 4, "conservative") == {A: 0, B: 10, C: 15, D: 3}


def test_conservative_protects_the_second_in_the_queue() -> None:
    """P=4: the case of two reservations: B 10-20, C 20-25, and D(3,1,20) after it."""
    jobs = [job(A, 0, 3, 10), job(B, 1, 2, 10), job(C, 2, 4, 5), job(D, 3, 1, 20)]
    assert starts(jobs, 4, "conservative") == {A: 0, B: 10, C: 20, D: 25}


def test_the_sweep_is_one_pass_and_not_a_fixpoint() -> None:
    """P=4: A(0,2,4/10), B(0,2,6). C(1,4,5) is promised 10; D(2,2,4) fits 6-10. At 4 A ends early.

    Sweep: C first; D stands in 6-10: stays at 10. D: 4-8 is free now, starts. C could move to 8 now, but has
    had its turn. So E(5,4,1) is promised 8-9, before C. At 6 B ends: with D until 8 and E in 8-9, C gets 9.
    A fixpoint would have had C at 8 and E at 13.
    """
    jobs = [job(A, 0, 2, 4, 10), job(B, 0, 2, 6), job(C, 1, 4, 5), job(D, 2, 2, 4), job(E, 5, 4, 1)]
    assert promises(jobs, 4) == {A: 0, B: 0, C: 10, D: 6, E: 8}
    assert starts(jobs, 4, "conservative") == {A: 0, B: 0, C: 9, D: 4, E: 8}


def test_the_ways_to_compress_differ() -> None:
    """P=4: the same A, B, C, D, and E(5,4,1) or E(4,4,1).

    event: the sweep at 5 moves C to 8 before E is placed: E 13. With E at 4 there is no sweep between: as
    completion, E 8 and C 9.
    scheduled: at 4 D (reserved at 6) goes first, to 4, then C (at 10), to 8. E 13 in both.
    none: A's early end helps only newcomers: E is put behind C's 10-15, D keeps 6, C keeps 10.
    """
    jobs = [job(A, 0, 2, 4, 10), job(B, 0, 2, 6), job(C, 1, 4, 5), job(D, 2, 2, 4)]

    def cde(submit: float, compress: str) -> list[float | None]:
        found = starts([*jobs, job(E, submit, 4, 1)], 4, "conservative", compress=compress)
        return [found[C], found[D], found[E]]

    assert cde(5, "completion") == [9, 4, 8]
    assert cde(4, "completion") == [9, 4, 8]
    assert cde(5, "event") == [8, 4, 13]
    assert cde(4, "event") == [9, 4, 8]
    assert cde(5, "scheduled") == [8, 4, 13]
    assert cde(4, "scheduled") == [8, 4, 13]
    assert cde(5, "none") == [10, 6, 15]


def test_a_due_reservation_is_an_instant() -> None:
    """P=1, compress none: A(0,1,2/5) ends at 2, B(1,1,3/9) keeps its promise, 5; passes at 0, 1, 2, 5, 8."""
    outcomes, info = run([job(A, 0, 1, 2, 5), job(B, 1, 1, 3, 9)], 1, "conservative", compress="none")
    assert outcomes[B] == RefOutcome(5, 8, "finished", promised=5)
    assert info.passes == [0, 1, 2, 5, 8]


def test_newcomers_are_placed_in_queue_order() -> None:
    """P=1, sjf: A(0,1,10); at 1 come B(1,1,5) and C(1,1,2): C is placed first, 10; B 12."""
    jobs = [job(A, 0, 1, 10), job(B, 1, 1, 5), job(C, 1, 1, 2)]
    assert promises(jobs, 1, order="sjf") == {A: 0, B: 12, C: 10}


def test_dynamic_conservative_forgets_what_it_promised() -> None:
    """P=1, sjf: A(0,1,10), B(1,1,9), C(2,1,1). Kept reservations: B 10, C 19. Rebuilt: C 10, B 11."""
    jobs = [job(A, 0, 1, 10), job(B, 1, 1, 9), job(C, 2, 1, 1)]
    assert starts(jobs, 1, "conservative", "sjf") == {A: 0, B: 10, C: 19}
    outcomes, _ = run(jobs, 1, "conservative-dynamic", "sjf")
    assert [outcomes[id].start for id in (A, B, C)] == [0, 11, 10]
    assert outcomes[B].promised is None


# -- overruns ------------------------------------------------------------------------------------------------


def test_kill_ends_a_job_at_its_estimate() -> None:
    """P=1: A(0,1,9/5) is killed at 5, where B(0,1,5) starts; B runs exactly its estimate and finishes."""
    outcomes, _ = run([job(A, 0, 1, 9, 5), job(B, 0, 1, 5)], 1, "easy")
    assert outcomes == {A: RefOutcome(0, 5, "killed"), B: RefOutcome(5, 10, "finished")}


def test_extend_expects_an_overrunning_job_to_end_in_a_second() -> None:
    """P=4: A(0,3,20/5), head B(1,4,5). At 8 A is expected at 9, so C(8,1,1) is in time, D(8,1,2) is not.

    C runs 8-9. At 9 the shadow is 10, too early for D. A ends at 20, B 20-25, D 25.
    """
    jobs = [job(A, 0, 3, 20, 5), job(B, 1, 4, 5), job(C, 8, 1, 1), job(D, 8, 1, 2)]
    assert starts(jobs, 4, "easy", overrun="extend") == {A: 0, B: 20, C: 8, D: 25}


def test_extend_breaks_a_reservation_each_second() -> None:
    """P=2: A(0,2,7/5), B(1,2,3) promised 5. At 5 A is expected until 6, at 6 until 7; at 7 it ends."""
    outcomes, info = run([job(A, 0, 2, 7, 5), job(B, 1, 2, 3)], 2, "conservative", overrun="extend")
    assert outcomes[A] == RefOutcome(0, 7, "finished", promised=0)
    assert outcomes[B] == RefOutcome(7, 10, "finished", promised=5)
    assert info.broken == 2
    assert info.passes == [0, 1, 5, 6, 7, 10]


def test_a_broken_reservation_goes_behind_those_that_hold() -> None:
    """P=2: A(0,1,8/5), B(0,1,5), C(1,2,3) promised 5, D(1,1,2) promised 8.

    At 5 B ends; A runs on and is expected until 6. The sweep finds C no earlier than 6, D no earlier than 8.
    C is due with one processor idle: broken. With A until 6 and D in 8-10 it fits at 10. At 8 A ends, D
    starts.
    """
    jobs = [job(A, 0, 1, 8, 5), job(B, 0, 1, 5), job(C, 1, 2, 3), job(D, 1, 1, 2)]
    outcomes, info = run(jobs, 2, "conservative", overrun="extend")
    assert [outcomes[id].promised for id in (A, B, C, D)] == [0, 0, 5, 8]
    assert [outcomes[id].start for id in (A, B, C, D)] == [0, 0, 10, 8]
    assert info.broken == 1


def test_a_smaller_job_that_is_due_starts_beside_a_broken_one() -> None:
    """P=3: A(0,2,8/5), B(0,1,5), C(1,2,3) promised 5, D(2,1,3) promised 5.

    At 5 B ends and A runs on: C is broken, first to 6, then to 7, then to 8, where A ends. D starts at 5.
    """
    jobs = [job(A, 0, 2, 8, 5), job(B, 0, 1, 5), job(C, 1, 2, 3), job(D, 2, 1, 3)]
    outcomes, info = run(jobs, 3, "conservative", overrun="extend")
    assert [outcomes[id].promised for id in (A, B, C, D)] == [0, 0, 5, 5]
    assert [outcomes[id].start for id in (A, B, C, D)] == [0, 0, 8, 5]
    assert info.broken == 3


def test_until_needed_ends_the_longest_overrun_first_then_by_id() -> None:
    """P=4: A(0,1,100/5), B(0,1,100/3), C(0,1,100/3), D(0,1,50), all running.

    At 10 E(10,1,5) needs one: B, as long over as C, has the smaller id. At 11 F(11,2,5) needs two: C, then A.
    D, within its estimate, is safe.
    """
    jobs = [
        job(A, 0, 1, 100, 5),
        job(B, 0, 1, 100, 3),
        job(C, 0, 1, 100, 3),
        job(D, 0, 1, 50),
        job(E, 10, 1, 5),
        job(F, 11, 2, 5),
    ]
    outcomes, _ = run(jobs, 4, "easy", overrun="until_needed")
    assert outcomes == {
        A: RefOutcome(0, 11, "killed"),
        B: RefOutcome(0, 10, "killed"),
        C: RefOutcome(0, 11, "killed"),
        D: RefOutcome(0, 50, "finished"),
        E: RefOutcome(10, 15, "finished"),
        F: RefOutcome(11, 16, "finished"),
    }


def test_until_needed_takes_idle_processors_first() -> None:
    """P=4: A(0,1,100/5), B(0,2,100/3), one idle.

    At 10 C(10,1,100) takes it; at 11 D(11,1,5) ends B, though one of its two would do, and the other is idle
    for E(12,1,5). A finishes.
    """
    jobs = [job(A, 0, 1, 100, 5), job(B, 0, 2, 100, 3), job(C, 10, 1, 100), job(D, 11, 1, 5), job(E, 12, 1, 5)]
    outcomes, _ = run(jobs, 4, "easy", overrun="until_needed")
    assert outcomes[A] == RefOutcome(0, 100, "finished")
    assert outcomes[B] == RefOutcome(0, 11, "killed")
    assert [outcomes[id].start for id in (C, D, E)] == [10, 11, 12]


def test_until_needed_shadow_counts_overrunning_processors_as_there() -> None:
    """P=4: A(0,2,100/5), B(0,1,30). At 10 head C(10,4,5) has 3 of 4, shadow 30, extra 0.

    D(10,2,20) is in time and ends A; E(10,1,21) is not. C at 30, E behind it.
    """
    jobs = [job(A, 0, 2, 100, 5), job(B, 0, 1, 30), job(C, 10, 4, 5), job(D, 10, 2, 20), job(E, 10, 1, 21)]
    outcomes, _ = run(jobs, 4, "easy", overrun="until_needed")
    assert outcomes[A] == RefOutcome(0, 10, "killed")
    assert [outcomes[id].start for id in (B, C, D, E)] == [0, 30, 10, 35]


def test_until_needed_keeps_a_conservative_promise() -> None:
    """P=2: A(0,2,7/5), B(1,2,3) promised 5: due at 5, it ends A. Nothing breaks."""
    outcomes, info = run([job(A, 0, 2, 7, 5), job(B, 1, 2, 3)], 2, "conservative", overrun="until_needed")
    assert outcomes[A] == RefOutcome(0, 5, "killed", promised=0)
    assert outcomes[B] == RefOutcome(5, 8, "finished", promised=5)
    assert info.broken == 0


# -- withdrawals ---------------------------------------------------------------------------------------------


def test_a_withdrawal_compresses_conservative_reservations() -> None:
    """P=4: A(0,4,10), B(1,4,10) promised 10, C(2,4,5) promised 20. B is withdrawn at 5, and C moves to 10.

    So D(6,4,5) is promised 15, and not the place that B left.
    """
    jobs = [job(A, 0, 4, 10), job(B, 1, 4, 10, cancel_at=5), job(C, 2, 4, 5), job(D, 6, 4, 5)]
    outcomes, info = run(jobs, 4, "conservative")
    assert outcomes[B] == RefOutcome(None, None, "withdrawn", promised=10)
    assert outcomes[C] == RefOutcome(10, 15, "finished", promised=20)
    assert outcomes[D] == RefOutcome(15, 20, "finished", promised=15)
    assert info.passes == [0, 1, 2, 5, 6, 10, 15, 20]


def test_a_withdrawn_head_lets_the_others_in() -> None:
    """P=4, EASY: A(0,3,10), head B(1,4,5) withdrawn at 4, C(2,1,20) not in time before, starts at 4."""
    jobs = [job(A, 0, 3, 10), job(B, 1, 4, 5, cancel_at=4), job(C, 2, 1, 20)]
    assert starts(jobs, 4, "easy") == {A: 0, B: None, C: 4}


def test_cancelling_a_running_job_ends_it() -> None:
    """P=4: A(0,4,10) cancelled at 3, B(1,4,5) starts there."""
    outcomes, _ = run([job(A, 0, 4, 10, cancel_at=3), job(B, 1, 4, 5)], 4, "easy")
    assert outcomes == {A: RefOutcome(0, 3, "killed"), B: RefOutcome(3, 8, "finished")}


def test_cancelling_what_is_over_changes_nothing() -> None:
    """P=1: A(0,1,5) cancelled at 5, its own end, or at 7: finished, and no pass at 7."""
    for cancel_at in (5, 7):
        outcomes, info = run([job(A, 0, 1, 5, cancel_at=cancel_at)], 1, "easy")
        assert outcomes == {A: RefOutcome(0, 5, "finished")}
        assert info.passes == [0, 5]


def test_a_withdrawal_comes_before_the_pass() -> None:
    """P=1: A(0,1,5); B(1,1,5) withdrawn at 5, where it would start; C(2,1,5) at 5. D withdrawn at once."""
    jobs = [job(A, 0, 1, 5), job(B, 1, 1, 5, cancel_at=5), job(C, 2, 1, 5), job(D, 20, 1, 5, cancel_at=20)]
    assert starts(jobs, 1, "none") == {A: 0, B: None, C: 5, D: None}


# -- bad input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("jobs", "how", "message"),
    [
        ([job(A, 0, 5, 1)], {}, "job 1: 5 processors on a machine of 4"),
        ([job(A, 0, 1, 1, 0.5)], {}, "an estimate >= 1"),
        ([job(A, 3, 1, 1, cancel_at=2)], {}, "before it is submitted"),
        ([job(A, 0, 1, 1), job(A, 0, 1, 1)], {}, "same id"),
        ([], {"reservations": 0}, "at least 1"),
        ([], {"compress": "always"}, "'always' is unknown"),
        ([], {"overrun": "forgive"}, "'forgive' is unknown"),
    ],
)
def test_what_the_contract_does_not_cover_is_refused(jobs: list[RefJob], how: dict[str, Any], message: str) -> None:
    """Bad jobs and unknown options raise."""
    with pytest.raises(ValueError, match=message):
        run(jobs, 4, "easy", **how)


# -- properties ----------------------------------------------------------------------------------------------

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
    """Nobody starts later than promised; without compression, everybody exactly then."""
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
def test_easy_with_a_reservation_for_everybody_is_dynamic_conservative(
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
@given(workloads(), overruns)
def test_strict_first_come_first_served_starts_in_order_of_submission(jobs: list[RefJob], overrun: str) -> None:
    """Nobody overtakes."""
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
