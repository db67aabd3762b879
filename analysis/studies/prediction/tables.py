"""The tables of the prediction study: its page, and the object of ``--json``."""

from collections.abc import Iterator
from typing import Any

from thinktime.analysis.named_table import NONE, Table, cell
from thinktime.analysis.studies.finding import verdicts
from thinktime.analysis.studies.prediction import logs, ross
from thinktime.analysis.studies.prediction.cases import changes
from thinktime.analysis.studies.prediction.errors import Factor, by_size, quality
from thinktime.analysis.studies.prediction.findings import findings
from thinktime.analysis.studies.prediction.predictors import LUCK, MODES, NO_CHANGE
from thinktime.analysis.studies.prediction.scores import NAMES
from thinktime.analysis.studies.prediction.study import Evidence
from thinktime.workloads.units import HOUR

TIMES = "\N{MULTIPLICATION SIGN}"
SIZES = ("below 1.2", "1.2 to 2", "above 2")
CLOSED = tuple(mode for mode in MODES if mode not in (NO_CHANGE, LUCK))


def page(found: Evidence) -> Iterator[Table | str]:
    """Typical factors and biases by family, what else each mode is worth, worlds, and what was looked for."""
    yield factors(found)
    yield ""
    yield biases(found)
    yield ""
    yield directions(found)
    yield ""
    yield sizes(found)
    yield ""
    yield loads(found)
    yield ""
    if found.ross:
        yield of_ross(found)
        yield ""
    if found.logs:
        yield logs.table(found.logs)
        yield from (f"{name}: {each.sentence}" for name, each in found.logs.items())
        yield ""
    yield verdicts(findings(found), "What was looked for, and whether it is seen")
    yield legend(found)


def legend(found: Evidence) -> str:
    """What the numbers are."""
    return (
        f"{len(found.worlds)} worlds, seed {found.seed}; {len(changes(found.cases))} changes in each: "
        f"{', '.join(changes(found.cases))}. Typical factor: exp of the mean |ln| of predicted over true mean wait, "
        "bias: exp of the mean ln; with 95 % intervals by t over worlds. luck: the truth with other dice, under FCFS "
        "and EASY alone."
    )


def factors(found: Evidence) -> Table:
    """The typical factor by which the mean wait is missed."""
    return _by_mode(found, "Typical factor by which the mean wait is missed (1 is exact)", "typical", MODES)


def biases(found: Evidence) -> Table:
    """The factor by which the mean wait is wrong on average."""
    return _by_mode(found, "Bias of the mean wait (above 1: predicted too long)", "bias", CLOSED)


def _by_mode(found: Evidence, title: str, what: str, modes: tuple[str, ...]) -> Table:
    shown = Table(title, "mode", *found.families, whole=True)
    for mode in modes:
        shown.row(mode, *(_interval(getattr(quality(found.of(family), mode), what)) for family in found.families))
    return shown


def directions(found: Evidence) -> Table:
    """Shares of pairs of policies, and of directions of throughput, that are right."""
    shown = Table("Pairs of policies in the right order, throughput in the right direction (%)", "mode", whole=True)
    for family in found.families:
        shown.numbers(f"{family}\npairs", "\nthr.")
    for mode in CLOSED:
        each = [quality(found.of(family), mode) for family in found.families]
        shares = [share for one in each for share in (one.pairs_right, one.throughput_right)]
        shown.row(mode, *(cell(100 * share, ".0f") for share in shares))
    return shown


def sizes(found: Evidence) -> Table:
    """The typical factor by how much the wait really changes."""
    shown = Table("Typical factor where the true wait changes by a factor", "mode", whole=True)
    for family in found.families:
        shown.numbers(
            *(f"{family if not place else ''}\n{size}" for place, size in enumerate(("< 1.2", "< 2", "more")))
        )
    for mode in CLOSED:
        each = [factor for family in found.families for factor in by_size(found.of(family), mode)]
        shown.row(mode, *(cell(one.factor, ".2f") for one in each))
    return shown


