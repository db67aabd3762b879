"""From numbers to the text of a log: each number as Python writes it.

Numbers come as ticks of the time grid (1/1024) below 2⁵², so a fraction has at most ten decimals. As many are written
as it takes to tell the double from its neighbours, and of these decimals the nearest one, as ``repr`` does. (In this
range no decimal with fewer digits is exactly halfway between two doubles.)
"""

from thinktime.workloads.arrays import AnyArray
from thinktime.workloads.swf.letters import LINE_FEED, MINUS, POINT, SPACE, ZERO

BITS = 10
"""There are 2¹⁰ ticks in a second."""
HALF = 1 << (BITS - 1)
BELOW_SECOND = (1 << BITS) - 1
WIDEST = 28
"""The most bytes that a number takes: sign, 13 digits, point, 10 decimals, and a blank."""


def write_rows(ticks: AnyArray, given: AnyArray, texts: bytes, out: AnyArray) -> int:
    """Write rows of numbers to `out`, a line each; returns how many bytes.

    Where `given` is set, the next line of `texts` is written instead; its last column is the text after the numbers.
    """
    at = taken = 0
    columns, rows = ticks.shape[0], ticks.shape[1]
    for row in range(rows):
        for column in range(columns):
            if given[column, row]:
                at, taken = _copy(texts, taken, out, at)
            else:
                number = ticks[column, row]
                if number < 0:
                    number = -number
                    out[at] = MINUS
                    at += 1
                rest = number & BELOW_SECOND
                digits, count = number >> BITS, _count(number >> BITS)
                while count > 0:
                    for place in range(at + count - 1, at - 1, -1):
                        out[place] = ZERO + digits % 10
                        digits //= 10
                    at += count
                    count = 0
                    if rest > 0:
                        out[at] = POINT
                        at += 1
                        digits, count = _fraction(number, rest)
                        rest = 0
            out[at] = SPACE
            at += 1
        if given[columns, row]:
            at, taken = _copy(texts, taken, out, at)
            at += 1
        out[at - 1] = LINE_FEED
    return at


def _copy(texts: bytes, taken: int, out: AnyArray, at: int) -> tuple[int, int]:
    """Copy a line of `texts`; returns where the copy ends and where the next line begins."""
    while texts[taken] != LINE_FEED:
        out[at] = texts[taken]
        at += 1
        taken += 1
    return at, taken + 1


def _count(number: int) -> int:
    """How many digits a whole number has."""
    count, tens = 1, 10
    while number >= tens:
        count, tens = count + 1, 10 * tens
    return count


def _fraction(ticks: int, rest: int) -> tuple[int, int]:
    """The decimals after the point of a number of `ticks`, of which `rest` are less than a second, and how many."""
    reach, whole = 0.5**54, ticks  # half of the last bit: a number of n bits is below 2ⁿ, and its double has 53
    while whole > 0:
        reach, whole = 2.0 * reach, whole >> 1
    count, scaled, tens = 1, 10 * rest, 10.0
    while _distance(scaled) > tens * reach:
        count, scaled, tens = count + 1, 10 * scaled, 10 * tens
    digits, beyond = scaled >> BITS, scaled & BELOW_SECOND
    if beyond > HALF or (beyond == HALF and digits % 2 == 1):
        digits += 1
    return digits, count


def _distance(scaled: int) -> int:
    """How far a number of ticks is from the nearest whole second."""
    beyond = scaled & BELOW_SECOND
    return beyond if beyond < HALF else 2 * HALF - beyond
