"""The options of power, signals and charges, and what was given of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from thinktime.cli import options
from thinktime.cli.changing import Changes
from thinktime.cli.inputs import existing

if TYPE_CHECKING:
    from thinktime.models.site.charge import Charge
    from thinktime.workloads.calendar import Calendar

TOML = ".toml"


@dataclass(frozen=True, kw_only=True)
class Incentives:
    """What the machine draws, which signals there are, and what jobs are charged; ``ValueError`` names the option."""

    power: Annotated[
        str | None,
        options.option("KEY=W,…", "Power: idle, off and job in W, pue, cap, such as idle=100,job=60,cap=90kW."),
    ] = None
    cap: Annotated[str | None, options.option("W", "A cap on the machine's power, such as 90kW.")] = None
    signal: Annotated[
        list[str] | None,
        options.option(
            "NAME=FILE[,unit=…]", "A price or carbon over time, such as carbon=carbon.csv,unit=g/kWh; repeatable."
        ),
    ] = None
    charge: Annotated[
        str | None, options.option("PER=RATE,…|FILE.toml", "What jobs are charged, such as processor-hour=1,kWh=0.2.")
    ] = None

    budget: Annotated[
        str | None,
        options.option(
            "AMOUNT[,period=T][,…]", "What each user may be charged, such as 100,period=30d,of=account,spent=refuse."
        ),
    ] = None

    def fields(self, calendar: Calendar | None) -> dict[str, Any]:
        """What was given, as fields of a `MachineSpec`."""
        found: dict[str, Any] = {}
        if self.power is not None or self.cap is not None:
            from thinktime.models.machine.power import Power
            from thinktime.workloads.reading.table import read
            from thinktime.workloads.reading.texts import pairs_in, value_in

            wrong = "--power must be such as idle=100,job=60,cap=90kW"
            table = {key: value_in(value) for key, value in ([] if self.power is None else pairs_in(self.power, wrong))}
            if self.cap is not None:
                if "cap" in table:
                    raise ValueError("the cap is given twice: leave it out of --power, or leave out --cap")
                table["cap"] = value_in(self.cap)
            found["power"] = read(Power, table, "--power")
        if self.signal:
            from thinktime.workloads.signals.described import signal_files

            files = signal_files(self.signal).items()
            found["signals"] = {name: each.read(name, calendar, existing(each.file)) for name, each in files}
        if self.charge is not None:
            found["charge"] = _charge(self.charge)
        if self.budget is not None:
            from thinktime.models.site.budget import Budget
            from thinktime.workloads.reading.table import read
            from thinktime.workloads.reading.texts import pairs_in, value_in

            amount, _, others = self.budget.partition(",")
            wrong = "--budget must be such as 100,period=30d,spent=hold"
            table = {key: value_in(value) for key, value in (pairs_in(others, wrong) if others else [])}
            if "amounts" in table:
                raise ValueError("--budget has one amount; amounts of some are a table, [machine.budget] of a scenario")
            found["budget"] = read(Budget, {"amount": value_in(amount)} | table, "--budget")
        return found


def _charge(text: str) -> Charge:
    from thinktime.models.site.charge import Charge, Term
    from thinktime.workloads.reading.table import read
    from thinktime.workloads.reading.texts import pairs_in, tables_in, value_in
    from thinktime.workloads.text_files import text_of

    if text.endswith(TOML):
        path = Path(existing(text))
        return read(Charge, tables_in(text_of(path), f"{path} is not TOML"), str(path))
    terms = []
    for per, rate in pairs_in(text, "--charge must be such as processor-hour=1,kWh=0.2, or a file .toml"):
        try:
            terms.append(Term(value_in(rate), per))
        except ValueError as error:
            raise ValueError(f"--charge: {error}") from None
    return Charge(terms)


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What happens on the machine, and what it costs."""

    changes: Changes
    priced: Incentives
