"""What `thinktime now` does: read, draw, tell."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thinktime.cli import inputs, output_folders
from thinktime.cli.console import tell
from thinktime.cli.now.options import Asked, Drawn, Given
from thinktime.cli.options import Told
from thinktime.cli.progress import StatusOutput
from thinktime.workloads.names import did_you_mean, key_of, quoted
from thinktime.workloads.units import counted, seconds

if TYPE_CHECKING:
    from thinktime.analysis.now.outlook import Outlook
    from thinktime.analysis.now.present import Present
    from thinktime.models.site.site import Site
    from thinktime.workloads.changes.failures import Failures
    from thinktime.workloads.job import Job
    from thinktime.workloads.trace import Trace

OF_JOB = "processors", "time", "user", "account", "qos", "partition", "nodes", "shape"


def forecast(given: Given, asked: Asked, drawn: Drawn, out: Path | None, told: Told) -> None:
    """Forecast a state's waiting jobs, or those that are asked about, and tell when they start."""
    if given.begin is None:
        raise ValueError("thinktime now needs --from: the file of a state, or the folder of a snapshot")
    from thinktime.analysis.now import forecast as make
    from thinktime.analysis.now.present import Present, history_in
    from thinktime.cli.now.report import report

    moment = Present.read(given.begin)
    history: Trace | None
    if given.history is not None:
        history = history_of(given.history, given.max_size, told.quiet)
    else:
        history = history_in(given.begin) if moment.snapshot is not None else None
    if given.shapes is not None:
        history = with_sizes(history, given.shapes, moment)
    past = None if history is None else moment.past(history)
    if asked.user is not None:
        known_user(asked.user, moment.users | users_of(history))
    jobs = {text: job_of(text, moment.site) for text in asked.job or ()}
    failures = None if drawn.failures is None else failures_of(drawn.failures)
    if failures is not None or asked.events is not None:
        moment = moment.changing()
    changes = {text: moment.under(text) for text in asked.change or ()}
    if asked.events is not None:
        changes[Path(asked.events).name] = moment.with_events(inputs.existing(asked.events), past)
    status = StatusOutput(told.quiet)
    if drawn.arrivals == "calibrated" and past is not None:
        status.say("Users are fitted to the history first, which may take a minute.")
    with status.counting("runs") as progress:
        outlook = make(
            moment.state, past, jobs=jobs, changes=changes, progress=progress, draws=drawn.draws, seed=drawn.seed,
            until=drawn.until, arrivals=drawn.arrivals, failures=failures,
        )  # fmt: skip
    outlook = told_of(outlook, moment, sizes_told(history, moment))
    found = report(outlook, asked.user)
    if out is not None:
        with output_folders.staging(out) as aside:
            write(outlook, found, aside, asked.user, None if past is None else past.now)
            output_folders.deliver(aside, out)
    tell(found, told.json)


def history_of(path: str, max_size: str | None, quiet: bool) -> Trace:
    """A log by its name: in SWF with the names beside it, a data set, or of ``sacct``."""
    from thinktime.analysis.now.present import read_history
    from thinktime.workloads.sacct.name_file import with_names

    if Path(path).suffix in (".psv", ".json"):
        return read_history(inputs.existing(path))
    return with_names(inputs.read(path, inputs.MOST_PROCESSORS, max_size, "queue", quiet)[0], path)


def with_sizes(history: Trace | None, given: str, moment: Present) -> Trace:
    """The jobs of the past with the sizes that ``--shapes`` says, on the machine of the moment."""
    from thinktime.workloads.shapes.shaping import for_machine

    if history is None:
        raise ValueError("--shapes is for the jobs of the past; give --history as well")
    fields = moment.state.fields
    return for_machine(history, inputs.sizes_in(given), fields["processors"], fields["nodes"])


def sizes_told(history: Trace | None, moment: Present) -> list[str]:
    """What is assumed of the sizes of the jobs of the past."""
    from thinktime.models.jobs.checks import name_of
    from thinktime.models.policies.hooks import Hooks
    from thinktime.workloads.shapes.of_logs import told

    policy = moment.state.fields["policy"]
    found = [] if history is None else told(history, None if Hooks(policy).resizes else name_of(policy))
    return [f"which sizes jobs may have that come; {'; '.join(found)}"] if found else []


