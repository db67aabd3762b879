"""Forecasts know what they say they know; made-up signals have the cycles and the noise of their formulas."""

import numpy as np
import pytest

from thinktime.workloads.calendar import Calendar
from thinktime.workloads.signals import Cycle, Forecast, Signal, daily, wind
from thinktime.workloads.units import DAY, HOUR, WEEK

HOURLY = Signal(HOUR * np.arange(240.0), np.arange(240.0), "price", "EUR/kWh")


def test_a_perfect_forecast_is_the_signal() -> None:
    """It has the steps of the signal from now on, of which the first has begun before."""
    seen = Forecast(HOURLY).seen(5400, 4 * HOUR)
    assert seen.times.tolist() == [5400, 7200, 10_800] and seen.values.tolist() == [1, 2, 3]


def test_persistence_is_yesterday_from_the_next_step_on() -> None:
    """The hour that is under way is known, every later one is as 24 hours before, and days to come repeat it."""
    now = 30 * HOUR + 600.0
    seen = Forecast(HOURLY, "persistence").seen(now, now + 2 * DAY)
    assert seen.at(now) == 30 and seen.at(31 * HOUR - 1.0) == 30
    assert [seen.at(t * HOUR + 1800.0) for t in (31, 40, 53, 54, 55, 77)] == [7, 16, 29, 30, 7, 29]


def test_persistence_without_a_yesterday_holds_the_value() -> None:
    """Of a signal that begins today, hours of which yesterday says nothing have the value of now."""
    seen = Forecast(Signal(HOURLY.times, HOURLY.values, after="hold"), "persistence").seen(
        2 * HOUR + 0.0, DAY + 4.0 * HOUR
    )
    assert [seen.at(t * HOUR + 0.0) for t in (2, 3, 23, 24, 25, 27)] == [2, 2, 2, 0, 1, 2]


def test_a_noisy_forecast_has_its_error_and_the_same_luck_whenever_one_looks() -> None:
    """Its relative errors have mean 0 and the standard deviation that is named, and what is under way is known."""
    flat = Signal(HOUR * np.arange(4000.0), np.full(4000, 2.0), "price")
    forecast = Forecast(flat, "noisy", error=0.3, seed=1)
    seen = forecast.seen(0, 4000.0 * HOUR)
    errors = seen.values[1:] / 2 - 1
    assert seen.values[0] == 2
    assert abs(errors.mean()) < 4 * 0.3 / np.sqrt(len(errors)) and abs(errors.std() / 0.3 - 1) < 0.08
    assert forecast.seen(9.5 * HOUR, 12.0 * HOUR).values[1:].tolist() == seen.values[10:12].tolist()


@pytest.mark.parametrize(("kind", "error"), [("persistance", 0.0), ("noisy", -1.0), ("perfect", 0.2)])
def test_what_is_no_forecast(kind: str, error: float) -> None:
    """An unknown forecast, a negative error, and an error of one that has none are refused."""
    with pytest.raises(ValueError, match=r"forecast|error"):
        Forecast(HOURLY, kind, error)


def test_a_daily_cycle() -> None:
    """The mean of a working day is the mean, the peak is at its hour, and weekends have their share."""
    price = daily(mean=10, cycle=Cycle(swing=0.5, peak=18, weekend=0.5))
    assert price.period == WEEK
    assert price.mean(0, DAY) == pytest.approx(10) and price.mean(5 * DAY, 6 * DAY) == pytest.approx(5)
    assert price.at(18.5 * HOUR) == price.values[:24].max() == 15


def test_hours_are_those_of_the_log() -> None:
    """With the log's calendar the week begins on its Monday: 1 January 1970 was a Thursday."""
    assert daily(calendar=Calendar(0)).at(2.0 * DAY) == daily().at(5.0 * DAY)


def test_wind_is_between_clean_and_dirty_and_follows_itself() -> None:
    """Values lie between the two, equal seeds give equal signals, and the logit has the persistence of the recipe."""
    made = [wind(3, 0.3, 0.9, 0.5, (0, 1000), days=700, cycle=Cycle(swing=0, weekend=1)) for _ in range(2)]
    carbon = made[0]
    assert carbon == made[1] and carbon.values.min() >= 0 and carbon.values.max() <= 1000
    share = 1 - carbon.values / 1000
    x = np.log(share / (1 - share)) - np.log(0.3 / 0.7)
    assert x.std() == pytest.approx(0.5, rel=0.1)
    assert np.corrcoef(x[1:], x[:-1])[0, 1] == pytest.approx(0.9, abs=4 * np.sqrt((1 - 0.9**2) / len(x)))
    assert wind(seed=4, days=7) != wind(seed=5, days=7)
