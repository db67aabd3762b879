"""What the study says in numbers: the object of ``--json`` and of ``study.json``, of which its tables are made."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from thinktime.analysis.diagnosis import Signs
from thinktime.analysis.studies.prediction import right_advice, ross
from thinktime.analysis.studies.prediction.cases import APART
from thinktime.analysis.studies.prediction.errors import Factor, apart, by_size, quality
from thinktime.analysis.studies.prediction.logs import Diagnosed
from thinktime.analysis.studies.prediction.predictors import MODES
from thinktime.analysis.studies.prediction.runs import Answer
from thinktime.analysis.studies.prediction.scores import NAMES

FULL = Path(__file__).with_name("full.json")
"""The study.json of the full study, with all of its worlds, and of the log of Ross."""
OF_CALIBRATED = Path(__file__).with_name("calibrated.json")
"""That of ``--modes calibrated --worlds 2``: as many of these worlds as there was time for."""
Summary = Mapping[str, Any]
Worlds = Mapping[tuple[str, float, int], Answer]
"""Answers by family, load and number."""


def summary(
    seed: int,
    worlds: Worlds,
    of_ross: Mapping[str, ross.Answer],
    logs: Mapping[str, Diagnosed],
    asked: Mapping[tuple[str, float, int], Signs],
) -> Summary:
    """What each mode is worth in each family, by the mean wait and by the other metrics, and what advice is worth."""
    families: dict[str, list[Answer]] = {}
    for (family, _, _), answer in worlds.items():
        families.setdefault(family, []).append(answer)
    modes = {family: {mode: _mode(each, mode) for mode in asked_of(each)} for family, each in families.items()}
    return {
        "worlds": len(worlds),
        "seed": seed,
        "cases": list(next(iter(worlds.values())).found) if worlds else [],
        "families": modes,
        "advice": right_advice.summary(modes, asked),
        "loads": {family: _loads(worlds, family) for family in families},
        "logs": {name: each.as_object() for name, each in logs.items()},
        "ross": _ross(of_ross),
        "ross_weeks": _ross_weeks(of_ross),
    }


def asked_of(answers: Sequence[Answer]) -> tuple[str, ...]:
    """The modes that predicted some worlds."""
    return tuple(mode for mode in MODES if any(mode in of for each in answers for of in each.found.values()))


def read(files: Sequence[Path] = (FULL, OF_CALIBRATED)) -> Summary:
    """A summary that was kept as study.json, with the modes of others that have fewer of them."""
    whole, *more = (_with_nan(json.loads(each.read_text(encoding="utf-8"))) for each in files)
    for each in more:
        for family, modes in each["families"].items():
            whole["families"][family] |= modes
        for name in ("ross", "ross_weeks"):
            whole[name] |= each[name]
    summary: Summary = whole
    return summary


def factor_of(mode: Mapping[str, Any], what: str = "typical") -> Factor:
    """The ``typical`` factor of a mode in a family, its ``bias``, or a factor that is told apart."""
    if what in APART:
        return Factor(**mode["apart"][what])
    factor, low, high = ("typical_factor", "low", "high") if what == "typical" else ("bias", "bias_low", "bias_high")
    return Factor(mode[factor], mode[low], mode[high], mode["n"])


def _mode(worlds: Sequence[Answer], mode: str) -> dict[str, Any]:
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
        "sizes": [each.factor for each in by_size(worlds, mode)],
        "apart": {name: each._asdict() for name, each in apart(worlds, mode).items()},
        "metrics": others,
    }


def _loads(worlds: Worlds, family: str) -> dict[str, dict[str, float]]:
    """What the worlds of a family are at each load that was wanted."""
    found = {}
    for load in sorted({load for kind, load, _ in worlds if kind == family}):
        answers = [each for (kind, at, _), each in worlds.items() if (kind, at) == (family, load)]
        jobs, used = (sum(numbers) / len(answers) for numbers in zip(*(each[:2] for each in answers), strict=True))
        found[f"{load:g}"] = {"worlds": len(answers), "jobs": jobs, "utilization": used}
    return found


def _ross(answers: Mapping[str, ross.Answer]) -> dict[str, float]:
    """By how much waits grow, by mode and really."""
    if not answers:
        return {}
    modes = {mode: each.predicted.factor for mode, each in answers.items() if each.predicted is not None}
    waits = answers[ross.REALLY].waits
    return modes | {"really": waits[1] / waits[0], "really, later": waits[2] / waits[0]}


def _ross_weeks(answers: Mapping[str, ross.Answer]) -> dict[str, dict[str, list[float]]]:
    """Mean waits (s) and jobs a day before and after, by mode; really, also later."""
    found = {
        mode: {"wait": list(each.predicted.wait), "jobs_a_day": list(each.predicted.jobs_a_day)}
        for mode, each in answers.items()
        if each.predicted is not None
    }
    real = answers.get(ross.REALLY)
    return found | ({} if real is None else {"really": {"wait": list(real.waits), "jobs_a_day": list(real.jobs_a_day)}})


def _with_nan(value: Any) -> Any:
    """JSON has no NaN: it is written as null."""
    if isinstance(value, dict):
        return {name: _with_nan(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_with_nan(each) for each in value]
    return math.nan if value is None else value
