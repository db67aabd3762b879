# cython: cdivision=True
"""Whole numbers of hundreds of bits.

A number is an array of words of 30 bits, the lowest first, so that the product of two words fits into 64 bits. No
number is negative, so C divides as Python does. Where numbers stand for times or for work, their unit is 2^-120: four
words come after the point.
"""

from __future__ import annotations

from thinktime.models.engine.codes import long_numbers as long_numbers_codes
from thinktime.models.engine.spare import Spare
from thinktime.workloads.arrays import Ints

TICK = 2.0**-10  # s, the grid of time


def compare(a: Ints, b: Ints) -> int:
    """1, 0 or -1: whether ``a`` is larger than ``b``, equal, or smaller."""
    for i in range(len(a) - 1, -1, -1):
        if a[i] != b[i]:
            return 1 if a[i] > b[i] else -1
    return 0


def copy(number: Ints, out: Ints) -> None:
    """Write a number to ``out``."""
    for i in range(len(number)):
        out[i] = number[i]


def add(number: Ints, other: Ints, times: int) -> int:
    """Add so many times another number to a number, and return what is carried beyond its highest word."""
    carry = 0
    for i in range(len(number)):
        total = number[i] + times * other[i] + carry
        number[i], carry = total & long_numbers_codes.LOW, total >> long_numbers_codes.BITS
    return carry


def write(number: float, out: Ints) -> None:
    """Write a number of at least 0 and below 2^120, in units of 2^-120, without what is below one unit."""
    number *= 2.0**-90
    for i in range(len(out) - 1, -1, -1):
        out[i] = int(number) if i < 8 else 0
        number = (number - out[i]) * long_numbers_codes.BASE if i < 8 else number


def read(number: Ints, up: bool) -> float:
    """A time on the grid (s): the nearest tick, or ``up``, unless it is at most 2^60 units beyond a tick."""
    carry, total = 0, 0
    for i in range(4):
        total = number[i] + _before_the_cut(i, up) + carry
        carry = total >> long_numbers_codes.BITS
    seconds = 0.0
    for i in range(len(number) - 1, 3, -1):
        seconds = seconds * long_numbers_codes.BASE + number[i]
    return float(seconds + carry + (total >> 20 & 1023) * TICK)


def _before_the_cut(i: int, up: bool) -> int:
    """Word ``i`` of what is added before a time is cut to whole ticks: half a tick, or a tick less 2^60 + 1 units."""
    if i == 3:
        return (1 << 20) - 1 if up else 1 << 19
    if not up:
        return 0
    return long_numbers_codes.LOW if i < 2 else long_numbers_codes.LOW - 1


def scaled(spare: Spare, number: Ints, times: Ints, by: Ints, half_up: bool, out: Ints) -> None:
    """Write number * times / by, rounded to the nearest whole number, to ``out``; halves are rounded up or down.

    Source: Knuth, The Art of Computer Programming, 4.3.1, algorithm D.
    """
    n, d, before = len(number), len(by), spare.used
    while d > 1 and by[d - 1] == 0:
        d -= 1
    rest, divisor = spare.zeros(2 * n + 1), spare.copied(by[:d])
    for i in range(n):
        if number[i] > 0:  # many words are 0
            rest[i + n] = add(rest[i : i + n], times, number[i])
    factor = long_numbers_codes.BASE // (by[d - 1] + 1) - 1
    add(rest, rest, factor)  # now the divisor's highest word is at least half of the base
    add(divisor, divisor, factor)
    for j in range(len(rest) - d - 1, -1, -1):
        if j < n:
            out[j] = 0
        if rest[j + d] > 0 or rest[j + d - 1] >= divisor[d - 1]:
            out[j] = min(
                (rest[j + d] * long_numbers_codes.BASE + rest[j + d - 1]) // divisor[d - 1], long_numbers_codes.LOW
            )
            rest[j + d] += add(rest[j : j + d], divisor, -out[j])
            while rest[j + d] < 0:  # at most twice
                out[j] -= 1
                rest[j + d] += add(rest[j : j + d], divisor, long_numbers_codes.PLUS)
    carry = add(rest[:d], rest[:d], long_numbers_codes.PLUS)
    carry += add(rest[:d], divisor, long_numbers_codes.MINUS)
    for i in range(d):
        half_up |= rest[i] > 0
    up = 1 if carry == 0 and half_up else 0
    for i in range(n):
        total = out[i] + up
        out[i], up = total & long_numbers_codes.LOW, total >> long_numbers_codes.BITS
    spare.used = before
