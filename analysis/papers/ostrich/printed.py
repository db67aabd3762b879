"""What the ostrich paper prints (section 6)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Printed:
    """What the paper prints of one policy; None for what it does not."""

    above_20: float
    short: float
    """Mean maximum stretch of short users; of FCFS only that it is larger than this."""
    long: float


PRINTED = {
    "fcfs": Printed(above_20=0.423, short=50.0, long=6.3),
    "ostrich": Printed(above_20=0.013, short=12.8, long=6.8),
}
