"""The tokenizer against a reader of a few lines of plain Python, which shares no code with it."""

import math
import re
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.how_many import few_or_many
from thinktime.workloads import Trace, write_swf
from thinktime.workloads.swf import lines, records

WHOLE = {1, 5, 8, 11, 12, 13, 14, 15, 16, 17}
TIMES = {2, 3, 4, 6, 9, 18}

Record = tuple[int, list[float] | None, str | None]


def plain_number(text: bytes, field: int) -> float:
    """The number of a field, or a ValueError."""
    if not set(text) <= set(b"0123456789+-.eE"):
        raise ValueError
    number = float(text)
    limit = 2.0**53 if field in WHOLE else 2.0**43 if field in TIMES else math.inf
    if not abs(number) < limit or (field in WHOLE and number % 1):
        raise ValueError
    return number


def plain(content: bytes) -> tuple[list[tuple[int, str]], list[Record]]:
    """The comments and records of a log, with their line numbers; malformed records have no numbers."""
    comments: list[tuple[int, str]] = []
    found: list[Record] = []
    for number, line in enumerate(re.split(b"\r\n|\r|\n", content.removeprefix(b"\xef\xbb\xbf")), 1):
        record = line.strip(b" \t\v\f")
        if record.startswith(b";"):
            comments.append((number, line.decode("latin-1")))
        elif record:
            parts = re.split(b"[ \t\v\f]+", record, maxsplit=18)
            try:
                values = [plain_number(parts[field - 1], field) for field in range(1, 19)]
                found.append((number, values, parts[18].decode("latin-1") if len(parts) > 18 else None))
            except (ValueError, IndexError):
                found.append((number, None, None))
    return comments, found


def tokenised(path: Path, content: bytes) -> tuple[list[tuple[int, str]], list[Record]]:
    """The same by the tokenizer."""
    path.write_bytes(content)
    read = records.read_records(path, skip=True)
    rows = zip(*(values.tolist() for values in read.columns.values()), strict=True)
    malformed = set(read.malformed)
    extra = read.extra or [None] * len(read)
    return list(zip(read.comment_lines, read.comments, strict=True)), [
        (line, None if row in malformed else [*values], None if row in malformed else extra[row])
        for row, (line, values) in enumerate(zip(read.lines.tolist(), rows, strict=True))
    ]


def halfway(odd: int, shift: int) -> str:
    """A number of 54 bits: as near to one double as to the next."""
    return f"{Decimal(2**53 + 2 * odd + 1) / 2**shift:f}"


numbers = (
    st.integers(-1, 10**6).map(str)
    | st.integers(-(10**20), 10**20).map(str)
    | st.floats(allow_nan=False, allow_infinity=False).map(repr)
    | st.floats(0, 1e10).map(lambda value: f"{value:.18e}")
    | st.builds(halfway, st.integers(0, 2**52 - 1), st.integers(1, 6))
    | st.from_regex(r"[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][+-]?[0-9]{1,3})?", fullmatch=True)
)
fields = numbers | st.just("-1") | st.from_regex(r"[-+0-9.eE_]{1,6}", fullmatch=True)
blanks = st.sampled_from([" ", "  ", "\t", " \v", "\f "])
ends = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\r\r\n", " \t\n"])
comments = st.text(st.characters(codec="ascii", exclude_characters="\r\n"), max_size=30).map(";".__add__)


@st.composite
def record(draw: st.DrawFn) -> str:
    """Mostly small whole numbers, which are valid in every field, and some of all kinds."""
    length = draw(st.sampled_from([18, 18, 18, 18, 17, 20]))
    texts = ["1"] * length
    for _ in range(draw(st.integers(0, 3))):
        texts[draw(st.integers(0, length - 1))] = draw(fields)
    return draw(st.sampled_from(["", " "])) + draw(blanks).join(texts) + draw(st.sampled_from(["", "\t"]))


logs = st.lists(st.tuples(record() | comments | st.just(""), ends).map("".join), max_size=12).map("".join)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tokens") / "log.swf"


