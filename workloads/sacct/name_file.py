"""Number users, accounts, partitions, …: SWF has numbers only, so their names go to a side file.

Numbers begin at 1, in order of first submission. The side file is a CSV table with the columns `kind` (user,
account, executable, qos, partition, job), `number` and `name`. It identifies people: keep it with the site's own
records, and share the log without it.
"""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Names:
    """The names behind the numbers, by kind; the first has number 1."""

    by_kind: dict[str, list[str]] = field(default_factory=dict)
    jobs: dict[int, str] = field(default_factory=dict)
    """Slurm's name of a job by its number in the log, only where they differ."""

    def number(self, kind: str, texts: Sequence[str]) -> list[int]:
        """Number these names in order; an empty one is −1."""
        known = {name: place for place, name in enumerate(self.by_kind.get(kind, []), start=1)}
        numbers = [known.setdefault(text, len(known) + 1) if text else -1 for text in texts]
        self.by_kind[kind] = list(known)
        return numbers

    def to_csv(self) -> str:
        """The text of the side file."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["kind", "number", "name"])
        for kind, names in self.by_kind.items():
            table.writerows([kind, number, name] for number, name in enumerate(names, start=1))
        table.writerows(["job", number, name] for number, name in self.jobs.items())
        return text.getvalue()
