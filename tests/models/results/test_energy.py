"""Energy, carbon and cost are the integrals of power: exact in cases by hand, and as sums over seconds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thinktime as tt
from thinktime.models.machine.power import Power
from thinktime.models.results import energy
from thinktime.models.results.result import Result
from thinktime.workloads.signals.units import KWH

PRICE = tt.Signal([0, 40], [2, 1], "price", "EUR/kWh", end=100)
CARBON = tt.Signal([0, 30, 60], [100, 300, 500], "carbon", "g/kWh")


def with_power(result: Result, watts: list[float], power: Power, *signals: tt.Signal) -> Result:
    """A result of jobs that draw so many watts for each processor."""
    columns = result.columns | {"power": np.array(watts, np.float64)}
    return replace(result, columns=columns, machine_power=power, signals={each.name: each for each in signals})


def one_job() -> Result:
    """A job of one processor on a pool of two, from 0 to 100 s."""
    return Result.from_columns({"submit": [0], "start": [0], "end": [100], "processors": [1]}, 2)


def suspended() -> Result:
    """Jobs on five processors, of which one is suspended for another, beside windows of two kinds."""
    log = tt.Trace(
        {"submit": [0, 10, 30], "runtime": [60, 20, 40], "allocated": [4, 2, 1], "queue": [0, 1, 0], "user": [1, 2, 1]},
        names={"queue": {0: "low", 1: "urgent"}},
    )
    changes = tt.Changes(windows=[tt.Window(20, 50, 1, kind="capacity")])
    return tt.replay(log, tt.MachineSpec(5, "easy:preempt=suspend,ranks=urgent:1", changes=changes))


def test_the_energy_of_a_job_and_an_idle_processor() -> None:
    """Two processors of 10 W idle and a job of 50 W on one of them for 100 s take (2 · 10 + 50) · 100 J = 7,000 J."""
    result = with_power(one_job(), [50], Power(idle=10))
    assert energy.total_energy(result) * KWH == 7000
    assert energy.jobs_energy(result) * KWH == 5000 and energy.idle_energy(result) * KWH == 2000
    assert result["energy"].tolist() == [5000 / KWH]
    assert energy.total_energy(replace(result, machine_power=Power(idle=10, pue=1.5))) * KWH == 10_500


def test_what_is_priced_by_hand() -> None:
    """Of 70 W for 100 s, 40 s at 2 and 60 s at 1 EUR per kWh; 30 s at 100, 30 at 300 and 40 at 500 g per kWh."""
    result = with_power(one_job(), [50], Power(idle=10), PRICE, CARBON)
    assert energy.total_cost(result) == pytest.approx(70 * (40 * 2 + 60) / KWH, rel=1e-15)
    assert energy.total_carbon(result) == pytest.approx(70 * (30 * 100 + 30 * 300 + 30 * 500 + 10 * 100) / KWH / 1000)
    assert result["energy_cost"].tolist() == pytest.approx([50 * 140 / KWH], rel=1e-15)
    assert energy.total_cost(result, (30, 50)) == pytest.approx(70 * (10 * 2 + 10) / KWH, rel=1e-15)


def test_power_over_time_its_peak_its_quantile_and_its_cap() -> None:
    """Jobs of 2 · 30 W in [0, 100) and 10 W in [50, 60) above 40 W idle, below a cap that is lower in between."""
    log = tt.Trace({"submit": [0, 50], "runtime": [100, 10], "allocated": [2, 1]})
    changes = tt.Changes(windows=[tt.Window(55, 80, kind="cap", watts=110)])
    spec = tt.MachineSpec(4, changes=changes, power=Power(idle=10, cap=200))
    result = with_power(tt.run(spec, tt.sources.log(log)), [30, 10], Power(idle=10, cap=200))
    steps = energy.power_steps(result)
    assert (steps.times.tolist(), steps.values.tolist()) == ([0, 50, 60, 100], [100, 110, 100, 0])
    assert energy.peak_power(result) == 110 and energy.p95_power(result) == 110
    assert energy.p95_power(result, (0, 100)) == 110 and energy.p95_power(result, (0, 55)) == 110
    assert energy.p95_power(result, (60, 100)) == 100
    assert energy.time_at_cap(result) == 0.05  # 110 W in [55, 60), and 100 W from then on is below 95 % of 110 W
    assert energy.time_at_cap(replace(result, machine_power=None)) == 0


def test_what_is_switched_off_or_lacking() -> None:
    """What the machine lacks draws nothing; a suspended job draws nothing, and its runs all that they have."""
    result = with_power(suspended(), [5, 7, 3], Power(idle=10))
    runs = {row: [] for row in range(3)}
    for row, start, end in zip(
        result.history.runs.row, result.history.runs.start, result.history.runs.end, strict=True
    ):
        runs[row].append((start, end))
    assert len(runs[0]) > 1, "the first job was to be suspended"
    own = [n * w * sum(end - start for start, end in runs[row]) for row, (n, w) in enumerate([(4, 5), (2, 7), (1, 3)])]
    last = max(end for each in runs.values() for _, end in each)
    assert energy.jobs_energy(result) * KWH == pytest.approx(sum(own), rel=1e-15)
    assert energy.idle_energy(result) * KWH == pytest.approx(10 * (5 * last - 30), rel=1e-15)


@given(
    st.lists(
        st.tuples(*(st.integers(0, 40), st.integers(1, 30), st.integers(1, 3), st.integers(0, 9))),
        max_size=6,
        min_size=1,
    ),
    st.integers(0, 5),
    st.lists(st.integers(0, 9), min_size=1, max_size=4),
    st.tuples(st.integers(0, 70), st.integers(0, 70)),
)
def test_sums_over_seconds(
    jobs: list[tuple[int, int, int, int]], idle: int, prices: list[int], sides: tuple[int, int]
) -> None:
    """Over every window, energy and cost are sums over its seconds, and so are those of each job."""
    start, length, processors, watts = (np.array(each) for each in zip(*jobs, strict=True))
    columns = {"submit": start, "start": start, "end": start + length, "processors": processors}
    price = tt.Signal(7 * np.arange(len(prices)), prices, "price", "EUR/kWh", end=7 * len(prices))
    result = with_power(Result.from_columns(columns, 9), watts.tolist(), Power(idle=idle), price)
    first, last = min(sides), max(sides)
    drawn = [idle * 9 + int((processors * watts)[(start <= t) & (t < start + length)].sum()) for t in range(80)]
    worth = [prices[t // 7 % len(prices)] for t in range(80)]
    assert energy.total_energy(result, (first, last)) * KWH == pytest.approx(sum(drawn[first:last]), rel=1e-14)
    bill = sum(p * w for p, w in zip(drawn[first:last], worth[first:last], strict=True))
    assert energy.total_cost(result, (first, last)) * KWH == pytest.approx(bill, rel=1e-14)
    each = [n * w * sum(worth[s : s + r]) for s, r, n, w in jobs]
    assert (result["energy_cost"] * KWH).tolist() == pytest.approx(each, rel=1e-14)
    assert (result["energy"] * KWH).tolist() == pytest.approx((processors * watts * length).tolist(), rel=1e-14)


def test_a_window_and_the_rebound_after_it() -> None:
    """A job that moves from a window to after it comes back whole; one that is never run does not."""
    power = Power(idle=1)
    columns = {"submit": [0, 0], "start": [0, 100], "end": [100, 150], "processors": [1, 1]}
    usual = with_power(Result.from_columns(columns, 2), [10, 20], power)
    later = with_power(Result.from_columns(columns | {"start": [0, 200], "end": [100, 250]}, 2), [10, 20], power)
    half = with_power(Result.from_columns(columns | {"start": [0, 200], "end": [100, 225]}, 2), [10, 20], power)
    before = energy.around(usual, 100, 200)
    assert [each * KWH for each in before] == pytest.approx([1200, 1200, 200])
    assert energy.around(later, 100, 200).rebound(before) == pytest.approx(1)
    assert energy.around(half, 100, 200).rebound(before) == pytest.approx(0.5)
    assert np.isnan(before.rebound(before))


def test_columns_and_numbers_only_where_something_is_known() -> None:
    """Without power there are none; without a signal neither carbon nor cost; they are part of the summary."""
    plain, known = one_job(), with_power(one_job(), [50], Power())
    assert "energy" not in plain.jobs and "total_energy" not in plain.summary()
    assert "energy" in known.jobs and "carbon" not in known.jobs and "total_carbon" not in known.summary()
    summary = with_power(one_job(), [50], Power(), CARBON).summary()
    assert summary["total_energy"] == 5000 / KWH and summary["total_carbon"] > 0 and "total_cost" not in summary
    assert summary["energy_per_work"] == pytest.approx(5000 / KWH / (100 / 3600))
    assert "total_energy" in str(summary)


def test_signals_are_kept_with_a_result(tmp_path: Path) -> None:
    """A result in a file has its signals."""
    result = replace(one_job(), signals={"price": PRICE, "carbon": CARBON})
    assert Result.load(result.save(tmp_path / "result.npz")).signals == result.signals


def test_a_run_has_the_signals_of_its_machine() -> None:
    """Signals get into the result by the machine; a run ends with a signal that ends."""
    log = tt.Trace({"submit": [0, 0], "runtime": [10, 20], "allocated": [2, 1]})
    assert tt.run(tt.MachineSpec(2, signals={"price": PRICE}), tt.sources.log(log)).signals == {"price": PRICE}
    ending = tt.Signal([0, 10], [1, 2], after="end")
    assert tt.run(tt.MachineSpec(2, signals=[ending]), tt.sources.log(log)).now == 20
    with pytest.raises(TypeError, match="signals must be such as"):
        tt.run(tt.MachineSpec(2, signals={"price": 3}), tt.sources.log(log))
