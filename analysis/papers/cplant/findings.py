"""What the cplant paper finds (its section VI, in our words), and how often it holds here.

Each finding is a statement about the nine schedulers in one run of all of them. One rule judges all findings:
over the nine origins of the decay of usage, a finding is *seen* if it fails for at most one, *not seen* if it
holds for at most one, and *undecided* otherwise or with fewer runs. The same rule judges every variant (another
decay, another fair order) over its own nine runs. Other overrun rules and sizes are single runs, which only
show whether the statement holds.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from thinktime.analysis.papers.cplant.runs import Outcome
from thinktime.analysis.papers.cplant.study import BASELINE, NAMES, Evidence
from thinktime.analysis.study import Finding

Nine = Mapping[str, Outcome]
HOURS72, BARRED, LIMIT, ALL3 = MINOR = NAMES[1:5]
"""Small changes: waiting for 72 h, barring heavy users, a runtime limit, and all three."""
CONSERVATIVE, UNLIMITED = NAMES[5:], ("cons.nomax", "consdyn.nomax")
LIMITED = {"cplant24.nomax.all": "cplant24.72max.all", "cons.nomax": "cons.72max", "consdyn.nomax": "consdyn.72max"}
UNFAIR, MISS, RESPONSE, CAPACITY = FOUR = (
    "percent_unfair", "average_miss_time", "average_response_time", "loss_of_capacity",
)  # fmt: skip
WIDE = slice(8, None)  # 129 processors and more
NEEDED = 9  # origins: the study's own and eight shifts


@dataclass(frozen=True, slots=True)
class Statement:
    """A finding, our criterion, and whether it holds under one origin."""

    says: str
    criterion: str
    holds: Callable[[Nine], bool]


def _number(nine: Nine, name: str, number: str) -> float:
    value: float = getattr(nine[name].numbers, number)
    return value


def _better(number: str, names: Iterable[str], least: int | None = None) -> Callable[[Nine], bool]:
    """At least ``least`` (default: all) of the schedulers have a smaller number than the original one."""
    listed = tuple(names)

    def holds(nine: Nine) -> bool:
        limit = _number(nine, BASELINE, number)
        return sum(_number(nine, name, number) < limit for name in listed) >= (least or len(listed))

    return holds


def _worse(number: str, names: Iterable[str]) -> Callable[[Nine], bool]:
    listed = tuple(names)
    return lambda nine: all(_number(nine, name, number) > _number(nine, BASELINE, number) for name in listed)


def _less(number: str, name: str, other: str) -> Callable[[Nine], bool]:
    return lambda nine: _number(nine, name, number) < _number(nine, other, number)


def _least(number: str, names: Iterable[str], among: Iterable[str] | None = None) -> Callable[[Nine], bool]:
    """The smallest number belongs to one of ``names``."""
    listed = tuple(names)
    return lambda nine: min(among or nine, key=lambda name: _number(nine, name, number)) in listed


def _all(*statements: Callable[[Nine], bool]) -> Callable[[Nine], bool]:
    return lambda nine: all(each(nine) for each in statements)


def _any(*statements: Callable[[Nine], bool]) -> Callable[[Nine], bool]:
    return lambda nine: any(each(nine) for each in statements)


def _wide(values: str, name: str, other: str) -> Callable[[Nine], bool]:
    """Wide jobs are better off under ``name`` than under ``other``: more classes with a smaller mean than a larger."""

    def holds(nine: Nine) -> bool:
        one, two = getattr(nine[name], values)[WIDE], getattr(nine[other], values)[WIDE]
        return int(np.nansum(np.sign(two - one))) > 0

    return holds


def _followed_by_capacity(nine: Nine) -> bool:
    """Some small change improves both miss and response time, and whichever does improves capacity too."""
    improved = [name for name in MINOR if all(_better(each, [name])(nine) for each in FOUR[1:3])]
    return bool(improved) and _better(CAPACITY, improved)(nine)


def _treated_worst(nine: Nine) -> bool:
    return max(nine, key=lambda name: nine[name].unfair.average_miss_unfair).startswith("consdyn")


def _beats_most(nine: Nine) -> bool:
    others = [name for name in nine if name != "cons.72max"]
    return all(sum(_less(each, "cons.72max", name)(nine) for name in others) >= 5 for each in FOUR[2:])


STATEMENTS = tuple(
    Statement(*row)
    for row in (
        ("every small change leaves fewer jobs unfair", "4 of 4 < original", _better(UNFAIR, MINOR)),
        ("all three changes at once leave the fewest unfair", "least of 5", _least(UNFAIR, [ALL3], [BASELINE, *MINOR])),
        ("a runtime limit alone shortens the average miss", "24.72max.all < original", _better(MISS, [LIMIT])),
        ("waiting for 72 h lengthens it", "72.nomax.all > original", _worse(MISS, [HOURS72])),
        ("barring heavy users lengthens it", "24.nomax.fair > original", _worse(MISS, [BARRED])),
        (
            "72 h or barring hurts response time or capacity",
            "1 of 4 > original",
            _any(*(_worse(each, [name]) for each in FOUR[2:] for name in (HOURS72, BARRED))),
        ),
        ("with 72 h, wide jobs miss by more", "129+: original is less", _wide("miss_by_width", BASELINE, HOURS72)),
        ("most small changes shorten response time", "3 of 4 < original", _better(RESPONSE, MINOR, 3)),
        (
            "a runtime limit lets wide jobs through sooner",
            "129+: 24.72max.all is less",
            _wide("response_time_by_width", LIMIT, BASELINE),
        ),
        (
            "a runtime limit improves all four numbers",
            "24.72max.all < original",
            _all(*(_better(each, [LIMIT]) for each in FOUR)),
        ),
        ("where miss and response time improve, so does capacity", "those of 4", _followed_by_capacity),
        (
            "all three: fewer unfair, shorter response time than the limit alone",
            "both less",
            _all(*(_less(each, ALL3, LIMIT) for each in (UNFAIR, RESPONSE))),
        ),
        ("all three: a longer average miss than the limit alone", "more", _less(MISS, LIMIT, ALL3)),
        ("all three: more loss of capacity than the limit alone", "more", _less(CAPACITY, LIMIT, ALL3)),
        ("conservative ones leave fewer jobs unfair", "4 of 4 < original", _better(UNFAIR, CONSERVATIVE)),
        ("without a limit they have a longer average miss", "both > original", _worse(MISS, UNLIMITED)),
        (
            "dynamic reservations leave the fewest unfair",
            "least of 9",
            _least(UNFAIR, ["consdyn.nomax", "consdyn.72max"]),
        ),
        ("and those who miss, miss by most", "largest of 9 per unfair job", _treated_worst),
        (
            "cons.72max is better in unfair jobs and in miss",
            "both < original",
            _all(*(_better(each, ["cons.72max"]) for each in (UNFAIR, MISS))),
        ),
        (
            "a runtime limit makes every kind fairer",
            "3 of 3: shorter miss",
            _all(*(_less(MISS, limited, name) for name, limited in LIMITED.items())),
        ),
        (
            "cons.72max treats wide jobs better",
            "129+: cons.72max is less",
            _wide("miss_by_width", "cons.72max", BASELINE),
        ),
        (
            "a limit makes conservative ones perform better",
            "response time and LOC, 2 of 2",
            _all(*(_less(each, LIMITED[name], name) for each in FOUR[2:] for name in UNLIMITED)),
        ),
        ("cons.72max beats most in response time and capacity", "5 of 8 in both", _beats_most),
    )
)
"""Section VI: minor changes, then conservative backfilling."""


RULE = (
    "Rule: of nine runs (origins of the decay, or neighbouring half-lives) a finding is seen if it fails for at "
    "most one, NOT seen if it holds for at most one, else undecided; with fewer runs it stays undecided. In a run, "
    "a number is less if it is less by any amount."
)


def variants(study: Evidence) -> dict[str, list[dict[str, Outcome]]]:
    """The runs of each variant with several of them; the study's own assumptions first."""
    return {"own": list(study.shifts.values())} | study.decays | study.fair_orders()


