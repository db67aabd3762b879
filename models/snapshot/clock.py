"""The clock of a snapshot: Unix times, or local times of one zone, and when what was printed.

Times are Unix times if the commands ran with ``SLURM_TIME_FORMAT=%s``, as those of `taking` do; else they are local
times (``2026-11-24T12:58:54``), of which `config.txt` and `sdiag.txt` say how late they are against Unix time.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from thinktime.models.snapshot.folder import BEGUN, COMMANDS, ENDED, TIMES, ZONE
from thinktime.models.snapshot.records import NEVER, UNKNOWN, Record, Report
from thinktime.workloads.calendar import Calendar
from thinktime.workloads.names import shortened
from thinktime.workloads.text_files import text_of
from thinktime.workloads.units import DAY, HOUR, MINUTE

APART = 10 * MINUTE
"""Files of one snapshot are not further apart than this, s."""
QUARTER = 15 * MINUTE
"""Offsets of time zones are multiples of this, s."""
NO_ZONE = "the time zone: local times are not told"
LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)")
_CONFIG = re.compile(r"Configuration data as of (\S+)")
_SDIAG = re.compile(r"sdiag output at (?P<local>\w+ \w+ +\d+ \d\d:\d\d:\d\d \d{4}) \((?P<unix>\d+)\)")
_PASS = re.compile(r"Last cycle when: .*\((\d+)\)")
_SDIAG_TIME = "%a %b %d %H:%M:%S %Y"


class Clock:
    """What time it was at a snapshot, and what its times mean."""

    def __init__(self, folder: Path, report: Report) -> None:
        self.begun = _unix(folder / BEGUN)
        self.ended = _unix(folder / ENDED)
        if self.ended < self.begun:
            raise ValueError(f"{ENDED}, line 1: the snapshot ended before it began ({BEGUN}); take another one")
        self.offset: float | None = None
        """How much later local times are than those of UTC, s; None as long as no local time has been met."""
        self._folder, self._told_by = folder, ""
        self.zone = _zone(folder)
        self._rules: ZoneInfo | None = None
        """The rules of the zone, if local times are of it."""
        self._told = dict(self._look_at_times())
        self._look_at_config()
        self._look_at_sdiag()
        if not self.zone:
            report.add(UNKNOWN, NO_ZONE, ZONE)

    def time(self, record: Record, key: str) -> float | None:
        """The Unix time of a value; None if it is not known."""
        text = record[key]
        if text.lower() in NEVER:
            return None
        if text.isdecimal():
            return float(text)
        if not LOCAL.fullmatch(text):
            raise record.fail(key, "a time, such as 1795525134 or 2026-11-24T12:58:54")
        if self.offset is None:
            raise ValueError(
                f"{record.where}: {key} is a local time ({text}), and no file says of which zone; take the snapshot "
                "with SLURM_TIME_FORMAT=%s"
            )
        return self._unix_of(text)

    def _unix_of(self, text: str) -> float:
        """The Unix time of a local time: in a zone that is known by name, with daylight saving as it was then."""
        assert self.offset is not None
        if self._rules is None:
            return _of(text) - self.offset
        return datetime.fromisoformat(text).replace(tzinfo=self._rules).timestamp()

    def told(self, file: str) -> tuple[float, float] | None:
        """Between which Unix times a file was printed (s); None if it is not said."""
        return self._told.get(file)

    @property
    def backfill(self) -> float | None:
        """When the last backfill pass was (Unix time, s); None if nothing says it."""
        path = self._folder / "sdiag.txt"
        found = _PASS.search(text_of(path)) if path.exists() else None
        return float(found[1]) if found else None

    def check(self, where: str, time: float) -> None:
        """``ValueError`` if something was printed at quite another time than the rest."""
        if not self.begun - APART <= time <= self.ended + APART:
            how = time - self.begun
            raise ValueError(
                f"{where}: this was printed {abs(how) / MINUTE:,.0f} min {'after' if how > 0 else 'before'} the "
                f"snapshot began ({BEGUN}): the files are of different moments"
            )

    def _look_at_times(self) -> Iterator[tuple[str, tuple[float, float]]]:
        path = self._folder / TIMES
        moving = {command.file for command in COMMANDS if command.moving}
        for number, line in enumerate(text_of(path).splitlines()[1:] if path.exists() else (), start=2):
            where, cells = f"{path.name}, line {number}", line.split(",")
            try:
                file, begun, ended = cells[0], float(cells[1]), float(cells[2])
            except (ValueError, IndexError):
                raise ValueError(
                    f"{where}: this must be a file and two Unix times, not {shortened(line, 40)!r}"
                ) from None
            if file in moving:
                self.check(where, begun)
            yield file, (begun, ended)

    def _look_at_config(self) -> None:
        path = self._folder / "config.txt"
        found = _CONFIG.search(text_of(path)) if path.exists() else None
        if found is None:
            return
        where = f"{path.name}, line 1"
        if found[1].isdecimal():
            self.check(where, float(found[1]))
        elif LOCAL.fullmatch(found[1]):
            self._learn(where, _of(found[1]) - self.begun)
            assert self.offset is not None
            self.check(where, _of(found[1]) - self.offset)

    def _look_at_sdiag(self) -> None:
        path = self._folder / "sdiag.txt"
        found = _SDIAG.search(text_of(path)) if path.exists() else None
        if found is None:
            return
        unix = float(found["unix"])
        self.check(f"{path.name}, line 2", unix)
        local = datetime.strptime(found["local"], _SDIAG_TIME).replace(tzinfo=UTC).timestamp()
        self._learn(f"{path.name}, line 2", local - unix)

    def _learn(self, where: str, late: float) -> None:
        """A local time is so much later than the Unix time."""
        offset = QUARTER * round(late / QUARTER)
        if abs(offset) > 15 * HOUR:
            raise ValueError(
                f"{where}: this was printed {abs(late) / DAY:,.1f} days from when the snapshot began ({BEGUN}): the "
                "files are of different moments"
            )
        if self.offset is not None and offset != self.offset:
            raise ValueError(
                f"{where}: local times are {offset / HOUR:+g} h from UTC, and {self.offset / HOUR:+g} h in "
                f"{self._told_by}: the clocks are in two zones"
            )
        self.offset, self._told_by = offset, where
        try:
            rules = ZoneInfo(self.zone) if self.zone else None
        except (ValueError, ZoneInfoNotFoundError, OSError):
            rules = None
        now = None if rules is None else datetime.fromtimestamp(self.begun, rules).utcoffset()
        self._rules = rules if now is not None and now.total_seconds() == offset else None


def _of(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def _unix(path: Path) -> float:
    text = text_of(path).strip()
    try:
        time = float(text)
        datetime.fromtimestamp(time, UTC) + timedelta(days=1)
        return time
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{path.name}, line 1: this must be a Unix time, not {shortened(text, 40)!r}") from None


def _zone(folder: Path) -> str:
    path = folder / ZONE
    return text_of(path).strip() if path.exists() else ""


def calendar_of(zone: str, zero: float) -> Calendar:
    """The calendar of a zone, by its name or as ``+01:00`` (else UTC), whose second 0 has this Unix time."""
    if match := _OFFSET.fullmatch(zone):
        hours = timedelta(hours=int(match[2]), minutes=int(match[3]))
        return Calendar(zero, timezone(hours if match[1] == "+" else -hours))
    try:
        return Calendar(zero, ZoneInfo(zone) if zone else UTC)
    except (ValueError, ZoneInfoNotFoundError, OSError):
        return Calendar(zero, UTC)
