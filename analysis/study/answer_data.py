"""The answer of a task as bytes that hold data and nothing else: a NumPy archive of a JSON text and arrays.

What an answer is made of is said by the annotations of the package's own classes, never by the file: `loaded` is given
the type that ``perform`` of the task promises, and builds that or refuses. So a file of somebody else's runs no code.
Types may be numbers, texts, arrays, data classes, named tuples, tuples, lists, mappings, optional ones of these, and
results. What is called ``object`` or ``Any`` is a number, a text or None.
"""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from thinktime.analysis.parallel import Task
from thinktime.models.results import kept
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.names import quoted

TEXT = "answer"
PLAIN: Mapping[type, tuple[type, ...]] = {int: (int,), float: (int, float), str: (str,), bool: (bool,)}
ANY = (str, int, float, bool, NoneType)

Each = Callable[[Any, Any], Any]
"""What is done to a part of an answer, given its type."""


def answer_type(task: Task[Any]) -> Any:
    """The type of the answer of a task, as the annotation of its ``perform`` says; `Any` if it says none."""
    return get_type_hints(type(task).perform).get("return", Any)


def dumped(answer: Any, kind: Any) -> bytes:
    """An answer of a type as bytes; ``TypeError`` if it, or its type, is not data."""
    arrays: list[AnyArray] = []

    def plain(kind: Any, value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if kind is Result:
            target = io.BytesIO()
            kept.write_to(target, value)
            value = np.frombuffer(target.getvalue(), np.uint8)
        if isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                raise TypeError(f"{quoted(value)} is an array of objects, which cannot be kept")
            arrays.append(value)
            return len(arrays) - 1
        if names := _fields(kind):
            return [plain(each, getattr(value, name)) for name, each in names.items()]
        if get_origin(kind) in (dict, Mapping):
            return _parts(plain, kind, [list(pair) for pair in value.items()])
        return _parts(plain, kind, value)

    text = json.dumps(plain(kind, answer)).encode()
    target = io.BytesIO()
    named = {str(place): each for place, each in enumerate(arrays)}
    np.savez(target, **{TEXT: np.frombuffer(text, np.uint8)}, **named)  # type: ignore[arg-type]
    return target.getvalue()


def loaded(stored: bytes, kind: Any) -> Any:
    """The answer of a type from its bytes; ``ValueError`` if they hold none."""
    try:
        with np.load(io.BytesIO(stored), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        return _built(json.loads(arrays.pop(TEXT).tobytes()), kind, arrays)
    except Exception:  # damage shows as almost anything
        raise ValueError("there is something that is no answer of this study") from None


def _built(plain: Any, kind: Any, arrays: Mapping[str, AnyArray]) -> Any:
    def made(kind: Any, value: Any) -> Any:
        if kind is Result:
            return Result(**kept.fields_in(io.BytesIO(arrays[str(value)].tobytes())))
        if get_origin(kind) is np.ndarray:
            wanted = get_args(get_args(kind)[1])[0]
            found = arrays[str(value)]
            if wanted is not Any and found.dtype != wanted:
                raise ValueError("an array of another kind")
            return found
        if names := _fields(kind):
            return kind(*(made(each, part) for each, part in zip(names.values(), value, strict=True)))
        found = _parts(made, kind, value)
        return dict(found) if get_origin(kind) in (dict, Mapping) else found

    return made(kind, plain)


def _parts(each: Each, kind: Any, value: Any) -> Any:
    """A plain value, or one with parts, to each of which something is done."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in (Any, object) or kind in PLAIN or kind in (None, NoneType):
        if type(value) not in PLAIN.get(kind, ANY if kind in (Any, object) else (NoneType,)):
            raise TypeError(f"{quoted(value)} is no {getattr(kind, '__name__', kind)}, so it cannot be kept")
        return value
    if origin in (Union, UnionType):
        others = [one for one in inner if one is not NoneType]
        if len(others) == 1:
            return None if value is None else each(others[0], value)
    elif origin is list:
        return [each(inner[0], part) for part in value]
    elif origin is tuple:
        several = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return tuple(each(one, part) for one, part in zip(several, value, strict=True))
    elif origin in (dict, Mapping):
        key, content = inner
        return [(each(key, name), each(content, part)) for name, part in value]
    raise TypeError(f"answers of the type {kind} cannot be kept")


def _fields(kind: Any) -> dict[str, Any]:
    """The fields of a data class or a named tuple with their types, in order; none for other types."""
    if not isinstance(kind, type):
        return {}
    names = [each.name for each in fields(kind)] if is_dataclass(kind) else getattr(kind, "_fields", ())
    hints = get_type_hints(kind)
    return {name: hints[name] for name in names}
