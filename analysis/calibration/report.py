"""What fitted users say: who waits, by how much hazards change with what, and what the log does not say."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from thinktime.analysis.named_table import NONE, two_digits
from thinktime.workloads.arrays import Floats
from thinktime.workloads.calibration.beyond import AFTER, JUST_NOW, MORE_OFTEN
from thinktime.workloads.calibration.calibrate import CHOSEN
from thinktime.workloads.calibration.effects import ENDS, REACTING, SEEN
from thinktime.workloads.calibration.posterior import UserClass
from thinktime.workloads.calibration.tables import AGES, CELLS, POSITIONS, QUEUES, RESPONSES, SHARES, SLOWDOWNS
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.units import counted, in_one_unit

SURE = 0.95
LITTLE = 0.3
"""An effect of whose values the log determines less than this share is said to be in doubt."""
SILENT = 20.0
"""In nats: how much less probable reactions must make the log before they are said not to be there."""
WORDS = {
    "age": "time since the last submission",
    "end": "time since the last end",
    "age by state": "since submission, by batches out",
    "clock": "hour",
    "clock by regime": "hour, by what is outstanding",
    "response": "last response time",
    "slowdown": "last slowdown",
    "queue": "jobs that wait in the machine",
    "done": "share of the batch that is done",
    "position": "batches since the last break",
}
"""What the hazard depends on, by effect."""
LEGEND = (
    "hazard: the rate at which a user submits the next batch, a product of such factors. curve: from small values to "
    "large ones (hours from 0 to 23, on working days), between its own lowest and highest factor; of several, the one "
    "that is known best. known: how much of the curve the log determines; the rest is assumed."
)
"""What the tables of effects show."""
EDGES = {
    "age": AGES, "end": np.append(AGES, np.inf), "age by state": AGES, "response": np.append(RESPONSES, np.inf),
    "slowdown": np.append(SLOWDOWNS, np.inf), "queue": QUEUES, "done": SHARES, "position": POSITIONS,
}  # fmt: skip
IN_SECONDS = ("age", "end", "age by state", "response")
TICKS = "▁▂▃▄▅▆▇█"


class Curve(NamedTuple):
    """An effect where it matters most: factors of the hazard beside their mean, with their 95 % intervals."""

    edges: Floats
    value: Floats
    low: Floats
    high: Floats

    @property
    def line(self) -> str:
        """The factors as a line of ticks."""
        known = np.where(np.isfinite(self.value), self.value, np.nan)
        if not np.isfinite(known).any():
            return ""
        log = np.log(np.maximum(known, 1e-6))
        low, high = float(np.nanmin(log)), float(np.nanmax(log))
        place = np.nan_to_num((log - low) / max(high - low, 1e-9) * (len(TICKS) - 1), nan=0.0)
        return "".join(TICKS[round(each)] for each in place.tolist())


def curve(of: UserClass, effect: str) -> Curve:
    """The values of an effect; of one with values in several states or kinds, those of the one that is known best."""
    from scipy import stats

    size = _block(effect)
    place = of.places[effect]
    values, covariance = of.values[place], of.covariance[place, place]
    zero, expected = of.zero[place.start - 1 : place.stop - 1], of.expected[place.start - 1 : place.stop - 1]
    block = int(np.argmax(expected.reshape(-1, size).sum(axis=1)))
    part = slice(block * size, (block + 1) * size)
    weight = expected[part] / max(expected[part].sum(), 1e-9)
    turn = np.eye(size) - weight[None, :]
    middle = turn @ values[part]
    spread = np.sqrt(np.maximum(np.diag(turn @ covariance[part, part] @ turn.T), 0.0))
    reach = stats.norm.ppf((1 + SURE) / 2) * spread
    value, low, high = np.exp(middle), np.exp(middle - reach), np.exp(middle + reach)
    gone = zero[part]
    edges = np.arange(size, dtype=float) if effect not in EDGES else EDGES[effect]
    return Curve(
        edges[:size], np.where(gone, 0.0, value), np.where(gone, 0.0, low),
        np.where(gone, np.exp(middle) * 3 / np.maximum(expected[part], 1.0), high),
    )  # fmt: skip


def _block(effect: str) -> int:
    """How many values an effect has in one state or kind."""
    sizes = {"age": len(AGES), "age by state": len(AGES), "end": ENDS, "clock": CELLS, "clock by regime": CELLS}
    return sizes.get(effect) or SEEN[effect]


def verdict(users: Users) -> Iterator[str]:
    """What the log says of its users, in sentences, and what it does not."""
    yield from _explained(users)
    yield from _beyond(users)


def _beyond(users: Users) -> Iterator[str]:
    """What users do that the model does not explain."""
    size = {name: users.beyond[name].size for name in users.lacks}
    if "queue" in size:
        yield (
            "Where twice as many jobs wait at the moment, users submit "
            f"{1 - 2 ** size['queue']:.0%} less than the model explains."
        )
    if "others" in size:
        who = counted(int(size["others"]), "user")
        yield (
            f"{who} submit within {in_one_unit(AFTER)} of the end of a batch of another user's more than "
            f"{MORE_OFTEN:g} times as often as the model explains."
        )
    if "parts" in size:
        yield (
            f"Within {in_one_unit(JUST_NOW)} of the end of a job of theirs whose batch is not over, users submit "
            f"{size['parts']:.1f} times as often as the model explains."
        )
    if "days" in size:
        yield f"Days are busier or less busy by {size['days']:.0%} than the model explains."
    if "residuals" in size:
        yield (
            "Something else moves users, for their residuals are not exponential in the log itself "
            f"(distance {size['residuals']:.2f})."
        )
    if size:
        yield "The log does not say what this comes to under another policy: the ranges of draws may be too narrow."


def _explained(users: Users) -> Iterator[str]:
    """What the log says by the model."""
    total, reacts = len(users.names), users.reacts
    steady = int(users.clockwork.sum())
    if steady:
        yield f"{counted(steady, 'user')} of {total} submit at equal intervals, whatever happens."
    rest = total - steady
    if (better := _better(users)) is not None:
        yield f"The model {better} predicts the last third better than the one that was chosen."
    if not rest:
        return
    gain = max((each for name, each in users.evidence.items() if name != "blind"), default=np.nan)
    gain -= users.evidence.get("blind", np.nan)
    if not reacts.any():
        if gain < -SILENT:
            yield f"Nothing shows that users look at results: the log is more probable without (by {-gain:,.0f} nats)."
        else:
            yield "The log does not say whether users look at results: it is about as probable if they do."
        return
    waits = int((users.waits[:, 0] & reacts).sum())
    more = int((users.waits[:, 1] & ~users.waits[:, 0] & reacts).sum())
    yield (
        f"{int(reacts.sum())} of {total} users may look at results: the log is {gain:,.0f} nats more probable than if "
        "nobody did."
    )
    yield f"Of {waits} it is clear that they submit nothing while a batch is outstanding, of {more} more while two are."
    effects = {effect for each in users.classes if each.structure is REACTING for effect in each.effects}
    if "response" not in effects and "slowdown" not in effects:
        yield "The log does not show that pauses depend on response times."
    elif (known := max(_known(each) for each in users.classes)) < LITTLE:
        yield f"How pauses depend on response times is in doubt: the log determines {known:.0%} of it."
    if "queue" not in effects and "queue" not in users.lacks:
        yield "The log does not show that users look at the queue."
    if users.withdrawals is not None:
        yield f"{counted(users.withdrawals.withdrawn, 'job')} were taken back while they waited."


def _known(of: UserClass) -> float:
    """How much the log determines of how a class's pauses depend on responses."""
    return max((of.free(effect) for effect in ("response", "slowdown") if effect in of.effects), default=0.0)


