"""Where the brute-force twin of moldable and malleable jobs puts them: on nodes, or on a pool.

What is free is counted for every node: its processors and its memory. A job consists of equal pieces, each on one
node, so many processors and so much memory. Pieces may share a node, or have one each (``apart``), or have an idle one
each as a whole (``alone``). The allocator chooses among the nodes with room for one more piece. A pool is a single
node, and a processor of a job is a piece of it.

**Sizes** are whole pieces, and such as idle nodes have room for.

**A job that grows** keeps its places and gets others for the pieces that are new, chosen as for a job of these pieces
alone; where pieces are apart, on other nodes than its own. **One that shrinks** keeps the places that it got first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

NEVER = Fraction(10**9)
"""Later than all that happens."""
Places = tuple[int, ...]
"""The node of each piece of a job, in the order in which it got them."""
Amounts = tuple[int, ...]
"""Of each node its processors and its memory, one node after the other."""


@dataclass(frozen=True)
class Piece:
    """What a job asks for in one piece."""

    processors: int = 1
    memory: int = 0
    apart: bool = False
    alone: bool = False

    def units(self, left: Sequence[int], node: int) -> int:
        """How many a node has room for."""
        units = left[2 * node] // self.processors
        return min(units, left[2 * node + 1] // self.memory) if self.memory else units


ANYWHERE = Piece()


@dataclass(frozen=True)
class Room:
    """The processors and the memory of each node, and who chooses among them."""

    nodes: tuple[tuple[int, int], ...]
    allocator: str = "first-fit"
    indexed: bool = False
    """Whether it is a pool: then the places of a job are its processors, which it is given as it starts or grows."""

    @classmethod
    def pool(cls, processors: int) -> Room:
        """Processors that are all alike."""
        return cls(((processors, 0),), indexed=True)

    @cached_property
    def processors(self) -> int:
        """Those of all nodes."""
        return sum(processors for processors, _ in self.nodes)

    @cached_property
    def whole(self) -> Amounts:
        """What idle nodes have."""
        return tuple(amount for node in self.nodes for amount in node)

    def may_be(self, piece: Piece, size: int) -> bool:
        """Whether so many processors are whole pieces, for which there is room if all is idle."""
        return size % piece.processors == 0 and self.place(piece, size // piece.processors, self.whole) is not None

    def held(self, piece: Piece, places: Places) -> Amounts:
        """What a job has of each node."""
        if self.indexed:
            return len(places), 0
        amounts = [0] * len(self.whole)
        for node in places:
            if piece.alone:
                amounts[2 * node : 2 * node + 2] = self.nodes[node]
            else:
                amounts[2 * node] += piece.processors
                amounts[2 * node + 1] += piece.memory
        return tuple(amounts)

    def of_place(self, place: int) -> Amounts:
        """What a processor of a pool, or a node, has."""
        if self.indexed:
            return 1, 0
        return tuple(amount if index // 2 == place else 0 for index, amount in enumerate(self.whole))

    def place(self, piece: Piece, count: int, free: Amounts, own: Places = ()) -> Places | None:
        """Where so many pieces go, beside those that the job has; None if they have no room."""
        left, found = list(free), list[int]()
        single = piece.apart or piece.alone
        taken = set(own) if single else set()
        run: list[int] = []
        while len(found) < count:
            fitting = [node for node in range(len(self.nodes)) if node not in taken and self._fits(piece, left, node)]
            if not fitting:
                return None
            missing = count - len(found)
            if self.allocator == "serial-last" and (count, piece.processors, piece.alone) == (1, 1, False):
                node = fitting[-1]
            elif self.allocator in ("consecutive", "serial-last"):
                run = run or self._run(piece, missing, left, fitting)
                node = run.pop(0)
            else:
                node = self._best(left, fitting)
            units = 1 if single else min(missing, piece.units(left, node))
            found += [node] * units
            taken |= {node} if single else set()
            left = list(less(left, self.held(piece, (node,) * units)))
        return tuple(found)

    def _fits(self, piece: Piece, left: Sequence[int], node: int) -> bool:
        idle = tuple(left[2 * node : 2 * node + 2]) == self.nodes[node]
        return piece.units(left, node) > 0 and (idle or not piece.alone)

    def _best(self, left: Sequence[int], fitting: list[int]) -> int:
        if self.allocator == "first-fit":
            return fitting[0]
        sign = 1 if self.allocator == "best-fit" else -1
        return min(fitting, key=lambda node: (sign * left[2 * node], sign * left[2 * node + 1], node))

    def _run(self, piece: Piece, missing: int, left: Sequence[int], fitting: list[int]) -> list[int]:
        """The smallest run of consecutive nodes that is enough, or one node in it; else the largest run."""
        single = piece.apart or piece.alone
        units = {node: 1 if single else piece.units(left, node) for node in fitting}
        runs: list[list[int]] = []
        for node in fitting:
            if node - 1 not in units:
                runs.append([])
            runs[-1].append(node)
        sizes = [sum(units[node] for node in run) for run in runs]
        enough = [size for size in sizes if size >= missing]
        run = runs[sizes.index(min(enough, default=max(sizes)))]
        alone = [node for node in run if units[node] >= missing]
        return [min(alone, key=lambda node: left[2 * node])] if alone else run


def less(amounts: Iterable[int], others: Iterable[int]) -> Amounts:
    """What is left of amounts without others."""
    return tuple(one - other for one, other in zip(amounts, others, strict=True))


def more(amounts: Iterable[int], others: Iterable[int]) -> Amounts:
    """Both amounts together."""
    return tuple(one + other for one, other in zip(amounts, others, strict=True))


def least(amounts: Iterable[int], others: Iterable[int]) -> Amounts:
    """What there is of both amounts."""
    return tuple(map(min, amounts, others))


def has(amounts: Iterable[int], others: Iterable[int]) -> bool:
    """Whether amounts are enough, where something is needed."""
    return all(one >= other for one, other in zip(amounts, others, strict=True) if other > 0)
