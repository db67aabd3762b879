"""Hold an engine against the twin: `assert_same(engine, cases)`, where `engine(case)` gives an `Outcome`.

Where they differ, the case is made as small as it can be, and both schedules of it are shown.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, replace
from typing import Any

from tests.models.changes.case import Case, Job, Outcome, describe
from tests.models.changes.cases import invalid
from tests.models.changes.twin import twin

Engine = Callable[[Case], Outcome]


def assert_same(engine: Engine, cases: Iterable[Case]) -> None:
    """Engine and twin have the same outcome of every case."""
    for case in cases:
        if engine(case) != twin(case):
            small = shrink(case, lambda smaller: engine(smaller) != twin(smaller))
            text = "\n".join(differences(twin(small), engine(small)))
            raise AssertionError(f"The engine does not do what the twin does:\n{text}\n{describe(small)}")


def differences(expected: Outcome, found: Outcome) -> list[str]:
    """What is in one outcome and not in the other, a line each."""
    lines = [f"only the twin:   {run}" for run in expected.runs if run not in found.runs]
    lines += [f"only the engine: {run}" for run in found.runs if run not in expected.runs]
    for name in ("states", "over", "promised", "broken"):
        one, other = getattr(expected, name), getattr(found, name)
        if one != other:
            lines.append(f"{name}: twin {one}, engine {other}")
    return lines


def shrink(case: Case, fails: Callable[[Case], bool]) -> Case:
    """A smaller case that still fails: nothing can be left out of it, or set to its default."""
    while True:
        for smaller in _smaller(case):
            if invalid(smaller) is None and fails(smaller):
                case = smaller
                break
        else:
            return case


def _smaller(case: Case) -> Iterator[Case]:
    for job in case.jobs:
        yield _without_job(case, job)
    for name in ("windows", "outages", "withdrawals"):
        records = getattr(case, name)
        for number in range(len(records)):
            yield replace(case, **{name: records[:number] + records[number + 1 :]})
    for options in _plainer(case.options):
        yield replace(case, options=options)
    for name in ("jobs", "windows"):
        records = getattr(case, name)
        for number, record in enumerate(records):
            for plainer in _plainer(record):
                changed: dict[str, Any] = {name: (*records[:number], plainer, *records[number + 1 :])}
                yield replace(case, **changed)


def _without_job(case: Case, job: Job) -> Case:
    jobs = tuple(other for other in case.jobs if other is not job)
    windows = tuple(replace(window, jobs=window.jobs - {job.id}) for window in case.windows)
    withdrawals = tuple((time, number) for time, number in case.withdrawals if number != job.id)
    return replace(case, jobs=jobs, windows=windows, withdrawals=withdrawals)


def _plainer(record: Any) -> Iterator[Any]:
    """The record with one field at its default."""
    for f in fields(record):
        if f.default is not MISSING and getattr(record, f.name) != f.default:
            yield replace(record, **{f.name: f.default})
