"""Where tables are: files, folders, patterns such as ``2023-*.parquet``, and members of zip and tar archives.

A member is written as if the archive were a folder: ``data.zip/Venus/cluster_log.csv``.
"""

import io
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import IO, Literal

from thinktime.workloads.compressed import AT_LEAST, TIMES, opened
from thinktime.workloads.names import did_you_mean, shortened
from thinktime.workloads.tables.arrow import reading

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
MOST_NAMED = 5
"""How many files a message names."""

Kind = Literal["parquet", "csv", "json", "text"]


@dataclass(frozen=True, slots=True)
class TableFile:
    """One file with jobs."""

    path: Path
    member: str = ""
    """Its name in an archive, if it is in one."""
    max_size: int | None = None
    """What it may decompress to, in bytes (`compressed.opened`)."""

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.path}/{self.member}" if self.member else str(self.path)

    @property
    def size(self) -> int:
        """Its size on the disk, in bytes."""
        return self.path.stat().st_size

    @property
    def kind(self) -> Kind:
        """What is in it, by its name, else by its first bytes."""
        name = (self.member or self.path.name).lower().removesuffix(".gz")
        if name.endswith((".parquet", ".pq")):
            return "parquet"
        if name.endswith((".csv", ".tsv")):
            return "csv"
        if name.endswith((".json", ".jsonl", ".ndjson")):
            return "json"
        with reading(self.name), self.open() as file:
            first = file.read(64)
        if first.startswith(b"PAR1"):
            return "parquet"
        return "json" if first.lstrip()[:1] in (b"{", b"[") else "text"

    def open(self) -> IO[bytes]:
        """The file, decompressed if need be."""
        if not self.member:
            return opened(self.path, self.max_size)
        most = max(TIMES * self.size, AT_LEAST) if self.max_size is None else self.max_size
        if self.path.suffix == ".zip":
            archive = zipfile.ZipFile(self.path)
            if archive.getinfo(self.member).file_size > most:
                raise ValueError(f"{self.name} decompresses to more than {most:,} bytes; give --max-size SIZE")
            return archive.open(self.member)
        tar = tarfile.open(self.path)  # noqa: SIM115, as it is read from outside
        if tar.getmember(self.member).size > most:
            raise ValueError(f"{self.name} decompresses to more than {most:,} bytes; give --max-size SIZE")
        found = tar.extractfile(self.member)
        assert found is not None
        return io.BufferedReader(found)  # type: ignore[type-var]


def tables_at(
    paths: Sequence[str | Path], patterns: Sequence[str], max_size: int | None = None
) -> tuple[TableFile, ...]:
    """The files of these paths, of which folders have those that match the patterns of a mapping, in order of names.

    ``ValueError`` for a path without any, and for an archive with several tables.
    """
    found: list[TableFile] = []
    for path in map(Path, paths):
        if path.is_dir():
            found += [TableFile(each, max_size=max_size) for each in _inside(path, patterns)]
        elif path.is_file():
            found.append(_archived(path, patterns, max_size) or TableFile(path, max_size=max_size))
        elif archive := next((each for each in path.parents if _is_archive(each)), None):
            found.append(_member(archive, path.relative_to(archive).as_posix(), max_size))
        elif any(letter in path.name for letter in "*?[") and (several := sorted(path.parent.glob(path.name))):
            found += [TableFile(each, max_size=max_size) for each in several if each.is_file()]
        else:
            near = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
            meant = did_you_mean(path.name, near)
            raise ValueError(f"there is no file {shortened(path)}{'; ' + meant if meant else ''}")
    return tuple(found)


def _inside(folder: Path, patterns: Sequence[str]) -> list[Path]:
    found = sorted({each for pattern in patterns for each in folder.rglob(pattern) if each.is_file()})
    if not found:
        raise ValueError(f"{shortened(folder)} has no {' or '.join(patterns)}, in which this data set has its jobs")
    return found


def _is_archive(path: Path) -> bool:
    return path.name.lower().endswith(ARCHIVES) and path.is_file()


def _members(path: Path) -> list[str]:
    with reading(str(path)):
        if path.suffix.lower() == ".zip":
            with zipfile.ZipFile(path) as archive:
                return [each.filename for each in archive.infolist() if not each.is_dir()]
        with tarfile.open(path) as tar:
            return [each.name for each in tar if each.isfile()]


def _archived(path: Path, patterns: Sequence[str], max_size: int | None) -> TableFile | None:
    """The table of an archive; None for other files."""
    if not _is_archive(path):
        return None
    members = _members(path)
    tables = [each for each in members if any(fnmatch(each.rpartition("/")[2], pattern) for pattern in patterns)]
    if not tables:
        tables = [each for each in members if each.lower().removesuffix(".gz").endswith((".parquet", ".csv", ".tsv"))]
    if len(tables) != 1:
        named = ", ".join(shortened(each, 60) for each in tables[:MOST_NAMED])
        which = f"{len(tables)} tables ({named}); name one, such as {path}/{tables[0]}" if tables else "no table"
        raise ValueError(f"{shortened(path)} has {which}")
    return TableFile(path, tables[0], max_size)


def _member(archive: Path, name: str, max_size: int | None) -> TableFile:
    members = _members(archive)
    if name not in members:
        meant = did_you_mean(name, members)
        raise ValueError(f"{shortened(archive)} has no {shortened(name)}{'; ' + meant if meant else ''}")
    return TableFile(archive, name, max_size)
