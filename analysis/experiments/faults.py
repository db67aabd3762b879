"""Errors in a scenario as one sentence: the file, the line, the key, what is wrong and what would be right."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError

from thinktime.workloads.names import key_of, quoted, shortened
from thinktime.workloads.reading.faults import VERBS, what_is_wrong

Place = tuple[str | int, ...]
Words = tuple[str, ...]

_TABLE = re.compile(r"^\s*(\[\[?)(.+?)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")


def sentence(error: ValidationError, model: type[BaseModel], where: str, text: str | None = None) -> str:
    """The first error in a scenario; the line is looked up in `text`, the contents of the file."""
    fault = error.errors(include_url=False)[0]
    place: Place = tuple(each for each in fault["loc"] if not _is_tag(each))
    what = _what(fault, model, place)
    name = _shown(place[:-1] if fault["type"] in ("extra_forbidden", "missing") else place)
    head, between = located(where, text, place), " " if what.startswith(VERBS) else ": "
    return f"{head}: {name}{between}{what}" if name else f"{head}: {what}"


def located(where: str, text: str | None, place: Place) -> str:
    """The name of a file with the line of a key, if there is one."""
    line = line_of(text, place) if text else None
    return where if line is None else f"{where}, line {line}"


def line_of(text: str, place: Place) -> int | None:
    """The line of a TOML file with the key at `place`, else that of the innermost table around it."""
    best, found = 0, None
    for number, path in _paths(text):
        agree = 0
        for ours, theirs in zip(path, place, strict=False):
            if ours != theirs:
                break
            agree += 1
        if agree in (len(path), len(place)) and agree > best:
            best, found = agree, number
    return found


def _paths(text: str) -> list[tuple[int, Place]]:
    """The line number and the path of every table and key that begins a line of a TOML file."""
    paths: list[tuple[int, Place]] = []
    table: Place = ()
    last: dict[Place, int] = {}
    """The index of the last table in each array of tables."""
    for number, line in enumerate(text.splitlines(), start=1):
        if head := _TABLE.match(line):
            table = ()
            *above, name = _words(head[2])
            for word in above:
                table = (*table, word)
                table = (*table, last[table]) if table in last else table
            table = (*table, name)
            if head[1] == "[[":
                last[table] = last.get(table, -1) + 1
                table = (*table, last[table])
            paths.append((number, table))
        elif key := _KEY.match(line):
            paths.append((number, (*table, *_words(key[1]))))
    return paths


def _words(key: str) -> Words:
    """The parts of a dotted TOML key."""
    try:
        found: Any = tomllib.loads(f"{key} = 0")
    except tomllib.TOMLDecodeError:
        return (key.strip(),)
    words = []
    while isinstance(found, Mapping):
        word, found = next(iter(found.items()))
        words.append(word)
    return tuple(words)


def _shown(place: Place) -> str:
    """A place as it is printed: users.short.runtime, sweep.points 2."""
    words = "".join(f" {each + 1}" if isinstance(each, int) else f".{shortened(each, 40)}" for each in place)
    return words.lstrip(". ")


def _what(fault: Mapping[str, Any], model: type[BaseModel], place: Place) -> str:
    if fault["type"] == "extra_forbidden":
        return f"has no key {quoted(place[-1])}; {key_of(str(place[-1]), _keys(model, place[:-1]), 'the keys')}"
    if fault["type"] == "missing":
        return f"needs {place[-1]}"
    return what_is_wrong(fault)


def _keys(model: type[BaseModel], place: Sequence[str | int]) -> list[str]:
    current: Any = model
    for each in place:
        if isinstance(each, int):
            continue
        if get_origin(current) is dict:
            current = _inner(current)
        elif isinstance(current, type) and issubclass(current, BaseModel):
            fields = _fields(current)
            current = fields.get(str(each))
            current = current if get_origin(current) is dict else _inner(current)
    return list(_fields(current)) if isinstance(current, type) and issubclass(current, BaseModel) else []


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {info.alias or name: info.annotation for name, info in model.model_fields.items()}


def _inner(annotation: Any) -> Any:
    """The model inside an annotation such as `dict[str, Model]` or `Model | None`."""
    if isinstance(annotation, type) and not get_args(annotation):
        return annotation
    for each in get_args(annotation):
        found = _inner(each)
        if isinstance(found, type) and issubclass(found, BaseModel):
            return found
    return None


def _is_tag(word: str | int) -> bool:
    """Whether a part of pydantic's location names a type rather than a key."""
    return isinstance(word, str) and ("[" in word or "(" in word or word in ("float", "str", "int"))
