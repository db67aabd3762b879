"""Every log that a command, a scenario or a study names is opened here, by its name or by what is in it.

KTH-SP2.swf.gz          a log in SWF
f-data:21_04.parquet    a data set, by a preset
my.toml:jobs.csv        a table, by a mapping of one's own
log.parquet             what ``thinktime trace convert -o log.parquet`` wrote
may.txt, may.json       what ``sacct -P`` or ``sacct --json`` printed (also ``sacct:may-*.txt``)
"""

import glob
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thinktime.workloads.compressed import decompressing, opened, size
from thinktime.workloads.conditions import LogConditions
from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.swf.read import read_swf
from thinktime.workloads.trace import Trace

TABLE = ".parquet"
SLURM = {"sacct": "Slurm: the output of sacct -P", "slurm-json": "Slurm: the output of sacct --json or squeue --json"}
"""Presets that are no mappings of tables, and what they are."""
_BEGINNING = 8_192
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

    if preset in SLURM:
        return LogName(preset, path)
    if not preset.endswith(".toml") and preset not in presets():
        known = key_of(preset, [*presets(), *SLURM], "the presets")
        raise ValueError(f"{shortened(name)}: there is no preset {quoted(preset)}; {known}")
    return LogName(preset, path)


def files_of(text: str | os.PathLike[str]) -> list[Path]:
    """The files that a log is in, and that of its mapping if it has one of its own."""
    preset, path = log_name(text)
    if preset is None:
        return [Path(path)]
    if preset in SLURM:
        return slurm_files(path)
    from thinktime.workloads.tables.files import tables_at
    from thinktime.workloads.tables.mapping import mapping

    own = [Path(preset)] if preset.endswith(".toml") else []
    return [*dict.fromkeys(each.path for each in tables_at([path], mapping(preset).files)), *own]


def nodes_of(text: str | os.PathLike[str]) -> Nodes | None:
    """The machine of nodes on which to replay a log, if it is from a data set that has one."""
    preset, path = log_name(text)
    if preset is not None and preset not in SLURM:
        from thinktime.workloads.tables.machine_list import machine_at
        from thinktime.workloads.tables.mapping import mapping

        how = mapping(preset)
        return None if how.pooled else machine_at(how, Path(path).absolute()).nodes
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
    progress: Callable[[int, int], None] | None = None,
) -> Trace:
    """Read a log by its name; arguments are as of `read_swf`, and ``progress`` as of `read_table`."""
    preset, path = log_name(text)
    if preset in SLURM or (preset is None and not path.endswith(TABLE) and is_slurm(path)):
        return _slurm(path, processors, max_size, withdrawn)
    if preset is not None:
        from thinktime.workloads.tables.reader import read_table

        how: Any = {"processors": processors, "max_size": max_size, "withdrawn": withdrawn, "progress": progress}
        return read_table(path, preset, **how)
    if path.endswith(TABLE):
        from thinktime.workloads.tables.own import read_own

        return read_own(Path(path))
    trace = read_swf(path, processors=processors, max_size=max_size, withdrawn=withdrawn)
    if trace.extra is not None and len(trace) and "x" in (trace.extra[0] or ""):
        from thinktime.workloads.tables.frontier import is_behind

        if is_behind(trace.extra[0]):
            return read_log(f"frontier-swf:{path}", processors=processors, max_size=max_size, withdrawn=withdrawn)
    return trace


def is_slurm(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as output of ``sacct -P``, or as a JSON object."""
    try:
        with decompressing(Path(path)), opened(Path(path)) as file:
            beginning = file.read(_BEGINNING).removeprefix(b"\xef\xbb\xbf").lstrip()
    except (OSError, ValueError):
        return False  # its reader says what is wrong
    if beginning[:1] in (b"{", b"["):
        return True
    lines = (line for line in beginning.splitlines() if line.strip() and not line.startswith(b"#"))
    head = re.findall(rb"\w+", next(lines, b"").lower())
    return b"submit" in head and (b"jobid" in head or b"jobidraw" in head)


def _slurm(path: str, processors: int | None, max_size: int | str | None, withdrawn: str) -> Trace:
    from thinktime.workloads.sacct.convert import ConversionOptions
    from thinktime.workloads.sacct.read import read_sacct

    most = None if max_size is None else size(max_size)
    return read_sacct(slurm_files(path), ConversionOptions(processors=processors, max_size=most), withdrawn=withdrawn)


def conditions_in(text: str | os.PathLike[str]) -> LogConditions | None:
    """What the jobs of a file of Slurm's wait for; None if it is no such file."""
    preset, path = log_name(text)
    if preset not in SLURM and (preset is not None or path.endswith(TABLE) or not is_slurm(path)):
        return None
    from thinktime.workloads.sacct.convert import convert

    return convert(slurm_files(path)).conditions


def slurm_files(path: str) -> list[Path]:
    """The files of a path, or of a pattern such as ``may-*.txt``."""
    file = Path(path)
    found = [file] if file.exists() else [Path(each) for each in sorted(glob.glob(path))]
    if not found:
        raise FileNotFoundError(f"there is no file {shortened(path)}")
    if folder := next((each for each in found if each.is_dir()), None):
        raise ValueError(f"{shortened(folder)} is a folder; give files of it, such as sacct:{shortened(folder)}/*.txt")
    return found
