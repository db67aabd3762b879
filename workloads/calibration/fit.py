"""Fit the hazards of a log's users: in which class each of them is, which effects there are, and how large.

*Classes.* Users look at no result (`BLIND`), or may do so (`REACTING`). The log's users are all of one class, or some
are of each, whatever makes the log the most probable; reactions are believed only if they do so by `REACTIONS`. Who is
in which class is found by turns (classification EM: G. Celeux and G. Govaert, Computational Statistics & Data Analysis
14, 1992): each user is put where what they did is more probable, and the classes are fitted anew.

*Clockwork.* Programs that submit at equal intervals look like users who wait, if their jobs end shortly before. Users
whose gaps are whole multiples of one interval, far more often than their hazards explain, are known for that: they are
of a class of their own that looks at nothing.

*Who waits.* Users who may look, and never submit while one of their batches is outstanding (or while two are), get the
hazard 0 there: whoever has spent so much time in that state that others would have submitted is one of them, by the
more probable of the two (a mixture with a share of its own). A small leak, summed over longer waits, would spoil what a
replay with feedback has exactly.

*Cells.* A level of an effect at which nothing ever happened, where at least `ZERO` submissions were expected, has the
hazard 0 as well.

*The queue.* Where users submit more while more jobs wait, that is since both are so in busy times, and since their own
jobs wait. In a replay it would make queues grow by themselves, so an effect of the queue that draws users in, on the
whole, is left out. What remains keeps users away.

*Effects.* Beginning with all, effects without which the data are about as probable (within `CLEARLY`) are left out, the
weakest first. Probabilities are those of the data with all effects integrated out (the evidence).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thinktime.workloads.arrays import Flags, Floats, Whole
from thinktime.workloads.calibration import beats, poisson
from thinktime.workloads.calibration.effects import BLIND, REACTING, SEEN, SETS, Structure
from thinktime.workloads.calibration.pieces import Pieces, Rows
from thinktime.workloads.calibration.poisson import Data, Factor, Model, Penalties
from thinktime.workloads.calibration.posterior import UserClass, stacked
from thinktime.workloads.calibration.tables import HazardTables

ZERO = 5.0
CLEARLY = 5.0
"""What an effect must gain to be clear, nats."""
SURELY = 100.0
"""An effect that is needed by so much (nats) with all else as it is stays without a trial."""
REACTIONS = 25.0
"""By how much more probable (nats) reactions must make the log: in simulated logs of users who look at nothing, regimes
that are cut finer made it up to 13 more probable; where users react, it is hundreds and thousands."""
TURNS = 4
"""How often users are put into classes."""
LATER_ROUNDS = 2
"""How often penalties are made better when a model is fitted anew."""
IMPOSSIBLE = -1e9
"""What a user cannot have done in a class counts as this, nats."""
FEWEST = 3
"""The fewest users of a class, beside another."""


@dataclass(frozen=True, eq=False)
class Hazard:
    """The hazard of a class of users."""

    structure: Structure
    effects: tuple[str, ...]
    users: Flags
    """Who is of the class."""
    waits: Flags
    """By user and whether one, or more, batches are outstanding: who submits nothing then."""
    data: Data
    """The rows that it was fitted to."""
    model: Model
    zero: dict[str, Flags]
    """By effect, the levels at which the hazard is 0."""
    expected: dict[str, Floats]
    """By effect, how many submissions were expected at each level without it."""

    @cached_property
    def evidence(self) -> float:
        """The logarithm of the probability of what its users did."""
        return self.model.evidence(self.data)

    def slope(self, effect: str) -> float:
        """How much an effect of what is seen grows from bin to bin: a regression within kinds of regimes."""
        kinds = self.structure.kinds
        values = self.model.values[self.data.places()[effect]].reshape(kinds, -1)
        weight, bins = self.expected[effect].reshape(kinds, -1), np.arange(values.shape[1])
        beside = bins - (weight @ bins / np.maximum(weight.sum(axis=1), 1e-9))[:, None]
        return float((weight * beside * values).sum() / max((weight * beside**2).sum(), 1e-9))

    @cached_property
    def found(self) -> UserClass:
        """What is kept of it."""
        model = self.model
        moved, levels_moved = model.means(self.data)
        return UserClass(
            structure=self.structure,
            effects=self.effects,
            sizes=tuple(self.data.factors[name].size for name in self.effects),
            values=model.values,
            covariance=model.covariance,
            levels=model.groups.reshape(len(self.users), -1),
            level_precision=model.own.reshape(len(self.users), -1),
            across=model.across,
            moved=moved,
            levels_moved=levels_moved.reshape(len(self.users), -1),
            level_prior=model.penalties.groups,
            zero=np.concatenate([self.zero[name] for name in self.effects]),
            expected=np.concatenate([self.expected[name] for name in self.effects]),
            prior=np.array([model.penalties.factors[name] for name in self.effects]),
        )


@dataclass(frozen=True, eq=False)
class Classes:
    """The hazards of a log's users, class by class."""

    hazards: tuple[Hazard, ...]
    clockwork: Flags
    """Who submits at equal intervals: the users of the first class, if there are any."""

    @cached_property
    def class_of(self) -> Whole:
        """The class of each user."""
        found: Whole = np.argmax([each.users for each in self.hazards], axis=0)
        return found

    @cached_property
    def evidence(self) -> float:
        """The logarithm of the probability of the log, and of who is in which class."""
        users = np.array([each.users.sum() for each in self.hazards])
        apart = users @ np.log(np.maximum(users, 1) / users.sum())
        return float(sum(each.evidence for each in self.hazards) + apart)

    def eta(self, rows: Rows) -> Floats:
        """The logarithm of the hazard in each row."""
        found = [each.found for each in self.hazards]
        level = np.concatenate([each.level(self.hazards[0].waits) for each in found], axis=1)
        return eta_of(rows, stacked([each.tables() for each in found]), level, self.class_of)


