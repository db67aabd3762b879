"""Read the inputs of commands: a log or part of it, the size of the machine, and the values of options."""

from collections.abc import Mapping
from math import inf
from pathlib import Path
from typing import Any

from thinktime.cli import errors
from thinktime.workloads import Trace
from thinktime.workloads.cleaning import CleaningReport
from thinktime.workloads.names import did_you_mean, quoted, shortened

MOST_PROCESSORS = 2**31
"""The largest machine that may be requested."""
DELIMITATIONS = ("arrival", "last", "max")
DELIMITATION_HELP = (
    "A session ends with a gap between submissions (arrival), or after the end of the previous job (last) or of all "
    "jobs so far (max)."
)
ESTIMATES_HELP = (
    "Estimates that policies plan with: requested, exact, factor=F, last-two, user-average, or FILE.py:NAME, an "
    "estimator in your own script."
)


WITHDRAWN = ("drop", "queue")


def read(
    path: str, processors: int | None = None, max_size: str | None = None, withdrawn: str = "drop", quiet: bool = False
) -> tuple[Trace, CleaningReport]:
    """Read a log, by its name (`workloads.read_log`); ``ValueError`` if it has no jobs."""
    from thinktime.cli.progress import StatusOutput
    from thinktime.workloads.read_log import log_name, read_log

    how: Any = errors.choice("--withdrawn", withdrawn, WITHDRAWN)
    if log_name(path).preset is None:
        existing(path, log=True)
    most = file_size(max_size)
    with StatusOutput(quiet).counting("rows") as progress:
        trace = read_log(path, processors=processors, max_size=most, withdrawn=how, progress=progress)
    if not len(trace):
        all_dropped = f"all {trace.report.records:,} were dropped ({reasons(trace.report.dropped)})"
        why = all_dropped if trace.report.records else "it has no records"
        raise ValueError(f"{shortened(path)} has no jobs to simulate: {why}")
    return trace, trace.report


def read_part(
    path: str,
    processors: str | None,
    since: str | None,
    until: str | None,
    max_size: str | None,
    withdrawn: str = "drop",
    quiet: bool = False,
) -> tuple[Trace, CleaningReport, int]:
    """The jobs of a log submitted in [`since`, `until`), and the size of the machine."""
    wanted = None if processors is None else machine_size(processors)
    trace, report = read(path, wanted, max_size, withdrawn, quiet)
    size = wanted or trace.machine_size
    if size is None:
        from thinktime.analysis.study.base import StudiedLog, size_of

        size = size_of(StudiedLog(path, trace), None)  # raises an error that says what to give
    return cut(trace, path, since, until), report, size


def reasons(dropped: Mapping[str, int]) -> str:
    """Why jobs were dropped, with a number for each reason if there are several.

    >>> reasons({"no processors": 2}), reasons({"no processors": 2, "no run time": 1})
    ('no processors', '2 no processors, 1 no run time')
    """
    if len(dropped) == 1:
        return next(iter(dropped))
    return ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())


def respondents_in(path: str | None) -> Any:
    """The users who respond, by the file of `--respond`; nobody without one."""
    if path is None:
        return ()
    from thinktime.analysis.experiments.reactions import respondents

    file = Path(path)
    if not file.is_file():
        raise ValueError(
            f"--respond {shortened(path)}: there is no such file; it has tables such as [behaviours.delay]"
        )
    return respondents(file)


def sizes_in(given: str) -> Any:
    """Which jobs may have several sizes, by the value of `--shapes`: a `Shaping`, or the path of a file."""
    from thinktime.workloads.shapes.shaping import Shaping

    return existing(given) if given.endswith(".csv") else Shaping.parse(given, "--shapes")


def existing(path: str, *, log: bool = False) -> Path:
    """The path of an existing file; one that is to be a ``log`` may have to be downloaded."""
    file = Path(path)
    if file.is_dir():
        if not log:
            raise ValueError(f"{shortened(path)} is a folder; give a file")
        data_set = f"of a data set, PRESET:{shortened(path)}"
        raise ValueError(f"{shortened(path)} is a folder; give a log (.swf or .swf.gz) inside it, or {data_set}")
    if not file.exists():
        names = [each.name for each in file.parent.iterdir()] if file.parent.is_dir() else []
        meant = did_you_mean(file.name, names) or ("`thinktime trace get NAME` downloads a log" if log else "")
        raise ValueError(f"there is no file {shortened(path)}{'; ' + meant if meant else ''}")
    return file


