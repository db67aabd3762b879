"""The tables of the study of the shaken self-test: its page, and the object of ``--json``."""

from collections.abc import Iterator
from dataclasses import asdict

import numpy as np

from thinktime.analysis.diagnosis.self_test import MEASURED, SHARE
from thinktime.analysis.studies.self_test.findings import findings
from thinktime.analysis.studies.self_test.runs import PARTS
from thinktime.analysis.studies.self_test.study import Evidence
from thinktime.analysis.study import Report, Table, cell, verdicts
from thinktime.workloads.mode_names import CALIBRATED


def report(found: Evidence) -> Report:
    """The ways to replay, and what was looked for; all ratios."""
    return Report(
        page=lambda: _page(found),
        values=lambda: {
            "source": found.source,
            "policy": found.policy,
            "ways": {
                way: {
                    "ratio": found.ratio(way),
                    "ratios": found.ratios(way).tolist(),
                    "quarters": [found.part(way, number) for number in range(PARTS)],
                    "drift_hours": found.drift(way),
                }
                for way in found.answers
            },
            "findings": list(map(asdict, findings(found))),
        },
    )


def _page(found: Evidence) -> Iterator[Table | str]:
    yield ways_table(found)
    yield ""
    yield verdicts(findings(found), "Why feedback loses what it loses")
    if np.isnan(found.ratios(CALIBRATED)).all():
        yield f"{CALIBRATED}: no users can be fitted to this log."
    yield (
        f"{found.source}, as {found.policy} would have left it; run times moved by up to {SHARE:.0%}, "
        f"{len(found.answers['open'])} times. Mean wait of jobs submitted in the first {MEASURED:.0%} of the log, over "
        "that without shaking: geometric mean, least and most; the same for quarters of the log; drift: by how much "
        "the median job is submitted earlier or later. Percentages are shares of the loss, in logarithms."
    )


def ways_table(found: Evidence) -> Table:
    """A row for each way to replay the log."""
    shown = Table("Mean wait when run times move, over the mean wait when they do not", "users", whole=True)
    shown.numbers("ratio", "least", "most")
    shown.numbers("quarter\nfirst", *(f"\n{name}" for name in ("second", "third", "last")), "drift\n(h)")
    for way in found.answers:
        ratios = found.ratios(way)
        shown.row(
            way,
            *(cell(each, ".2f") for each in (found.ratio(way), ratios.min(), ratios.max())),
            *(cell(found.part(way, number), ".2f") for number in range(PARTS)),
            cell(found.drift(way), ".1f"),
        )
    return shown
