"""A signal as text, ``price=prices.csv,unit=EUR/MWh,forecast=persistence``, and as a table in a scenario.

>>> signal_files(["price=prices.csv,unit=EUR/MWh"])["price"].unit
'EUR/MWh'
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from thinktime.workloads.calendar import Calendar
from thinktime.workloads.names import quoted
from thinktime.workloads.reading.table import Table, read
from thinktime.workloads.reading.texts import pairs_in, value_in
from thinktime.workloads.reading.values import Seconds
from thinktime.workloads.signals.forecasts import Forecast
from thinktime.workloads.signals.signal import Signal
from thinktime.workloads.signals.units import CARBON, PRICE

USUAL_UNITS = {CARBON: "g/kWh", PRICE: "currency/kWh"}
"""The units of signals of these names, if none is given."""


@dataclass(frozen=True, slots=True)
class SignalFile(Table):
    """Where a signal is (`Signal.read`), how much ``later`` it is (s), and how it is foretold (`Forecast`)."""

    file: str
    unit: str = ""
    after: str = "repeat"
    end: Seconds | None = None
    gaps: str = "refuse"
    later: Seconds = 0.0
    forecast: str = "perfect"
    error: float = 0.0

    def unit_of(self, name: str) -> str:
        """Its unit, if it has this name."""
        return self.unit or USUAL_UNITS.get(name, "")

    def read(self, name: str, calendar: Calendar | None = None, file: Path | None = None) -> Forecast:
        """The signal of that name, as it is foretold; ``file`` is where the file was found."""
        unit = self.unit_of(name)
        found = Signal.read(file or self.file, name, unit, self.after, self.end, calendar, self.gaps)
        return Forecast(found.later(self.later) if self.later else found, self.forecast, self.error)


def signal_files(texts: Iterable[str]) -> dict[str, SignalFile]:
    """What texts such as ``carbon=carbon.csv,unit=g/kWh`` describe, by name; ``ValueError`` for others.

    >>> signal_files(["carbon=carbon.csv,after=hold"])["carbon"].after
    'hold'
    """
    found: dict[str, SignalFile] = {}
    for text in texts:
        wrong = f"a signal must be such as carbon=carbon.csv or price=prices.csv,unit=EUR/MWh, not {quoted(text)}"
        (name, file), *others = pairs_in(text, wrong)
        if name in found:
            raise ValueError(f"the signal {quoted(name)} is given twice")
        table = {"file": file} | {key: value if key == "unit" else value_in(value) for key, value in others}
        found[name] = read(SignalFile, table, f"the signal {quoted(name)}")
    return found
