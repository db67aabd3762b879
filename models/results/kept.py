"""A result as a file, to be looked at later: what it is in memory, as arrays and a JSON text in a NumPy archive.

Arrays have the names of their columns, with ``nodes.``, ``runs.``, ``outages.``, ``saving.`` or ``signals.`` before
those of other tables; the rest is the text ``conditions``. Nothing is unpickled, so another person's file runs no code.
Labels of users, groups, queues and partitions are texts or numbers in it; any other label becomes its text.
"""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from thinktime.models.results.agreement import check
from thinktime.models.results.history import History, Runs, Saving
from thinktime.models.results.node_record import NodeRecord
from thinktime.models.results.responses import TYPES
from thinktime.models.results.schedule import Schedule
from thinktime.models.results.typed import as_column
from thinktime.models.site.budget import Budget
from thinktime.models.site.charge import Charge
from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.changes.outages import Outages
from thinktime.workloads.changes.windows import Window
from thinktime.workloads.files import whole_or_nothing
from thinktime.workloads.reading.table import read as read_table
from thinktime.workloads.reading.table import table_of
from thinktime.workloads.signals.signal import Signal

NAME = "result.npz"
"""The file of a result in a folder of results."""
VERSION = 1
PLAIN = ("names", "processors", "policy", "overrun", "now", "dropped", "notes", "unix_start")
"""The fields that are written as they are; `simulation_seconds` is left out, so that equal results are equal files."""
OUTAGES = ("start", "end", "index")
STEPS, WORDS = ("times", "values"), ("name", "unit", "after", "end")
"""What is kept of a signal: arrays of its steps, and words about it."""

Arrays = Mapping[str, AnyArray]


def write(result: Schedule, path: Path) -> Path:
    """Write a result, and return the path."""
    with whole_or_nothing(path) as aside, aside.open("wb") as file:
        write_to(file, result)
    return path


def write_to(file: IO[bytes], result: Schedule) -> None:
    """Write a result to an open file."""
    conditions: dict[str, Any] = {"version": VERSION} | {name: getattr(result, name) for name in PLAIN}
    conditions["zone"] = None if result.zone is None else str(result.zone)
    values = {"charge": result.charge, "budget": result.budget}
    conditions |= {name: table_of(value) for name, value in values.items() if value is not None}
    conditions["lost_demand"] = {name: column.tolist() for name, column in result.lost_demand.items()}
    conditions["responses"] = {name: column.tolist() for name, column in result.responses.items()}
    arrays: dict[str, Any] = dict(result.columns)
    for more in (_nodes(result.nodes), _history(result.history), _signals(result.signals)):
        arrays |= more[0]
        conditions |= more[1]
    text = json.dumps(conditions, default=_plain).encode()
    np.savez_compressed(file, conditions=np.frombuffer(text, np.uint8), **arrays)


def read(path: Path) -> dict[str, Any]:
    """The fields of the `Schedule` that was written to a file; ``ValueError`` names the file if it holds none."""
    try:
        with path.open("rb") as file:
            return fields_in(file)
    except ValueError as error:
        raise ValueError(f"{path} is not a result that thinktime has written: {error}") from None


def fields_in(file: IO[bytes]) -> dict[str, Any]:
    """The same from an open file; ``ValueError`` says what is wrong."""
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        conditions = json.loads(arrays.pop("conditions").tobytes())
        version = conditions.pop("version")
        found = _fields(arrays, conditions)
    except Exception:  # damage shows as almost anything: in the archive, an array, the text, or what these describe
        raise ValueError("it is damaged, or another kind of file") from None
    if version != VERSION:
        raise ValueError("another version wrote it")
    return found


