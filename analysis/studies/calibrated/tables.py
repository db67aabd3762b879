"""The tables of the study of calibrated users: its page, and the object of ``--json``."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from thinktime.analysis.studies.calibrated import errors
from thinktime.analysis.studies.calibrated.findings import findings
from thinktime.analysis.studies.calibrated.runs import MODES
from thinktime.analysis.studies.calibrated.study import KNOWN, UNKNOWN, Evidence
from thinktime.analysis.study import NONE, Report, Table, cell, verdicts


def report(found: Evidence) -> Report:
    """How far each mode misses, by family, how often intervals hold the truth, and every prediction beside it."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "seed": found.seed,
            "families": {family: _family(found, family) for family in found.families},
            "findings": list(map(asdict, findings(found))),
        },
        frames=lambda: {"predictions": _predictions(found)},
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    for names, title in ((KNOWN, "families of the prediction study"), (UNKNOWN, "families that nobody fitted to")):
        if not any(found.of(family) for family in names):
            continue
        shown = Table(f"Typical factor by which mean waits are missed: {title}", "family", "worlds", whole=True)
        shown.numbers(*MODES, "95 % interval", "asked")
        shown.texts("met")
        held = Table(f"How often 80 % intervals hold the truth: {title}", "family", whole=True)
        held.numbers("mean waits", "95 % interval", "differences", "95 % interval ")
        for family in (each for each in names if found.of(each)):
            answers = found.of(family)
            own = errors.typical(answers)
            shown.row(
                family, str(len(answers)), *(cell(errors.typical(answers, mode).factor, ".2f") for mode in MODES),
                f"[{own.low:.2f}, {own.high:.2f}]" if own.high == own.high else NONE, f"{errors.aim(family):.2f}",
                "yes" if own.factor <= errors.aim(family) else "no",
            )  # fmt: skip
            waits, apart = errors.held(answers), errors.differences_held(answers)
            held.row(family, cell(waits.share, ".0%"), _ends(waits), cell(apart.share, ".0%"), _ends(apart))
        yield shown
        yield ""
        yield held
        yield ""
    yield verdicts(findings(found), "Do users fitted to a log predict what would happen?")


def _ends(share: errors.Share) -> str:
    return f"[{share.low:.0%}, {share.high:.0%}]" if share.low == share.low else NONE


def _family(found: Evidence, family: str) -> dict[str, Any]:
    answers = found.of(family)
    return {
        "worlds": len(answers),
        "typical": {mode: errors.typical(answers, mode)._asdict() for mode in MODES},
        "no_change": {mode: errors.same(answers, mode)._asdict() for mode in MODES},
        "held": errors.held(answers)._asdict(),
        "differences_held": errors.differences_held(answers)._asdict(),
        "users": {kind: sum(each.classes[kind] for each in answers) for kind in answers[0].classes},
    }


def _predictions(found: Evidence) -> list[dict[str, Any]]:
    return [
        {"family": family, "load": load, "world": number, "case": case, "mode": mode, "mean_wait": values[0]}
        for (family, load, number), answer in found.worlds.items()
        for case, modes in answer.found.items()
        for mode, values in modes.items()
    ]
