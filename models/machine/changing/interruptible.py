"""Jobs that may be interrupted: what they say of it and what has happened to them; a part of a machine that changes."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import interruptions, machine_state
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.codes.runs import LEAST
from thinktime.models.engine.interruptions import runs
from thinktime.models.jobs.forms import RIGID, Forms, of_processors
from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.pool import Pool
from thinktime.models.jobs.runs import WHY, record_of, runs_of
from thinktime.models.machine.changing.ranks import Ranks
from thinktime.models.machine.changing.rules import Changes, check_checkpoints
from thinktime.models.machine.changing.timeline import Timeline
from thinktime.models.machine.job_records import Interruption
from thinktime.models.results.history import History, Saving
from thinktime.models.state import State
from thinktime.workloads.arrays import Floats, Rows, Whole
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.grid import to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.shapes.of_logs import LogShapes
from thinktime.workloads.shapes.shape import Shape

OF_RUNS = ("runs", "done", "submit", "estimate")


class InterruptibleJobs(Pool):
    """A pool whose jobs may be thrown off, and run again."""

    changes: Changes
    ranks: Ranks
    arrays: dict[str, NDArray[Any]]
    windows: list[Window]
    log: NDArray[np.float64]
    sizes: Mapping[str, int] | None = None
    """The processors of each node, by its name."""
    first_and_count: Any
    """For each job the first range of processors or nodes that it has, or had, and their number."""
    _labels: Labels
    _timeline: Timeline | None
    _last_of: dict[int, int]
    """The last record of each row, of those looked at."""
    _looked_at: int
    forms: Forms | None = None
    """The shapes of its jobs, where these may have several sizes."""

    def ranges(self) -> NDArray[np.int64]:
        """All ranges of processors or nodes (`thinktime.models.results.history.Runs`)."""
        raise NotImplementedError

    def append(self, count: int, runtime: Any, **columns: Any) -> slice:
        """Add jobs, which may have checkpoints and restarts of their own."""
        own = {name: columns.pop(name) for name in ("lasting", "checkpoint", "cost", "restart") if name in columns}
        shapes = columns.pop("shape", None)
        rows = super().append(count, runtime, **columns)
        for name in ("checkpoint", "cost", "restart"):
            self.arrays[name][rows] = own.get(name, getattr(self.changes, name))
        self.arrays["lasting"][rows] = own.get("lasting", -1)
        every = np.arange(rows.start, rows.stop)
        self.arrays["rank"][rows] = self.ranks.of(self.requests, self._labels.names, every)
        if self.forms is not None and shapes is not None:
            self._take_shapes(rows, shapes)
        self._plan(rows)
        return rows

    def append_like(self, rows: NDArray[np.int64], runtime: Any, **columns: Any) -> slice:
        """Add jobs that may have the sizes that others may have."""
        if self.forms is not None:
            columns["shape"] = LogShapes.of([self.shape_of(row) for row in rows.tolist()])
        return super().append_like(rows, runtime, **columns)

    def _take_shapes(self, rows: slice, shapes: LogShapes) -> None:
        """Jobs have come with these shapes, and have their preferred sizes."""
        assert self.forms is not None
        known = len(self.forms.shapes)
        codes = self._forms_of(rows, shapes)
        if len(self.forms.shapes) > known:
            self.arrays |= self.forms.arrays()
            self.bind()
        here = codes >= 0
        place = self.arrays["form_preferred"][codes[here]]
        self.arrays["form"][rows] = codes
        rates = np.ones(len(codes))
        rates[here] = self.arrays["form_rates"][place]
        self.arrays["rate"][rows] = rates
        self.requests.estimate[rows] = to_grid(self.requests.estimate[rows] / rates)

    def consider(self, row: int, job: Job) -> None:
        """Let a row that is not submitted have the sizes of a job, and ask what it asks."""
        super().consider(row, job)
        if self.forms is not None:
            rows = slice(row, row + 1)
            self._take_shapes(rows, LogShapes.of([job.shape]))
            self._plan(rows)

    def shape_of(self, row: int) -> Shape | None:
        """The shape of a job; None for one that is rigid here."""
        form = RIGID if self.forms is None else int(self.arrays["form"][row])
        return None if self.forms is None or form == RIGID else self.forms.shapes[form]

    def _plan(self, rows: slice) -> None:
        """Let estimates include checkpoints, which do not count against the limit."""
        interval, cost = self.arrays["checkpoint"][rows], self.arrays["cost"][rows]
        estimate = self.requests.estimate
        if cost.any():
            with np.errstate(invalid="ignore"):
                pieces = np.where(interval < estimate[rows], np.ceil(estimate[rows] / interval) - 1.0, 0.0)
                estimate[rows] += np.where(pieces > 0, cost * pieces, 0.0)

    def _form_of(self, row: int, shape: Shape | None) -> int:
        """The number of the shape of a job."""
        assert self.forms is not None
        return self.forms.code(shape, None, of_processors)

    def _forms_of(self, rows: slice, shapes: LogShapes) -> Whole:
        """Those of several jobs: here each shape has one number."""
        return np.array([*(self._form_of(rows.start, shape) for shape in shapes.shapes), RIGID])[shapes.codes]

    def options_of(self, jobs: Sequence[Job]) -> dict[str, Any]:
        """What jobs say of their runs, and of what they ask."""
        usual = self.changes
        for job in jobs:
            if job.checkpoint is None:
                check_checkpoints(usual.checkpoint, job.checkpoint_cost or 0.0)
        return (
            super().options_of(jobs)
            | {
                "lasting": [-1 if job.requeue is None else int(not job.requeue) for job in jobs],
                "checkpoint": [usual.checkpoint if job.checkpoint is None else job.checkpoint for job in jobs],
                "cost": [usual.cost if job.checkpoint_cost is None else job.checkpoint_cost for job in jobs],
                "restart": [usual.restart if job.restart is None else job.restart for job in jobs],
            }
            | ({} if self.forms is None else {"shape": LogShapes.of([job.shape for job in jobs])})
        )

    def of_process(self, row: int) -> None:
        """A job is a hold, which has no checkpoints and cannot run again."""
        self.arrays["checkpoint"][row], self.arrays["lasting"][row] = math.inf, of.OF_PROCESS

    def has_run(self, row: int) -> bool:
        """Whether a waiting job has run before."""
        return bool(self.requests.runs[row])

    @property
    def of_runs(self) -> tuple[str, ...]:  # type: ignore[override]
        """Columns that change with interruptions, and with sizes."""
        return OF_RUNS if self.forms is None else (*OF_RUNS, "processors", "equivalents")

    def _run_as_expected(self) -> None:
        """The work of every job is its limit; checkpoints and restarts are in its estimate already."""
        jobs = self.requests
        self.outcomes.runtime = jobs.requested = np.maximum(jobs.requested, jobs.done + LEAST)
        if self.forms is not None:
            self.arrays |= {"worked": jobs.done.copy(), "true_rate": self.arrays["rate"].copy(),
                            "form_true_rates": self.arrays["form_rates"]}  # fmt: skip
            self.bind()

    def as_known(self) -> None:
        """From now on every estimate is the time for which the job will run undisturbed, at its true speed."""
        if self.forms is not None:
            self._believe_the_truth()
        super().as_known()

    def _believe_the_truth(self) -> None:
        """Let limits pass at the true rates, and let as much of them be left as jobs could work for."""
        arrays, jobs, size = self.arrays, self.requests, self.requests.size
        true, believed = self._rates(np.arange(size))
        done, worked = jobs.done[:size], arrays["worked"][:size]
        same = (true == believed) & (worked == done)
        left = np.where(same, jobs.requested[:size], worked + (jobs.requested[:size] - done) * true / believed)
        self.arrays |= {"form_rates": arrays["form_true_rates"], "rate": arrays["rate"].copy()}
        self.arrays["rate"][:size] = true
        jobs.requested, jobs.done = left, worked.copy()

    def _rates(self, rows: Rows) -> tuple[Floats, Floats]:
        """How fast jobs are on the sizes that they have, or would start with: really, and as it is believed."""
        arrays, form = self.arrays, self.arrays["form"][rows]
        here, far = form >= 0, self.processors + int(arrays["form_sizes"].max(initial=0)) + 1
        of = np.repeat(np.arange(len(arrays["form_preferred"])), np.diff(arrays["form_first"]))
        keys, wanted = of * far + arrays["form_sizes"], form[here] * far + self.requests.processors[rows[here]]
        place = np.searchsorted(keys, wanted)
        true, believed = np.ones(len(rows)), np.ones(len(rows))
        true[here], believed[here] = arrays["form_true_rates"][place], arrays["form_rates"][place]
        return true, believed

    def progress(self, rows: Rows, now: float) -> Floats:
        """How much jobs have done that run, by their owners' beliefs: s of run time on their reference sizes."""
        if self.forms is None:
            return super().progress(rows, now)
        arrays, run = self.arrays, self.requests.state[rows] == State.RUNNING
        worked = np.minimum(now, arrays["still_from"][rows]) - self.requests.start[rows] - arrays["pause"][rows]
        return np.where(run, self.requests.done[rows] + arrays["rate"][rows] * np.maximum(0.0, worked), 0.0)

    def as_drawn(self, rows: Rows, runtime: Floats, now: float) -> None:
        """From now on these jobs run for so long in all, s on their reference sizes; one that should be over goes on.

        As `AssumedEnds.as_drawn`; what is added or left out is done with the size that a job has, or will shrink to.
        """
        if self.forms is None:
            super().as_drawn(rows, runtime, now)
            return
        arrays, jobs, truth = self.arrays, self.requests, self.outcomes
        run = np.flatnonzero(jobs.state[rows] == State.RUNNING)
        own = rows[run]
        true, believed = self._rates(own)
        begin = jobs.start[own] + arrays["pause"][own]
        stands = truth.end[own] > arrays["still_from"][own]
        passed = np.where(stands, np.minimum(arrays["still_from"][own], 1e300) - begin, 0.0)
        work, limit = truth.runtime[own] - arrays["worked"][own], jobs.requested[own] - jobs.done[own]
        work, limit = work - passed * true, limit - passed * believed
        to = arrays["shrinks_to"][own]
        if stands.any():
            true = np.where(stands, arrays["form_true_rates"][to], true)
            believed = np.where(stands, arrays["form_rates"][to], believed)
        limit = limit / believed if self.mode == machine_state.KILL else np.full(len(own), np.inf)
        before, after = work / true, (work + runtime[run] - truth.runtime[own]) / true
        later = truth.end[own] + to_grid(np.minimum(after, limit) - np.minimum(before, limit))
        later = np.where(stands, np.maximum(later, arrays["shrinks_at"][own]), later)
        truth.runtime[rows] = runtime
        truth.end[own] = np.where(later <= now, now + 1.0, later)
        truth.fate[own] = np.where(after > limit, State.KILLED, State.FINISHED)
        self.bind()
        self.sort_running()

    def _expect_as_known(self) -> None:
        self.requests.requested, self.requests.estimate = self.outcomes.runtime, self.requests.estimate.copy()
        self.bind()
        for row in self.waiting_rows.tolist():
            runs.plan_run(self.state, row)

    def give_up(self, row: int, now: float) -> None:
        """A job does not wait any more, or will never be submitted."""
        super().give_up(row, now)
        self.state.changes.let_go(self.state, row)

    def taken_back(self, row: int) -> State:
        """What becomes of a job that its user takes back while it does not run; one that has run is killed."""
        self.arrays["gave_up"][row] = has_run = self.has_run(row)
        return State.KILLED if has_run else State.WITHDRAWN

    def gave_up(self, row: int) -> bool:
        """Whether a job that has run was taken back while it waited to run again."""
        return bool(self.arrays["gave_up"][row])

    # -- what has happened --------------------------------------------------------------

    def broken_runs(self) -> NDArray[np.float64]:
        """The records of the runs that were broken off (`thinktime.models.engine.interruptions.interruptions`)."""
        count = self.truth.logged
        return self.log[: count * interruptions.RECORD].reshape(count, interruptions.RECORD)

    def interruption(self, row: int) -> Interruption | None:
        """The last interruption of a job; None if there was none."""
        records = self.broken_runs()
        for place in range(self._looked_at, len(records)):
            self._last_of[int(records[place, interruptions.ROW])] = place
        self._looked_at = len(records)
        if row not in self._last_of:
            return None
        last = records[self._last_of[row]]
        return Interruption(
            float(last[interruptions.STOP]), WHY[int(last[interruptions.HOW])], float(last[interruptions.LOST])
        )

    def first_runs(self) -> dict[str, NDArray[Any]]:
        """The columns of a result that begin with a job's first run: submission and start."""
        jobs, records = self.requests, self.broken_runs()
        start, submit = jobs.start[: jobs.size].copy(), jobs.submit[: jobs.size].copy()
        again = jobs.runs[: jobs.size] > 0
        if self.forms is not None:
            again |= np.isfinite(self.arrays["first_start"][: jobs.size])
        start[again] = self.arrays["first_start"][: jobs.size][again]
        rows, first = np.unique(records[:, interruptions.ROW].astype(np.int64), return_index=True)
        submit[rows] = records[first, interruptions.SUBMIT]
        found: dict[str, NDArray[Any]] = {"start": start, "submit": submit}
        if self.forms is not None:
            found["processors"] = self._preferred(slice(jobs.size))
            if self.forms.shapes:
                found["shape"] = self.arrays["form"][: jobs.size].astype(np.int64)
        return found

    def shape_names(self) -> list[str]:
        """The texts of the shapes that jobs have, by their codes."""
        return [] if self.forms is None else [str(each) for each in self.forms.shapes]

    def _preferred(self, rows: slice) -> NDArray[np.int64]:
        """The sizes that jobs ask for: those that are not rigid may have others."""
        assert self.forms is not None
        form: Whole = self.arrays["form"][rows].astype(np.int64)
        asked = self.requests.processors[rows].copy()
        here = form >= 0
        asked[here] = self.forms.asked_sizes()[form[here]]
        return asked

    def history(self, rows: Rows, now: float) -> History:
        """The runs of some jobs, and what happened to the machine up to now."""
        assert self._timeline is not None
        saving = Saving(*(self.arrays[name][rows] for name in ("checkpoint", "cost", "restart")))
        gave_up, happened = self.arrays["gave_up"][rows], self._timeline.happened(now)
        return History(runs_of(self, rows, now), tuple(self.windows), happened, saving, gave_up, self.sizes)

    def first_and_all_runs(self, row: int) -> tuple[float, float, tuple[tuple[float, float, str], ...]]:
        """Submission and first start of a job that is over (s), and start, end and ending of each of its runs."""
        submit, runs = record_of(self, row)
        return submit, runs[0][0] if runs else math.nan, runs
