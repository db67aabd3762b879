"""Answers of studies as bytes, and back."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thinktime as tt
from thinktime.analysis.study.answer_data import answer_type, dumped, loaded
from thinktime.models.results.result import Result

DTYPES = {np.float64: st.floats(), np.int64: st.integers(-(2**63), 2**63 - 1), np.bool_: st.booleans()}
SCALARS: dict[Any, Any] = {int: st.integers(), float: st.floats(), str: st.text(), bool: st.booleans()}


def tasks() -> Iterator[type]:
    """The tasks of all studies and papers."""
    for room in ("studies", "papers"):
        package = importlib.import_module(f"thinktime.analysis.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for each in vars(module).values():
                if isinstance(each, type) and each.__module__ == found.name and hasattr(each, "perform"):
                    yield each


TASKS = [each for each in tasks() if each.__name__ != "Asked"]


def of_type(kind: Any, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values of a type, as its annotations describe it."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind in SCALARS:
        return SCALARS[kind]
    if kind is object or kind is Any:
        return st.one_of(*SCALARS.values(), st.none()).filter(lambda each: each == each)
    if kind is Result:
        return st.just(tt.replay(tt.Trace({"submit": [0, 1], "runtime": [5, 9], "allocated": [1, 2]}), "easy", 2))
    if origin is np.ndarray:
        dtype = get_args(inner[1])[0]
        return st.lists(DTYPES[dtype], max_size=3).map(lambda values: np.array(values, dtype))
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        names = [each.name for each in fields(kind)] if is_dataclass(kind) else kind._fields
        return st.tuples(*(of_type(hints[name], depth + 1) for name in names)).map(lambda parts: kind(*parts))
    if origin is list:
        return st.lists(of_type(inner[0], depth + 1), max_size=2)
    if origin is tuple and inner[1:] == (...,):
        return st.lists(of_type(inner[0], depth + 1), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*(of_type(each, depth + 1) for each in inner))
    if origin in (dict, Mapping):
        if depth > 2:
            return st.just({})
        return st.dictionaries(*(of_type(each, depth + 1) for each in inner), max_size=2)
    others = [each for each in inner if each is not type(None)]
    assert len(others) == 1, kind
    return st.none() if depth > 2 else st.one_of(st.none(), of_type(others[0], depth + 1))


def same(one: Any, other: Any) -> bool:
    """Whether two values have one type and are equal, NaN included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, Result):
        return all(same(column, other[name]) for name, column in one.columns.items())
    if is_dataclass(one):
        return all(same(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(same, one.values(), other.values()))
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or (one != one and other != other)


def test_all_studies_are_found() -> None:
    """Every study and paper has a task at least."""
    assert len({each.__module__.rpartition(".")[0] for each in TASKS}) >= 9


@pytest.mark.parametrize("task", TASKS, ids=lambda each: f"{each.__module__.split('.')[-2]}.{each.__name__}")
def test_an_answer_comes_back_as_it_was(task: type) -> None:
    """Every kind of answer of every study, exactly."""
    kind = answer_type(task.__new__(task))

    @settings(max_examples=4, deadline=None)
    @given(of_type(kind))
    def back(answer: Any) -> None:
        assert same(loaded(dumped(answer, kind), kind), answer)

    back()


class Kept(NamedTuple):
    """Something that has to be a number and an array."""

    number: float
    column: Any


def test_what_is_no_data_is_not_kept() -> None:
    """Objects, and arrays of them, are refused when they are to be kept, not when they are read."""
    for answer, kind in ((object(), Any), ({1}, set[int]), (np.array([{}], object), Any), ("a", float)):
        with pytest.raises(TypeError, match="cannot be kept"):
            dumped(answer, kind)


def test_a_file_cannot_choose_the_type() -> None:
    """Bytes of another type are refused: what is built is what the task promises."""
    number = dumped(3.5, float)
    for kind in (str, list[float], Kept, Result, tuple[float, float], np.ndarray[Any, np.dtype[np.float64]]):
        with pytest.raises(ValueError, match="no answer of this study"):
            loaded(number, kind)
