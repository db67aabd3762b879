"""Flags: words of Slurm's that switch something on."""

from collections.abc import Iterable, Sequence

from thinktime.workloads.names import key_of, quoted


def checked(what: str, flags: Iterable[str], known: Sequence[str]) -> frozenset[str]:
    """The flags, if all of them are known; ``ValueError`` otherwise."""
    if isinstance(flags, str):
        raise ValueError(f"{what}: flags must be a list of words, not {quoted(flags)}")
    found = frozenset(flags)
    for flag in sorted(found):
        if flag not in known:
            raise ValueError(f"{what} has no flag {quoted(flag)}; {key_of(flag, known, 'the flags')}")
    return found


def one_of(what: str, word: str, known: Sequence[str]) -> None:
    """``ValueError`` if a word is not one of those known."""
    if word not in known:
        raise ValueError(f"{what} cannot be {quoted(word)}; {key_of(word, known, 'the choices')}")
