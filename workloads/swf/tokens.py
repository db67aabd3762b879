"""From the text of a log to numbers: each double is exactly that of Python's ``float(text)``.

A number is w·10ᵉ, with whole numbers w and e. Where w ≤ 2⁵³ and |e| ≤ 22, both factors are doubles, so one
multiplication or division rounds correctly (W. D. Clinger, "How to read floating point numbers accurately", PLDI
1990). With more digits, w is divided by 10⁻ᵉ bit by bit. If the number has further digits, it lies between w·10ᵉ and
(w + 1)·10ᵉ, and is the double that both are rounded to. If they are not, or if the exponent is far, which is rare, the
record is left to Python, like everything that is not a number.
"""

import math
from math import nan

import numpy as np

from thinktime.workloads.arrays import AnyArray, Codes, Floats, Whole
from thinktime.workloads.swf.letters import (
    CARRIAGE_RETURN,
    FORM_FEED,
    LARGE_E,
    LINE_FEED,
    MINUS,
    PLUS,
    POINT,
    SEMICOLON,
    SMALL_E,
    SPACE,
    TAB,
    ZERO,
)
from thinktime.workloads.swf.lines import COMMENT, EXTRA, ODD

EXACT = 2**53
"""Up to here every whole number is a double."""
FULL = 10**17
"""From here on, another digit would not be held."""
POWERS = np.array([float(f"1e{power}") for power in range(23)])
TENS = np.array([10**power for power in range(19)])
FAR = 10_000
"""An exponent beyond all doubles."""


def tokenise(
    text: bytearray,
    at: int,
    end: int,
    line: int,
    limits: Floats,
    integral: Codes,
    values: AnyArray,
    lines: Whole,
    notes: AnyArray,
) -> tuple[int, int, int, int]:
    """Read the whole lines in `text[at:end]`, of which the first has number `line`.

    Each record fills a row of `values` (one column per field; `limits` and `integral` say which numbers fit) and of
    `lines`. A note (what it says, row or line number, begin, end) is made of each comment, odd record and extra
    text. Stops early if there is no room. Returns the position and number of the next line, and how many rows and
    notes there are.
    """
    rows = noted = 0
    while at < end and rows < len(lines) and noted < len(notes):
        begin = at
        while _is_blank(text[at]):
            at += 1
        if text[at] == SEMICOLON:
            at = _note(text, begin, at, COMMENT, line, notes, noted)
            noted += 1
        elif not _ends_line(text[at]):
            begin = at
            at, field = _record(text, at, limits, integral, values, rows)
            if field < len(limits):
                at = _note(text, begin, at, ODD, rows, notes, noted)
                noted += 1
            elif not _ends_line(text[at]):
                at = _note(text, at, at, EXTRA, rows, notes, noted)
                noted += 1
            lines[rows] = line
            rows += 1
        at += 2 if text[at] == CARRIAGE_RETURN and text[at + 1] == LINE_FEED else 1
        line += 1
    return at, line, rows, noted


def _record(text: bytearray, at: int, limits: Floats, integral: Codes, values: AnyArray, row: int) -> tuple[int, int]:
    """Read the fields of a record into a row; returns where they end, and how many there are."""
    for field in range(len(limits)):
        negative = text[at] == MINUS
        if negative or text[at] == PLUS:
            at += 1
        begin = at
        w = exponent = point = 0
        cut = False
        while True:
            digit = text[at] - ZERO
            if 0 <= digit <= 9:
                if w < FULL:
                    w = 10 * w + digit
                    exponent -= point
                else:
                    exponent += 1 - point
                    cut = cut or digit > 0
            elif text[at] == POINT and point == 0:
                point = 1
            else:
                break
            at += 1
        if at - begin == point:
            return at, field
        if text[at] == SMALL_E or text[at] == LARGE_E:
            at, power = _power(text, at + 1)
            exponent += power
        if not (_is_blank(text[at]) or _ends_line(text[at])):
            return at, field
        value = _scaled(w, exponent)
        if cut and value != _scaled(w + 1, exponent):
            return at, field
        if not value < limits[field] or (integral[field] and value != math.floor(value)):
            return at, field
        values[field, row] = -value if negative else value
        while _is_blank(text[at]):
            at += 1
    return at, len(limits)


def _power(text: bytearray, at: int) -> tuple[int, int]:
    """The exponent at `at`, and where it ends; without digits it is one that no double has."""
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += 1
    begin = at
    power = 0
    while ZERO <= text[at] <= ZERO + 9:
        power = min(10 * power + text[at] - ZERO, FAR)
        at += 1
    return at, FAR if at == begin else -power if negative else power


def _scaled(w: int, exponent: int) -> float:
    """w·10ᵉ, correctly rounded; NaN where this takes more than 64 bits."""
    if exponent == 0:
        return float(w)
    if w <= EXACT and abs(exponent) < len(POWERS):
        return float(w * POWERS[exponent] if exponent > 0 else w / POWERS[-exponent])
    if -len(TENS) < exponent < 0:
        return _quotient(w, TENS[-exponent])
    return nan


def _quotient(w: int, tens: int) -> float:
    """The double nearest to w / tens, by long division to 53 bits; of two equally near ones the even one."""
    bits, rest = w // tens, w % tens
    if bits >= EXACT:
        return nan
    scale = 1.0
    while bits < EXACT // 2:
        rest *= 2
        bits = 2 * bits + (1 if rest >= tens else 0)
        rest -= tens if rest >= tens else 0
        scale /= 2
    rest *= 2
    if rest > tens or (rest == tens and bits % 2 == 1):
        bits += 1
    return bits * scale


def _is_blank(letter: int) -> bool:
    return letter in (SPACE, TAB) or LINE_FEED < letter <= FORM_FEED


def _ends_line(letter: int) -> bool:
    return letter in (LINE_FEED, CARRIAGE_RETURN)


def _note(text: bytearray, begin: int, at: int, what: int, number: int, notes: AnyArray, place: int) -> int:
    """Note the bytes from `begin` to the end of the line at `at`; returns that end."""
    while not _ends_line(text[at]):
        at += 1
    notes[place, 0], notes[place, 1], notes[place, 2], notes[place, 3] = what, number, begin, at
    return at
