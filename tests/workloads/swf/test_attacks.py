"""Files that are out to harm: whatever they hold, a log or one clear sentence comes out, and soon."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thinktime.workloads import Header, SWFError, Trace, read_swf
from thinktime.workloads.compressed import opened, size
from thinktime.workloads.swf.records import WIDTH, fault, read_records

Line = Callable[..., str]
Write = Callable[..., Path]

NOT_BLANKS = [b"\x1c", b"\x1d", b"\x1e", b"\x1f", b"\x85", b"\xa0", b"\xc2\xa0", b"\x00"]
RECORD = b"1 0 0 60 1 -1 -1 1 600 -1 1 -1 -1 -1 -1 -1 -1 -1"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("attacks") / "log.swf"


@pytest.mark.parametrize("byte", NOT_BLANKS)
@pytest.mark.parametrize("place", [0, 1, 9, 18])
def test_what_is_no_blank(log: Path, byte: bytes, place: int) -> None:
    """Separators and hard spaces are text: a field that holds one is malformed, and dropped as such on request."""
    fields = RECORD.split()
    record = b" ".join(fields[:place]) + (b" " if place else b"") + byte + b" ".join(fields[place:])
    log.write_bytes(RECORD + b"\n" + record + b"\n")
    if place == 18:
        assert read_swf(log).extra == (None, byte.decode("latin-1" if len(byte) == 1 and byte > b"\x7f" else "utf-8"))
        return
    with pytest.raises(SWFError, match="line 2, field "):
        read_swf(log)
    trace = read_swf(log, on_error="skip")
    assert (len(trace), trace.report.dropped) == (1, {"malformed line": 1})


@pytest.mark.parametrize("between", [b"\t", b"\v", b"\f", b" \t \v\f "])
def test_blanks(log: Path, between: bytes) -> None:
    """Spaces, tabs, vertical tabs and form feeds stand between fields, in front of them and behind them."""
    log.write_bytes(between + RECORD.replace(b" ", between) + between + b"\n")
    trace = read_swf(log)
    assert (trace.id.tolist(), trace.extra) == ([1], None)


@pytest.mark.parametrize("text", ["\0" * 4000, "9" * 4000, "é" * 4000, "\x1b[31m" * 800])
def test_long_fields_are_cut(write_log: Write, job_line: Line, text: str) -> None:
    """A message quotes at most 40 characters of a field, whatever it holds."""
    for lines in ((job_line(1), job_line(2, runtime=text)), (text,), (job_line(1), f"1 2 {text}")):
        with pytest.raises(SWFError) as caught:
            read_swf(write_log(*lines))
        assert len(str(caught.value)) < 300
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("label", ["MaxProcs", "MaxNodes", "UnixStartTime", "TimeZone", "MaxJobs"])
@pytest.mark.parametrize("digits", [str(2**53 + 1), "9" * 5000, "0" * 5000 + "8", "-" + "9" * 30])
def test_numbers_of_labels(write_log: Write, job_line: Line, label: str, digits: str) -> None:
    """A label's number beyond 2⁵³ is refused with its line, and does not end in Python's own limit on digits."""
    log = write_log("; Version: 2.2", f"; {label}: {digits}", job_line())
    with pytest.raises(SWFError, match=rf"log\.swf, line 2: {label} is '.*but must be a whole number up to 9,007"):
        read_swf(log)
    with pytest.raises(ValueError, match=f"{label} is"):
        Header([f"; {label}: {digits}"]).number(label)


def test_largest_machine(write_log: Write, job_line: Line) -> None:
    """A machine may have 2⁵³ processors."""
    assert read_swf(write_log(f"; MaxProcs: {2**53}", job_line())).machine_size == 2**53


def test_long_headers() -> None:
    """A header is read in time that grows with its lines: 60,000 that continue a value take no second."""
    header = Header(["; Note: one", *([";       " + "more " * 4] * 60_000)])
    assert header["Note"].count("\n") == 60_000
    labels = Header(f"; Label{number}: {number}" for number in range(60_000))
    assert sum(len(labels.all(label)) for label in labels.labels) == 60_000


def test_long_digits() -> None:
    """A field of 100,000 digits that is not a number is found out at once."""
    assert fault(b"1" * 100_000 + b"x") is not None


def bomb(path: Path, unfolded: int) -> Path:
    """A log of one job that decompresses to so many bytes, nearly all of them blank lines."""
    with gzip.open(path, "wb", 9) as file:
        file.write(RECORD)
        for _ in range(unfolded // 2**20):
            file.write(b"\n" * 2**20)
    return path


@pytest.mark.parametrize("wanted", [2 * 2**20, "2 mb", "2MiB"])
def test_bombs(tmp_path: Path, wanted: Any) -> None:
    """A compressed log that decompresses to more than `max_size` is refused; with room enough it is read."""
    path = bomb(tmp_path / "log.swf.gz", 3 * 2**20)
    with pytest.raises(
        ValueError, match=r"log\.swf\.gz \([\d,]+ bytes\) decompresses to more than 2,097,152 bytes; .*max_size"
    ):
        read_swf(path, max_size=wanted)
    assert len(read_swf(path, max_size="4 mb")) == 1
    assert len(read_swf(path)) == 1


def test_limit_of_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without `max_size` a log may unfold to 200 times its size, and to 1 GiB in any case."""
    path = bomb(tmp_path / "log.swf.gz", 4 * 2**20)
    assert path.stat().st_size * 200 < 4 * 2**20
    monkeypatch.setattr("thinktime.workloads.compressed.AT_LEAST", 2**20)
    with pytest.raises(ValueError, match="decompresses to more than 1,048,576 bytes"):
        read_swf(path)
    monkeypatch.setattr("thinktime.workloads.compressed.TIMES", 2000)
    assert len(read_swf(path)) == 1


