"""Signals are read back as they were written, dates are in the log's zone, and errors name file and line."""

import zoneinfo
from pathlib import Path

import pytest

from thinktime.workloads.calendar import Calendar
from thinktime.workloads.signals import Signal

BERLIN = Calendar(1_711_839_600, zoneinfo.ZoneInfo("Europe/Berlin"))
"""From 31 March 2024 at midnight, the day without the hour from 2 to 3."""
AUTUMN = Calendar(1_729_980_000, zoneinfo.ZoneInfo("Europe/Berlin"))
"""From 27 October 2024 at midnight, the day with that hour twice."""


def read(folder: Path, text: str, **arguments: object) -> Signal:
    path = folder / "price.csv"
    path.write_text(text)
    return Signal.read(path, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["price.csv", "price.csv.gz"])
def test_written_and_read(tmp_path: Path, name: str) -> None:
    """A signal of equal last steps is read back."""
    signal = Signal([0, 0.5, 100], [0.1, -1 / 3, 1e9], "price", "EUR/kWh")
    signal.write(tmp_path / name)
    assert Signal.read(tmp_path / name, unit="EUR/kWh") == signal


def test_dates_with_and_without_an_offset(tmp_path: Path) -> None:
    """A date has its own offset, or else the log's zone."""
    signal = read(tmp_path, "value,start\n1,2024-03-31T00:00\n2,2024-03-31T00:00Z\n", calendar=BERLIN)
    assert signal.times.tolist() == [0, 3600]


def test_hours_when_clocks_change(tmp_path: Path) -> None:
    """The hour that is left out in spring is no gap, and of two that have one name the second is the later."""
    spring = "start,value\n" + "".join(f"2024-03-31T0{hour}:00,{hour}\n" for hour in (0, 1, 3, 4))
    autumn = "start,value\n" + "".join(f"2024-10-27T0{hour}:00,{hour}\n" for hour in (0, 1, 2, 2, 3))
    assert read(tmp_path, spring, calendar=BERLIN).times.tolist() == [0, 3600, 7200, 10_800]
    assert read(tmp_path, autumn, calendar=AUTUMN).times.tolist() == [0, 3600, 7200, 10_800, 14_400]


HOURS = "".join(f"{3600 * hour},1\n" for hour in range(20) if hour != 15)


def test_a_gap_may_be_held(tmp_path: Path) -> None:
    """With gaps held, the value before a gap goes on; steps of two usual lengths are no gaps."""
    assert read(tmp_path, f"start,value\n{HOURS}", gaps="hold").times.tolist()[15] == 16 * 3600
    assert len(read(tmp_path, "start,value\n0,1\n25200,2\n79200,1\n111600,2\n165600,1\n").times) == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("start,value\n0,1\n0,2\n", "line 3: start is '0', not after that of"),
        ("start,value\n7200,1\n3600,2\n", "line 3: start is '3600', not after that of"),
        ("start,value\n0,\n", "line 2: value is '', but must be a finite number"),
        ("start,value\n0,nan\n", "line 2: value is 'nan'"),
        ("start,value\n0,1 EUR\n", "line 2: value is '1 EUR'"),
        ("start,value\n,1\n", "line 2: start is empty"),
        ("start,value\n2024-01-01,1\n", "line 2: start: the date '2024-01-01' cannot be placed"),
        ("start,value\nnoon,1\n", "line 2: start: a time must be"),
        ("start,price\n0,1\n", "there is no column 'price'"),
        ("start,value\n", "has no steps"),
        (f"start,value\n{HOURS}", "line 16: the next step begins 2h 0m later, but steps are 1h 0m long"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, said: str) -> None:
    """One sentence says where and what is wrong."""
    with pytest.raises(ValueError, match=r"price\.csv") as error:
        read(tmp_path, text)
    assert said in str(error.value)


def test_steps_in_another_zone_are_in_its_order(tmp_path: Path) -> None:
    """One hour in the zone of Kiev is before midnight in that of Berlin."""
    text = "start,value\n2024-04-01T00:00,1\n2024-04-01T00:30+03:00,2\n"
    path = tmp_path / "price.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"line 3: start is '2024-04-01T00:30\+03:00', not after that of"):
        Signal.read(path, calendar=BERLIN)


def test_a_wrong_value_names_the_file(tmp_path: Path) -> None:
    """What the steps cannot be is said with the file."""
    with pytest.raises(ValueError, match=r"price\.csv: step 2 of a signal has -1 g/kWh; carbon cannot be negative"):
        read(tmp_path, "start,value\n0,1\n1,-1\n", unit="g/kWh")