class Fitting:
    """The gaps of a log, to which hazards are fitted."""

    def __init__(self, pieces: Pieces, users: int, some: Flags | None = None) -> None:
        self.pieces, self.users = pieces, users
        self.rows, self.row_of = pieces.rows(some)
        self.waits = _waits(self.rows, users)
        self._factors: dict[str, dict[str, Factor]] = {}
        self._groups: dict[str, Whole] = {}

    def chosen(self) -> tuple[Classes, dict[str, float]]:
        """The classes, with the effects that the log asks for, and the evidence for each choice of classes."""
        everybody = np.ones(self.users, bool)
        blind, reacting = (self.fit(each, each.effects, everybody) for each in (BLIND, REACTING))
        clockwork = self._clockwork(blind, reacting)
        first: tuple[Hazard, ...] = ()
        if clockwork.any():
            first = (self.less(self.again(blind, blind.effects, clockwork)),)
            if clockwork.all():
                return Classes(first, clockwork), {"clockwork": first[0].evidence}
            blind, reacting = (self.again(each, each.effects, ~clockwork) for each in (blind, reacting))
        others = ~clockwork
        choices = {"blind": (self.less(blind),), "reacting": self._parted(self.less(reacting))}
        waiting = others & self.waits[:, 0]
        if not self._enough(waiting, others):
            waiting = others & (self.by_user(reacting) > self.by_user(blind))
        if (mixed := self._mixed(blind, reacting, others & ~waiting, waiting)) is not None:
            choices["some of each"] = (self.less(mixed[0]), *self._parted(self.less(mixed[1])))
        classes = {name: Classes((*first, *each), clockwork) for name, each in choices.items()}
        found, least = classes["blind"], classes["blind"].evidence + REACTIONS
        for other in classes.values():
            if other.evidence > least:
                found, least = other, other.evidence + CLEARLY
        return found, {name: each.evidence for name, each in classes.items()}

    def _parted(self, hazard: Hazard) -> tuple[Hazard, ...]:
        """A class of users who may look as two, if only some of them go by the clock, or by responses."""
        found: tuple[Hazard, ...] = (hazard,)
        best = Classes((hazard,), np.zeros(self.users, bool)).evidence + CLEARLY
        for effects in (("clock", "clock by regime"), ("response", "slowdown")):
            fewer = [each for each in hazard.effects if each not in effects]
            if len(fewer) == len(hazard.effects):
                continue
            bare = self.again(hazard, fewer, hazard.users)
            with_them = hazard.users & (self.by_user(hazard) > self.by_user(bare))
            if (pair := self._mixed(bare, hazard, hazard.users & ~with_them, with_them)) is None:
                continue
            pair = self._undrawn(pair[0]), self._undrawn(pair[1])
            if (evidence := Classes(pair, np.zeros(self.users, bool)).evidence) > best:
                found, best = pair, evidence + CLEARLY
        return found

    def _clockwork(self, *hazards: Hazard) -> Flags:
        """Who submits at equal intervals, far more often than any of these hazards explains."""
        pieces = self.pieces
        used = pieces.ended & (self.rows.events[self.row_of[pieces.last]] > 0)  # not gaps that are held out
        owner, gap = pieces.factors["owner"][pieces.last[used]], self._gaps()[used]
        plain = Classes((hazards[0],), np.zeros(self.users, bool)).eta(self.rows)
        miss = self.scores(plain)[used]
        found = np.zeros(self.users, bool)
        best = np.max([self.by_user(each) for each in hazards], axis=0)
        for user in np.unique(owner).tolist():
            own = owner == user
            if own.sum() >= beats.FEWEST:
                found[user] = beats.beat(gap[own], miss[own]) > best[user] + CLEARLY
        return found

    def _gaps(self) -> Floats:
        """How long each gap is, s."""
        return np.bincount(self.pieces.gap, self.pieces.exposure, len(self.pieces)).astype(np.float64)

    def _enough(self, some: Flags, of: Flags) -> bool:
        """Whether there are users among these, and others."""
        return bool(FEWEST <= (some & of).sum() <= of.sum() - FEWEST)

    def _mixed(self, one: Hazard, other: Hazard, first: Flags, second: Flags) -> tuple[Hazard, Hazard] | None:
        """Two classes of which these are the first users; None if one of them is empty in the end."""
        everybody = first | second
        for _ in range(TURNS):
            if not self._enough(second, everybody):
                return None
            one, other = self.again(one, one.effects, first), self.again(other, other.effects, second)
            share = float(second.sum() / everybody.sum())
            said = np.maximum([self.by_user(one), self.by_user(other)], IMPOSSIBLE)
            gain = said[1] - said[0] + np.log(share / (1 - share))
            before, second = second, everybody & (gain > 0)
            first = everybody & ~second
            if (second == before).all():
                break
        return one, other

    def less(self, found: Hazard) -> Hazard:
        """The hazard without the effects that the log does not ask for, or that cannot be."""
        found = self._undrawn(found)
        free = found.model.freedom(found.data)
        names = [each for each in found.effects if each in SEEN or each in ("age by state", "clock by regime", "clock")]
        for effect in sorted(names, key=free.__getitem__):
            if found.model.needed(found.data, effect) > SURELY:
                continue
            without = self.again(found, [each for each in found.effects if each != effect], found.users)
            if without.evidence > found.evidence - CLEARLY:
                found = without
        return found

    def _undrawn(self, found: Hazard) -> Hazard:
        """The hazard without the effect of the queue, if it is larger where more jobs wait."""
        if "queue" not in found.effects or found.slope("queue") <= 0:
            return found
        return self.again(found, [each for each in found.effects if each != "queue"], found.users)

    def again(self, found: Hazard, effects: Sequence[str], users: Flags) -> Hazard:
        """The hazard with some of its effects, or of other users."""
        factors = {name: found.model.penalties.factors[name] for name in effects}
        penalties = Penalties(factors, found.model.penalties.groups)
        return self.fit(found.structure, effects, users, penalties, found.model.start(found.data), LATER_ROUNDS)

    def fit(
        self,
        structure: Structure,
        effects: Sequence[str],
        users: Flags,
        penalties: Penalties | None = None,
        start: poisson.Start | None = None,
        rounds: int = poisson.ROUNDS,
    ) -> Hazard:
        """The hazard of some users with these effects."""
        data, used = self._data(structure, effects), self._used(structure) & users[self.rows.factors["owner"]]
        data = _alike(_some(data, used & ((data.exposure > 0) | (data.events > 0))))
        if penalties is None:
            penalties = Penalties(dict.fromkeys(effects, 1.0), np.ones(structure.kinds))
        model = poisson.fit(data, penalties, start, rounds)
        expected, zero = _cells(data, model)
        gone = np.any([zero[name][each.level] for name, each in data.factors.items()], axis=0)
        if gone.any():
            data = _some(data, ~gone)
            model = poisson.fit(data, model.penalties, model.start(data), LATER_ROUNDS)
        return Hazard(structure, tuple(effects), users, self.waits, data, model, zero, expected)

    def by_user(self, found: Hazard) -> Floats:
        """The logarithm of the probability of what each user did, under a hazard of some users."""
        data, used = self._data(found.structure, found.effects), self._used(found.structure)
        eta = np.full(len(self.rows), found.model.values[0])
        for name, place in data.places().items():
            values = np.where(found.zero[name], -np.inf, found.model.values[place])
            eta = eta + values[data.factors[name].level]
        with np.errstate(invalid="ignore"):
            known = np.where(data.events * used > 0, data.events * eta, 0.0)
        kinds = found.structure.kinds
        said, events, mean = (
            np.bincount(data.group, of, kinds * self.users).astype(np.float64)
            for of in (known, data.events * used, data.exposure * used * np.exp(eta))
        )
        strength = np.tile(found.model.penalties.groups, self.users)
        level = np.zeros(len(said))
        for _ in range(50):
            there = mean * np.exp(level)
            level = level + np.clip((events - there - strength * level) / (there + strength), -1.0, 1.0)
        there = mean * np.exp(level)
        said = said + events * level - there - strength * level**2 / 2 + np.log(strength / (there + strength)) / 2
        by_user: Floats = said.reshape(self.users, kinds).sum(axis=1)
        return by_user

    def residuals(self, eta: Floats) -> Floats:
        """The integral of the hazard over each gap, from the logarithm of the hazard in each row."""
        spent = self.pieces.exposure * np.exp(eta[self.row_of])
        return np.bincount(self.pieces.gap, spent, len(self.pieces)).astype(np.float64)

    def scores(self, eta: Floats) -> Floats:
        """The logarithm of the probability density of each gap (nats)."""
        found: Floats = eta[self.row_of[self.pieces.last]] - self.residuals(eta)
        return found

    def _data(self, structure: Structure, effects: Sequence[str]) -> Data:
        rows, of = self.rows, self._factors.setdefault(structure.name, {})
        for effect in effects:
            if effect not in of:
                of[effect] = structure.factor(rows, effect)
        if structure.name not in self._groups:
            own = structure.kind[structure.of_rows(rows)]
            self._groups[structure.name] = rows.factors["owner"] * structure.kinds + own
        kind = np.tile(np.arange(structure.kinds), self.users)
        factors = {effect: of[effect] for effect in effects}
        return Data(rows.exposure, rows.events, self._groups[structure.name], kind, factors, SETS)

    def _used(self, structure: Structure) -> Flags:
        """The rows in which a user of a class may submit."""
        if structure is BLIND:
            return np.ones(len(self.rows), bool)
        state, owner = self.rows.factors["state"], self.rows.factors["owner"]
        return ~((state > 0) & self.waits[owner, np.maximum(state - 1, 0)])