def told_of(outlook: Outlook, moment: Any, further: Sequence[str] = ()) -> Outlook:
    """With what is known of the moment beside its state."""
    import numpy as np

    promised = np.array([moment.promised.get(job, np.nan) for job in outlook.waiting.id.tolist()], np.float64)
    dated = {} if moment.unix_start is None else {"unix_start": moment.unix_start, "zone": moment.zone}
    notes = [*moment.notes, *outlook.notes, *further]
    return dataclasses.replace(outlook, promised=promised, labels=moment.labels, notes=notes, **dated)


def write(outlook: Outlook, found: Any, folder: Path, user: str | None, now: float | None) -> None:
    """Write the numbers, the draws and the page of a forecast into a folder."""
    from thinktime.analysis.now.kept import keep
    from thinktime.analysis.now.page import page

    found.write(folder, "now")
    keep(outlook, folder / "starts.npz", now)
    page(outlook, "When will my job start?", user).write(folder / "now.html")


def failures_of(text: str) -> Failures:
    """The failures that a text such as ``mtbf=300d,mttr=4h`` describes."""
    from thinktime.workloads.changes.failures import Failures

    try:
        return Failures.parse(text)
    except ValueError as error:
        raise ValueError(f"--failures: {str(error).removeprefix('failures: ')}") from None


def users_of(history: Trace | None) -> set[str]:
    """Who submitted the jobs of a log."""
    if history is None:
        return set()
    import numpy as np

    called = history.names.get("user", {})
    return {str(called.get(number, number)) for number in np.unique(history.user).tolist() if number >= 0}


def known_user(user: str, known: set[str]) -> None:
    """``ValueError`` if no user is called so."""
    if user not in known:
        right = did_you_mean(user, known) or f"they have {counted(len(known), 'user')}"
        raise ValueError(f"--for {quoted(user)}: neither the queue nor the history knows this user; {right}")


def job_of(text: str, site: Site | None = None) -> Job:
    """The job that a text such as ``user=ann,processors=64,time=4h`` describes, at a site if there is one."""
    from thinktime.workloads.job import Job
    from thinktime.workloads.shapes.shape import Shape
    from thinktime.workloads.shapes.shaping import parts_of

    words: dict[str, str] = {}
    for word in parts_of(text):
        key, equals, value = word.strip().partition("=")
        if key not in OF_JOB or not equals or not value:
            raise ValueError(
                f"--job {quoted(text)}: {quoted(word)} is no KEY=VALUE; {key_of(key, list(OF_JOB), 'the keys')}"
            )
        if key in words:
            raise ValueError(f"--job {quoted(text)}: {key} is given twice")
        words[key] = value
    try:
        length = seconds(words.pop("time")) if "time" in words else None
        shape = Shape.parse(words["shape"]) if "shape" in words else None
        count = int(words.pop("processors", "1" if shape is None else f"{shape.preferred}"))
    except ValueError as error:
        raise ValueError(f"--job {quoted(text)}: {error}") from None
    if length is None or not length > 0:
        raise ValueError(f"--job {quoted(text)}: it needs a limit above 0, such as time=4h")
    if site is not None:
        known = {"partition": [each.name for each in site.partitions], "qos": [each.name for each in site.qos]}
        for key in known.keys() & words.keys():
            if missing := [each for each in words[key].split(",") if each not in known[key]]:
                right = key_of(missing[0], known[key], f"its {key}{'s' if key == 'partition' else ''}")
                raise ValueError(f"--job {quoted(text)}: the site has no {key} {quoted(missing[0])}; {right}")
    user: Any = words.pop("user", None)
    names = {"account": "group", "qos": "queue"}
    others: dict[str, Any] = {names.get(key, key): value for key, value in words.items()}
    number = int(user) if user is not None and user.isdecimal() else user
    return Job(runtime=length, estimate=length, processors=count, user=number, **others)
