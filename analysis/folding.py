"""Line breaking that cuts nothing off.

Text breaks at blanks, and policy names also after a colon or a comma. Only if no such place is left does it break at
another punctuation mark, or anywhere.
"""

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len

SOFT = (re.compile(r"(?<=[:,])(?!\d)|(?<=\D[:,])"), re.compile(r"(?<=[=+/_.-])"))
"""Where a word may be broken, but not within a number such as 1,250."""


_WORD = re.compile(r"(\s*)(\S+)")


def fold(text: str, width: int) -> str:
    r"""The text in lines of at most this width; a word longer than a line starts on a new one.

    >>> fold("easy:order=fairshare,half_life=7d waits", 18).split("\n")
    ['easy:', 'order=fairshare,', 'half_life=7d waits']
    """
    return "\n".join(line for each in text.split("\n") for line in _lines(each, width))


def breakable(word: str) -> list[str]:
    """The parts of a word between which it is preferably broken.

    >>> breakable("easy:order=fairshare,half_life=7d"), breakable("1,250")
    (['easy:', 'order=fairshare,', 'half_life=7d'], ['1,250'])
    """
    return [part for part in SOFT[0].split(word) if part]


def _lines(text: str, width: int) -> Iterator[str]:
    """Break one line of text; blanks at its beginning and within lines are kept."""
    line = ""
    for gap, word in _WORD.findall(text.rstrip()):
        if cell_len(line + gap + word) <= width:
            line += gap + word
            continue
        if line:
            yield line
            gap = ""
        *whole, line = _pieces(gap + word, width)
        yield from whole
    yield line


def _pieces(word: str, width: int, places: Sequence[re.Pattern[str]] = SOFT) -> list[str]:
    """A word in pieces of at most this width."""
    if cell_len(word) <= width:
        return [word]
    if not places:
        return [word[at : at + width] for at in range(0, len(word), width)]
    found = [""]
    for part in places[0].split(word):
        if cell_len(found[-1] + part) <= width:
            found[-1] += part
            continue
        found += _pieces(part, width, places[1:])
    return [each for each in found if each]