@given(content=logs.map(str.encode), mark=st.booleans(), piece=st.integers(8, 400), rows=st.integers(1, 5))
@settings(max_examples=300)
def test_whole_logs(path: Path, content: bytes, mark: bool, piece: int, rows: int) -> None:
    """However a log is cut into pieces, its comments, lines, numbers and extra texts are those of plain Python."""
    content = b"\xef\xbb\xbf" * mark + content
    with patch.object(lines, "_PIECE", piece), patch.object(records, "_ROWS", rows):
        assert tokenised(path, content) == plain(content)


@given(texts=st.lists(numbers, min_size=1, max_size=50))
@settings(max_examples=300)
@example(["9007199254740993", "9007199254740993.0", "4503599627370497.5", "1125899906842624.125"])
@example(["0.1", "-0", "-0.0", "1e22", "1e23", "1e-22", "1e-23", "0e999", "1e308", "5e-324", "1e-400"])
@example(["000000000000000000000000000001", "1.000000000000000000e+00", "999999999999999999.9", ".5", "5."])
def test_every_digit_counts(path: Path, texts: list[str]) -> None:
    """Each decimal is read as exactly the double that Python makes of it, and keeps its sign."""
    expected = np.array([float(text) for text in texts if math.isfinite(float(text))])
    path.write_text("".join("1 " * 6 + f"{text} " + "1 " * 11 + "\n" for text in texts))
    read = records.read_records(path, skip=True)
    values = np.delete(read.columns["used_memory"], read.malformed)
    assert np.array_equal(values.view(np.int64), expected.view(np.int64))


BYTES = range(256)
MEANING = b"\0\t\n\v\f\r\x1c ;+-.019eEiInN_\x85\xa0\xff"
"""Bytes that mean something, to SWF or to Python."""


@pytest.mark.parametrize("firsts", few_or_many(MEANING, BYTES), ids=["some", "all"])
def test_any_bytes(path: Path, firsts: Iterable[int]) -> None:
    """A file of all pairs of bytes, between numbers or on their own, is read as by plain Python."""
    pairs = [bytes([first, second]) for first in firsts for second in BYTES]
    pairs += [bytes([second, first]) for first in firsts for second in BYTES]
    for content in (
        b"".join(b"1 " * 17 + b"1" + pair + b"1\n" for pair in pairs),
        b"".join(pair + b"1" + b" 1" * 17 + b"\r" for pair in pairs),
    ):
        comments, found = tokenised(path, content)
        expected_comments, expected = plain(content)
        assert [number for number, _ in comments] == [number for number, _ in expected_comments]
        assert [each[:2] for each in found] == [each[:2] for each in expected]


ticks = st.integers(-(2**53) + 1, 2**53 - 1) | st.integers(-(2**43), 2**43) | st.integers(-3000, 3000)


@given(times=st.lists(ticks, min_size=1, max_size=50), memory=st.data())
@settings(max_examples=300)
@example([2**31 * 1024 + 4, 2**42 * 1024 - 1, 2**42 * 1024 + 1], None)
def test_every_digit_is_written(path: Path, times: list[int], memory: Any) -> None:
    """Each number is written with the digits that Python gives it, whole ones as integers."""
    size = len(times)
    amounts = st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 10**19).map(float)
    drawn = memory.draw(st.lists(amounts, min_size=size, max_size=size)) if memory else [0.5] * size
    waits = [each / 1024 for each in times]
    trace = Trace({"submit": range(size), "wait": waits, "used_memory": drawn, "user": times})
    write_swf(trace, path)
    written = [line.split() for line in path.read_text().splitlines()]
    for row, wait, amount, user in zip(written, waits, drawn, times, strict=True):
        assert row[2] == (str(int(wait)) if wait.is_integer() else repr(wait))
        assert row[6] == (str(int(amount)) if amount.is_integer() else repr(amount))
        assert row[11] == str(user)
