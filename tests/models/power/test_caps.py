"""Caps on power: hand cases under every rule, caps as windows of watts, states that are cut, and what is refused."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thinktime as tt
from thinktime.models.policies.spec import RULES
from thinktime.workloads.changes.events_file import read_events, write_events

JobRow = tuple[float, int, float, float, float]
"""Submission, processors, run time, estimate, W per processor."""
ALL_RULES = [name for name in RULES if name != "recorded"]
TRIED = [
    "fcfs", "no-guarantee", "easy", "easy:order=sjf", "easy:reservations=2", "conservative",
    "conservative:compress=event", "conservative-dynamic", "slack:awt=100", "tradeoff", "cplant", "slurm", "creasy",
]  # fmt: skip
"""Rules that do not go by the size of the machine."""


def run(jobs: list[JobRow], spec: tt.MachineSpec) -> Any:
    def users(env: Any, machine: tt.Machine) -> Iterator[Any]:
        for number, (time, processors, runtime, estimate, power) in enumerate(jobs):
            if time > env.now:
                yield env.timeout(time - env.now)
            machine.submit(
                tt.Job(runtime=runtime, estimate=estimate, processors=processors, power=power, user=number % 3)
            )
        yield env.timeout(0)

    return tt.run(spec, users)


def times(result: Any) -> list[list[float]]:
    return [np.nan_to_num(result[name], nan=-1.0).tolist() for name in ("start", "end")]


def some_jobs(draw: random.Random, widest: int, power: float | None = None) -> list[JobRow]:
    jobs, time = [], 0.0
    for _ in range(draw.randint(5, 16)):
        time += draw.choice([0, 0, 1, 5, 20])
        estimate = draw.randint(1, 40)
        watts = draw.choice([0, 5, 10, 20]) if power is None else power
        jobs.append((time, draw.randint(1, widest), float(draw.randint(1, estimate + 5)), float(estimate), watts))
    return jobs


@pytest.mark.parametrize("rule", ALL_RULES)
def test_two_jobs_whose_watts_exceed_the_cap_run_one_after_the_other_under_every_rule(rule: str) -> None:
    """Hand case (b): 60 W each on 4 processors, cap 100 W."""
    rule = "slack:awt=100" if rule == "slack" else rule
    spec = tt.MachineSpec(4, rule, power=tt.Power(cap=100))
    jobs: list[JobRow] = [(0, 1, 100, 100, 60), (0, 1, 100, 100, 60)]
    assert sorted(run(jobs, spec)["start"]) == [0, 100]


@pytest.mark.parametrize(("watts", "start"), [(20, 20), (10, 0)])
def test_a_job_starts_before_the_head_if_the_watts_that_are_spare_at_its_shadow_time_suffice(
    watts: float, start: float
) -> None:
    """Hand case (c): the head needs 90 W of 100 when 50 W end at 10 s."""
    jobs: list[JobRow] = [(0, 1, 10, 10, 50), (0, 2, 10, 10, 45), (0, 1, 40, 40, watts)]
    assert run(jobs, tt.MachineSpec(4, "easy", power=tt.Power(cap=100)))["start"].tolist() == [0, 10, start]


def test_idle_processors_and_the_facility_are_below_the_cap_as_well() -> None:
    """4 idle processors of 5 W and a job of 60 W, at a factor of 1.25: 100 W."""
    for cap, starts in ((100, [0, 50]), (99.9, [-1, -1]), (175, [0, 0])):
        jobs: list[JobRow] = [(0, 1, 50, 50, 60), (0, 1, 50, 50, 60)]
        spec = tt.MachineSpec(4, "easy", power=tt.Power(idle=5, pue=1.25, cap=cap))
        if cap == 99.9:
            assert [str(tt.State(each).name) for each in run(jobs, spec)["state"]] == ["REFUSED"] * 2
        else:
            assert run(jobs, spec)["start"].tolist() == starts


def check_as_processors(seed: int) -> None:
    """A cap that falls is a window, if every processor draws the same, to the last start and end."""
    draw = random.Random(seed)
    size, rule = draw.choice([4, 6, 8]), draw.choice(TRIED)
    overrun, manner = draw.choice(["kill", "extend", "until_needed"]), draw.choice(["wait", "kill", "requeue"])
    caps, windows, end = [], [], 0
    for _ in range(draw.randint(1, 4)):
        start = end + draw.randint(1, 60)
        end = start + draw.randint(5, 60)
        left, announced = (
            draw.randint(0, size - 1),
            None if draw.random() < 0.6 else max(0, start - draw.randint(0, 30)),
        )
        caps.append(tt.Window(start, end, kind="cap", watts=10 * left, announced=announced, rule=manner))
        windows.append(tt.Window(start, end, size - left, announced=announced, rule=manner))
    jobs = some_jobs(draw, size, power=10)
    try:
        expected = run(jobs, tt.MachineSpec(size, rule, overrun, changes=tt.Changes(windows)))
    except ValueError as why:
        assert "cannot be combined" in str(why)
        return
    spec = tt.MachineSpec(size, rule, overrun, power=tt.Power(cap=10 * size), changes=tt.Changes(caps))
    assert times(run(jobs, spec)) == times(expected), (seed, rule, overrun, manner)


@pytest.mark.parametrize("seed", range(14))
def test_a_cap_that_falls_is_a_window_of_processors_that_all_draw_the_same(seed: int) -> None:
    """Waits, kills and requeues alike, under every rule that does not go by the size of the machine."""
    check_as_processors(seed)


@pytest.mark.thorough
def test_the_same_of_thousands() -> None:
    """As before, for thousands of cases."""
    for seed in range(100, 3100):
        check_as_processors(seed)


@pytest.mark.parametrize("seed", range(14))
def test_a_cap_that_never_binds_changes_no_start(seed: int) -> None:
    """Under every rule, on processors and nodes, with and without changes."""
    draw = random.Random(seed)
    size, rule, overrun = draw.choice([4, 6]), draw.choice(ALL_RULES), draw.choice(["kill", "extend", "until_needed"])
    rule = "slack:awt=100" if rule == "slack" else rule
    jobs = some_jobs(draw, size)
    kinds: list[dict[str, Any]] = [{"processors": size}, {"nodes": tt.Nodes.uniform(size // 2, 2)}]
    for kind in kinds:
        for changes in (None, tt.Changes()):
            spec = tt.MachineSpec(policy=rule, overrun=overrun, changes=changes, **kind)
            try:
                spec.check()
            except ValueError:
                continue
            capped = tt.MachineSpec(policy=rule, overrun=overrun, changes=changes, power=tt.Power(cap="1 MW"), **kind)
            assert times(run(jobs, capped)) == times(run(jobs, spec)), (seed, rule, overrun)


@pytest.mark.parametrize("kind", [{"processors": 8}, {"nodes": tt.Nodes.uniform(4, 2)}], ids=["pool", "nodes"])
@pytest.mark.parametrize("rule", TRIED)
def test_no_job_starts_above_the_cap_of_its_time(rule: str, kind: dict[str, Any]) -> None:
    """Steps of the cap count, whether they are known from the beginning or announced."""
    for seed in range(3):
        draw = random.Random(seed)
        caps = [tt.Window(20, 50, kind="cap", watts=30), tt.Window(70, 90, kind="cap", watts=55, announced=60)]
        spec = tt.MachineSpec(policy=rule, power=tt.Power(cap=80), changes=tt.Changes(caps), **kind)
        try:
            found = run(some_jobs(draw, 4), spec)
        except ValueError as why:
            assert "cannot be combined" in str(why)
            return
        start, end, draws = found["start"], found["end"], found["power"] * found["processors"]
        for row in np.flatnonzero(~np.isnan(start) & (draws > 0)):
            now = start[row]
            running = draws[(start <= now) & ~(end <= now)].sum()
            assert running <= (30 if 20 <= now < 50 else 55 if 70 <= now < 90 else 80)


OUTCOMES = {"wait": (20.0, 21.0), "kill": (20.0, 5.0), "requeue": (20.0, 30.0), "suspend": (20.0, 26.0)}


@pytest.mark.parametrize("kind", [{"processors": 2}, {"nodes": tt.Nodes.uniform(2, 1)}], ids=["pool", "nodes"])
@pytest.mark.parametrize("manner", OUTCOMES)
def test_what_becomes_of_the_youngest_job_when_the_cap_falls_below_what_runs(manner: str, kind: dict[str, Any]) -> None:
    """It waits for nothing, is killed, begins anew at the end of the cap, or goes on then with its work kept."""
    caps = [tt.Window(5, 10, kind="cap", watts=60, rule=manner, announced=3)]
    spec = tt.MachineSpec(policy="easy", power=tt.Power(cap=100), changes=tt.Changes(caps), **kind)
    found = run([(0, 1, 20, 20, 50), (1, 1, 20, 20, 50)], spec)
    assert tuple(found["end"]) == OUTCOMES[manner]


@pytest.mark.parametrize("rule", ["easy", "conservative", "slack:awt=100", "slurm"])
def test_a_run_below_a_cap_that_is_cut_goes_on_from_a_file_as_if_it_had_not_been(rule: str, tmp_path: Path) -> None:
    """The law of the cut holds below a cap."""
    draw = random.Random(5)
    jobs = some_jobs(draw, 4)
    spec = tt.MachineSpec(6, rule, power=tt.Power(cap=60, job=5))
    states = []

    def looking(env: Any, machine: tt.Machine) -> Iterator[Any]:
        yield env.timeout(30.5)
        states.append(machine.state())

    log = tt.Trace(
        {
            "submit": [each[0] for each in jobs], "runtime": [each[2] for each in jobs],
            "allocated": [each[1] for each in jobs], "requested_time": [each[3] for each in jobs],
        },
        further={"power": np.array([each[1] * each[4] for each in jobs], np.float64)},
    )  # fmt: skip
    whole = tt.run(spec, tt.sources.log(log), looking)
    states[0].save(tmp_path / "cut.state")
    went_on = tt.run(tt.MachineSpec(begin=tmp_path / "cut.state"))
    number = {job: row for row, job in enumerate(whole["id"].tolist())}
    rows = [number[job] for job in went_on["id"].tolist()]
    assert went_on["start"].tolist() == whole["start"][rows].tolist()
    assert whole["power"][rows].tolist() == went_on["power"].tolist()


def test_a_job_that_an_endless_cap_leaves_no_watts_is_refused_unless_it_can_run_before() -> None:
    """As for endless windows of processors."""
    changes = tt.Changes([tt.Window(20, np.inf, kind="cap", watts=40)])
    spec = tt.MachineSpec(4, "easy", power=tt.Power(cap=100), changes=changes)
    found = run([(0, 1, 15, 15, 60), (0, 1, 15, 15, 60), (0, 1, 30, 30, 40)], spec)
    assert np.nan_to_num(found["start"], nan=-1).tolist() == [0, -1, 0]


@pytest.mark.parametrize("off", [10, 2])
def test_what_is_switched_off_leaves_its_watts_to_jobs(off: float) -> None:
    """Of 4 processors of 10 W two are off until 50 s: jobs of 50 and 10 W fit below 90 W if these draw 2 W each."""
    changes = tt.Changes([tt.Window(0, 50, 2, kind="off")])
    power = tt.Power(idle=10, off=off, cap=90)
    found = run([(0, 1, 20, 20, 50), (0, 1, 20, 20, 10)], tt.MachineSpec(4, "easy", changes=changes, power=power))
    assert found["start"].tolist() == [0, 20 if off == 10 else 0]


def test_policies_see_power_and_the_cap() -> None:
    """A policy of one's own that adds watts up gets the numbers it needs."""
    seen = []

    def select(view: Any, now: float) -> Iterator[Any]:
        seen.append((now, view.power, view.cap, [job.power for job in view.queue]))
        for job in view.queue:
            if view.power + job.power <= view.cap:
                yield job
                return

    power = tt.Power(idle=1, job=7, cap=50)
    spec = tt.MachineSpec(4, select, power=power, changes=tt.Changes([tt.Window(12, 30, kind="cap", watts=25)]))
    found = run([(0, 2, 10, 10, 20), (0, 1, 10, 10, 8), (15, 2, 5, 5, 7)], spec)
    assert found["start"].tolist() == [0, 10, 20]
    assert seen[0] == (0.0, 4.0, 50.0, [40.0, 8.0])
    assert (15.0, 12.0, 25.0, [14.0]) in seen