def single_runs(study: Evidence) -> dict[str, dict[str, Outcome]]:
    """The variants that were run once: other overrun rules and other sizes, with the decay's own origin."""
    overruns = dict(list(study.overruns.items())[1:])
    sizes = {f"P = {size:,}": nine for size, nine in study.sizes.items() if size != study.processors}
    return overruns | sizes


def held(statement: Statement, nines: list[dict[str, Outcome]]) -> int:
    """For how many runs a statement holds."""
    return sum(statement.holds(nine) for nine in nines)


def by_variant(study: Evidence) -> dict[str, list[Finding]]:
    """Every finding under each variant with several runs."""
    return {name: [_judged(statement, nines) for statement in STATEMENTS] for name, nines in variants(study).items()}


def findings(study: Evidence) -> list[Finding]:
    """Every finding with how many origins it holds for, and the verdict."""
    nines = list(study.shifts.values())
    return [_judged(statement, nines) for statement in STATEMENTS]


def _judged(statement: Statement, nines: list[dict[str, Outcome]]) -> Finding:
    count, seen = held(statement, nines), None
    if len(nines) >= NEEDED:
        seen = True if count >= len(nines) - 1 else False if count <= 1 else None
    return Finding(statement.says, statement.criterion, f"holds for {count} of {len(nines)}", seen)