def loads(found: Evidence) -> Table:
    """What the worlds are: users, jobs and utilization at each load."""
    shown = Table("Worlds: mean jobs of the log and utilization under EASY, at each load", "family", whole=True)
    for load in found.loads:
        shown.numbers(f"{load:g}\njobs", "\nuse")
    for family in found.families:
        cells: list[str] = []
        for load in found.loads:
            worlds = found.of(family, load)
            jobs = sum(each.jobs for each in worlds) / len(worlds) if worlds else float("nan")
            used = sum(each.utilization for each in worlds) / len(worlds) if worlds else float("nan")
            cells += [cell(jobs, ",.0f"), cell(used, ".2f")]
        shown.row(family, *cells)
    return shown


def of_ross(found: Evidence) -> Table:
    """Ross: predicted and real waits before and after."""
    shown = Table("Sandia Ross loses a third of its processors", "mode", whole=True)
    shown.numbers("wait (h)\nbefore", "\nafter", "factor", "jobs a day\nbefore", "\nafter")
    for mode in ross.MODES:
        of = found.ross[mode].predicted
        assert of is not None
        waits = [f"{each / HOUR:,.2f}" for each in of.wait]
        shown.row(mode, *waits, f"{TIMES}{of.factor:,.1f}", *(f"{each:,.1f}" for each in of.jobs_a_day))
    real = found.ross[ross.REALLY]
    for place, name in ((1, "really, weeks 38 to 45"), (2, "really, weeks 48 to 66")):
        waits = [f"{real.waits[at] / HOUR:,.2f}" for at in (0, place)]
        jobs = [f"{real.jobs_a_day[at]:,.1f}" for at in (0, place)]
        shown.row(name, *waits, f"{TIMES}{real.waits[place] / real.waits[0]:,.1f}", *jobs)
    return shown


def _interval(each: Factor) -> str:
    if each.factor != each.factor:
        return NONE
    ends = "" if each.low != each.low else f" [{_short(each.low)}, {_short(each.high)}]"
    return f"{_short(each.factor)}{ends}"


def _short(factor: float) -> str:
    return f"{factor:,.2f}" if factor < 9.95 else f"{factor:,.1f}" if factor < 99.5 else f"{factor:,.0f}"


def as_object(found: Evidence) -> dict[str, Any]:
    """What each mode is worth in each family, by the mean wait; and by the other metrics."""
    return {
        "worlds": len(found.worlds),
        "seed": found.seed,
        "cases": list(found.cases),
        "families": {family: _family(found, family) for family in found.families},
        "logs": {name: each.as_object() for name, each in found.logs.items()},
        "ross": _ross(found),
    }


def _family(found: Evidence, family: str) -> dict[str, Any]:
    worlds = found.of(family)
    return {mode: _mode(worlds, mode) for mode in MODES}


def _mode(worlds: Any, mode: str) -> dict[str, Any]:
    of = quality(worlds, mode)
    others = {
        name: dict(zip(("typical_factor", "low", "high"), quality(worlds, mode, name).typical[:3], strict=True))
        for name in NAMES[1:]
    }
    return {
        "typical_factor": of.typical.factor,
        "low": of.typical.low,
        "high": of.typical.high,
        "n": of.typical.n,
        "bias": of.bias.factor,
        "bias_low": of.bias.low,
        "bias_high": of.bias.high,
        "pairs_right": of.pairs_right,
        "throughput_right": of.throughput_right,
        "spearman": of.spearman,
        "regret": of.regret,
        "users": of.users,
        "metrics": others,
    }


def _ross(found: Evidence) -> dict[str, float]:
    if not found.ross:
        return {}
    modes = {mode: each.predicted.factor for mode, each in found.ross.items() if each.predicted is not None}
    waits = found.ross[ross.REALLY].waits
    return modes | {"really": waits[1] / waits[0], "really, later": waits[2] / waits[0]}


def frames(found: Evidence) -> dict[str, Any]:
    """Every number of every world, case and mode."""
    rows = [
        {"family": family, "load": load, "world": number, "case": case, "mode": mode}
        | dict(zip(NAMES, values, strict=True))
        for (family, load, number), answer in found.worlds.items()
        for case, modes in answer.found.items()
        for mode, values in modes.items()
    ]
    return {"worlds": rows}
