"""The machine: a SimPy resource of identical processors, governed by a scheduler process.

Processes submit jobs and campaigns, or hold processors for as long as they like. Their actions at one instant are
buffered. The scheduler process (`thinktime.models.scheduler`) then applies them in a defined order, asks the policy,
and starts jobs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import simpy
from numpy.typing import NDArray

from thinktime.models import machine_checks
from thinktime.models.chains import Chain
from thinktime.models.combinations import Wanted, refuse
from thinktime.models.demand import LostDemand
from thinktime.models.estimates import Estimator, guess_from
from thinktime.models.events import CampaignEvent, Hold, Interruption, JobEvent, JobRecord
from thinktime.models.job_columns import Requests
from thinktime.models.kernels.machine_state import CAMPAIGNS, EXPLAINED, NEXT_ID
from thinktime.models.labels import LABELLED, Labels
from thinktime.models.listeners import Listeners, Observer
from thinktime.models.machine_checks import name_of, shown
from thinktime.models.plans import Plans
from thinktime.models.policies import Easy, Policy, as_policy
from thinktime.models.policies.hooks import Hooks
from thinktime.models.pool import Pool
from thinktime.models.results.result import Result
from thinktime.models.scheduler import Scheduler
from thinktime.models.sight import Sight
from thinktime.models.split_jobs import SplitJobs
from thinktime.models.state import Reason, State
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.segments import first_number
from thinktime.workloads.trace import Trace

if TYPE_CHECKING:
    from thinktime.models.changing.pool import ChangingPool
    from thinktime.models.changing.rules import Changes
    from thinktime.models.nodes.site import Score
    from thinktime.workloads.node_requests import NodeRequest
    from thinktime.workloads.nodes import Nodes


MOST_PROCESSORS = 2**53
"""Processors are fewer than this, so that their sums are exact as doubles."""


class Machine:
    """A parallel machine of ``processors`` identical processors, with a queue of jobs.

    ``policy`` (default: EASY) is a policy, its text (``"easy:order=lxf"``) or a function ``select(view,
    now)``; the machine uses a copy of it. ``overrun`` says what happens to a job at its estimate:
    ``kill`` it, ``extend`` it to its true end, or let it run on ``until_needed``. ``estimates`` are what the
    policy plans with instead of the requested times (`thinktime.models.estimates`).

    With ``nodes`` instead of ``processors``, the machine has nodes with several resources; ``allocator``
    (``first-fit``, ``best-fit``, ``worst-fit`` or a function) chooses among those that fit
    (`thinktime.models.nodes.site`).

    With ``reasons``, results have a column ``reason``: why each job last did not start
    (`thinktime.models.state.Reason`).

    Under a policy with a runtime limit, the machine splits longer jobs into segments. A job has one event for all of
    its segments (`thinktime.models.split_jobs`).

    Like other SimPy resources, it has ``capacity``, ``count`` (processors in use), ``queue`` and ``users``
    (the events of the waiting and the running jobs).
    """

    def __init__(
        self,
        env: simpy.Environment,
        processors: int | None = None,
        policy: Any = None,
        overrun: str = "kill",
        *,
        estimates: str = "requested",
        nodes: Nodes | None = None,
        allocator: str | Score = "first-fit",
        reasons: bool = False,
        changes: Changes | None = None,
    ) -> None:
        if not isinstance(env, simpy.Environment):
            raise TypeError(f"a machine needs a simpy.Environment first, Machine(env, processors=64), not {shown(env)}")
        given: Policy = as_policy(Easy() if policy is None else policy)
        refuse(Wanted(given, overrun, estimates, nodes is not None, changes is not None))
        self.env = env
        hooks = Hooks(given)
        self.policy: Policy = hooks.own_copy()
        self.pool: Pool
        self.labels = Labels()
        self.names = self.labels.names
        ranks: Mapping[str, int] | None = getattr(given, "ranks", None)
        if ranks is not None and changes is None:
            from thinktime.models.changing.rules import Changes

            changes = Changes()  # jobs may be preempted
        self.nodes, self.changes = nodes, changes
        if nodes is not None:
            from thinktime.models.nodes.pool import pool_of_nodes  # with kernels that few machines need

            self.pool = pool_of_nodes(nodes, processors, overrun, allocator)
        else:
            if isinstance(processors, bool) or not isinstance(processors, int | np.integer) or processors < 1:
                raise ValueError(f"processors must be a whole number of at least 1, not {processors!r}")
            if processors >= MOST_PROCESSORS:
                raise ValueError(f"processors must be below {MOST_PROCESSORS:,}, not {shown(processors)}")
            if changes is None:
                self.pool = Pool(int(processors), overrun, hooks.as_recorded)
            else:
                from thinktime.models.changing.pool import ChangingPool

                self.pool = ChangingPool(int(processors), overrun, changes, self.labels, ranks or {})
        if reasons:
            self.pool.explain_waits(getattr(given, "reason", Reason.POLICY))
        self.split_jobs = SplitJobs(hooks.runtime_limit, self.pool)
        guess = guess_from(estimates)
        self.estimator = None if guess is None else Estimator(estimates, guess, self.pool, self.names)
        self.listeners = Listeners(env, self.pool, self.split_jobs)
        self._lost = LostDemand()
        self._probe_row = -1
        self.scheduler = Scheduler(
            env, self.pool, self.policy, self.names, self.listeners, self.split_jobs, self.estimator
        )
        self.plans = Plans(env, self.pool, self.labels, self.listeners, self.scheduler)

    # -- as other SimPy resources -------------------------------------------------------

    @property
    def capacity(self) -> int:
        """Processors of the machine."""
        return self.pool.processors

    @property
    def count(self) -> int:
        """Processors in use."""
        self.scheduler.settle()
        return self.pool.processors - self.pool.idle

    @property
    def queue(self) -> list[JobEvent]:
        """The events of the waiting jobs, in queue order."""
        return [self.event(row) for row in self.pool.waiting_rows.tolist()]

    @property
    def users(self) -> list[JobEvent]:
        """The events of the running jobs, by expected end."""
        self.scheduler.settle()
        return [self.event(row) for row in self.pool.running_rows.tolist()]

    @property
    def over(self) -> int:
        """The number of jobs that are over, however they ended."""
        self.scheduler.settle()
        return self.scheduler.over

    def sight(self, user: Any = None) -> Sight:
        """A live, read-only view of the machine for one user: the queue, the user's places in it, predicted starts."""
        return Sight(self.scheduler, self._probe, user)

    # -- what users do ------------------------------------------------------------------

    def submit(self, job: Job) -> JobEvent:
        """Submit one job; returns the event of its end.

        ``ValueError`` if it could never run here, its number is taken, or its times are beyond the grid (2⁴³ s).
        Nothing has changed then.
        """
        row = self._append([job], campaign=-1)[0]
        self.scheduler.submitted(range(row, row + 1))
        return self.event(row)

    def submit_campaign(self, jobs: Iterable[Job]) -> CampaignEvent:
        """Submit several jobs of one user as one campaign; returns the event of the last end.

        ``ValueError`` as for `submit`: all jobs are submitted, or none.
        """
        listed = machine_checks.campaign_list(jobs)
        number = self.pool.hidden.item(CAMPAIGNS)
        rows = self._append(listed, campaign=number)
        self.pool.hidden[CAMPAIGNS] += 1
        event = CampaignEvent(self, number, rows)
        self.listeners.add_campaign(event)
        self.scheduler.submitted(rows)
        return event

    def request(
        self,
        processors: int = 1,
        estimate: float = math.inf,
        user: Any = None,
        *,
        group: Any = None,
        queue: Any = None,
        nodes: Any = None,
    ) -> Hold:
        """Ask for processors to hold: ``with machine.request(processors=4, estimate=3600) as hold: yield hold``.

        ``estimate`` (s) is how long the process expects to hold them. Under the overrun rule ``kill`` it is then
        interrupted with ``simpy.Interrupt(cause=Killed(…))`` and loses the processors.
        On a machine of nodes, ``nodes`` may say more: ``nodes="2:ppn=8:mem=4gb"`` (`Job`).
        """
        held = Job(  # the process determines the run time, so it is infinite here
            runtime=0.0,
            processors=processors,
            estimate=None if estimate == math.inf else estimate,
            user=user,
            group=group,
            queue=queue,
            nodes=nodes,
        )
        if estimate > self.split_jobs.limit:
            raise ValueError(
                f"policy {name_of(self.policy)} has a runtime limit of {self.split_jobs.limit:g} s, and a hold cannot "
                f"be split: give an estimate of at most that, not {estimate:g}"
            )
        row = self._append([held], campaign=-1)[0]
        self.pool.outcomes.runtime[row] = math.inf
        if self.changes is not None:
            self._changing("request").of_process(row)
        if estimate == math.inf:
            self.pool.requests.estimate[row] = self.pool.requests.requested[row] = math.inf
        hold = Hold(self, row)
        self.listeners.add_job(row, hold)
        self.scheduler.submitted(range(row, row + 1))
        return hold

    def release(self, hold: Hold) -> None:
        """Release the processors of a hold (the same as ``hold.release()``)."""
        hold.release()

    def lose(self, job: Job, reason: str, instead: Job | None = None, *, submitted: bool = False) -> None:
        """Record lost demand: a job that is not, or no longer, wanted here, with a one-word ``reason``.

        If a smaller job is submitted ``instead``, the difference is lost. The schedule does not change; the loss is
        in `Result.lost` and in ``lost_jobs`` and ``lost_node_hours`` of the summary. ``submitted`` says that the job
        had been submitted, so that it is already counted among the jobs of the result.
        """
        self._lost.add(ceil_to_grid(self.env.now), job, reason, instead, submitted)

    def lose_campaign(self) -> None:
        """Record that the job just lost was the last one of a campaign of which nothing is submitted."""
        self._lost.whole_campaign()

    # -- replaying logs -----------------------------------------------------------------

    def load(
        self,
        trace: Trace,
        order: NDArray[np.int64] | None = None,
        asked: Sequence[NodeRequest] = (),
        queues: Any = None,
    ) -> range:
        """Load a trace's jobs without submitting them; returns their rows.

        ``submit_rows`` submits ranges of them. Jobs that can never run here are refused when they are submitted.
        ``order`` (rows of the trace) is for users who decide when they submit: it makes jobs submitted together
        adjacent, and the log's submit times are ignored. ``asked`` is what the jobs ask of nodes, and ``queues`` the
        names of their queues, if a log has more than the standard fields (`thinktime.workloads.node_log`).
        """
        machine_checks.check_span(trace)
        self._give_way(trace.id)
        self.scheduler.tell_calendar(trace.calendar)
        columns: dict[str, Any] = {
            "runtime": trace.runtime,
            "id": trace.id,
            "submit": trace.submit,
            "processors": trace.processors,
            "estimate": trace.estimate,
            **{name: self.labels.codes(name, getattr(trace, name)) for name in LABELLED},
        }
        if (asks := trace.requested_memory > 0).any() or self.nodes is not None:
            columns["memory"] = np.where(asks, trace.requested_memory * 1024.0, np.nan)
        if not np.isnan(trace.wait).all():
            columns["recorded_start"] = trace.submit + trace.wait
        if queues is not None:
            columns["queue"] = self.labels.codes("queue", queues)
        if (columns["queue"] < 0).all():
            del columns["queue"]
        if order is not None:
            columns = {name: column[order] for name, column in columns.items()} | {"submit": math.nan}
        if self.nodes is not None and len(asked):
            columns["asked"] = asked if order is None else [asked[i] for i in order.tolist()]
        rows = self.pool.append(len(trace), **columns)
        self._next_id = max(self._next_id, first_number(trace.id))
        return self._split(rows, order)

    def load_jobs(self, user: Any, count: int, **columns: Any) -> range:
        """Load jobs of one user without submitting them; returns their rows.

        ``columns`` are arrays of ``runtime``, ``processors``, ``estimate`` and optionally ``memory``. The machine
        numbers the jobs.
        """
        first = self._next_id
        self._next_id += count
        rows = self.pool.append(
            count,
            id=np.arange(first, first + count),
            numbered_here=True,
            user=self.labels.code("user", user),
            **columns,
        )
        return self._split(rows)

    def submit_rows(self, rows: range) -> None:
        """Submit loaded jobs now, whatever their recorded submit times."""
        self.scheduler.submitted(rows)

    def chain(self, chain: Chain) -> simpy.Event:
        """Submit batches of loaded jobs, each after those that it waits for; returns the event of the last end.

        Compiled code counts them down, so this costs no more than submissions at known times.
        """
        self.scheduler.attend()
        return self.scheduler.chained(chain)

    def announce(self, rows: range, at: NDArray[np.float64] | None = None) -> None:
        """Submit loaded jobs at their recorded times, or at the given ones (s, ascending, none in the past).

        This does the same as a process that sleeps between submissions, with one SimPy event less for each.
        """
        if at is not None:
            self.pool.requests.submit[rows.start : rows.stop] = at
        self.scheduler.announced(rows)

    def watch(self, rows: range) -> simpy.Event:
        """An event that succeeds when the last of these loaded jobs is over; its value is the time.

        Use it to wait for many jobs without needing their records: compiled code counts them down. Call it before
        submitting the jobs. A job can be in one watch at a time.
        """
        self.scheduler.attend()
        return self.listeners.add_watch(rows)

    def can_plan(self) -> bool:
        """Whether users who cannot react can follow plans here (`plans`); if not, each is a process.

        They cannot on nodes, under a runtime limit, and between two points of the grid of time.
        """
        on_grid = self.env.now == ceil_to_grid(self.env.now)
        return on_grid and self.nodes is None and self.split_jobs.limit == math.inf

    def event(self, row: int) -> JobEvent:
        """The event of the job in one row, created at first use."""
        row = self.split_jobs.first(row)
        event = self.listeners.jobs.get(row)
        if event is None:
            self.scheduler.attend()
            event = JobEvent(self, row)
            if event.state.over:
                event.succeed(self.record(row))
            else:
                self.listeners.add_job(row, event)
        return event

    # -- observing ----------------------------------------------------------------------

    def observe(self, observer: Observer) -> None:
        """Add an observer, which sees the machine at every submission, before the submitted jobs are queued.

        For analysis, such as fair start times: an observer sees more than a policy may. A run without observers has
        no overhead.
        """
        self.listeners.observers.append(observer)
        self.scheduler.observed()

    # -- changing -----------------------------------------------------------------------

    def add_window(self, window: Window) -> None:
        """Announce a window now; ``ValueError`` if it begins in the past, or cannot be beside those that are known.

        The machine needs ``changes``, be it an empty `Changes()`.
        """
        now = ceil_to_grid(self.env.now)
        if window.start < now:
            raise ValueError(f"a window that begins at {window.start:.15g} s cannot be announced at {now:.15g} s")
        announced = replace(window, announced=now)
        self._changing("add_window").add_window(announced, now)
        self.scheduler.changed()

    def fail(self, processors: Iterable[int], until: float = math.inf) -> None:
        """Some processors, by index, fail now and are down until a time (s)."""
        now, failing = ceil_to_grid(self.env.now), sorted(set(processors))
        if failing and not 0 <= failing[0] <= failing[-1] < self.capacity:
            raise ValueError(f"processors that fail must be of 0 to {self.capacity - 1}, not {failing}")
        if not until > now:
            raise ValueError(f"until must be after {now:.15g} s, not {until!r}")
        self._changing("fail").fail(failing, now, ceil_to_grid(until))
        self.scheduler.changed()

    def _changing(self, what: str) -> ChangingPool:
        if self.changes is None:
            raise ValueError(f"{what}() is for machines that change: open this one with changes=Changes()")
        return self.pool  # type: ignore[return-value]

    def interruption(self, row: int) -> Interruption | None:
        """The last interruption of a job; None if there was none."""
        return None if self.changes is None else self._changing("interruption").interruption(row)

    # -- what has happened --------------------------------------------------------------

    def record(self, row: int) -> JobRecord:
        """The record of a job that is over."""
        requests, ends = self.pool.requests, self.pool.outcomes.end
        campaign, user = requests.campaign.item(row), requests.user.item(row)
        last, segments = self.split_jobs.current(row), self.split_jobs.rows(row)
        whole = self.split_jobs.requested(row)  # the owner's request, whatever the policy plans with
        submit, start = requests.submit.item(row), _known(requests.start.item(row))
        runs: tuple[tuple[float, float, str], ...] = ()
        if self.changes is not None:
            submit, runs = self._changing("record").record_of(row)
            start = runs[0][0] if runs else None
        return JobRecord(
            id=requests.id.item(row),
            user=self.names["user"][user] if user >= 0 else None,
            processors=requests.processors.item(row),
            estimate=requests.requested.item(row) if whole is None else whole,
            submit=submit,
            start=start,
            end=ends.item(last),
            state=State(requests.state.item(last)),
            campaign=campaign if campaign >= 0 else None,
            promised=_known(requests.promised.item(row)),
            latest_start=_known(requests.latest_start.item(row)),
            think_time=_known(requests.think_time.item(row)),
            segments=tuple(
                (requests.start.item(each), ends.item(each)) for each in segments if requests.start[each] <= ends[each]
            ),
            runs=runs,
        )

    def result(self, first: NDArray[np.int64] | None = None) -> Result:
        """The result so far: every job that was submitted, in whatever state.

        Jobs are in the order in which they became known to the machine, after those in the rows of ``first``.
        """
        self.scheduler.settle()
        requests, outcomes = self.pool.requests.columns(), self.pool.outcomes.columns()
        submitted = np.flatnonzero(requests["state"] != State.FUTURE)
        if first is not None:
            others = np.setdiff1d(submitted, first, assume_unique=True)
            submitted = np.concatenate([first[requests["state"][first] != State.FUTURE], others])
        table = {name: requests[name] for name in _SHOWN} | {"estimate": requests["requested"]}
        table |= {name: outcomes[name] for name in ("runtime", "end")}
        if self.pool.hidden[EXPLAINED]:
            table["reason"] = self.pool.reason[: self.pool.requests.size]
        history = None
        if self.changes is not None:
            table |= self._changing("result").first_runs()
            history = self._changing("result").history(submitted, float(self.env.now))
        over = requests["state"] >= State.FINISHED
        if over.all() and first is None:
            columns = table  # they do not change any more
        else:
            columns = {name: column[submitted] for name, column in table.items()}
            columns["end"][~over[submitted]] = np.nan
        if history is not None:
            runs = history.runs
            columns["runs"] = runs.summed(np.ones(len(runs)), len(submitted)).astype(np.int64)
            columns["lost"] = runs.summed(runs.lost, len(submitted))
        hooks = self.scheduler.hooks
        told = [f"policies plan with estimates: {self.estimator.text}"] if self.estimator else []
        split = [self.split_jobs.note()] if self.split_jobs.limit < math.inf else []
        return Result(
            columns=columns,
            names={name: list(labels) for name, labels in self.names.items()},
            processors=self.capacity,
            policy=name_of(self.policy),
            overrun=hooks.overrun_note or self.pool.overrun,
            now=float(self.env.now),
            notes=told + (hooks.notes(self.capacity) if hooks.notes else []) + split,
            lost_demand=self._lost.columns(),
            history=history,
            nodes=None if self.nodes is None else self.pool.record(submitted),  # type: ignore[attr-defined]
        )

    # -- inside -------------------------------------------------------------------------

    @contextmanager
    def _probe(self, job: Job, user: Any) -> Iterator[int]:
        """The row shared by all hypothetical jobs, which users only consider submitting."""
        machine_checks.check_job(job, ceil_to_grid(self.env.now))
        self._check_width(job)
        if self._probe_row < 0:
            self._probe_row = self.pool.append(1, runtime=math.nan).start
        row, jobs = self._probe_row, self.pool.requests
        jobs.id[row], jobs.submit[row] = self._next_id, ceil_to_grid(self.env.now)
        jobs.processors[row] = job.processors
        jobs.requested[row] = jobs.estimate[row] = job.requested_time
        if self.nodes is not None:
            self.pool.consider(row, job)  # type: ignore[attr-defined]
        for name in LABELLED:
            label = getattr(job, name)
            jobs.own(name)[row] = self.labels.code(name, user if name == "user" and label is None else label)
        yield row
        jobs.id[row], jobs.submit[row] = -1, math.nan

    def _append(self, jobs: Sequence[Job], campaign: int) -> range:
        now = ceil_to_grid(self.env.now)
        for job in jobs:
            machine_checks.check_job(job, now)
            self._check_width(job)
        count, ids = len(jobs), machine_checks.job_numbers(jobs, self._next_id, self.pool.requests)
        rows = self.pool.append(
            count,
            [job.runtime for job in jobs],
            id=ids,
            numbered_here=[job.id is None for job in jobs],
            submit=now,
            campaign=campaign,
            processors=[job.processors for job in jobs],
            estimate=[job.requested_time for job in jobs],
            memory=[math.nan if job.memory is None else job.memory for job in jobs],
            think_time=[math.nan if job.think_time is None else job.think_time for job in jobs],
            user=[self.labels.code("user", job.user) for job in jobs],
            group=[self.labels.code("group", job.group) for job in jobs],
            queue=[self.labels.code("queue", job.queue) for job in jobs],
            **self.pool.options_of(jobs),
        )
        self._next_id = max(self._next_id, max(ids) + 1)
        return self._split(rows)

    @property
    def _next_id(self) -> int:
        """The number of the next job without one of its own; kernels number jobs as well."""
        return self.pool.hidden.item(NEXT_ID)

    @_next_id.setter
    def _next_id(self, number: int) -> None:
        self.pool.hidden[NEXT_ID] = number

    def _split(self, rows: slice, order: NDArray[np.int64] | None = None) -> range:
        """Under a runtime limit, append the later segments of long jobs; returns the rows of the jobs."""
        jobs = range(rows.start, rows.stop)
        if self.split_jobs.limit < math.inf:
            later = self.split_jobs.split(jobs, self._next_id, order)
            self._next_id += len(later)
        return jobs

    def _check_width(self, job: Job) -> None:
        if self.nodes is not None:
            self.pool.check(job)  # type: ignore[attr-defined]
        if job.processors > self.capacity:
            name = "a job" if job.id is None else f"job {job.id}"
            raise ValueError(
                f"{name} asks for {job.processors} processors, but the machine has {self.capacity}; it could never run"
            )

    def _give_way(self, numbers: NDArray[np.int64]) -> None:
        """Renumber the machine's own jobs whose numbers collide with those of a log."""
        jobs = self.pool.requests
        own = np.flatnonzero(jobs.numbered_here[: jobs.size])
        if len(own) and np.isin(jobs.id[own], numbers).any():
            jobs.id = jobs.id.copy()  # a result may have it, too
            self.pool.bind()
            jobs.id[own] += max(int(numbers.max()), self._next_id)
            self._next_id = int(jobs.id[own].max()) + 1
        twice = numbers[np.isin(numbers, jobs.id[: jobs.size])]
        if len(twice):
            raise ValueError(f"the log has a job {twice[0]}, and so has this machine; number the jobs of one anew")

    def _cancel(self, row: int) -> None:
        self.scheduler.cancelled(self.split_jobs.current(row))

    def _release(self, row: int) -> None:
        self.scheduler.released(row)


_HIDDEN = ("requested", "key", "expected_end", "numbered_here", "equivalents", "runs", "done")
_SHOWN = [name for name in Requests.schema if name not in _HIDDEN]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
