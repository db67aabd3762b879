"""The reference scheduler by hand: jobs that outlive their estimates, and withdrawals."""

from tests.models.twin.by_hand import A, B, C, D, E, F, job, run, starts
from tests.models.twin.reference import RefOutcome

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
        job(A, 0, 1, 100, 5), job(B, 0, 1, 100, 3), job(C, 0, 1, 100, 3), job(D, 0, 1, 50), job(E, 10, 1, 5),
        job(F, 11, 2, 5),
    ]  # fmt: skip
    outcomes, _ = run(jobs, 4, "easy", overrun="until_needed")
    assert outcomes == {
        A: RefOutcome(0, 11, "killed"), B: RefOutcome(0, 10, "killed"), C: RefOutcome(0, 11, "killed"),
        D: RefOutcome(0, 50, "finished"), E: RefOutcome(10, 15, "finished"), F: RefOutcome(11, 16, "finished"),
    }  # fmt: skip


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
