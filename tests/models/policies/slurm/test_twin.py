"""The brute-force Slurm does what Slurm's configuration says, worked by hand."""

from dataclasses import replace

import pytest

from tests.models.policies.slurm.allocators import consecutive, first_fit
from tests.models.policies.slurm.case import Case, Job, Options, Outcome, Start, Window
from tests.models.policies.slurm.timeline import leaving
from tests.models.policies.slurm.twin import Twin, twin

MINUTE = 60
NODES = (8, 8, 8, 8)
A, B, C, D, E = range(1, 6)
WIDE = (
    Job(A, submit=0, limit=2 * MINUTE, run=30, nodes=3),
    Job(B, submit=1, limit=3 * MINUTE, run=10, nodes=2),
    Job(C, submit=2, limit=1 * MINUTE, run=5, nodes=4),
    Job(D, submit=3, limit=6 * MINUTE, run=5, nodes=1),
    Job(E, submit=10, limit=2 * MINUTE, run=5, nodes=1),
)
"""A narrow job of six minutes and one of two, behind two wide ones. With an origin of 0, A's limit ends at 4 · 30 s."""


def times(outcome: Outcome) -> dict[int, int | None]:
    return {job: start.time if start else None for job, start in outcome.items()}


def run(case: Case) -> Twin:
    schedule = Twin(case)
    schedule.run()
    return schedule


@pytest.mark.parametrize(
    ("options", "d", "e", "c"),
    [
        (Options(), 45, 10, 40), (Options(bf_job_part_count_reserve=1), 3, 10, 40),
        (Options(bf_window=4 * MINUTE), 3, 10, 40), (Options(bf_min_age_reserve=20), 3, 10, 40),
        (Options(bf_max_job_test=2), 45, 45, 40), (Options(bf_max_job_user=2), 45, 45, 40),
        (Options(backfill=False), 45, 45, 40),
    ],
    ids=lambda value: repr(value) if isinstance(value, int) else None,
)  # fmt: skip
def test_who_is_tested_and_who_gets_a_reservation(options: Options, d: int, e: int, c: int) -> None:
    """Slurm 22.05.8 started D, E and C in the same order, at 46 or 3, 10 or 46, and 41; under builtin at 48, 48, 42."""
    assert times(twin(Case(NODES, WIDE, options=options))) == {A: 0, B: 30, C: c, D: d, E: e}


def test_plans_are_conservative() -> None:
    """Every job tested gets a reservation: B at 120, C behind it at 300, D behind C at 360."""
    assert run(Case(NODES, WIDE)).plans[3] == {B: 120, C: 300, D: 360}


def test_a_start_moves_a_plan_to_the_end_of_the_group() -> None:
    """E, started at 10, leaves 10 s after A, in the same group: B, planned at 120 before, is planned at 130."""
    plans = run(Case(NODES, (*WIDE, Job(6, submit=11, limit=MINUTE, run=5, nodes=4)))).plans
    assert (plans[3][B], plans[10][B], plans[11][B]) == (120, 120, 130)


def test_a_reservation_that_begins_at_the_limit_is_in_the_way() -> None:
    """C would end at 60, when B is planned on all nodes: it is planned behind B. Without the edge it starts at once."""
    jobs = (Job(A, 0, 60, 30, nodes=3), Job(B, 0, 180, 10, nodes=4), Job(C, 0, 60, 5, nodes=1))
    inclusive = run(Case(NODES, jobs))
    assert inclusive.plans[0] == {B: 60, C: 240}
    assert times(inclusive.starts) == {A: 0, B: 30, C: 40}
    assert times(twin(Case(NODES, jobs, options=Options(inclusive_edge=False)))) == {A: 0, C: 0, B: 30}


def test_running_jobs_leave_in_groups() -> None:
    """With time 0 at 11 s of a half minute, the ends at 60 and 75 are one group, up to 79 + 30; 140 and 260 are not."""
    assert leaving({60, 75, 140, 260}, 30, -11) == {60: 75, 75: 75, 140: 140, 260: 260}
    assert leaving({60, 75, 140, 260}, 0, -11) == {60: 60, 75: 75, 140: 140, 260: 260}


