"""Download logs from the Parallel Workloads Archive, once, and verify their checksums.

A download that does not match its known checksum is refused. A log without a known checksum is trusted the
first time: its checksum is recorded beside it in the cache (`NAME.swf.gz.sha256`), so a repeated study notices
if the file has changed. Remove that record to accept a new version.

Where the archive recommends a cleaned version ("cln"), that one is listed. Checksums are given for the logs we had a
copy of.

Source of the logs: https://www.cs.huji.ac.il/labs/parallel/workload/ (Feitelson, Tsafrir, Krakov, "Experience with
using the Parallel Workloads Archive", JPDC 74, 2014). Please acknowledge the people named in a log's header.
"""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime.workloads.names import key_of, quoted

if TYPE_CHECKING:
    from rich.progress import Progress

SUFFIX = ".swf.gz"


@dataclass(frozen=True, slots=True)
class KnownLog:
    """The path of a log, relative to the archive's address, and its SHA-256 checksum if known."""

    path: str
    sha256: str | None = None


_KNOWN = tomllib.loads(files("thinktime.workloads").joinpath("archive.toml").read_text(encoding="utf-8"))
LOGS: Mapping[str, KnownLog] = {
    name: KnownLog(f"{folder}/{name}{SUFFIX}", _KNOWN["sha256"].get(name))
    for folder, names in _KNOWN["folders"].items()
    for name in names
}
"""The known logs by name, without the suffix .swf.gz."""
BASE_URL = "https://www.cs.huji.ac.il/labs/parallel/workload/"
_GZIP = b"\x1f\x8b"


def fetch(
    name: str, *, base_url: str = BASE_URL, cache: str | os.PathLike[str] | None = None, progress: bool = False
) -> Path:
    """Return the path of a log such as "KTH-SP2-1996-2.1-cln", downloading it if necessary.

    `cache` is the folder for downloads (default: `thinktime` in the user's cache folder). Raises ValueError for
    an unknown name or a wrong checksum, and OSError if the download fails.
    """
    import pooch

    stem = _stem(name)
    log = LOGS[stem]
    folder = Path(pooch.os_cache("thinktime") if cache is None else cache).expanduser().absolute()
    target = folder / f"{stem}{SUFFIX}"
    record = target.with_name(f"{target.name}.sha256")
    known = log.sha256 or (record.read_text().strip() if record.exists() else None)
    _download(f"{base_url.rstrip('/')}/{log.path}", target, known, progress)
    if known is None:
        _trust(target, record)
    return target


def _stem(name: str) -> str:
    stem = name.removesuffix(".gz").removesuffix(".swf")
    if stem not in LOGS:
        hint = key_of(stem, LOGS, "the known logs", 3)
        raise ValueError(f"{quoted(name)} is not a known log of the archive; {hint}")
    return stem


def _download(url: str, target: Path, known: str | None, progress: bool) -> None:
    import pooch
    import requests

    logger = pooch.get_logger()
    level = logger.level
    logger.setLevel(logging.WARNING)
    bar = RichBar(target.name) if progress else None
    try:
        downloader = pooch.HTTPDownloader(progressbar=bar or False)
        pooch.retrieve(url, known_hash=known, fname=target.name, path=target.parent, downloader=downloader)
    except requests.RequestException as error:
        raise OSError(f"{target.name} cannot be downloaded from {url}: {_reason(error)}") from error
    except ValueError as error:
        raise ValueError(
            f"{url} has changed: its SHA-256 checksum is not {known}; the download was discarded"
        ) from error
    finally:
        logger.setLevel(level)
        if bar:
            bar.close()


def _reason(error: Any) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answered {response.status_code} {response.reason}"
    return f"the server did not answer ({type(error).__name__})"


def _trust(target: Path, record: Path) -> None:
    """Record the checksum of a first download, unless the server sent a web page instead of a log."""
    import pooch

    with target.open("rb") as file:
        compressed = file.read(len(_GZIP)) == _GZIP
    if not compressed:
        target.unlink()
        raise ValueError(f"the file sent as {target.name} is not a gzip file; the download was discarded")
    record.write_text(f"{pooch.file_hash(str(target))}\n")


class RichBar:
    """A rich progress bar with the part of tqdm's interface that pooch uses: total, update, reset, close."""

    def __init__(self, title: str) -> None:
        self.total = 0
        self._title = title
        self._shown: Progress | None = None

    def update(self, size: int) -> None:
        """Advance by `size` bytes; the bar appears at the first call."""
        self._bar().update(self._bar().task_ids[0], advance=size, total=self.total or None)

    def reset(self) -> None:
        """Go back to the beginning."""
        self._bar().reset(self._bar().task_ids[0])

    def close(self) -> None:
        """Stop, leaving the bar on the screen."""
        if self._shown is not None:
            self._shown.stop()

    def _bar(self) -> Progress:
        if self._shown is None:
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

            self._shown = Progress(
                TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn()
            )
            self._shown.start()
            self._shown.add_task(self._title, total=None)
        return self._shown
