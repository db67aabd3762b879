"""What the prediction study looks for, with criteria of ours."""

from collections.abc import Iterator

from thinktime.analysis.studies.prediction.errors import Factor
from thinktime.analysis.studies.prediction.predictors import CLOCK, CORRECTED, FEEDBACK, OPEN, REPLAYS
from thinktime.analysis.studies.prediction.study import Evidence
from thinktime.analysis.studies.prediction.summary import factor_of
from thinktime.analysis.study import Finding, Thresholds

USUAL = Thresholds()
SURE = (*REPLAYS, CORRECTED)
WRONG = 1.2
"""A typical factor from which on a mode is wrong."""


def findings(found: Evidence) -> Iterator[Finding]:
    """For each of the families that are there: whether the mode made for it is right, and others are not."""
    families = found.summary["families"]
    if not all(mode in of for of in families.values() for mode in SURE):
        return
    typical = {family: {mode: factor_of(of[mode]) for mode in SURE} for family, of in families.items()}
    if "deadline" in typical:
        yield _exact("The open loop is exact where nobody looks at results", typical["deadline"][OPEN])
    if "campaign" in typical:
        yield _exact("Feedback is exact where users wait for results, then think", typical["campaign"][FEEDBACK])
    for family, mode in (("linear", OPEN), ("session", FEEDBACK), ("hours", FEEDBACK)):
        if family in typical:
            of: Factor = typical[family][mode]
            yield Finding(
                says=f"{_named(mode)} is wrong in family {family}",
                criterion=f"the interval of its typical factor lies above {WRONG}",
                ours=_shown(of),
                seen=None if of.low != of.low else of.low > WRONG,
            )
    if "session" in typical:
        session = typical["session"]
        yield Finding(
            says="The clock mends feedback in family session",
            criterion="a smaller typical factor than feedback's",
            ours=f"{session[CLOCK].factor:.2f} and {session[FEEDBACK].factor:.2f}",
            seen=USUAL.less(session[CLOCK].factor, session[FEEDBACK].factor),
        )
    worst = {mode: max(each[mode].factor for each in typical.values()) for mode in SURE}
    best = min(worst, key=worst.__getitem__)
    yield Finding(
        says="No mode is right everywhere",
        criterion=f"each has a family with a typical factor above {WRONG}",
        ours=f"the least largest one is {worst[best]:.2f} ({best})",
        seen=worst[best] > WRONG,
    )


def _exact(says: str, of: Factor) -> Finding:
    return Finding(says, "a typical factor of at most 1.01", _shown(of), of.factor <= 1.01)


def _shown(of: Factor) -> str:
    return f"{of.factor:.2f} [{of.low:.2f}, {of.high:.2f}], {of.n} worlds"


def _named(mode: str) -> str:
    return "The open loop" if mode == OPEN else mode.capitalize()
