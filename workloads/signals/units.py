"""Units of signals: a price is in a currency per energy, carbon in a mass per energy, and any other is a tariff.

Energy is in kWh or MWh, carbon in g or kg (also ``gCO2``, ``kgCO2eq``). A currency is any other word, such as ``EUR``.
"""

import re
from typing import NamedTuple

PRICE, CARBON, TARIFF = "price", "carbon", "tariff"
"""What a signal may be."""

KWH = 3_600_000.0
"""A kilowatt-hour, in joules."""

MOST_CARBON = 5_000.0
"""More carbon (g per kWh) than this no electricity has: peat and lignite have 1,000 to 1,500."""

_PER_ENERGY = re.compile(r"\s*(\S+?)\s*/\s*(k|M)Wh\s*")
_MASS = re.compile(r"(k?)g(?:CO2(?:eq?)?)?", re.IGNORECASE)


class Unit(NamedTuple):
    """A unit that was read."""

    kind: str
    """``price``, ``carbon`` or ``tariff``."""
    amount: str
    """What an integral over energy is in: a currency, ``kg``, or the unit of a tariff itself."""
    per_kwh: float
    """By what values are multiplied to be amounts per kWh; 1 for a tariff."""


def unit_of(text: str) -> Unit:
    """What a unit says.

    >>> unit_of("g/kWh"), unit_of("EUR/MWh").per_kwh, unit_of("points").kind
    (Unit(kind='carbon', amount='kg', per_kwh=0.001), 0.001, 'tariff')
    """
    found = _PER_ENERGY.fullmatch(text)
    if found is None:
        return Unit(TARIFF, text, 1.0)
    per_kwh = 1.0 if found[2] == "k" else 0.001
    mass = _MASS.fullmatch(found[1])
    if mass is None:
        return Unit(PRICE, found[1], per_kwh)
    return Unit(CARBON, "kg", per_kwh if mass[1] else per_kwh / 1000)