def eta_of(rows: Rows, tables: HazardTables, level: Floats, class_of: Whole) -> Floats:
    """The logarithm of the hazard in each row."""
    of = rows.factors
    own = class_of[of["owner"]]
    where = own, of["state"], of["end"], of["age"]
    regime = tables.regime[where]
    eta: Floats = level[of["owner"], regime] + tables.base[where] + tables.clock[own, regime, of["cell"]]
    for name in SEEN:
        eta = eta + getattr(tables, name)[own, regime, of[name]]
    return eta


def _waits(rows: Rows, users: int) -> Flags:
    """Who submits nothing while one batch is outstanding, and while more are."""
    owner, state = rows.factors["owner"], rows.factors["state"]
    found = np.zeros((users, 2), bool)
    rate = np.bincount(owner, rows.events, users) / np.maximum(np.bincount(owner, rows.exposure, users), 1.0)
    for place in (0, 1):
        out = state == place + 1
        events = np.bincount(owner, rows.events * out, users)
        expected = rate * np.bincount(owner, rows.exposure * out, users)
        never = events == 0
        if not never.all():  # as those do who submit then
            expected = expected * min(1.0, events.sum() / max(expected[~never].sum(), 1e-9))
        share, chance = 0.5, np.zeros(users)
        for _ in range(20):
            chance = np.where(never, share / (share + (1 - share) * np.exp(-expected)), 0.0)
            share = float(np.clip((chance.sum() + 0.5) / (users + 1), 1e-3, 1 - 1e-3))
        found[:, place] = chance > 0.5
    return found


