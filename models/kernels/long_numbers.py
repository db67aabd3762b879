"""Whole numbers of hundreds of bits.

A number is an array of words of 30 bits, the lowest first, so that the product of two words fits into 64 bits. No
number is negative. Where numbers stand for times or for work, their unit is 2^-120: four words come after the point.
"""

import numpy as np

from thinktime.workloads.compiler import Ints, kernel, whole

BITS = 30
BASE = 1 << BITS
LOW = BASE - 1
TICK = 2.0**-10  # s, the grid of time
PLUS, MINUS = whole(1), whole(-1)
NEAREST, CEILING = (0, 0, 0, 1 << 19), (LOW, LOW, LOW - 1, (1 << 20) - 1)
"""What is added before a time is cut to whole ticks: half a tick, or a tick less 2^60 + 1 units."""


@kernel
def compare(a: Ints, b: Ints) -> int:
    """1, 0 or -1: whether ``a`` is larger than ``b``, equal, or smaller."""
    for i in range(a.size - 1, -1, -1):
        if a[i] != b[i]:
            return 1 if a[i] > b[i] else -1
    return 0


@kernel
def copy(number: Ints, out: Ints) -> None:
    """Write a number to ``out``."""
    for i in range(number.size):
        out[i] = number[i]


@kernel
def add(number: Ints, other: Ints, times: int) -> int:
    """Add so many times another number to a number, and return what is carried beyond its highest word."""
    carry = 0
    for i in range(number.size):
        total = number[i] + times * other[i] + carry
        number[i], carry = total & LOW, total >> BITS
    return carry


@kernel
def write(number: float, out: Ints) -> None:
    """Write a number of at least 0 and below 2^120, in units of 2^-120, without what is below one unit."""
    number *= 2.0**-90
    for i in range(out.size - 1, -1, -1):
        out[i] = int(number) if i < 8 else 0
        number = (number - out[i]) * BASE if i < 8 else number


@kernel
def read(number: Ints, up: bool) -> float:
    """A time on the grid (s): the nearest tick, or ``up``, unless it is at most 2^60 units beyond a tick."""
    plus, carry, total = CEILING if up else NEAREST, 0, 0
    for i in range(4):
        total = number[i] + plus[i] + carry
        carry = total >> BITS
    seconds = 0.0
    for i in range(number.size - 1, 3, -1):
        seconds = seconds * BASE + number[i]
    return float(seconds + carry + (total >> 20 & 1023) * TICK)


@kernel
def scaled(number: Ints, times: Ints, by: Ints, half_up: bool, out: Ints) -> None:
    """Write number * times / by, rounded to the nearest whole number, to ``out``; halves are rounded up or down.

    Source: Knuth, The Art of Computer Programming, 4.3.1, algorithm D.
    """
    n, d = number.size, by.size
    while d > 1 and by[d - 1] == 0:
        d -= 1
    rest, divisor = np.zeros(2 * n + 1, np.int64), by[:d].copy()
    for i in range(n):
        if number[i] > 0:  # many words are 0
            rest[i + n] = add(rest[i : i + n], times, number[i])
    factor = BASE // (by[d - 1] + 1) - 1
    add(rest, rest, factor)  # now the divisor's highest word is at least half of the base
    add(divisor, divisor, factor)
    for j in range(rest.size - d - 1, -1, -1):
        if j < n:
            out[j] = 0
        if rest[j + d] > 0 or rest[j + d - 1] >= divisor[d - 1]:
            out[j] = min((rest[j + d] * BASE + rest[j + d - 1]) // divisor[d - 1], LOW)
            rest[j + d] += add(rest[j : j + d], divisor, -out[j])
            while rest[j + d] < 0:  # at most twice
                out[j] -= 1
                rest[j + d] += add(rest[j : j + d], divisor, PLUS)
    carry = add(rest[:d], rest[:d], PLUS)
    carry += add(rest[:d], divisor, MINUS)
    for i in range(d):
        half_up |= rest[i] > 0
    up = 1 if carry == 0 and half_up else 0
    for i in range(n):
        total = out[i] + up
        out[i], up = total & LOW, total >> BITS
