"""The tables of the study of calibrated users: its page, and the object of ``--json``."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import thinktime as tt
from thinktime.analysis.studies.calibrated import errors, foretold
from thinktime.analysis.studies.calibrated.findings import findings
from thinktime.analysis.studies.calibrated.rows import Row
from thinktime.analysis.studies.calibrated.runs import CALIBRATED, KINDS, MODES
from thinktime.analysis.studies.calibrated.study import KNOWN, UNKNOWN, Evidence
from thinktime.analysis.studies.prediction.errors import Factor
from thinktime.analysis.study import NONE, Report, Table, cell, verdicts


def report(found: Evidence) -> Report:
    """How far each mode misses, by family, how often intervals hold the truth, and every prediction beside it."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "seeds": sorted({each.seed for each in found.rows}),
            "families": {family: _family(found.of(family)) for family in found.families},
            "logs": [each.values() for each in found.logs],
            "findings": list(map(asdict, findings(found))),
        },
        frames=lambda: _frames(found),
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    for names, title in ((KNOWN, "families of the prediction study"), (UNKNOWN, "families that nobody fitted to")):
        families = {family: found.of(family) for family in names if found.of(family)}
        if not families:
            continue
        yield factors(families, title)
        yield ""
        yield coverage(families, title)
        yield ""
    if (table := by_what_lacks(found)).rows:
        yield table
        yield ""
    if found.logs:
        for table in foretold.tables(found.logs):
            yield table
            yield ""
        yield foretold.LEGEND
    if found.rows:
        yield verdicts(findings(found), "Do users fitted to a log predict what would happen?")
        yield legend(found)


def factors(families: dict[str, list[Row]], title: str) -> Table:
    """The typical factor of each mode by family, and over families, beside what is asked."""
    shown = Table(f"Typical factor by which mean waits are missed: {title}", "family", "worlds", whole=True)
    shown.numbers(*MODES, "95 % interval", "asked")
    shown.texts("")
    for family, rows in families.items():
        own = errors.typical(rows)
        shown.row(
            family, str(len(rows)), *(cell(errors.typical(rows, mode).factor, ".2f") for mode in MODES), _ends(own),
            f"{errors.aim(family):.2f}", _met(own.factor <= errors.aim(family)),
        )  # fmt: skip
    if len(families) > 1:
        each = list(families.values())
        of = {mode: errors.over_families(each, mode) for mode in MODES}
        worlds, factors = str(sum(map(len, each))), (cell(found.factor, ".2f") for found in of.values())
        shown.row(f"all {len(families)}", worlds, *factors, _ends(of[CALIBRATED]))
    return shown


def coverage(families: dict[str, list[Row]], title: str) -> Table:
    """How often intervals hold the truth, by family and over families."""
    shown = Table(f"How often 80 % intervals hold the truth: {title}", "family", whole=True)
    shown.numbers("mean waits", "95 % interval")
    shown.texts("")
    shown.numbers("differences", "95 % interval ")
    shown.texts(" ")
    shown.numbers("warned")
    for family, rows in families.items():
        warned = cell(errors.lacking(rows).share, ".0%")
        shown.row(family, *_held(errors.held(rows)), *_held(errors.differences_held(rows)), warned)
    if len(families) > 1:
        waits, apart = (errors.all_held(families.values(), each) for each in (False, True))
        warned = cell(errors.lacking([each for rows in families.values() for each in rows]).share, ".0%")
        shown.row(f"all {len(families)}", *_held(waits), *_held(apart), warned)
    return shown


def by_what_lacks(found: Evidence) -> Table:
    """The same over worlds, by what their logs show that the model does not explain."""
    shown = Table("Where the log shows that users do what the model lacks", "families", whole=True)
    shown.texts("users")
    shown.numbers("worlds", "factor", "95 % interval", "mean waits", "differences")
    for names, kind in ((KNOWN, "known"), (UNKNOWN, "unknown")):
        looked = [each for each in found.rows if each.family in names and each.lacks is not None]
        parts = {"nothing more": [each for each in looked if not each.lacks]}
        parts |= {
            words: [each for each in looked if name in (each.lacks or ())] for name, words in tt.Users.BEYOND.items()
        }
        for words, rows in parts.items():
            if rows:
                own, held, apart = errors.typical(rows), errors.held(rows), errors.differences_held(rows)
                shown.row(
                    kind, words, str(len(rows)), cell(own.factor, ".2f"), _ends(own), _held(held)[0], _held(apart)[0]
                )
    return shown


def legend(found: Evidence) -> str:
    """Where the numbers come from."""
    seeds = Counter(each.seed for each in found.rows)
    worlds = ", ".join(f"{count} of seed {seed}" for seed, count in sorted(seeds.items()))
    low, high = (f"{100 * each:.0f}" for each in errors.NOMINAL)
    return (
        f"Worlds: {worlds}. Typical factor: exp of the mean |ln| of predicted over true mean wait over changes; with "
        "95 % intervals by t over worlds, in the last line over families. Intervals of 80 % are to hold the truth in "
        f"{low} to {high} %. warned: in how many worlds the log shows what the model lacks, of "
        f"{sum(each.lacks is not None for each in found.rows):,} that were looked at for it."
    )


def _held(share: errors.Share) -> tuple[str, str, str]:
    ends = f"[{share.low:.0%}, {share.high:.0%}]" if share.low == share.low else NONE
    return cell(share.share, ".0%"), ends, _met(share.met)


def _met(met: bool) -> str:
    return "met" if met else "not met"


def _ends(found: Factor) -> str:
    return f"[{found.low:.2f}, {found.high:.2f}]" if found.high == found.high else NONE


def _family(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "worlds": len(rows),
        "typical": {mode: errors.typical(rows, mode)._asdict() for mode in MODES},
        "no_change": {mode: errors.same(rows, mode)._asdict() for mode in MODES},
        "held": errors.held(rows)._asdict(),
        "differences_held": errors.differences_held(rows)._asdict(),
        "warned": errors.lacking(rows)._asdict(),
        "users": {kind: sum(each.users[kind] for each in rows) for kind in KINDS},
    }


def _frames(found: Evidence) -> dict[str, list[dict[str, Any]]]:
    frames: dict[str, list[dict[str, Any]]] = {}
    if found.rows:
        frames["worlds"] = [each.values() for each in found.rows]
    if found.worlds:
        frames["predictions"] = _predictions(found)
    if found.logs:
        frames["logs"] = [each.values() for each in found.logs]
    return frames


def _predictions(found: Evidence) -> list[dict[str, Any]]:
    return [
        {"family": family, "load": load, "world": number, "case": case, "mode": mode, "mean_wait": values[0]}
        for (family, load, number), answer in found.worlds.items()
        for case, modes in answer.found.items()
        for mode, values in modes.items()
    ]