def _cells(data: Data, model: Model) -> tuple[dict[str, Floats], dict[str, Flags]]:
    """By effect, what is expected at each level without it, and where nothing happened although much was."""
    mean = data.exposure * np.exp(model.eta(data))
    expected: dict[str, Floats] = {}
    zero: dict[str, Flags] = {}
    for name, place in data.places().items():
        each = data.factors[name]
        expected[name] = np.bincount(each.level, mean, each.size).astype(np.float64) * np.exp(-model.values[place])
        zero[name] = (np.bincount(each.level, data.events, each.size) == 0) & (expected[name] >= ZERO)
    return expected, zero


def _some(data: Data, rows: Flags) -> Data:
    factors = {name: Factor(each.level[rows], each.size, each.penalty) for name, each in data.factors.items()}
    return Data(data.exposure[rows], data.events[rows], data.group[rows], data.kind, factors, data.sets)


def _alike(data: Data) -> Data:
    """The same, where rows that differ in none of the factors are one."""
    key, size = data.group, len(data.kind)
    for each in data.factors.values():
        if size > np.iinfo(np.int64).max // each.size:  # keys that occur are few, though those that may are many
            known, key = np.unique(key, return_inverse=True)
            size = len(known)
        key, size = key * each.size + each.level, size * each.size
    _, first, of = np.unique(key, return_index=True, return_inverse=True)
    factors = {name: Factor(each.level[first], each.size, each.penalty) for name, each in data.factors.items()}
    exposure, events = (np.bincount(of, each, len(first)).astype(np.float64) for each in (data.exposure, data.events))
    return Data(exposure, events, data.group[first], data.kind, factors, data.sets)
