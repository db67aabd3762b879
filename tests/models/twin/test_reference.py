"""The reference scheduler itself, by schedules solved by hand.

A job is written ``id(submit, processors, runtime/estimate)``, the estimate being
left out where it equals the run time, and the jobs A, B, C, ... have the ids 1, 2, 3, ...
"""

import math

import pytest

from tests.models.twin.by_hand import A, B, C, D, E, F, job, promises, run, starts
from tests.models.twin.reference import COMPRESS, RefOutcome
from tests.models.twin.reference_rules import ORDERS, Hold, Profile

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


def test_strict_queue_lets_no_job_pass_the_head() -> None:
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


def test_conservative_fills_holes_and_moves_no_job() -> None:
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
