"""Random small cases of jobs that change their sizes, with ties on purpose, and the cases that were solved by hand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Any

from tests.models.shapes.twin import Options, play
from tests.models.shapes.twin_jobs import Ask, Job, Stage
from tests.models.shapes.twin_losses import Outage
from tests.models.shapes.twin_room import ANYWHERE, Piece, Room

BASES = ("none", "no-guarantee", "easy", "conservative-dynamic", "conservative")
SIZES = ("preferred", "min", "max", "average", "largest", "earliest")
EXPAND = ("oldest", "smallest", "best")
SHRINK = ("latest", "largest", "least")
KINDS = ("rigid", "moldable", "malleable", "malleable")
PIECES = ("anywhere", "anywhere", "processors with memory", "packed", "nodes", "whole nodes", "idle nodes")
ALLOCATORS = ("first-fit", "first-fit", "best-fit", "worst-fit", "consecutive", "serial-last")


@dataclass(frozen=True)
class Speedup:
    """How fast a job is on n processors: a form, and its number or its table."""

    form: str
    number: Fraction = Fraction(0)
    table: dict[int, Fraction] = field(default_factory=dict)

    def of(self, size: int) -> Fraction:
        """The speed-up; only that of ``power`` is rounded, to a double."""
        if self.form == "linear":
            return Fraction(size)
        if self.form == "amdahl":
            return 1 / (self.number + (1 - self.number) / size)
        if self.form == "power":
            return Fraction(float(size) ** float(self.number))
        return self.table[size] if self.form == "table" else Fraction(1)

    def rates(self, sizes: tuple[int, ...], reference: int) -> dict[int, Fraction]:
        """How fast work passes, against the reference size."""
        return {size: self.of(size) / self.of(reference) for size in sizes}

    def __str__(self) -> str:
        if self.form == "table":
            return f"table({' '.join(f'{size}:{float(value)}' for size, value in self.table.items())})"
        return f"{self.form}({float(self.number)})" if self.form in ("amdahl", "power") else self.form


@dataclass(frozen=True)
class Speed:
    """The speed-up of a job, the one that its user believes in, and the size that its work and limit are for."""

    true: Speedup
    believed: Speedup
    reference: int

    def __str__(self) -> str:
        return f"{self.true}, believed {self.believed}, from {self.reference}"


@dataclass(frozen=True)
class Case:
    """A machine, its jobs with their speeds, and a policy."""

    processors: int
    jobs: tuple[Job, ...]
    options: Options
    speeds: dict[int, Speed]
    on: Room | None = None
    """Its nodes, unless it is a pool."""
    outages: tuple[Outage, ...] = ()
    extends: bool = False
    """Whether jobs run beyond their limits."""

    @property
    def room(self) -> Room:
        """Where jobs are put."""
        return self.on or Room.pool(self.processors)

    def describe(self) -> str:
        """What a failure should print."""
        lines = [f"{self.on or f'{self.processors} processors'}, {self.options}{', overrun=extend' * self.extends}"]
        lines += [f"  {each}" for each in self.outages]
        for job in self.jobs:
            what = f"work {job.work} limit {job.limit} sizes {job.sizes} preferred {job.preferred} {job.kind}"
            pauses = f"cost {job.cost} gap {job.gap} notice {job.notice}"
            asks = " ".join(f"{each.share}:{each.size}{'!' * each.insists}" for each in job.asks)
            where = f" {job.piece}" if self.on else ""
            lines.append(f"  {job.id}: at {job.submit} {what} {pauses} {self.speeds[job.id]}{where} {asks}")
        return "\n".join(lines)


def random_cases(seed: int | str, count: int, **some: Any) -> Iterator[Case]:
    """Machines of 4 to 16 processors with 3 to 12 jobs."""
    for number in range(count):
        yield _case(Random(f"{seed}/{number}"), **some)


def random_node_cases(seed: int | str, count: int, **some: Any) -> Iterator[Case]:
    """Machines of 2 to 5 nodes of 1 to 4 processors, most often alike, and perhaps with memory."""
    for number in range(count):
        rng = Random(f"{seed}/{number}")
        nodes = (
            [_node(rng)] * rng.randint(2, 5) if rng.random() < 0.6 else [_node(rng) for _ in range(rng.randint(2, 4))]
        )
        yield _case(rng, Room(tuple(nodes), rng.choice(ALLOCATORS)), **some)


def _node(rng: Random) -> tuple[int, int]:
    return rng.randint(2, 4), rng.choice((4, 4, 8))


def _case(
    rng: Random,
    room: Room | None = None,
    pieces: Sequence[str] = PIECES,
    *,
    asking: bool = False,
    failing: bool = False,
    extending: bool = False,
) -> Case:
    processors, unit = rng.randint(4, 16) if room is None else room.processors, rng.choice((1, 4, 10))
    options, kinds = _options(rng), rng.choice((KINDS, KINDS, ("malleable",), ("moldable",), ("rigid", "malleable")))
    kinds = ("evolving", "evolving", "malleable", "rigid") if asking else kinds
    slow = Fraction(rng.choice((0, 0, 0, 1, 1, unit, 3 * unit)))
    case = Case(processors, (), options, {}, room, _outages(rng, unit, room, processors) if failing else ())
    case = replace(case, extends=extending)
    times: list[Fraction] = [Fraction(0)]
    ids = rng.sample(range(1, 31), rng.randint(3, 12))
    for number in ids:
        if len(case.jobs) in (2, 4, 7):
            stages, _ = play(case.room, list(case.jobs), case.options, case.outages, case.extends)
            times = [time for each in stages.values() for stage in each for time in stage[:2]] or times
        submit = rng.choice(times) if rng.random() < 0.5 else Fraction(unit * rng.randint(0, 12))
        kind, piece, sizes = rng.choice(kinds), ANYWHERE, _sizes(rng, processors)
        if room is not None:
            piece = _piece(rng, room, rng.choice(pieces))
            sizes = tuple(sorted({piece.processors, *sizes}))
        possible = [size for size in sizes if case.room.may_be(piece, size)]
        job, speed = _job(rng, number, sizes, unit, kind, possible)
        job = replace(job, piece=piece, asks=_asks(rng, possible) if kind == "evolving" else ())
        pauses = (rng.choice((Fraction(0), slow)), rng.choice((Fraction(0), slow)), rng.choice((Fraction(0), slow)))
        job = replace(job, submit=submit, cost=pauses[0], gap=pauses[1], notice=pauses[2])
        case = replace(case, jobs=(*case.jobs, job), speeds={**case.speeds, number: speed})
    return case


def _options(rng: Random) -> Options:
    if rng.random() < 0.3:
        return Options(base="none", share=rng.choice(("equal", "pool")))
    base = rng.choice(BASES)
    size = rng.choice(SIZES[:4] if base == "conservative" else SIZES)
    expand, shrink = rng.choice(("none", *EXPAND, *EXPAND)), rng.choice(("none", *SHRINK, *SHRINK))
    return Options(base, size, expand, shrink, rng.choice(("min", "min", "preferred")))


def _outages(rng: Random, unit: int, room: Room | None, processors: int) -> tuple[Outage, ...]:
    """One to four, none of which overlaps with another of the same place."""
    free, found = [Fraction(0)] * (processors if room is None else len(room.nodes)), list[Outage]()
    told = rng.random() < 0.5
    for _ in range(rng.randint(1, 4)):
        place, length = rng.randrange(len(free)), Fraction(unit * rng.randint(1, 8))
        begin = free[place] + unit * rng.randint(1, 12)
        free[place] = begin + length
        found.append(Outage(begin, begin + length, place, told))
    return tuple(found)


def _asks(rng: Random, sizes: list[int]) -> tuple[Ask, ...]:
    """What an evolving job asks for, at shares of its work that doubles have exactly."""
    shares = sorted(rng.sample(range(1, 8), rng.randint(1, 3)))
    return tuple(Ask(Fraction(share, 8), rng.choice(sizes), rng.random() < 0.3) for share in shares)


def _piece(rng: Random, room: Room, kind: str) -> Piece:
    """What a job asks for in one piece, for which there is room."""
    if kind == "anywhere":
        return Piece()
    large = rng.choice(room.nodes)
    memory = rng.choice((0, 0, 1, 2, large[1]))
    if kind == "whole nodes":
        return Piece(min(room.nodes)[0], alone=True)
    processors = 1 if kind == "processors with memory" else rng.randint(1, large[0])
    return Piece(processors, memory, apart=kind in ("nodes", "idle nodes"), alone=kind == "idle nodes")


def _job(
    rng: Random, number: int, sizes: tuple[int, ...], unit: int, kind: str, possible: list[int]
) -> tuple[Job, Speed]:
    """A job; the reference of linear speed-ups is a power of two, so that the machine computes with exact rates."""
    preferred = rng.choice(possible)
    if kind == "rigid":
        sizes = (preferred,)
    true = _speedup(rng, sizes, preferred)
    believed = Speedup("linear") if rng.random() < 0.2 else true
    reference = preferred
    if kind != "rigid" and Speedup("linear") in (true, believed) and preferred not in (1, 2, 4, 8, 16):
        reference = rng.choice((1, 2, 4, 8))
        true = Speedup("linear") if true.form == "table" else true
    limit = unit * rng.randint(1, 20)
    work = rng.choice((limit, limit, rng.randint(1, limit), limit + unit))
    rates = true.rates(sizes, reference), believed.rates(sizes, reference)
    job = Job(number, Fraction(0), Fraction(work), Fraction(limit), sizes, preferred, kind, *rates)
    return job, Speed(true, believed, reference)


def _sizes(rng: Random, processors: int) -> tuple[int, ...]:
    low, high = sorted((rng.randint(1, processors), rng.randint(1, processors)))
    how = rng.random()
    if how < 0.4:
        return tuple(range(low, high + 1))
    if how < 0.8:
        return tuple(2**power for power in range(5) if min(low, 4) <= 2**power <= processors)
    return tuple(sorted(set(rng.sample(range(1, processors + 1), min(processors, rng.randint(1, 4))))))


def _speedup(rng: Random, sizes: tuple[int, ...], reference: int) -> Speedup:
    """Most often linear; rates of tables are multiples of 1/8, or all the same."""
    form = rng.choice(("linear", "linear", "linear", "amdahl", "power", "constant", "table", "table"))
    if form in ("amdahl", "power"):
        return Speedup(form, rng.choice((Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))))
    if form != "table":
        return Speedup(form)
    steps = [Fraction(rng.choice((0, 1, 2, 4, 8)), 8) for _ in sizes]
    place = sizes.index(reference)
    below, above = Fraction(1), Fraction(1)
    table = {reference: Fraction(1)}
    for index in range(place - 1, -1, -1):
        below = max(Fraction(1, 8), below - steps[index] / 2)
        table[sizes[index]] = below
    for index in range(place + 1, len(sizes)):
        above += steps[index]
        table[sizes[index]] = above
    return Speedup(form, table=dict(sorted(table.items())))


# -- by hand -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Solved:
    """A case and its schedule."""

    case: Case
    stages: dict[int, list[Stage]]
    on: dict[int, list[dict[int, int]]] | None = None
    """On nodes, how many processors each job has on which in its stages."""


def _by_hand(
    number: int,
    submit: int,
    work: int,
    sizes: tuple[int, ...],
    reference: int,
    kind: str = "malleable",
    speedup: Speedup | None = None,
    piece: Piece = ANYWHERE,
    **pauses: Fraction,
) -> tuple[Job, Speed]:
    speedup = speedup or Speedup("linear")
    rate = speedup.rates(sizes, reference)
    job = Job(
        number,
        Fraction(submit),
        Fraction(work),
        Fraction(work),
        sizes,
        reference,
        kind,
        rate,
        rate,
        piece=piece,
        **pauses,
    )
    return job, Speed(speedup, speedup, reference)


def _solved(
    machine: int | Room,
    options: Options,
    jobs: list[tuple[Job, Speed]],
    stages: dict[int, list[Stage]],
    on: dict[int, list[dict[int, int]]] | None = None,
) -> Solved:
    room = Room.pool(machine) if isinstance(machine, int) else machine
    speeds = {job.id: speed for job, speed in jobs}
    case = Case(room.processors, tuple(job for job, _ in jobs), options, speeds, None if on is None else room)
    return Solved(case, stages, on)


def _stages(*numbers: tuple[float, float, int]) -> list[Stage]:
    return [(Fraction(begin), Fraction(end), size) for begin, end, size in numbers]


_4_TO_8 = tuple(range(4, 9))
_1_TO_4 = tuple(range(1, 5))
_2_TO_8 = tuple(range(2, 9))
_FIFTH = Speedup("amdahl", Fraction(1, 5))

BY_HAND: dict[str, Solved] = {
    "alone, it grows at once": _solved(
        8, Options(expand="oldest"), [_by_hand(1, 0, 100, _4_TO_8, 4)], {1: _stages((0, 50, 8))}
    ),
    "alone, it grows at once and stands still for 10 s": _solved(
        8, Options(expand="oldest"), [_by_hand(1, 0, 100, _4_TO_8, 4, cost=Fraction(10))], {1: _stages((0, 60, 8))}
    ),
    "100 s on one processor take 40 s on four": _solved(
        4, Options(size="max"), [_by_hand(1, 0, 100, (1, 4), 1, "moldable", _FIFTH)], {1: _stages((0, 40, 4))}
    ),
    "two jobs share": _solved(
        4,
        Options(base="none", share="equal"),
        [_by_hand(1, 0, 100, _1_TO_4, 4), _by_hand(2, 50, 100, _1_TO_4, 4)],
        {1: _stages((0, 50, 4), (50, 150, 2)), 2: _stages((50, 150, 2), (150, 200, 4))},
    ),
    "one shrinks for the head": _solved(
        8,
        Options(shrink="latest"),
        [_by_hand(1, 0, 100, _2_TO_8, 8), _by_hand(2, 20, 100, (4,), 4, "rigid")],
        {1: _stages((0, 20, 8), (20, 180, 4)), 2: _stages((20, 120, 4))},
    ),
    "one shrinks for the head, after 5 s of notice and 10 s in which it stands still": _solved(
        8,
        Options(shrink="latest"),
        [
            _by_hand(1, 0, 100, _2_TO_8, 8, cost=Fraction(10), notice=Fraction(5)),
            _by_hand(2, 20, 100, (4,), 4, "rigid"),
        ],
        {1: _stages((0, 35, 8), (35, 185, 4)), 2: _stages((35, 135, 4))},
    ),
    "nobody shrinks if that is not enough": _solved(
        8,
        Options(shrink="latest"),
        [_by_hand(1, 0, 100, _2_TO_8, 8), _by_hand(2, 20, 100, (8,), 8, "rigid")],
        {1: _stages((0, 100, 8)), 2: _stages((100, 200, 8))},
    ),
    "the pool gives what is preferred first, then the rest": _solved(
        8,
        Options(base="none", share="pool"),
        [_by_hand(1, 0, 100, _2_TO_8, 4), _by_hand(2, 10, 40, _2_TO_8, 4)],
        {1: _stages((0, 10, 8), (10, 50, 4), (50, 70, 8)), 2: _stages((10, 50, 4))},
    ),
    "large and later ends before small and now": _solved(
        4,
        Options(size="earliest"),
        [_by_hand(1, 0, 10, (2,), 2, "rigid"), _by_hand(2, 0, 30, (2, 4), 2, "moldable")],
        {1: _stages((0, 10, 2)), 2: _stages((10, 25, 4))},
    ),
    "it keeps the places that it had first": _solved(
        Room(((4, 0), (4, 0))),
        Options(expand="oldest", shrink="latest"),
        [_by_hand(1, 0, 100, _2_TO_8, 2), _by_hand(2, 0, 10, (2,), 2, "rigid"), _by_hand(3, 20, 10, (4,), 4, "rigid")],
        {
            1: _stages((0, 10, 6), (10, 20, 8), (20, 30, 4), (30, 32.5, 8)),
            2: _stages((0, 10, 2)),
            3: _stages((20, 30, 4)),
        },
        {1: [{0: 2, 1: 4}, {0: 4, 1: 4}, {0: 2, 1: 2}, {0: 4, 1: 4}], 2: [{0: 2}], 3: [{0: 2, 1: 2}]},
    ),
    "the head wants an idle node, which one job has to leave": _solved(
        Room(((4, 0), (4, 0))),
        Options(shrink="latest"),
        [
            _by_hand(1, 0, 100, _2_TO_8, 4),
            _by_hand(2, 10, 40, (2, 3), 3),
            _by_hand(3, 20, 10, (4,), 4, "rigid", piece=Piece(4, alone=True)),
        ],
        {1: _stages((0, 100, 4)), 2: _stages((10, 50, 3)), 3: _stages((50, 60, 4))},
        {1: [{0: 4}], 2: [{1: 3}], 3: [{1: 4}]},
    ),
    "the largest size has the memory that is left": _solved(
        Room(((4, 4), (4, 4))),
        Options(size="largest"),
        [
            _by_hand(1, 0, 20, (1,), 1, "rigid", piece=Piece(1, 4)),
            _by_hand(2, 0, 10, (1, 2, 4, 8), 4, "moldable", piece=Piece(1, 1)),
        ],
        {1: _stages((0, 20, 1)), 2: _stages((0, 10, 4))},
        {1: [{0: 1}], 2: [{1: 4}]},
    ),
}
