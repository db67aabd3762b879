"""Options that belong together are one value: declared as a data class, given to commands as its object."""

import inspect
from dataclasses import dataclass
from typing import Annotated

import pytest

from thinktime.cli import options
from thinktime.cli.changing import Changes


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two options."""

    left: Annotated[str, options.option("L", "Left.")] = "l"
    right: int | None = None


def test_a_command_gets_the_object_of_its_options() -> None:
    """Each field is a parameter in the place of the object, with its default; the command is given the object."""
    seen: list[object] = []

    @options.spread
    def command(name: str, pair: Pair, last: bool = False) -> None:
        seen.extend((name, pair, last))

    parameters = inspect.signature(command).parameters
    assert [(each.name, each.default) for each in parameters.values()] == [
        ("name", inspect.Parameter.empty), ("left", "l"), ("right", None), ("last", False),
    ]  # fmt: skip
    assert parameters["left"].annotation.__metadata__[0].help == "Left."
    command(name="n", left="x", right=3, last=True)
    assert seen == ["n", Pair(left="x", right=3), True]


@dataclass(frozen=True, kw_only=True)
class More:
    """An option that is needed, and others that are a value of their own."""

    needed: str
    pair: Pair
    last: bool = False


def test_a_field_may_be_such_an_object() -> None:
    """Its fields are parameters in its place; a field without a default is one that is needed."""
    seen: list[object] = []

    @options.spread
    def command(*, more: More) -> None:
        seen.append(more)

    parameters = inspect.signature(command).parameters
    assert list(parameters) == ["needed", "left", "right", "last"]
    assert parameters["needed"].default is inspect.Parameter.empty
    command(needed="n", left="x", right=3, last=True)
    assert seen == [More(needed="n", pair=Pair(left="x", right=3), last=True)]


def test_what_was_given_of_changes() -> None:
    """Options that were not given are not in the table; what cannot be read names its option."""
    assert Changes().given == {} and Changes(max_restarts=0, events="e.csv").given == {
        "events": "e.csv",
        "max_restarts": 0,
    }
    with pytest.raises(ValueError, match="--on-failure cannot be 'stop'; the choices are cancel, requeue"):
        Changes(on_failure="stop")
    with pytest.raises(ValueError, match=r"^--checkpoint: "):
        Changes(checkpoint="often")
