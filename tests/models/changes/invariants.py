"""What every schedule of a machine that changes has to satisfy, whoever made it, seen from its `Outcome` alone.

`check(case, outcome)` raises an AssertionError that says what is wrong. Nothing here knows how a schedule is made.
"""

from collections import Counter
from itertools import pairwise

from tests.models.changes.case import INF, Case, Job, Outcome, Run, Time, Window
from tests.models.changes.work import Work

INTERRUPTED = ("failed", "window", "preempted")


def check(case: Case, outcome: Outcome) -> None:
    """All of the invariants."""
    for job in case.jobs:
        check_runs(case, job, outcome)
        check_work(case, job, outcome)
    check_places(case, outcome)
    check_interruptions(case, outcome)
    if not isinstance(case.machine, int):
        check_windows_of_nodes(case, outcome)
        check_suspended(case, outcome)
        return
    check_windows(case, outcome)
    check_beginnings(case, outcome)
    if case.options.overrun == "kill" and not case.options.grace:
        check_reach(case, outcome)


def check_runs(case: Case, job: Job, outcome: Outcome) -> None:
    """Runs come after the submission and after each other, and all of their time is accounted for."""
    free = job.submit
    for number, run in enumerate(outcome.of(job.id), start=1):
        assert run.number == number, f"{run}: it should have number {number}"
        assert run.start >= free, f"{run}: it may not start before {free}"
        assert min(run.progress, run.overhead, run.lost) >= 0, f"{run}: negative"
        assert run.end - run.start == run.progress + run.overhead + run.lost, f"{run}: time unaccounted for"
        assert len(run.indices) == job.width, f"{run}: not its width"
        free = int(run.end) + case.options.requeue_delay
    assert job.id not in outcome.over or outcome.over[job.id] >= max([r.end for r in outcome.of(job.id)], default=0)


def check_work(case: Case, job: Job, outcome: Outcome) -> None:
    """Work is done once: progress adds up to the work, or to the limit, or to less if the job was thrown off."""
    runs, state = outcome.of(job.id), outcome.states[job.id]
    progress = sum(run.progress for run in runs)
    limit = min(job.run, job.estimate) if case.options.overrun == "kill" else job.run
    assert all(run.how in INTERRUPTED for run in runs[:-1]), f"{runs}: a run after the last"
    last = runs[-1].how if runs else ""
    if last in ("finished", "limit"):
        assert (progress, runs[-1].lost) == (limit, 0), f"{runs}: not its work of {limit} s"
        assert (last == "finished") == (limit == job.run), f"{runs}: {last}, although its work is {job.run} s"
    else:
        assert progress < limit or not limit, f"{runs}: its work is done, but it goes on"
    ran = {"finished": "finished", "limit": "killed", "cancelled": "killed"}
    if last in ran:
        assert state == ran[last], f"{runs}: {state}"
    else:
        assert state in (("killed", "waiting") if runs else ("withdrawn", "refused", "waiting")), f"{runs}: {state}"


def check_places(case: Case, outcome: Outcome) -> None:
    """Nothing that is down is in use, and nothing is used beyond what it has."""
    by_id = {job.id: job for job in case.jobs}
    for run in outcome.runs:
        for o in case.outages:
            down = o.start < run.end and run.start < o.end and o.indices & set(run.indices)
            assert not down, f"{run}: on what was down in {o}"
    for time in {run.start for run in outcome.runs}:
        used: Counter[int] = Counter()
        memory: Counter[int] = Counter()
        for run in _present(outcome, time):
            assert len(set(run.indices)) == len(run.indices), f"{run}: an index twice"
            for index in run.indices:
                used[index] += by_id[run.job].cores
                memory[index] += by_id[run.job].memory
        for index in used:
            cores, size = (1, 0) if isinstance(case.machine, int) else _node(case, index)
            assert used[index] <= cores, f"{index} over-committed at {time}"
            assert memory[index] <= size, f"memory of {index} over-committed at {time}"


def check_interruptions(case: Case, outcome: Outcome) -> None:
    """Runs are interrupted when something happens that interrupts them, and lose what was not saved."""
    options = case.options
    by_id = {job.id: job for job in case.jobs}
    for run in outcome.runs:
        if run.how == "failed":
            assert any(o.start == run.end and o.indices & set(run.indices) for o in case.outages), f"{run}: no failure"
        elif run.how == "window":
            cleared = [w for w in case.windows if w.start == run.end and w.rule != "wait"]
            assert any(not w.admits(by_id[run.job]) for w in cleared), f"{run}: no window"
        elif run.how == "preempted":
            assert options.preempt is not None, f"{run}: no job preempts"
        if run.how in INTERRUPTED and not (run.how == "preempted" and options.preempt == "suspend"):
            _check_lost(run, Work(by_id[run.job], options))
        else:
            assert run.lost == 0, f"{run}: it keeps its work"
    if options.max_restarts is not None:
        for job in case.jobs:
            thrown = sum(run.how in INTERRUPTED for run in outcome.of(job.id))
            assert thrown <= options.max_restarts + 1, f"{job}: too many restarts"
            assert thrown <= options.max_restarts or outcome.states[job.id] == "killed", f"{job}: too many restarts"