def _better(users: Users) -> str | None:
    """The model that predicts the held-out third best, if it does so by more than its standard error."""
    if not users.scores:
        return None
    best = max(users.scores, key=lambda name: users.scores[name].nats)
    gain = users.scores[best].nats - users.scores[CHOSEN].nats
    return best if best != CHOSEN and gain > users.scores[best].error else None


def as_object(users: Users) -> dict[str, Any]:
    """Fitted users as plain values: times in s, scores in nats, factors with their 95 % intervals."""
    return {
        "jobs": users.jobs,
        "users": len(users.names),
        "gaps": users.gaps,
        "clockwork": int(users.clockwork.sum()),
        "verdict": list(verdict(users)),
        "evidence": dict(users.evidence),
        "scores": {name: each._asdict() for name, each in users.scores.items()},
        "held_out_ks": None
        if np.isnan(users.rescaled[0])
        else dict(zip(("distance", "p"), users.rescaled, strict=True)),
        "beyond": {name: each._asdict() for name, each in users.beyond.items()},
        "classes": [
            {
                "looks_at_results": each.structure is REACTING,
                "users": int((users.class_of == number).sum()),
                "effects": {effect: _effect(each, effect) for effect in each.effects},
            }
            for number, each in enumerate(users.classes)
        ],
    }


def _effect(of: UserClass, effect: str) -> dict[str, Any]:
    found = curve(of, effect)
    edges = [None if np.isinf(each) else float(each) for each in found.edges]
    return {
        "determined": of.free(effect), "edges": edges,
        **{name: getattr(found, name).tolist() for name in ("value", "low", "high")},
    }  # fmt: skip


def strongest(found: Curve, effect: str) -> str:
    """Between which bins the hazard differs most beyond doubt, a line for each of the two."""
    finite = np.flatnonzero(found.low > 0)
    if len(finite) < 2:
        return ""
    top = finite[np.argmax(found.low[finite])]
    bottom = finite[np.argmin(found.high[finite])]
    if found.low[top] <= found.high[bottom]:
        return "no difference beyond doubt"
    return "\n".join(
        f"{_bin(effect, at, found.edges)}: {value} [{low}, {high}]"
        for at in (top, bottom)
        for value, low, high in [[two_digits(each[at]) for each in (found.value, found.low, found.high)]]
    )


def _bin(effect: str, place: int, edges: Floats) -> str:
    if effect.startswith("clock"):
        return f"{place % 24} h{' on free days' if place >= 24 else ''}"
    if np.isinf(edges[place]):
        return "none yet"
    if effect in IN_SECONDS:
        return f"from {in_one_unit(float(edges[place]))}"
    return f"from {edges[place]:g}"


def score_rows(users: Users) -> Iterator[tuple[str, float, str]]:
    """The models by their scores: name, nats per batch, and the difference to the chosen one with its error."""
    for name, score in sorted(users.scores.items(), key=lambda each: -each[1].nats):
        beside = f"{score.nats - users.scores[CHOSEN].nats:+.3f} ± {score.error:.3f}"
        yield name, score.nats, NONE if name == CHOSEN else beside


def residuals_in_words(users: Users) -> str:
    """Whether the held-out residuals are those of the model."""
    distance, p = users.rescaled
    if np.isnan(distance):
        return "The log is too short to hold out a part of it."
    near = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
    return (
        "If the model holds, the residuals of the last third are exponential: they are within "
        f"{distance:.3f} of that (Kolmogorov and Smirnov's distance; {near})."
    )
