"""Streams: common random numbers per name."""

import itertools
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from thinktime.workloads import stream, streams
from thinktime.workloads.streams import Lucks, Seed


def draws(generator: np.random.Generator) -> list[float]:
    return [generator.random() for _ in range(4)]


def test_independent_of_the_others() -> None:
    """A name draws the same numbers whatever other names there are, in whatever order."""
    alone = {name: draws(rng) for name, rng in streams(1, ["b"])}
    among = {name: draws(rng) for name, rng in streams(1, ["c", "b", "a"])}
    assert alone["b"] == among["b"] == draws(stream(1, "b"))


def test_all_differ() -> None:
    """Names, purposes and seeds give different streams."""
    keys = itertools.product((1, 2), "ab", ("", "jobs"))
    assert len({tuple(draws(stream(seed, name, purpose))) for seed, name, purpose in keys}) == 8


def test_name_and_purpose_are_not_glued() -> None:
    """The name "ab" is not the name "a" with the purpose "b"."""
    assert draws(stream(1, "ab")) != draws(stream(1, "a", "b"))


def test_numbers_as_names() -> None:
    """A user's number draws the same as its text, NumPy's numbers included."""
    assert draws(stream(1, 7)) == draws(stream(1, "7")) == draws(stream(1, np.int64(7)))


@pytest.mark.parametrize(
    "seed", [0, 2**32, 2**200 + 7, (), (0,), (2**40, 0, 7), range(9), np.random.SeedSequence(5, spawn_key=(3, 2**35))]
)
def test_many_streams_of_one_seed(seed: Seed) -> None:
    """Streams that are made more quickly are the same, whatever words the seed has."""
    assert draws(Lucks(seed).stream("a", "jobs")) == draws(stream(seed, "a", "jobs"))


def test_names_are_kept() -> None:
    """The names come back as given, in the order given."""
    assert [name for name, _ in streams(1, [3, "x"])] == [3, "x"]


def test_same_numbers_in_another_process() -> None:
    """A new process, with another hash seed, draws the same numbers."""
    code = "from thinktime.workloads import stream; print([*stream(1, 'u1').random(4).tolist()])"
    command, environment = [sys.executable, "-c", code], os.environ | {"PYTHONHASHSEED": "7"}
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert out.stdout.strip() == str(draws(stream(1, "u1")))


def test_pinned_numbers() -> None:
    """The stream of a name is part of the package's contract: these numbers do not change."""
    assert stream(1, "u1").integers(1000, size=4).tolist() == [439, 71, 428, 176]


def test_seed_sequences() -> None:
    """A spawned SeedSequence gives streams of its own."""
    first, second = np.random.SeedSequence(1).spawn(2)
    assert draws(stream(first, "u1")) != draws(stream(second, "u1"))
    assert draws(stream(np.random.SeedSequence(1), "u1")) == draws(stream(1, "u1"))


def test_equal_names_are_refused() -> None:
    """Two users of one name would have the same luck."""
    with pytest.raises(ValueError, match="'u1' repeats"):
        list(streams(1, ["u1", "u1"]))


@pytest.mark.parametrize("seed", [None, 1.5, True, "1"])
def test_seed_is_needed(seed: Any) -> None:
    """A seed that would not repeat, or is not a number, is refused."""
    with pytest.raises(TypeError, match="seed must be a whole number"):
        stream(seed, "u1")
