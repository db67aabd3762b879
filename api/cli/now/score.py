"""`thinktime now score`: forecasts against what came."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from thinktime.cli import output_folders
from thinktime.cli.console import tell
from thinktime.cli.layout import NONE, number, titled
from thinktime.cli.options import MaxSize, Told, argument, flag, option, output, spread
from thinktime.workloads.names import shortened
from thinktime.workloads.units import counted, in_two_units

if TYPE_CHECKING:
    from thinktime.analysis.now.scoring import Score
    from thinktime.analysis.statistics.bootstrap import Estimate


@spread
def score(
    folder: Annotated[list[Path], argument("DIR…", "Folders of 'thinktime now --out', a series.")],
    *,
    log: Annotated[str, option("LOG", "What came: a log with the past of the forecasts and what followed.")],
    regression: Annotated[
        bool, flag("--regression", "Also compare with quantile regression (needs scikit-learn).")
    ] = False,
    max_size: MaxSize = None,
    out: Annotated[
        Path | None, output("DIR", "Write the numbers, a picture (calibration.png) and pages of what came.")
    ] = None,
    told: Told,
) -> None:
    """Score a series of forecasts against a later log: coverage, CRPS, errors, beside baselines."""
    from thinktime.analysis.now import scoring
    from thinktime.analysis.now.kept import forecast_in, kept
    from thinktime.analysis.now.page import came
    from thinktime.analysis.now.score_figure import calibration
    from thinktime.analysis.report import Report
    from thinktime.cli.now.run import history_of

    for each in folder:
        if not each.is_dir():
            raise ValueError(f"{shortened(each)}: there is no such folder")
    series = [kept(each) for each in folder]
    method = None
    if regression:
        from thinktime.analysis.now.regression import Regression

        method = Regression()
    trace = history_of(log, max_size, told.quiet)
    found = scoring.score(series, trace, method)
    report = Report(lambda: _page(found), lambda: values(found), figures=lambda: {"calibration": calibration(found)})
    if out is not None:
        with output_folders.staging(out) as aside:
            report.write(aside, "score")
            several = len({each.name for each in folder}) < len(folder)
            for number, each in enumerate(folder, 1):
                page = came(forecast_in(each), trace, "What was forecast, and what came")
                page.write(aside / f"{f'{number}-' if several else ''}{each.name}.html")
            output_folders.deliver(aside, out)
    tell(report, told.json)


def values(found: Score) -> dict[str, Any]:
    """The score as plain values; times in s."""
    from thinktime.analysis.json_values import without_nan
    from thinktime.analysis.now.scoring import OURS

    plain: dict[str, Any] = without_nan(
        {
            "forecasts": found.forecasts,
            "jobs": len(found),
            "left_out": found.left,
            "coverage": {f"{share:.0%}": found.coverage(share)._asdict() for share in found.covered},
            "coverage_by_horizon": {
                f"{share:.0%}": {span: held._asdict() for span, held in found.coverage_by_horizon(share).items()}
                for share in found.covered
            },
            "methods": {
                name: {
                    "crps": found.crps(name)._asdict(),
                    "crps_above_ours": None if name == OURS else found.gain(name)._asdict(),
                    "error_by_horizon": {
                        span: {"starts": count, "median_error": error}
                        for span, (count, error) in found.by_horizon(name).items()
                    },
                    "within": found.within(name),
                }
                for name in found.methods
            },
            "pit": found.pit.tolist(),
        }
    )
    return plain


def _page(found: Score) -> Iterator[Any]:
    from thinktime.analysis.now.scoring import HORIZONS, OURS

    table = titled(
        f"{counted(len(found), 'start')} of {counted(found.forecasts, 'forecast')}: coverage", "interval",
        "holds", "95 % interval by days", *HORIZONS,
    )  # fmt: skip
    for share in found.covered:
        spans = (f"{held.value:.0%}" if held.value == held.value else NONE
                 for held in found.coverage_by_horizon(share).values())  # fmt: skip
        table.add_row(f"{share:.0%}", *_shares(found.coverage(share)), *spans)
    yield table
    yield ""
    table = titled("CRPS and errors", "method", "CRPS", "above ours", "1 min", "10 min", "60 min")
    for name in found.methods:
        gain = NONE if name == OURS else _above(found.gain(name))
        shares = [f"{each:.0%}" for each in found.within(name).values()]
        table.add_row(name, in_two_units(found.crps(name).value), gain, *shares)
    yield table
    yield ""
    table = titled("Median absolute error, by how long after the forecast the job started", "method", *HORIZONS)
    for name in found.methods:
        cells = found.by_horizon(name).values()
        table.add_row(name, *(in_two_units(error) if count else NONE for count, error in cells))
    table.add_row("starts", *(number(float(count), 0) for count, _ in found.by_horizon().values()))
    yield table
    if found.left:
        yield ""
        yield f"Not scored: {counted(found.left, 'waiting job')} that the log does not show to have started."


def _shares(found: Estimate) -> tuple[str, str]:
    known = found.low == found.low
    return f"{found.value:.1%}", f"{found.low:.1%} to {found.high:.1%}" if known else NONE


def _above(found: Estimate) -> str:
    from thinktime.cli.now.report import signed

    between = f" [{signed(found.low)}, {signed(found.high)}]" if found.low == found.low else ""
    return f"{signed(found.value)}{between}"
