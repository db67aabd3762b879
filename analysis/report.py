"""What is told of something that was found: on the terminal, as the object of ``--json``, as CSV files, as pictures.

    found = Report(page=lambda: [table, "One line."], values=lambda: {"jobs": 7})
    print(found.json)
    found.write(folder, "study")

A command prints it with `thinktime.cli.console.tell`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thinktime.analysis.json_values import without_nan

if TYPE_CHECKING:
    from pathlib import Path

    from thinktime.analysis.pictures.style import Figure
    from thinktime.workloads.arrays import DataFrame

POLICY = str.maketrans(":,=", "---")
"""Replaces the characters of a policy that names of folders may not have."""


@dataclass(frozen=True, slots=True)
class Report:
    """One thing that was found, in each way in which it is told; a way is a function, called when it is asked for."""

    page: Callable[[], Iterable[Any]]
    """Tables and lines of text, in order."""
    values: Callable[[], dict[str, Any]]
    """Plain values; NaN becomes None."""
    frames: Callable[[], Mapping[str, DataFrame | Sequence[Mapping[str, Any]]]] = dict
    """The tables that become CSV files, or their rows, by name."""
    figures: Callable[[], Mapping[str, Figure]] = dict
    """The pictures, by name."""

    @property
    def json(self) -> str:
        """The values as a text, without a final line break."""
        return json.dumps(without_nan(self.values()), allow_nan=False, indent=2)

    def write(self, folder: Path, name: str | None, formats: Sequence[str] = ("png",)) -> None:
        """Write the pictures in every format, the tables and, if it has a name, NAME.json into a folder that is there.

        A name such as ``easy/heatmap`` is a file of a folder, in which a policy's ``:``, ``,`` and ``=`` are ``-``.
        """
        from thinktime.analysis.pictures.style import save
        from thinktime.workloads.arrays import pd

        def path(file: str) -> Path:
            found = folder / file.translate(POLICY)
            found.parent.mkdir(exist_ok=True)
            return found

        for title, picture in self.figures().items():
            for kind in formats:
                save(picture, path(f"{title}.{kind}"))
        for title, frame in self.frames().items():
            pd.DataFrame(frame).to_csv(path(f"{title}.csv"), index=False)
        if name is not None:
            path(f"{name}.json").write_text(self.json + "\n")