MOST_REPLICATIONS = 100_000
"""The largest number of replications; a larger one is taken for a typing error."""


def whole(option: str, text: str, most: int = 2**53) -> int:
    """A whole number from 1 to `most`."""
    try:
        number = int(text)
    except ValueError:  # also raised for thousands of digits
        number = most + 1 if text.isdecimal() else 0
    if number < 1:
        raise ValueError(f"{option} must be a whole number of at least 1, not {quoted(text)}")
    if number > most:
        raise ValueError(f"{option} must be at most {most:,}, not {quoted(text)}")
    return number


def replications_of(text: str) -> int:
    """The value of `--replications`."""
    return whole("--replications", text, MOST_REPLICATIONS)


def shakes_of(text: str | None, replications: int = 1) -> int:
    """The value of `--shake`; 0 without it."""
    if text is None:
        return 0
    if replications > 1:
        raise ValueError("--shake moves the times of one log, and --replications draws others; give one of them")
    number = whole("--shake", text, MOST_REPLICATIONS)
    if number < 2:
        raise ValueError("--shake must be at least 2, since one shaken log has no spread")
    return number


def check_target(out: Path, kind: str, suffixes: tuple[str, ...]) -> None:
    """Refuse a file to write, before any work is done, if its name or its folder is wrong."""
    if not out.name.endswith(suffixes):
        raise ValueError(f"--out must be {kind}, not {quoted(str(out))}")
    if not out.parent.is_dir():
        raise ValueError(f"--out: there is no folder {shortened(out.parent)}")


def file_size(text: str | None) -> int | None:
    """The value of `--max-size` (bytes)."""
    from thinktime.workloads.compressed import size

    try:
        return None if text is None else size(text)
    except ValueError as error:
        raise ValueError(f"--max-size: {error}") from None


def setting(text: str, example: str) -> tuple[str, Any]:
    """The key and the value of a `--set`; a value that is not TOML, such as a bare word, is a string."""
    key, equals, value = text.partition("=")
    if not equals or not all(key.split(".")):
        raise ValueError(f"--set must be KEY=VALUE, such as {example}, not {quoted(text)}")
    from thinktime.workloads.reading.texts import value_in

    return key, value_in(value)


def machine_size(text: str) -> int:
    """The value of `--processors`."""
    return whole("--processors", text, MOST_PROCESSORS)


def checked_estimates(text: str) -> str:
    """The value of `--estimates`."""
    from thinktime.models.machine.estimators import guess_from

    try:
        guess_from(text)
    except ValueError as error:
        raise ValueError(f"--estimates: {error}") from None
    return text


def cut(trace: Trace, path: str, since: str | None, until: str | None) -> Trace:
    """The jobs submitted in [`since`, `until`); ``ValueError`` if there are none."""
    start, end = _moment(trace, "--from", since), _moment(trace, "--to", until)
    if start is not None and end is not None and end <= start:
        raise ValueError(f"--to {shortened(until, 40)} must be after --from {shortened(since, 40)}")
    part = trace.between(start, end)
    if not len(part):
        first, last = float(trace.submit[0]), float(trace.submit[-1])
        raise ValueError(
            f"{shortened(path)} has no jobs from {shortened(since or 'its start', 40)} to "
            f"{shortened(until or 'its end', 40)}; "
            f"its jobs are submitted from {first:.0f} s to {last:.0f} s after its start"
        )
    return part


def measured(trace: Trace, since: str | None, until: str | None) -> tuple[float, float]:
    """The values of `--measure-from` and `--measure-to` (s); infinite where there is no bound."""
    start, end = _moment(trace, "--measure-from", since), _moment(trace, "--measure-to", until)
    if start is not None and end is not None and end <= start:
        raise ValueError(f"--measure-to {shortened(until, 40)} must be after --measure-from {shortened(since, 40)}")
    first, last = -inf if start is None else start, inf if end is None else end
    if not ((trace.submit >= first) & (trace.submit < last)).any():
        raise ValueError(
            "--measure-from, --measure-to: no job of the log is submitted from "
            f"{shortened(since or 'its start', 40)} to "
            f"{shortened(until or 'its end', 40)}; its jobs are submitted from {trace.submit[0]:.0f} s to "
            f"{trace.submit[-1]:.0f} s "
            "after its start"
        )
    return first, last


def _moment(trace: Trace, option: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return trace.seconds(text)
    except ValueError as error:
        raise ValueError(f"{option}: {error}") from None
