"""The conditions of a site's jobs, out of SubmitLine, Eligible and the numbers of array tasks.

* Slurm's numbers of jobs and arrays become those of the log; a job that is not in the log is left out (Slurm takes it
  as over). Where a job was requeued, others wait for its last attempt.
* A job with ``--begin`` or ``--hold``, or that became eligible later than it was submitted for a reason that is not in
  SubmitLine, waits until Eligible. If it has dependencies, these alone decide.
* Of an array with ``%``, so many tasks run at once; Slurm's Eligible of such a task is its start, and says nothing.
"""

from collections.abc import Sequence
from dataclasses import replace

from thinktime.workloads.conditions import JobConditions, LogConditions
from thinktime.workloads.job_arrays import TaskList
from thinktime.workloads.job_dependencies import SINGLETON, Dependencies, Dependency
from thinktime.workloads.sacct.attempts import Tally
from thinktime.workloads.sacct.records import Record
from thinktime.workloads.sacct.submit_lines import Asked, asked

Key = tuple[str, str]
LATER = 1.0
"""A job that is eligible less than this after its submission (s) did not wait: times are whole seconds."""


class Numbers:
    """Slurm's numbers of jobs and arrays, and those in the log; jobs come by submission."""

    def __init__(self, jobs: Sequence[Record], numbers: Sequence[int]) -> None:
        self.job: dict[Key, int] = {}
        self.array: dict[Key, int] = {}
        tasks: dict[Key, list[tuple[int, int]]] = {}
        for job, number in zip(jobs, numbers, strict=True):
            cluster, name = job.key
            self.job[job.key] = number
            base, task = task_of(name)
            if task is not None:
                tasks.setdefault((cluster, base), []).append((task, number))
        for key, found in tasks.items():
            self.array[key] = min(found)[1]

    def find(self, cluster: str, each: Dependency) -> Dependency | None:
        """The same dependency with the log's numbers; None if the log does not have the job."""
        base = (cluster, str(each.job))
        if each.kind == SINGLETON:
            return each
        if base in self.array:
            if each.task is not None and (cluster, f"{each.job}_{each.task}") not in self.job:
                return None
            return Dependency(each.kind, self.array[base], each.task, each.delay)
        number = self.job.get(base) if each.task is None else None
        return None if number is None else Dependency(each.kind, number, None, each.delay)


def task_of(name: str) -> tuple[str, int | None]:
    """The array's number and the task's, of a job as Slurm names it: ``101_3``; no task for other jobs."""
    base, underscore, task = name.partition("_")
    return (base, int(task)) if underscore and base.isdigit() and task.isdigit() else (name, None)


def conditions(jobs: Sequence[Record], numbers: Sequence[int], tally: Tally) -> LogConditions:
    """What the jobs wait for; what cannot be used is counted, with its line."""
    known = Numbers(jobs, numbers)
    found = [_of_job(job, number, known, tally) for job, number in zip(jobs, numbers, strict=True)]
    named = {one.job for each in found if each.depends for one in Dependencies.parse(each.depends).each}
    named |= {each.array for each in found if each.at_most > 0}
    return LogConditions.of(_without_array(each) if each.array not in named else each for each in found)


def _without_array(each: JobConditions) -> JobConditions:
    """A task whose array matters to no job, unless it waits for a task of the same number, is a job like others."""
    return each if "aftercorr" in each.depends else replace(each, array=-1, task=-1)


def _of_job(job: Record, number: int, known: Numbers, tally: Tally) -> JobConditions:
    try:
        wanted = asked(job.submit_line)
    except ValueError:
        tally.add("noted", "SubmitLine with quotes that do not match: not used", job.line)
        wanted = Asked()
    wanted.dependency = wanted.dependency or job.dependency
    base, task = task_of(job.key[1])
    array, at_most = (-1, None) if task is None else (known.array[job.key[0], base], _at_most(job, wanted, tally))
    depends = _depends(job, wanted, known, tally)
    waited = 0.0 if job.eligible is None else job.eligible - job.submit
    if waited < LATER or depends or wanted.dependency or at_most is not None:
        if (wanted.begin or wanted.hold) and (depends or at_most is not None):
            tally.add("noted", "--begin or --hold besides a dependency or %: the time is not known, left out", job.line)
        waited = 0.0
    begin = waited if wanted.begin else 0.0
    return JobConditions(
        number, depends, begin, waited - begin, array, -1 if task is None else task, -1 if at_most is None else at_most
    )


def _at_most(job: Record, wanted: Asked, tally: Tally) -> int | None:
    if not wanted.array:
        return job.at_most
    try:
        return TaskList.parse(wanted.array).at_most
    except ValueError:
        tally.add("noted", f"--array={wanted.array} cannot be read: left out", job.line)
        return None


def _depends(job: Record, wanted: Asked, known: Numbers, tally: Tally) -> str:
    """The dependencies of a job with the log's numbers."""
    if not wanted.dependency:
        return ""
    try:
        parsed = Dependencies.parse(wanted.dependency)
    except ValueError:
        tally.add("noted", f"--dependency={wanted.dependency} cannot be read: left out", job.line)
        return ""
    found = [known.find(job.key[0], each) for each in parsed.each]
    if missing := found.count(None):
        tally.add("noted", "depends on a job that is not in the log: that dependency is left out", job.line, missing)
        if parsed.one_is_enough:
            return ""
    return str(Dependencies(tuple(each for each in found if each is not None), parsed.one_is_enough))
