"""Tables of plain values and the objects that they describe: a class says its keys by its fields."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

from thinktime.workloads.reading.table import FLAT, Codec, Rows, Table, read, table_of
from thinktime.workloads.reading.texts import pairs_in, put, tables_in, text_of
from thinktime.workloads.reading.values import Names, Seconds


@dataclass(frozen=True)
class Wheel(Table):
    """A table with a key of each plain type."""

    name: str
    spokes: int = 32
    width: float = 1.5
    spare: bool = False
    spin: Seconds = 60.0
    tags: Names = ()
    own: Any = None
    """No key: its type says nothing."""

    def __post_init__(self) -> None:
        if self.spokes < 1:
            raise ValueError(f"spokes must be at least 1, not {self.spokes}")


@dataclass(frozen=True)
class Frame(Table):
    """A table whose keys stand among those of another."""

    size: int | None = None


@dataclass(frozen=True)
class Bicycle(Table):
    """A table with a list of tables, a table inside and a table among its keys."""

    wheels: Annotated[tuple[Wheel, ...], Rows(Wheel, tuple, "wheel")] = ()
    best: Wheel = Wheel("none")
    frame: Frame = field(default=Frame(), metadata={FLAT: True})
    colour: Annotated[str, Codec(str.lower, str.upper)] = "red"


WHOLE = Bicycle((Wheel("a", 3), Wheel("b", spin=90.0, tags=("x",))), Wheel("c", width=2.0), Frame(7), "blue")


def test_what_is_written_is_read() -> None:
    """An object is its table, and its TOML, without what has its default."""
    table = table_of(WHOLE)
    assert table == {
        "wheels": [{"name": "a", "spokes": 3}, {"name": "b", "spin": "90s", "tags": ["x"]}],
        "best": {"name": "c", "width": 2}, "size": 7, "colour": "BLUE",
    }  # fmt: skip
    assert read(Bicycle, table) == read(Bicycle, tables_in(text_of(WHOLE))) == WHOLE
    assert read(Bicycle, {}) == Bicycle() and table_of(Bicycle()) == {}


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"whels": []}, "a bicycle has no key 'whels'; did you mean 'wheels'?"),
        ({"frame": 3}, "a bicycle has no key 'frame'; its keys are wheels, best, size, colour"),
        ({"size": 1.5}, "size must be a whole number, not 1.5"),
        ({"wheels": 3}, "wheel: must be a list of tables, not 3"),
        ({"wheels": [{"name": "a"}, {}]}, "wheel number 2 needs name"),
        (
            {"wheels": [{"name": "a", "own": 3}]},
            "wheel a has no key 'own'; its keys are name, spokes, width, spare, spin, tags",
        ),
        ({"wheels": [{"name": "a", "spokes": 0}]}, "wheel a: spokes must be at least 1, not 0"),
        ({"wheels": [{"name": "a", "spin": "x"}]}, "wheel a: spin is wrong: a duration must be a number of seconds"),
        ({"best": 3}, "best must be a table, not 3"),
        ({"best": {"name": "a", "spare": 1}}, "best: spare must be true or false, not 1"),
        ({"best": {"name": "a", "tags": "b"}}, "best: tags must be a list of names, not 'b'"),
        ({"best": {"name": "a", "width": "b", "spokes": True}}, "best: width must be a number, not 'b'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(table: Any, sentence: str) -> None:
    """One sentence names the innermost table, the key, and what would be right; the first key of the file counts."""
    with pytest.raises(ValueError) as caught:
        read(Bicycle, table, "a bicycle")
    assert str(caught.value).startswith(sentence)


def test_pairs() -> None:
    """A text of pairs gives them in order; what is no pair is named."""
    assert pairs_in("a=1, b = x=y", "such as a=1") == [("a", "1"), ("b", "x=y")]
    for text in ("", "a", "a=", "=1"):
        with pytest.raises(ValueError, match=f"such as a=1, so '{text}' is not understood"):
            pairs_in(text, "such as a=1")


def test_a_value_is_put_at_a_path() -> None:
    """Tables on the way are made, words are tables of a kind if that is so, and nothing that was given is changed."""
    before: dict[str, Any] = {"a": {"b": 1}, "k": "kind"}
    assert put(before, ["a", "c"], 2) == {"a": {"b": 1, "c": 2}, "k": "kind"}
    assert put(before, ["k", "x"], 2) == {"a": {"b": 1}, "k": {"x": 2}}
    assert put(before, ["k", "x"], 2, kinds=True) == {"a": {"b": 1}, "k": {"kind": "kind", "x": 2}}
    assert before == {"a": {"b": 1}, "k": "kind"}
