"""The pages of the documentation as programs: blocks of code, and what they are said to print."""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

from thinktime.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>not run|needs|at length): (?P<what>[^\n]+) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_FILE = re.compile(r"(?:#|;) ([\w-]+\.\w+)\n")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, where the text lies in the page, and the mark above it."""

    language: str
    text: str
    start: int
    end: int
    mark: str | None
    what: str | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What a page says that some code prints (None: nothing is said), where, and what the code did print."""

    start: int
    end: int
    claimed: str | None
    printed: str


def claims(page: Path, logs: Path | None, at_length: bool = True) -> Iterator[Claim]:
    """Run the blocks of a page, at length all, in the current folder; `logs` is a folder of real logs, if any."""
    source = page.read_text(encoding="utf-8")
    blocks = list(_blocks(source))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block, following in zip_longest(blocks, blocks[1:]):
        if block.mark == "not run" or (block.mark == "needs" and not _provided(str(block.what), logs)):
            continue
        if block.mark == "at length" and not at_length:
            continue
        if name := _FILE.match(block.text):
            Path(name[1]).write_text(block.text, encoding="utf-8")
        if block.language == "python":
            printed = _run(block, page, source, namespace)
            yield _claim_below(block, following, source, printed)
        elif block.language == "console":
            yield Claim(block.start, block.end, block.text, _session(block.text))


def tidy(text: str | None) -> str:
    """Without spaces at the ends of lines, which nobody can see."""
    if text is None or not text.strip():
        return ""
    return "\n".join(line.rstrip() for line in text.strip("\n").split("\n")) + "\n"


def with_cuts(printed: str | None, claimed: str | None) -> str:
    """What was printed, tidy, with "…" for lines that the page leaves out: a line of its own.

    All of it, if what the page has was not printed in this order.
    """
    whole, at = tidy(printed).splitlines(), 0
    shown = tidy(claimed).splitlines()
    parts = [list(part) for cut, part in groupby(shown, lambda line: line == CUT) if not cut]
    for part in parts:
        last = len(whole) - len(part)
        first = last if part is parts[-1] and shown[-1] != CUT else at
        places = range(max(at, first), 1 if part is parts[0] else last + 1)
        at = next((place + len(part) for place in places if whole[place : place + len(part)] == part), -1)
        if at < 0:
            return tidy(printed)
    return tidy(claimed) if parts else tidy(printed)


CUT = "…"


def _blocks(source: str) -> Iterator[Block]:
    for found in _BLOCK.finditer(source):
        yield Block(found["language"], found["text"], *found.span("text"), found["mark"], found["what"])


def _provided(name: str, logs: Path | None) -> bool:
    """Whether a real log is at hand; if so, it lies in the current folder from then on."""
    file = Path(f"{name}.swf.gz")
    if not file.exists() and logs is not None and (logs / file).exists():
        file.symlink_to((logs / file).absolute())
    return file.exists()


def _run(block: Block, page: Path, source: str, namespace: dict[str, Any]) -> str:
    """Run a block as if the page were a script, so that a traceback gives the line in the page."""
    above = "\n" * source.count("\n", 0, block.start)
    with redirect_stdout(StringIO()) as out:
        exec(compile(above + block.text, str(page), "exec"), namespace)
    return out.getvalue()


def _claim_below(block: Block, following: Block | None, source: str, printed: str) -> Claim:
    """What stands right below a block of Python is what it prints; nothing, if no text stands there."""
    fence = block.end + len("```")
    if following is None or source[fence : following.start].strip() != "```text":
        return Claim(fence, fence, None, printed)
    return Claim(following.start, following.end, following.text, printed)


def _session(text: str) -> str:
    """The same commands with what they print: standard output, and the error where one fails."""
    lines = []
    for line in text.splitlines():
        if line.startswith("$ "):
            lines += [line, *_command(line[2:]).splitlines()]
    return "\n".join(lines) + "\n"


def _command(line: str) -> str:
    program, *words = shlex.split(line, comments=True)
    assert program == "thinktime", f"only thinktime is run, so mark the block as not run: {line}"
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as error:
        status = main(words)
    return out.getvalue() if status == 0 else error.getvalue()