def _check_lost(run: Run, work: Work) -> None:
    if work.tau is None or work.tau == INF:
        assert run.progress == 0, f"{run}: nothing was saved"
    else:
        assert run.progress % work.tau == 0 and run.lost < work.tau + work.delta, f"{run}: not from a checkpoint"


def check_windows(case: Case, outcome: Outcome) -> None:
    """A job that starts finds room among what is up, not in use, and not held by windows that do not admit it."""
    for run in outcome.runs:
        job = _job(case, run)
        if run.end > run.start:
            room = _room(case, outcome, job, run.start, run.start, _down(case, run.start))
            assert room >= 0, f"{run}: {-room} processors too many"


def check_beginnings(case: Case, outcome: Outcome) -> None:
    """When a window begins that does not wait, no job that it does not admit runs on unless there is room."""
    for window in case.windows:
        time = window.start
        open_now = [w for w in case.windows if w.start <= time < w.end and w.rule != "wait"]
        before = [run for run in outcome.runs if run.start < time < run.end]
        others = [run for run in before if not window.admits(_job(case, run))]
        if window.rule == "wait" or not others:
            continue
        jobs = [_job(case, run) for run in before]
        holds = sum(max(0, w.processors - sum(job.width for job in jobs if w.admits(job))) for w in open_now)
        room = case.size - len(_down(case, time)) - sum(job.width for job in jobs) - holds
        freed = [room + _gain(open_now, jobs, _job(case, run)) for run in others]
        assert room >= 0 or max(freed) <= room, f"{window}: jobs are in its way"


def _gain(windows: list[Window], jobs: list[Job], job: Job) -> int:
    """What the sum of section 5 would gain if a job left."""
    left = [other for other in jobs if other is not job]

    def holds(present: list[Job]) -> int:
        return sum(max(0, w.processors - sum(j.width for j in present if w.admits(j))) for w in windows)

    return job.width + holds(jobs) - holds(left)


def check_windows_of_nodes(case: Case, outcome: Outcome) -> None:
    """No run is on the nodes of a window that does not admit it, nor would be by its planned length."""
    for run in outcome.runs:
        closed = [w for w in case.windows if set(run.indices) & set(w.nodes) and not w.admits(_job(case, run))]
        for window in closed:
            if window.announced <= run.start and run.end > run.start:
                planned = _planned_end(case, outcome, run)
                assert planned <= window.start or run.start >= window.end, f"{run}: it reaches into {window}"
            elif window.rule != "wait":
                assert not run.start < window.start < run.end, f"{run}: in the way of {window}"


def check_suspended(case: Case, outcome: Outcome) -> None:
    """A suspended job resumes on its nodes, unless one of them was down since."""
    if case.options.preempt == "suspend":
        for run, after in pairwise(outcome.runs):
            if run.job == after.job and run.how == "preempted" and run.indices != after.indices:
                since = [o for o in case.outages if run.end <= o.start <= after.start]
                assert any(o.indices & set(run.indices) for o in since), f"{after}: not on its nodes"


def check_reach(case: Case, outcome: Outcome) -> None:
    """By its planned length, no run reaches into a window known at its start unless there is room in it."""
    for run in outcome.runs:
        job = _job(case, run)
        planned = _planned_end(case, outcome, run)
        known = [w for w in case.windows if w.announced <= run.start and not w.admits(job)]
        for time in {w.start for w in known if run.start < w.start < planned and run.end > run.start}:
            down = _down(case, run.start, time if case.options.repairs == "told" else None)
            room = _room(case, outcome, job, run.start, time, down)
            assert room >= 0, f"{run}: it reaches into a window at {time}, {-room} processors too many"


def _room(case: Case, outcome: Outcome, job: Job, now: Time, time: Time, down: set[int]) -> int:
    """What is left at `time` of what may be used by `job`, as planned at `now` after all starts."""
    present = [r for r in _present(outcome, now) if time == now or _planned_end(case, outcome, r) > time]
    jobs = [_job(case, run) for run in present]
    closed = [w for w in case.windows if w.announced <= now and w.start <= time < w.end and not w.admits(job)]
    holds = sum(max(0, w.processors - sum(j.width for j in jobs if w.admits(j))) for w in closed)
    return case.size - len(down) - sum(j.width for j in jobs) - holds


def _planned_end(case: Case, outcome: Outcome, run: Run) -> Time:
    done = sum(r.progress for r in outcome.of(run.job) if r.number < run.number)
    return run.start + Work(_job(case, run), case.options).planned(done, run.number == 1)


def _present(outcome: Outcome, time: Time) -> list[Run]:
    return [run for run in outcome.runs if run.start <= time < run.end]


def _down(case: Case, now: Time, time: Time | None = None) -> set[int]:
    """What is down now, or what of it will still be at a later time."""
    later = now if time is None else time
    return {i for o in case.outages if o.start <= now < o.end and later < o.end for i in o.indices}


def _job(case: Case, run: Run) -> Job:
    return next(job for job in case.jobs if job.id == run.job)


def _node(case: Case, index: int) -> tuple[int, int]:
    assert not isinstance(case.machine, int)
    return case.machine[index].cores, case.machine[index].memory
