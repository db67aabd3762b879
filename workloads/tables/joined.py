"""Amounts of jobs that are in another table, beside theirs, with a row for each part of a job: their sums."""

from dataclasses import dataclass, replace

import numpy as np

from thinktime.workloads.arrays import Floats, Whole
from thinktime.workloads.names import shortened
from thinktime.workloads.tables import values
from thinktime.workloads.tables.files import TableFile
from thinktime.workloads.tables.layouts import table
from thinktime.workloads.tables.mapping import ColumnRule, Mapping
from thinktime.workloads.tables.parsing import Found


@dataclass(frozen=True, slots=True)
class Sums:
    """The sum of each job, by its number."""

    jobs: Whole
    amounts: Floats

    def of(self, jobs: Whole) -> Floats:
        """The sums of these jobs; NaN for those that the table has not, or has a negative amount of."""
        if not len(self.jobs):
            return np.full(len(jobs), np.nan)
        places = np.searchsorted(self.jobs, jobs).clip(max=len(self.jobs) - 1)
        return np.where(self.jobs[places] == jobs, self.amounts[places], np.nan)


def sums_beside(file: TableFile, rule: ColumnRule, how: Mapping) -> Sums | None:
    """The sums of a rule's column in the table beside a file; None if there is no such table."""
    other = next((each for each in sorted(file.path.parent.glob(rule.table)) if each.is_file()), None)
    return None if other is None or file.member else _sums(replace(file, path=other), rule, how)


def _sums(other: TableFile, rule: ColumnRule, how: Mapping) -> Sums:
    opened, name = table(other, how), rule.names[0]
    if lacking := [each for each in (rule.key, name) if each not in opened.columns]:
        raise ValueError(f"{shortened(other.name)} lacks the column {lacking[0]}")
    odd, keys, amounts = Found(shortened(other.name), 1), [np.empty(0, np.int64)], [np.empty(0)]
    for batch in opened.batches([rule.key, name]):
        number, amount = (batch.column(each).combine_chunks() for each in (rule.key, name))
        keys.append(values.job_numbers(number, rule.key, ColumnRule(column=rule.key), odd).numbers)
        found = values.numbers(amount, name, rule, odd)
        amounts.append(np.where(found < 0, np.nan, found))
        odd.first_row += len(batch)
    jobs, places = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.zeros(len(jobs))
    np.add.at(total, places, np.concatenate(amounts))
    return Sums(jobs, total)
