"""The machine: a SimPy resource of identical processors, governed by a scheduler process.

Processes submit jobs and campaigns, or hold processors for as long as they like. Their actions at one instant are
buffered. The scheduler process (`thinktime.models.machine.scheduler`) then applies them in a defined order, asks the
policy, and starts jobs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import simpy
from numpy.typing import NDArray

from thinktime.models.jobs import checks as machine_checks
from thinktime.models.jobs.checks import name_of
from thinktime.models.machine.counting import Counting
from thinktime.models.machine.deferring import Deferring
from thinktime.models.machine.events import ArrayEvent, CampaignEvent, Hold, JobEvent
from thinktime.models.machine.job_records import Interruption, JobRecord
from thinktime.models.machine.listeners import Listeners, Observer
from thinktime.models.machine.loading import Loading
from thinktime.models.machine.parts import Parts
from thinktime.models.machine.plans import Plans
from thinktime.models.machine.records import priced, records_of, result_of
from thinktime.models.machine.scheduler import Scheduler
from thinktime.models.machine.sight import Sight
from thinktime.models.machine.state import MachineState
from thinktime.models.policies import Easy
from thinktime.models.results.result import Result
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.grid import ceil_to_grid
from thinktime.workloads.job import Job
from thinktime.workloads.job_arrays import TaskList
from thinktime.workloads.names import explain_arguments, quoted
from thinktime.workloads.signals.forecasts import Forecast, forecasts_of
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.units import Duration, as_seconds

if TYPE_CHECKING:
    import numpy as np

    from thinktime.models.jobs.estimator import Estimator
    from thinktime.models.jobs.node_states import Score
    from thinktime.models.machine.changing.rules import Changes
    from thinktime.models.machine.power import Power
    from thinktime.models.site.budget import Budget
    from thinktime.models.site.charge import Charge
    from thinktime.models.site.site import Site
    from thinktime.workloads.nodes import Nodes


@explain_arguments
class Machine(Counting, Loading):
    """A parallel machine of ``processors`` identical processors, with a queue of jobs.

    ``policy`` (default: EASY) is a policy, its text (``"easy:order=lxf"``) or a function ``select(view,
    now)``; the machine uses a copy of it. ``overrun`` says what happens to a job at its estimate:
    ``kill`` it, ``extend`` it to its true end, or let it run on ``until_needed``. ``estimates`` are what the
    policy plans with instead of the requested times (`thinktime.models.jobs.estimates`).

    With ``nodes`` instead of ``processors``, the machine has nodes with several resources; ``allocator``
    (``first-fit``, ``best-fit``, ``worst-fit``, ``consecutive`` or a function) chooses among those that fit
    (`thinktime.models.jobs.node_states`).

    ``site`` is what policies know of the site's configuration, such as its accounts and the weights of priorities
    (`thinktime.models.site.site`).

    With ``reasons``, results have a column ``reason``: why each job last did not start
    (`thinktime.models.state.Reason`).

    ``power`` is what its processors or nodes draw, and a cap on it (`thinktime.models.machine.power`).
    ``signals`` are prices and carbon over time, by name (`thinktime.workloads.signals`); jobs are charged a ``charge``
    (`thinktime.models.site.charge`), within a ``budget`` (`thinktime.models.site.budget`).

    With ``begin``, it goes on from the state of a machine with the same description (`MachineState`), at the time of
    the environment.

    Under a policy with a runtime limit, the machine splits longer jobs into segments. A job has one event for all of
    its segments (`thinktime.models.jobs.split_jobs`).

    Like other SimPy resources, it has ``capacity``, ``count`` (processors in use), ``queue`` and ``users``
    (the events of the waiting and the running jobs).

    ``TypeError`` for what is no environment or no policy, ``ValueError`` for what cannot be combined
    (`thinktime.models.machine.combinations`).

    >>> import simpy, thinktime as tt
    >>> env = simpy.Environment()
    >>> machine = tt.Machine(env, processors=64, policy="easy")
    >>> job = machine.submit(tt.Job(user="ada", processors=32, runtime=3600))
    >>> env.run(job).wait
    0.0
    >>> machine.result().jobs[["user", "start", "end"]].values.tolist()
    [['ada', 0.0, 3600.0]]
    """

    def __init__(
        self,
        env: simpy.Environment,
        processors: int | None = None,
        policy: Any = None,
        overrun: str = "kill",
        *,
        estimates: str | Estimator = "requested",
        nodes: Nodes | None = None,
        allocator: str | Score = "first-fit",
        reasons: bool = False,
        changes: Changes | None = None,
        site: Site | None = None,
        power: Power | None = None,
        signals: Mapping[str, Signal | Forecast] | None = None,
        charge: Charge | None = None,
        budget: Budget | None = None,
        begin: MachineState | None = None,
    ) -> None:
        if not isinstance(env, simpy.Environment):
            raise TypeError(
                f"a machine needs a simpy.Environment first, Machine(env, processors=64), not {quoted(env)}"
            )
        usual = Easy() if begin is None else begin.fields["policy"]
        fields: dict[str, Any] = {
            "processors": processors, "policy": usual if policy is None else policy, "overrun": overrun,
            "estimates": estimates, "nodes": nodes, "allocator": allocator, "reasons": reasons, "changes": changes,
            "site": site, "power": power, "signals": forecasts_of(signals), "charge": charge, "budget": budget,
        }  # fmt: skip
        parts = Parts.made(fields) if begin is None else begin.parts_for(fields, env)
        self.env = env
        self.fields = fields if begin is None else dict(begin.fields)
        self.parts = parts
        self.policy = parts.policy
        self.nodes, self.site = self.fields["nodes"], self.fields["site"]
        self.signals: Mapping[str, Forecast] = self.fields.get("signals") or {}
        """What is known of prices and carbon, by name."""
        self.labels, self.pool, self.split_jobs = parts.labels, parts.pool, parts.split_jobs
        if self.signals:
            self.pool.signals = self.signals
        self.changes = getattr(self.pool, "changes", None)
        self.names = self.labels.names
        self._partitions, self.conditions, self.estimator = parts.partitions, parts.conditions, parts.estimator
        self._intake, self._lost = parts.intake, parts.lost
        self.listeners = Listeners(env, self.pool, self.split_jobs)
        self.scheduler = Scheduler(
            env, self.pool, self.policy, self.names, self.listeners, self.split_jobs, self.estimator
        )
        self.plans = Plans(env, self.pool, self.labels, self.listeners, self.scheduler, self._lost)
        if (deferral := self.scheduler.hooks.deferral) is not None:
            signals = dict(self.signals)
            self.scheduler.deferring = Deferring(self.pool, self.names, self.split_jobs, deferral, signals)
            self.scheduler.deferring.begin(self.conditions, self.listeners.questions)
        elif self.pool.eligibility is not None:
            self.pool.eligibility.ask_about_all(False)
        if begin is not None:
            self.listeners.await_batches()
            self.scheduler.go_on_with(deepcopy(begin.due))

    def state(self) -> MachineState:
        """The machine as it is now, as a value from which others can go on; nothing changes here."""
        return MachineState.of(float(self.env.now), self.fields, self.parts, self.scheduler.due())

    # -- as other SimPy resources -------------------------------------------------------

    @property
    def queue(self) -> list[JobEvent]:
        """The events of the waiting jobs, in queue order, without those that are not eligible."""
        return [self.event(row) for row in self.pool.waiting_rows.tolist()]

    @property
    def aside(self) -> list[JobEvent]:
        """The events of the jobs that wait outside the queue, since they are not eligible, in order of submission."""
        return [self.event(row) for row in self.pool.aside_rows.tolist()]

    @property
    def users(self) -> list[JobEvent]:
        """The events of the running jobs, by expected end."""
        self.scheduler.settle()
        return [self.event(row) for row in self.pool.running_rows.tolist()]

    def sight(self, user: Any = None) -> Sight:
        """A live, read-only view of the machine for one user: the queue, the user's places in it, predicted starts."""
        return Sight(self.scheduler, self._considered, user)

    # -- what users do ------------------------------------------------------------------

    def submit(self, job: Job) -> JobEvent:
        """Submit one job; returns the event of its end.

        ``ValueError`` if it could never run here, its number is taken, or its times are beyond the grid (2⁴³ s).
        Nothing has changed then.
        """
        rows = self._intake.jobs([job], ceil_to_grid(self.env.now))
        self.scheduler.submitted(rows)
        return self.event(rows.start)

    def submit_campaign(self, jobs: Iterable[Job]) -> CampaignEvent:
        """Submit several jobs of one user as one campaign; returns the event of the last end.

        ``ValueError`` as for `submit`: all jobs are submitted, or none.
        """
        return self._submitted(machine_checks.campaign_list(jobs))

    def submit_array(self, jobs: Job | Iterable[Job], tasks: Any = None, at_most: int | None = None) -> ArrayEvent:
        """Submit an array of jobs as one campaign; returns the event of the last end.

        ``tasks`` are the numbers of its tasks, as a text such as ``"1-6%2"``, or how many there are (1, 2, …); each is
        the one job that is given, or the next of several. ``at_most`` so many of them are in the queue or run at once
        (Slurm's ``%``); the others wait outside the queue. A job that depends on the array depends on all of its
        tasks. ``ValueError`` as for `submit`.
        """
        listed = [jobs] if isinstance(jobs, Job) else machine_checks.campaign_list(jobs)
        found = TaskList.of(len(listed) if tasks is None else tasks, at_most)
        if self.site is not None:
            machine_checks.check_tasks(found, self.site.max_array_size)
        event = self._submitted(machine_checks.tasks_of(listed, found), found)
        assert isinstance(event, ArrayEvent)
        return event

    def _submitted(self, jobs: list[Job], tasks: TaskList | None = None) -> CampaignEvent:
        number = self.pool.truth.campaign_count
        rows = self._intake.jobs(jobs, ceil_to_grid(self.env.now), number, tasks)
        self.pool.truth.campaign_count += 1
        event = CampaignEvent(self, number, rows) if tasks is None else ArrayEvent(self, number, rows, tasks.numbers)
        self.listeners.add_campaign(event)
        self.scheduler.submitted(rows)
        return event

    def request(
        self,
        processors: int = 1,
        estimate: Duration = math.inf,
        user: Any = None,
        *,
        group: Any = None,
        queue: Any = None,
        partition: Any = None,
        nodes: Any = None,
    ) -> Hold:
        """Ask for processors to hold: ``with machine.request(processors=4, estimate=3600) as hold: yield hold``.

        ``estimate`` (s, or such as "1 h") is how long the process expects to hold them. Under the overrun rule ``kill``
        it is then
        interrupted with ``simpy.Interrupt(cause=Killed(…))`` and loses the processors.
        On a machine of nodes, ``nodes`` may say more: ``nodes="2:ppn=8:mem=4gb"`` (`Job`).
        """
        estimate = as_seconds("estimate", estimate)
        held = Job(
            runtime=0.0,
            processors=processors,
            estimate=None if estimate == math.inf else estimate,
            user=user,
            group=group,
            queue=queue,
            partition=partition,
            nodes=nodes,
        )
        if estimate > self.split_jobs.limit:
            raise ValueError(
                f"policy {name_of(self.policy)} has a runtime limit of {self.split_jobs.limit:g} s, and a hold cannot "
                f"be split: give an estimate of at most that, not {estimate:g}"
            )
        row = self._intake.hold(held, estimate, ceil_to_grid(self.env.now))
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
        no overhead. ``TypeError`` for what cannot be told of submissions.
        """
        self.listeners.add_observer(observer)
        self.scheduler.observed()

    # -- changing -----------------------------------------------------------------------

    def add_window(self, window: Window) -> None:
        """Announce a window now; ``ValueError`` if it begins in the past, or cannot be beside those that are known.

        The machine needs ``changes``, be it an empty `Changes()`.
        """
        now = ceil_to_grid(self.env.now)
        if not isinstance(window, Window):
            raise TypeError(f"a window is such as Window(3600, 7200, processors=64), not {quoted(window)}")
        if window.start < now:
            raise ValueError(f"a window that begins at {window.start:.15g} s cannot be announced at {now:.15g} s")
        announced = replace(window, announced=now)
        self.pool.add_window(announced, now)
        self.scheduler.changed()

    def fail(self, processors: Iterable[int], until: Duration = math.inf) -> None:
        """Some processors, by index, fail now and are down until a time (s), like those of an outage.

        The machine needs ``changes``, be it an empty `Changes()`.
        """
        now = ceil_to_grid(self.env.now)
        self.pool.fail(processors, now, machine_checks.repaired_at(until, now))
        self.scheduler.changed()

    def add_outages(self, outages: Outages) -> None:
        """These outages come, of which policies know nothing before; ``ValueError`` if one begins in the past.

        The machine needs ``changes``, be it an empty `Changes()`.
        """
        now = ceil_to_grid(self.env.now)
        if len(outages) and outages.start[0] < now:
            raise ValueError(f"an outage that begins at {outages.start[0]:.15g} s cannot come at {now:.15g} s")
        self.pool.add_outages(outages, now)
        self.scheduler.changed()

    def draw_run_times(self, rows: NDArray[np.int64], runtime: NDArray[np.float64]) -> None:
        """These jobs, which run or wait, run for other times (s) in all, longer than they have run already.

        For analysis: it is not known how long the jobs of a machine that goes on from a state will run.
        """
        self.scheduler.settle()
        self.pool.as_drawn(rows, runtime, float(self.env.now))
        self.scheduler.attend()

    def interruption(self, row: int) -> Interruption | None:
        """The last interruption of a job; None if there was none."""
        found: Interruption | None = self.pool.interruption(row)
        return found

    # -- what has happened --------------------------------------------------------------

    def record(self, row: int) -> JobRecord:
        """The record of a job that is over."""
        return self.records(range(row, row + 1))[0]

    def records(self, rows: range) -> tuple[JobRecord, ...]:
        """The records of jobs that are over, in consecutive rows."""
        return tuple(records_of(self.scheduler, rows))

    def result(self, first: NDArray[np.int64] | None = None) -> Result:
        """The result so far: every job that was submitted, in whatever state.

        Jobs are in the order in which they became known to the machine, after those in the rows of ``first``.
        """
        result = result_of(self.scheduler, self._lost, self.estimator, first, self.site)
        result.notes.extend(self._partitions.notes(name_of(self.policy)))
        return priced(result, self.fields)

    # -- inside -------------------------------------------------------------------------

    @contextmanager
    def _considered(self, job: Job, user: Any) -> Iterator[int]:
        """The row of a job that a user only considers submitting."""
        with self._intake.considered(job, user, ceil_to_grid(self.env.now)) as row:
            yield row

    def _cancel(self, row: int) -> None:
        self.scheduler.cancelled(self.split_jobs.current(row))

    def _release(self, row: int) -> None:
        self.scheduler.released(row)

    def _hold(self, row: int, held: bool) -> None:
        if held or self.pool.eligibility is not None:
            self.conditions.begin()
            self.scheduler.held(self.split_jobs.current(row), held)
