"""Streams of random numbers: one generator per name and purpose, all derived from one seed.

A comparison of two policies is fair if every user draws the same jobs and think times under both (common random
numbers). So a stream depends only on the seed, the name and the purpose, not on how many other names there are, in
which order, or on what other streams have drawn.

The key of a stream is the SHA-256 hash of its name and of its purpose, passed to NumPy's `SeedSequence` as a
spawn key. (Python's own `hash` of a string differs from run to run.)
"""

import functools
import hashlib
import numbers
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from thinktime.workloads.names import quoted

Name = TypeVar("Name")
Seed = int | Sequence[int] | np.random.SeedSequence


def stream(seed: Seed, name: object, purpose: str = "") -> np.random.Generator:
    """Return a fresh generator for `name` and one `purpose` (such as "jobs" or "think times").

    Names are compared as strings: user 7 and user "7" have the same stream.

    >>> stream(1, "u1").random() == stream(1, "u1").random()
    True
    """
    return np.random.default_rng(sequence(seed, name, purpose))


def sequence(seed: Seed, name: object, purpose: str = "", *, child: int | None = None) -> np.random.SeedSequence:
    """The seed of `stream`, or the one with which its generator would spawn a ``child``, counted from 0."""
    root = _root(seed)
    key = (*root.spawn_key, *_words(str(name)), *_words(purpose), *(() if child is None else (child,)))
    return np.random.SeedSequence(root.entropy, spawn_key=key)


def streams(seed: Seed, names: Iterable[Name]) -> Iterator[tuple[Name, np.random.Generator]]:
    """Yield each name with its generator, `stream(seed, name)`, in the order of `names`.

    ``ValueError`` for a name that repeats, since equal names draw equal numbers.

    >>> [(name, int(rng.integers(100)) < 100) for name, rng in streams(seed=1, names=["u1", "u2"])]
    [('u1', True), ('u2', True)]
    """
    seen: set[str] = set()
    for name in names:
        if str(name) in seen:
            raise ValueError(f"names must be distinct, since equal names draw equal numbers: {quoted(name)} repeats")
        seen.add(str(name))
        yield name, stream(seed, name)


class Lucks:
    """The streams of one seed, with the same numbers as `stream` gives, but made in a third of the time.

    NumPy hashes the words of the seed, filled up with zeros, and of the key. Given as an array they need no conversion;
    but no generators can be spawned from such a stream that would be those of `stream`.

    >>> Lucks((1, 2)).stream("u1", "jobs").random() == stream((1, 2), "u1", "jobs").random()
    True
    """

    def __init__(self, seed: Seed) -> None:
        root = _root(seed)
        words = _halves(root.entropy)
        self._words = [*words, *[0] * (root.pool_size - len(words)), *_halves(root.spawn_key)]

    def stream(self, name: object, purpose: str = "") -> np.random.Generator:
        """That of one name and one purpose."""
        words = np.array([*self._words, *_words(str(name)), *_words(purpose)], np.uint32)
        return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def _halves(entropy: object) -> list[int]:
    """Whole numbers as words of 32 bits, as NumPy takes them."""
    if isinstance(entropy, Iterable):
        return [word for each in entropy for word in _halves(each)]
    number = int(entropy)  # type: ignore[call-overload]
    return [number >> shift & 0xFFFFFFFF for shift in range(0, max(1, number.bit_length()), 32)]


def _root(seed: Seed) -> np.random.SeedSequence:
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, bool | str | bytes) or not isinstance(seed, numbers.Integral | Sequence):
        raise TypeError(f"seed must be a whole number, so that the run can be repeated, not {quoted(seed)}")
    return np.random.SeedSequence(seed)


@functools.lru_cache(4096)
def _words(text: str) -> tuple[int, ...]:
    """Hash a text to eight 32-bit words, the elements of a spawn key."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return tuple(np.frombuffer(digest, dtype="<u4").tolist())
