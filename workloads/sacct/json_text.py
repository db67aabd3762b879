"""A large JSON object, entry by entry: the elements of one of its lists are decoded one at a time.

So memory does not grow with the file. An element must be shorter than `MOST_VALUE`.
"""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thinktime.workloads.compressed import decompressing, opened
from thinktime.workloads.names import shortened

LIST = object()
"""Stands for the list whose elements follow."""
MOST_VALUE = 2**25
"""The longest value, in characters, that is taken for one job; those of Slurm have some thousand, with steps more."""
_PIECE = 2**20
_BEGINNING = 4096
_NEAR_THE_END = 16
"""Up to so many characters before the end of what was read, a value may just not be there yet."""
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def entries(path: Path, of: str, max_size: int | None = None) -> Iterator[tuple[str, Any]]:
    """The entries of the object in a file by name; of the list named ``of``, each element is one, after `LIST`.

    For `max_size` see `compressed.opened`. ``ValueError`` says what is wrong with the file.
    """
    # Bytes that are not UTF-8 are replaced.
    with decompressing(path), io.TextIOWrapper(opened(path, max_size), encoding="utf-8", errors="replace") as stream:
        yield from _Text(path, stream).entries(of)


def is_json(path: Path, max_size: int | None = None) -> bool:
    """Whether a file begins as a JSON object or list."""
    with decompressing(path), opened(path, max_size) as file:
        beginning = file.read(_BEGINNING)
    return beginning.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")


class _Text:
    """What was read of a file, and where in it we are."""

    def __init__(self, path: Path, stream: io.TextIOWrapper) -> None:
        self._name, self._stream = shortened(path), stream
        self._buffer, self._at = "", 0

    def entries(self, of: str) -> Iterator[tuple[str, Any]]:
        """The keys and values of the object in the file, read one by one, as the function `entries` gives them."""
        if self._next() == "\ufeff":
            self._at += 1
        self._take("{")
        if self._next() == "}":
            return
        while True:
            name = self._value()
            if not isinstance(name, str):
                raise self._broken("a name is missing")
            self._take(":")
            if name == of and self._next() == "[":
                yield name, LIST
                for element in self._elements():
                    yield name, element
            else:
                yield name, self._value()
            if self._take(",}") == "}":
                break
        if self._next():
            raise ValueError(
                f"{self._name} has more after its end: it is several JSON texts in one; put each into a file of its own"
            )

    def _elements(self) -> Iterator[Any]:
        self._take("[")
        if self._next() == "]":
            self._at += 1
            return
        while True:
            yield self._value()
            if self._take(",]") == "]":
                return

    def _more(self) -> bool:
        # As much again as is there, so that a long value is not decoded again and again.
        new = self._stream.read(max(_PIECE, len(self._buffer) - self._at))
        self._buffer, self._at = self._buffer[self._at :] + new, 0
        return bool(new)

    def _next(self) -> str:
        """The next character that is no blank; none at the end."""
        while True:
            blank = _BLANK.match(self._buffer, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def _take(self, expected: str) -> str:
        found = self._next()
        if not found:
            raise self._cut_off()
        if found not in expected:
            raise self._broken(f"expected {' or '.join(expected)}, found {found!r}")
        self._at += 1
        return found

    def _value(self) -> Any:
        self._next()
        while True:
            wrong = None
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
                if end < len(self._buffer) or not isinstance(value, int | float):  # a number may go on
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                wrong = error
                early = error.pos < len(self._buffer) - _NEAR_THE_END
                if early and not error.msg.startswith("Unterminated string"):
                    raise self._broken(error.msg) from None
            except RecursionError:
                raise self._broken("it is nested too deeply") from None
            except ValueError:  # of int, for thousands of digits
                raise self._broken("a number has too many digits") from None
            if len(self._buffer) - self._at > MOST_VALUE:
                raise ValueError(f"{self._name} has a value of more than {MOST_VALUE // 2**20} MB, which is no job")
            if not self._more():
                if wrong is None:
                    self._at = end
                    return value
                rest = self._buffer[wrong.pos :].strip()
                begun = any(each.startswith(rest) for each in ("true", "false", "null"))
                raise self._cut_off() if begun or not wrong.msg.startswith("Expecting") else self._broken(wrong.msg)

    def _cut_off(self) -> ValueError:
        return ValueError(f"{self._name} is cut off: the JSON text ends in the middle; print it again")

    def _broken(self, why: str) -> ValueError:
        return ValueError(f"{self._name} is no JSON text as Slurm prints it: {why}")