def test_unfolded_in_pieces(tmp_path: Path) -> None:
    """What a file decompresses to is never held as a whole."""
    with opened(bomb(tmp_path / "log.swf.gz", 64 * 2**20)) as file:
        assert isinstance(file, io.BufferedReader)
        assert len(file.read(2**20)) == 2**20


@pytest.mark.parametrize("value", [0, -1, "", "x", "1 pb", True, None, 0.5, "1e9", "9" * 30])
def test_wrong_sizes(value: Any) -> None:
    """A size that is none is refused in words."""
    with pytest.raises(ValueError, match="a size must be at least 1 byte"):
        size(value)


def test_lines_in_texts() -> None:
    """A header line with a CR in it is two lines, as it will be when it is read; an extra text must be one line."""
    assert Header(["; a\rb"]).lines == ("; a", "; b")
    assert Header.build(Note="a\rb")["Note"] == "a\nb"
    with pytest.raises(ValueError, match="an extra text must be one line"):
        Trace({"submit": [0]}, extra=["a\rb"])


letters = st.binary(max_size=6) | st.sampled_from(
    [
        *NOT_BLANKS,
        b"\r",
        b"\n",
        b"\r\n",
        b" ",
        b"\t",
        b";",
        b"-1",
        b"nan",
        b"1e400",
        b"1_0",
        b"0x1",
        b".",
        b"+1",
        b"\xef\xbb\xbf",
    ]
)
GOOD = b"; MaxProcs: 8\n; Note: x\n;  more\n" + RECORD + b"\n" + RECORD.replace(b"1", b"2", 1) + b" extra\n"


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good log into which some bytes were put, from which some were taken, anywhere."""
    content = GOOD
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        content = content[:at] + draw(letters) + content[at + draw(st.integers(0, 3)) :]
    return content


@given(content=mutated(), packed=st.booleans())
def test_mutated_logs(log: Path, content: bytes, packed: bool) -> None:
    """A mutated log gives a trace or one sentence, and skipping leaves out the lines that have a fault, no others."""
    log.write_bytes(gzip.compress(content) if packed else content)
    try:
        trace = read_swf(log)
    except ValueError as error:
        assert len(str(error)) < 400 and str(error).isprintable()
        assert str(log) in str(error)
    else:
        assert (
            len(trace)
            == trace.report.jobs
            == trace.report.records
            - sum(trace.report.dropped.values())
            - sum(entry.count for entry in trace.report.entries if entry.reason.startswith("burst line"))
        )
    try:
        trace = read_swf(log, on_error="skip")
    except ValueError as error:
        assert str(log) in str(error)


BYTES = st.lists(st.binary(max_size=4) | st.sampled_from([*NOT_BLANKS, b"1", b" ", b"\t", b" 2 "]), max_size=40)
TOKENS = st.from_regex(r"[-+0-9.eE_]{1,6}", fullmatch=True) | st.sampled_from(["1", "nan", "inf", "0x1", "1d2", "#"])


@given(
    BYTES.map(lambda parts: b"".join([RECORD[:20], *parts, RECORD[20:]]))
    | st.tuples(st.integers(0, WIDTH), st.lists(TOKENS, min_size=WIDTH - 1, max_size=WIDTH + 1)).map(
        lambda drawn: " ".join(["1"] * drawn[0] + drawn[1][drawn[0] :]).encode()
    )
)
@settings(max_examples=200)
def test_checking_and_converting_agree(log: Path, given_record: bytes) -> None:
    """Whatever bytes a record holds, checking finds a fault exactly where converting finds no numbers."""
    record = given_record.translate(None, b"\r\n").strip(b" \t\v\f")
    log.write_bytes(record)
    assert (fault(record) is None) == (read_records(log, skip=True).malformed == [])
