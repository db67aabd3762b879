"""Every log that a command, a scenario or a study names is opened here: SWF, ``PRESET:PATH``, or a converted table.

KTH-SP2.swf.gz          a log in SWF
f-data:21_04.parquet    a data set, by a preset
my.toml:jobs.csv        a table, by a mapping of one's own
log.parquet             what ``thinktime trace convert -o log.parquet`` wrote
"""

import os
import re
from pathlib import Path
from typing import Literal, NamedTuple

from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.swf.read import read_swf
from thinktime.workloads.trace import Trace

TABLE = ".parquet"
_PRESET = re.compile(r"[a-z][a-z0-9-]+|.*\.toml", re.DOTALL)


class LogName(NamedTuple):
    """A log as it is named."""

    preset: str | None
    """The preset, or the file of a mapping; None for SWF and converted tables."""
    path: str

    def at(self, path: str | os.PathLike[str]) -> str:
        """The same, somewhere else."""
        return f"{self.preset}:{os.fspath(path)}" if self.preset else os.fspath(path)


def log_name(text: str | os.PathLike[str]) -> LogName:
    """What a text such as ``f-data:21_04.parquet`` names; a file of that very name comes first.

    >>> log_name("f-data:21_04.parquet")
    LogName(preset='f-data', path='21_04.parquet')
    >>> log_name("logs/KTH.swf").preset is None
    True
    """
    name = os.fspath(text)
    preset, colon, path = name.partition(":")
    if not colon or not path or not _PRESET.fullmatch(preset) or Path(name).exists():
        return LogName(None, name)
    from thinktime.workloads.tables.mapping import presets

    if not preset.endswith(".toml") and preset not in presets():
        raise ValueError(
            f"{shortened(name)}: there is no preset {quoted(preset)}; {key_of(preset, presets(), 'the presets')}"
        )
    return LogName(preset, path)


def files_of(text: str | os.PathLike[str]) -> list[Path]:
    """The files that a log is in, and that of its mapping if it has one of its own."""
    preset, path = log_name(text)
    if preset is None:
        return [Path(path)]
    from thinktime.workloads.tables.files import tables_at
    from thinktime.workloads.tables.mapping import mapping

    own = [Path(preset)] if preset.endswith(".toml") else []
    return [*dict.fromkeys(each.path for each in tables_at([path], mapping(preset).files)), *own]


def nodes_of(text: str | os.PathLike[str]) -> Nodes | None:
    """The machine of nodes on which to replay a log, if it is from a data set that has one."""
    preset, path = log_name(text)
    if preset is not None:
        from thinktime.workloads.tables.mapping import mapping

        how = mapping(preset)
        return None if how.pooled else how.nodes_at(str(Path(path).absolute()))
    if not path.endswith(TABLE):
        return None
    from thinktime.workloads.tables.own import data_set_of

    known = data_set_of(Path(path))
    return None if known is None else known.own_nodes


def read_log(
    text: str | os.PathLike[str],
    *,
    processors: int | None = None,
    max_size: int | str | None = None,
    withdrawn: Literal["drop", "queue"] = "drop",
) -> Trace:
    """Read a log by its name; arguments are as of `read_swf`."""
    preset, path = log_name(text)
    if preset is not None:
        from thinktime.workloads.tables.reader import read_table

        return read_table(path, preset, processors=processors, max_size=max_size, withdrawn=withdrawn)
    if path.endswith(TABLE):
        from thinktime.workloads.tables.own import read_own

        return read_own(Path(path))
    return read_swf(path, processors=processors, max_size=max_size, withdrawn=withdrawn)