def test_groups_grow_twofold() -> None:
    """From a first end at 0, a multiple itself, w is 30: groups up to 60, 90, 150, 270, 510."""
    ends = {0, 60, 61, 90, 91, 150, 151, 270, 271, 510}
    assert leaving(ends, 30) == {
        0: 60, 60: 60, 61: 90, 90: 90, 91: 150, 150: 150, 151: 270, 270: 270, 271: 510, 510: 510,
    }  # fmt: skip


@pytest.mark.parametrize(
    "linear, begun, planned",
    [
        (0, 8, [125, 192, 192, 315, 381, 381, 564]),
        (1, 22, [125, 188, 192, 315, 378, 381, 564]),
        (10, 7, [125, 192, 192, 315, 381, 381, 564]),
        (40, 6, [125, 192, 192, 315, 381, 381, 564]),
        (200, 23, [192, 192, 192, 381, 381, 381, 564]),
    ],
)
def test_groups_of_a_real_slurm(linear: int, begun: int, planned: list[int]) -> None:
    """A Slurm with this bf_window_linear planned jobs of 2 to 8 nodes for these ends (s) of eight running jobs."""
    ends = [60, 125, 188, 192, 315, 378, 381, 564]
    found = leaving(ends, 30, -begun, linear)
    assert [found[end] for end in ends[1:]] == planned


def test_plans_are_at_ends_of_groups() -> None:
    """H is planned at 75, the last end of its group, K behind it at 140; when H is over, K is planned at 75."""
    jobs = (
        Job(1, submit=0, limit=1 * MINUTE, run=25, nodes=1), Job(2, submit=15, limit=1 * MINUTE, run=30, nodes=1),
        Job(3, submit=20, limit=2 * MINUTE, run=60, nodes=1), Job(4, submit=20, limit=4 * MINUTE, run=60, nodes=1),
        Job(5, submit=21, limit=3 * MINUTE, run=5, nodes=1), Job(6, submit=21, limit=3 * MINUTE, run=5, nodes=2),
        Job(7, submit=22, limit=3 * MINUTE, run=5, nodes=3),
    )  # fmt: skip
    schedule = run(Case(NODES, jobs, origin=-11))
    assert schedule.plans[22] == {5: 75, 6: 140, 7: 320}
    assert schedule.plans[30] == {6: 75, 7: 255}
    assert times(schedule.starts) == {1: 0, 2: 15, 3: 20, 4: 20, 5: 25, 6: 45, 7: 80}
    exact = run(Case(NODES, jobs, origin=-11, options=Options(groups=0)))
    assert exact.plans[22][5] == 60


def test_reservations_take_whole_nodes() -> None:
    """Q, one CPU for three minutes, waits behind the plan for 4 of 8 CPUs at 120; R, one minute, starts."""
    p, q, r = B, C, D
    jobs = (
        Job(A, 0, 120, 40, cpus=6), Job(p, 2, 240, 10, cpus=4), Job(q, 3, 180, 10, cpus=1), Job(r, 4, 60, 10, cpus=1),
    )  # fmt: skip
    whole = run(Case((8,), jobs))
    assert whole.plans[4] == {p: 120, q: 360}
    assert times(whole.starts) == {A: 0, p: 40, q: 40, r: 4}
    assert times(twin(Case((8,), jobs, options=Options(whole_nodes=False)))) == {A: 0, p: 40, q: 3, r: 4}


def test_cpus_are_counted_at_each_moment() -> None:
    """Without whole nodes, one job's CPUs until 10 and another's from 10 on are in the way of a third once."""
    jobs = (Job(1, 0, 10, 10, cpus=2), Job(2, 0, 10, 10, cpus=3), Job(3, 0, 10, 10, cpus=1), Job(4, 0, 20, 20, cpus=1))
    schedule = run(Case((4,), jobs, options=Options(whole_nodes=False, groups=0)))
    assert times(schedule.starts) == {1: 0, 2: 10, 3: 0, 4: 0}
    assert run(Case((4,), (*jobs[:3], replace(jobs[3], cpus=2)), options=Options(whole_nodes=False))).plans[0] == {
        2: 10,
        4: 20,
    }