def _fields(arrays: dict[str, AnyArray], conditions: dict[str, Any]) -> dict[str, Any]:
    lost = {name: np.array(values, object) for name, values in conditions["lost_demand"].items()}
    kinds = {"time": np.float64, "jobs": np.int64, "node_hours": np.float64, "submitted": np.bool_}
    kinds["campaigns"] = np.int64
    conditions["lost_demand"] = {name: column.astype(kinds.get(name, object)) for name, column in lost.items()}
    answered = conditions.pop("responses", None)  # results of before have none
    if answered is not None:
        conditions["responses"] = {name: as_column(answered[name], kind) for name, kind in TYPES.items()}
    nodes, history = conditions.pop("nodes", None), conditions.pop("history", None)
    kinds = {"charge": Charge, "budget": Budget}
    conditions |= {name: read_table(kind, conditions[name]) for name, kind in kinds.items() if name in conditions}
    signals = enumerate(conditions.pop("signals", {}).items())
    conditions["signals"] = {name: _read_signal(arrays, number, words) for number, (name, words) in signals}
    if nodes is not None:
        asked = {name: arrays[f"nodes.asked.{name}"] for name in nodes["asked"]}
        record = tuple(nodes["names"]), arrays["nodes.offset"], arrays["nodes.node"], asked, nodes["machine"]
        conditions["nodes"] = NodeRecord(*record)
    if history is not None:
        conditions["history"] = _read_history(arrays, history)
    columns = {name: column for name, column in arrays.items() if "." not in name}
    found = {"columns": columns, **conditions}
    check(found)
    return found


def _nodes(nodes: NodeRecord | None) -> tuple[Arrays, dict[str, Any]]:
    if nodes is None:
        return {}, {}
    asked = {f"nodes.asked.{name}": column for name, column in nodes.asked.items()}
    words = {"names": nodes.names, "asked": list(nodes.asked), "machine": dict(nodes.machine)}
    return {"nodes.offset": nodes.offset, "nodes.node": nodes.node, **asked}, {"nodes": words}


def _history(history: History | None) -> tuple[Arrays, dict[str, Any]]:
    if history is None:
        return {}, {}
    arrays = {f"runs.{name}": column for name, column in history.runs.columns().items()}
    arrays |= {f"outages.{name}": getattr(history.outages, name) for name in OUTAGES}
    arrays |= {f"saving.{name}": column for name, column in history.saving._asdict().items()}
    arrays |= {"runs.places": history.runs.places, "saving.gave_up": history.gave_up}
    sizes = None if history.sizes is None else dict(history.sizes)
    return arrays, {"history": {"windows": [dataclasses.asdict(each) for each in history.windows], "sizes": sizes}}


def _read_history(arrays: Arrays, words: dict[str, Any]) -> History:
    before = {
        "runs.processors": arrays["processors"][arrays["runs.row"]]
    }  # where it was not kept, sizes did not change
    runs = Runs(**{each.name: (before | dict(arrays))[f"runs.{each.name}"] for each in dataclasses.fields(Runs)})
    outages = Outages(*(arrays[f"outages.{name}"] for name in OUTAGES))
    saving = Saving(*(arrays[f"saving.{name}"] for name in Saving._fields))
    windows = tuple(Window(**each) for each in words["windows"])
    return History(runs, windows, outages, saving, arrays["saving.gave_up"].astype(np.bool_), words["sizes"])


def _signals(signals: Mapping[str, Signal]) -> tuple[Arrays, dict[str, Any]]:
    if not signals:
        return {}, {}
    named = [(f"signals.{number}.{name}", name, each) for number, each in enumerate(signals.values()) for name in STEPS]
    words = {name: [getattr(each, word) for word in WORDS] for name, each in signals.items()}
    return {place: getattr(each, name) for place, name, each in named}, {"signals": words}


def _read_signal(arrays: Arrays, number: int, words: list[Any]) -> Signal:
    times, values = (arrays[f"signals.{number}.{name}"] for name in STEPS)
    return Signal(times, values, *words)


def _plain(label: Any) -> Any:
    """A label that JSON does not know, as a number or a text."""
    return label.item() if isinstance(label, np.generic) else str(label)