def test_policies_may_ask_whether_a_job_fits_below_the_cap() -> None:
    """`view.fits` counts watts on a steady pool, too: now, and at a later time; `view.earliest` says when."""
    seen = []

    def select(view: Any, now: float) -> Iterator[Any]:
        for job in view.queue:
            seen.append((now, job.id, view.fits(job), view.fits(job, 20.0), view.earliest(job)))
            if view.fits(job):
                yield job

    spec = tt.MachineSpec(4, select, power=tt.Power(cap=50))
    found = run([(0, 1, 10, 10, 40), (0, 1, 10, 10, 20)], spec)
    assert found["start"].tolist() == [0, 10]
    assert seen[:2] == [(0.0, 1, True, True, 0.0), (0.0, 2, False, True, 10.0)]


def test_what_files_say_of_caps_is_read_and_written(tmp_path: Path) -> None:
    """In files of events and in TOML."""
    windows = (tt.Window(5, 10, kind="cap", watts="0.02 kW", rule="kill"), tt.Window(20, 30, 2))
    write_events(tmp_path / "events.csv", windows)
    assert read_events(tmp_path / "events.csv", machine=4).windows == windows
    spec = tt.MachineSpec(4, power=tt.Power(idle=2, cap="1 kW"), changes=tt.Changes(windows))
    assert tt.MachineSpec.from_toml(spec.to_toml()) == spec


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: tt.Power(cap=-1), "cap must be watts of at least 0, or a text such as '90 kW', not -1"),
        (lambda: tt.Power(idle=250_000), "idle is 250,000 W for a single processor or node"),
        (lambda: tt.Power(pue=0.9), "pue must be a number from 1 to 10, not 0.9"),
        (lambda: tt.Window(5, 10, kind="cap"), "a cap needs watts"),
        (lambda: tt.Window(5, 10, 4, watts=5), "only a cap"),
        (lambda: tt.Window(5, 10, 4, kind="cap", watts=5), "a cap takes no processors"),
        (lambda: tt.Window(5, 10, 4, rule="suspend"), "rule cannot be 'suspend'"),
        (
            lambda: run([], tt.MachineSpec(10, power=tt.Power(idle=10, cap=50))),
            "the cap of 50 W is below the 100 W that 10 idle processors draw",
        ),
        (
            lambda: run([], tt.MachineSpec(4, changes=tt.Changes([tt.Window(0, 9, kind="cap", watts=1)] * 2))),
            "two caps are on at 0 s; a cap must end before the next begins",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(make: Any, why: str) -> None:
    """It says what is wrong, and what would be right."""
    with pytest.raises(ValueError, match=why.replace("(", r"\(")):
        make()


def test_a_cap_is_announced_only_where_there_is_one() -> None:
    """Elsewhere a sentence says how to open the machine; where it is, jobs that would run into it wait."""

    def operator(env: Any, machine: tt.Machine) -> Iterator[Any]:
        yield env.timeout(1)
        machine.add_window(tt.Window(5, 9, kind="cap", watts=30))

    with pytest.raises(ValueError, match="opened without a cap"):
        tt.run(tt.MachineSpec(4, changes=tt.Changes()), operator)
    spec = tt.MachineSpec(4, changes=tt.Changes(), power=tt.Power(cap=100, job=40))
    log = tt.Trace({"submit": [0, 2], "runtime": [3, 5], "allocated": [1, 1]})
    assert tt.run(spec, operator, tt.sources.log(log))["start"].tolist() == [0, 9]


def test_power_that_no_processor_draws_is_left_out_and_told() -> None:
    """Energy over run time and processors: 50 W; 10 MW of two processors is none, and of one job nothing is known."""
    log = tt.Trace(
        {"submit": [0, 1, 2], "runtime": [10, 10, 10], "allocated": [2, 2, 1]},
        further={"energy": np.array([1000.0, 1e8, np.nan])},
    )
    found = tt.run(tt.MachineSpec(8, power=tt.Power(job=7)), tt.sources.log(log))
    assert found["power"].tolist() == [50, 7, 7]
    assert found.notes == [
        "the log says the power of 1 of 3 jobs (of 1 it cannot be); the others draw 7 W per processor"
    ]


def test_a_cap_below_which_nobody_draws_anything_is_told() -> None:
    """Without the power of any job, none is kept from starting; one whose power is known is enough."""
    said = "the cap on power has no effect: no job draws any; say what each processor of one draws (job=)"
    for power, told in ((None, True), (50.0, False)):

        def user(env: Any, machine: tt.Machine, power: Any = power) -> Iterator[Any]:
            machine.submit(tt.Job(runtime=3, power=power))
            yield env.timeout(0)

        result = tt.run(tt.MachineSpec(4, power=tt.Power(cap=100)), user)
        assert (said in result.notes) == told
        assert not tt.run(tt.MachineSpec(4, power=tt.Power(cap=100, job=5)), user).notes