def test_a_head_closes_the_nodes_of_its_partition() -> None:
    """a, first in n1-n3, does not stop b on n4, outside it; c waits behind a."""
    p1, p2 = frozenset({0, 1, 2}), frozenset({2, 3})
    r, a, b, c = 1, 2, 3, 4
    jobs = (
        Job(r, 0, 120, 20, nodes=2, partition=p1),
        Job(a, 1, 60, 6, nodes=3, partition=p1),
        Job(b, 2, 240, 6, nodes=1, partition=p2),
        Job(c, 3, 240, 6, nodes=1, partition=p1),
    )
    for backfill in (True, False):
        starts = twin(Case(NODES, jobs, options=Options(backfill=backfill)))
        assert times(starts) == {r: 0, a: 20, b: 2, c: 26}
        assert starts[b] == Start(2, ((3, 8),))


def test_a_closed_node_is_closed_to_other_partitions() -> None:
    """The third job could run on the third node, which is closed by the blocked second and planned for it: it waits."""
    p1, p2 = frozenset({0, 1, 2}), frozenset({2})
    jobs = (
        Job(1, 0, 60, 20, nodes=2, partition=p1),
        Job(2, 1, 60, 6, nodes=3, partition=p1),
        Job(3, 2, 120, 6, nodes=1, partition=p2),
    )
    assert times(twin(Case(NODES, jobs))) == {1: 0, 2: 20, 3: 26}


def test_maintenance() -> None:
    """Limits may end when it begins, but not later; who would reach into it takes other nodes or waits for its end."""
    window = Window(frozenset({0, 1}), 80, 140)
    jobs = (
        Job(1, 2, 300, 10, nodes=2), Job(2, 3, 60, 5, nodes=4), Job(3, 4, 60, 5, nodes=1), Job(4, 15, 60, 5, nodes=4),
        Job(5, 16, 120, 5, nodes=1), Job(6, 40, 60, 5, nodes=3),
    )  # fmt: skip
    starts = twin(Case(NODES, jobs, (window,)))
    assert times(starts) == {1: 2, 2: 12, 3: 4, 4: 17, 5: 22, 6: 140}
    assert [start.nodes for start in starts.values() if start] == [
        (2, 3), (0, 1, 2, 3), (0,), (0, 1, 2, 3), (2,), (0, 1, 2),
    ]  # fmt: skip
    at_80 = Job(1, 20, 60, 60, nodes=4)
    assert times(twin(Case(NODES, (at_80,), (window,)))) == {1: 20}
    assert times(twin(Case(NODES, (replace(at_80, limit=61),), (window,)))) == {1: 140}


def test_resolution_rounds_reservations_down() -> None:
    """B at 118 to 298 instead of 120 to 300 if minutes end at 58 s, so that C is planned at 298 and D at 358."""
    plans = run(Case(NODES, WIDE, origin=-2, options=Options(bf_resolution=60))).plans
    assert plans[3] == {B: 120, C: 298, D: 358}


def test_a_reservation_rounded_to_nothing_is_in_nobodys_way() -> None:
    """Planned at 7 for 2 s, the wide job is kept from 5 to 5, for nothing; for 3 s it is kept from 5 to 10."""
    jobs = (Job(1, 0, 7, 7, nodes=1), Job(2, 0, 2, 2, nodes=2), Job(3, 1, 60, 60, nodes=1))
    options = Options(bf_resolution=5, groups=0)
    assert times(twin(Case((1, 1), jobs, options=options))) == {1: 0, 2: 61, 3: 1}
    longer = (jobs[0], replace(jobs[1], limit=3), jobs[2])
    assert times(twin(Case((1, 1), longer, options=options))) == {1: 0, 2: 7, 3: 9}


def test_backfill_at_multiples() -> None:
    """D, backfilled at 3, waits for the pass at 10 if passes are at 0 and 10; at 4, if they are at 4 and 14."""
    easy = Options(bf_job_part_count_reserve=1, bf_interval=10)
    assert times(twin(Case(NODES, WIDE, options=easy)))[D] == 10
    assert times(twin(Case(NODES, WIDE, origin=-6, options=easy)))[D] == 4


def test_backfill_waits_for_an_event() -> None:
    """D and E end at 15, A at 30, B at 40 and C at 45: no pass but at 10 s multiples, and none after 50."""
    options = Options(bf_interval=10, bf_job_part_count_reserve=1)
    assert sorted(run(Case(NODES, WIDE, options=options)).plans) == [0, 10, 20, 30, 40, 50]
    alone = (Job(1, 3, 100, 34, nodes=1),)
    assert sorted(run(Case(NODES, alone, options=options)).plans) == [10, 40]


def test_a_multiple_has_a_main_pass_of_its_own() -> None:
    """The pass at 3 starts two jobs, the main pass at 10 the next two, and the backfill pass at 10 the fifth."""
    jobs = tuple(Job(number, 3, 20, 20, nodes=1) for number in (1, 2, 3, 4, 5))
    options = Options(bf_interval=10, default_queue_depth=1, bf_max_job_test=1)
    assert times(twin(Case((*NODES, 8), jobs, options=options))) == {1: 3, 2: 3, 3: 10, 4: 10, 5: 10}


def test_the_main_pass_stops_at_its_depth() -> None:
    """The third of three small jobs is not looked at, and builtin has nothing else to start it until one ends."""
    jobs = tuple(Job(number, 0, 10, 10, nodes=1) for number in (1, 2, 3))
    assert times(twin(Case(NODES, jobs, options=Options(backfill=False, default_queue_depth=1)))) == {1: 0, 2: 0, 3: 10}
    assert times(twin(Case(NODES, jobs, options=Options(default_queue_depth=1)))) == {1: 0, 2: 0, 3: 0}


def test_allocators() -> None:
    """Runs of 3, 2 + 4, 2 + 4: first-fit fills nodes in order, consecutive the smallest run, or the largest first.

    In a run, consecutive takes one node if that is enough, the one with the fewest idle CPUs.
    """
    room = {0: 3, 2: 2, 3: 4, 5: 2, 6: 4}
    assert first_fit(5, room, room) == {0: 3, 2: 2}
    assert consecutive(5, room, room) == {2: 2, 3: 3}
    assert consecutive(3, room, room) == {0: 3}
    assert consecutive(4, room, room) == {3: 4}
    assert consecutive(8, room, room) == {0: 2, 2: 2, 3: 4}
    assert consecutive(1, {0: 1, 1: 1, 3: 1, 4: 1, 5: 1}, {0: 8, 1: 4, 3: 1, 4: 1, 5: 1}) == {1: 1}
    assert first_fit(16, room, room) is None and consecutive(16, room, room) is None


def test_a_job_that_waits_for_a_window_alone_closes_nothing() -> None:
    """B needs three nodes, and two are closed from 40 to 90: C starts once nothing runs on the others, not before."""
    jobs = (Job(A, 0, 30, 30, nodes=1), Job(B, 20, 60, 5, nodes=3), Job(C, 21, 60, 5, nodes=1))
    case = Case(NODES, jobs, (Window(frozenset({2, 3}), 40, 90),), options=Options(backfill=False))
    assert times(twin(case)) == {A: 0, B: 90, C: 30}
    down = replace(case, jobs=(jobs[0], replace(jobs[1], nodes=0, cpus=24), replace(jobs[2], nodes=0, cpus=1)))
    assert times(twin(down)) == {A: 0, B: 90, C: 30}
    shared = replace(down, jobs=(replace(jobs[0], nodes=0, cpus=1), *down.jobs[1:]))
    assert times(twin(shared)) == {A: 0, B: 90, C: 21}


def test_idle_nodes_are_planned_before_others() -> None:
    """B is planned after the window on the two nodes that are idle now, so that C has the first node until then."""
    jobs = (Job(A, 0, 50, 20, nodes=1), Job(B, 1, 60, 5, nodes=2), Job(C, 22, 120, 5, nodes=1))
    case = Case((8, 8, 8), jobs, (Window(frozenset({1, 2}), 10, 90),))
    assert run(case).plans[1] == {B: 90}
    assert times(twin(case)) == {A: 0, B: 90, C: 22}
