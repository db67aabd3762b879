"""The nodes of a machine while it runs: what each has left, what jobs ask of them, and where jobs are.

No clock, no policy and no run times: policies see this as ``view.nodes``.
"""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.kernels import node_profile
from thinktime.models.kernels import nodes as kernels
from thinktime.models.kernels.nodes import Places, Shapes
from thinktime.workloads.node_requests import Chunk, NodeRequest
from thinktime.workloads.nodes import Nodes

Ints = NDArray[np.int64]
ALLOCATORS = {"first-fit": kernels.FIRST, "best-fit": kernels.BEST, "worst-fit": kernels.WORST}
OWN = -1  # a user's own function
Score = Callable[[Ints, Chunk, Nodes], Any]
"""A user's allocator: from what is free (nodes × resources), a chunk and the nodes, one score for each node.

The node with the smallest score of those on which the chunk fits is taken, NaN for never; it is asked once for
every piece of a chunk (once for as many pieces as a node can take, where these may share nodes).
"""


_MORE_THAN_ANY = 2**62
"""What stands for any larger amount: no node has so much."""


class NodeSite:
    """Nodes, kinds of requests, and places, in the arrays that the kernels work on."""

    def __init__(self, nodes: Nodes, allocator: str | Score = "first-fit") -> None:
        self.nodes = nodes
        self.capacity: Ints = np.ascontiguousarray(nodes.capacity).copy()
        self.free: Ints = self.capacity.copy()
        self.taken = np.zeros(nodes.count, np.bool_)
        self.kinds: list[NodeRequest] = []
        self._codes: dict[NodeRequest, int] = {}
        self._chunks: list[Chunk] = []
        self.possible = np.zeros(0, np.bool_)
        """Whether requests of each kind fit on the idle machine."""
        self.most = np.zeros(0, np.int64)
        """How many entries a job of each kind can have in `places`."""
        self.share = np.zeros((0, self.capacity.shape[1]))
        """What a job of each kind asks of each resource, as a part of the machine."""
        self.shape: Ints = np.zeros(0, np.int64)
        self.planned = np.zeros(0, np.bool_)
        nothing = np.empty(0, np.int64)
        self.places = Places(nothing, nothing.copy(), nothing.copy(), nothing.copy(), nothing.copy())
        self._used = 0
        width = self.capacity.shape[1]
        self.shapes = Shapes(
            np.zeros(1, np.int64),
            nothing.copy(),
            np.empty((0, width), np.int64),
            np.empty((0, nodes.count), np.bool_),
            np.empty(0, np.bool_),
            np.empty(0, np.bool_),
        )
        if callable(allocator):
            self.allocator, self.name = OWN, getattr(allocator, "__name__", "own")
            self.kernels = _interpreted(self._picker(allocator))
        elif allocator in ALLOCATORS:
            self.allocator, self.name = ALLOCATORS[allocator], allocator
            self.kernels = types.SimpleNamespace(**vars(kernels), **_own(node_profile))
        else:
            raise ValueError(
                f"allocator is {allocator!r}, but must be one of {', '.join(ALLOCATORS)}, or a function"
            )

    # -- requests -----------------------------------------------------------------------

    def code(self, request: NodeRequest) -> int:
        """The number of a kind of request."""
        return self.codes([request])[0]

    def codes(self, requests: Iterable[NodeRequest]) -> list[int]:
        """The numbers of kinds of requests; new ones are entered."""
        found = []
        new = []
        for request in requests:
            code = self._codes.get(request)
            if code is None:
                code = self._codes[request] = len(self._codes)
                new.append(request)
            found.append(code)
        if new:
            self._bind(new)
        return found

    def room_for(self, capacity: int) -> None:
        """Let there be so many rows."""
        more = capacity - len(self.shape)
        if more > 0:
            self.shape = np.concatenate([self.shape, np.full(more, -1)])
            self.planned = np.concatenate([self.planned, np.zeros(more, np.bool_)])
            zeros = np.zeros(more, np.int64)
            self.places = self.places._replace(
                offset=np.concatenate([self.places.offset, zeros]),
                size=np.concatenate([self.places.size, zeros]),
            )

    def describe(self, rows: slice, shapes: Ints) -> None:
        """Say what kinds of requests the jobs in some rows are."""
        self.shape[rows] = shapes
        ends = self._used + np.cumsum(self.most[shapes])
        self.places.offset[rows] = ends - self.most[shapes]
        self._used = int(ends[-1]) if len(ends) else self._used
        if self._used > len(self.places.node):
            more = np.zeros(self._used + len(self.places.node), np.int64)
            grown = {
                name: np.concatenate([getattr(self.places, name), more])
                for name in ("node", "chunk", "units")
            }
            self.places = self.places._replace(**grown)

    def request_of(self, row: int) -> NodeRequest:
        """What the job in one row asks for."""
        return self.kinds[self.shape.item(row)]

    def parts_of(self, rows: Ints) -> NDArray[np.float64]:
        """What jobs ask of each resource, as parts of the machine (jobs × resources)."""
        parts: NDArray[np.float64] = self.share[self.shape[rows]]
        return parts

    def nodes_of(self, row: int) -> list[int]:
        """The nodes of a job that runs or has run, ascending."""
        begin = self.places.offset[row]
        return sorted(set(self.places.node[begin : begin + self.places.size[row]].tolist()))

    def shown(self) -> ShownNodes:
        """What users' own policies see."""
        return ShownNodes(self)

    def snapshot(self) -> NodeSite:
        """An independent site in the same state, with the same kinds of requests; none can be added to it."""
        twin = copy.copy(self)
        twin.free, twin.taken, twin.planned = self.free.copy(), self.taken.copy(), self.planned.copy()
        twin.places = Places(*(array.copy() for array in self.places))
        return twin

    # -- taking and giving --------------------------------------------------------------

    def fits(self, row: int) -> bool:
        """Whether the job in one row could be placed now."""
        left = self.free.copy()
        size = int(self.places.size[row])
        saved = self._entries(row)
        found = bool(self.kernels.place(row, self.shape[row], *self._where(left)))
        self.places.size[row] = size
        for name, values in saved.items():
            begin = self.places.offset[row]
            getattr(self.places, name)[begin : begin + len(values)] = values
        return found

    def take(self, rows: Ints) -> int:
        """Take what jobs need that start; -1, or the place in ``rows`` of the first that does not fit."""
        fault: int = self.kernels.take_rows(rows, self.shape, self.planned, *self._where(self.free))
        self.planned[rows] = False
        return fault

    def give_back(self, rows: Ints) -> None:
        """Jobs have ended, or did not start after all."""
        self.kernels.give_all_back(rows, self.shape, self.free, self.capacity, self.shapes, self.places)

    def _where(self, free: Ints) -> tuple[Any, ...]:
        return self.allocator, free, self.capacity, self.shapes, self.places, self.taken

    def _entries(self, row: int) -> dict[str, Ints]:
        begin = self.places.offset[row]
        part = slice(begin, begin + self.places.size[row])
        return {name: getattr(self.places, name)[part].copy() for name in ("node", "chunk", "units")}

    # -- inside -------------------------------------------------------------------------

    def _bind(self, new: list[NodeRequest]) -> None:
        """Enter new kinds of requests into the arrays."""
        nodes = self.nodes
        first = []
        count, need, mask = [], [], []
        for request in new:
            for chunk in request.chunks:
                amounts = dict(chunk.resources)
                unknown = amounts.keys() - set(nodes.resources)
                count.append(min(chunk.count, _MORE_THAN_ANY))
                need.append([min(amounts.get(name, 0), _MORE_THAN_ANY) for name in nodes.resources])
                mask.append(nodes.having(chunk.properties) & (not unknown))
                self._chunks.append(chunk)
            first.append(len(self._chunks))
            self.kinds.append(request)
        width, height = self.capacity.shape[1], nodes.count
        parts = (
            np.array(first, np.int64),
            np.array(count, np.int64),
            np.array(need, np.int64).reshape(-1, width),
            np.array(mask, np.bool_).reshape(-1, height),
            np.array([request.apart for request in new], np.bool_),
            np.array([request.exclusive for request in new], np.bool_),
        )
        self.shapes = Shapes(*(np.concatenate(pair) for pair in zip(self.shapes, parts, strict=True)))
        total = np.maximum(self.capacity.sum(axis=0), 1)
        asked = [[request.amount(name) for name in nodes.resources] for request in new]
        self.share = np.concatenate([self.share, np.array(asked, np.float64).reshape(-1, width) / total])
        most = [sum(min(chunk.count, height) for chunk in request.chunks) for request in new]
        self.most = np.concatenate([self.most, np.array(most, np.int64)])
        begin = len(self.possible)
        self.possible = np.concatenate([self.possible, np.zeros(len(new), np.bool_)])
        for code in range(begin, len(self.kinds)):
            self.possible[code] = self._fits_when_idle(code)

    def _fits_when_idle(self, code: int) -> bool:
        most = int(self.most[code])
        at = np.zeros(1, np.int64)
        places = Places(at, at.copy(), *(np.zeros(most, np.int64) for _ in range(3)))
        return bool(
            self.kernels.place(
                0, code, self.allocator, self.capacity.copy(), self.capacity, self.shapes, places, self.taken
            )
        )

    def _picker(self, score: Score) -> Callable[..., int]:
        def pick(
            allocator: int, chunk: int, alone: bool, begin: int, free: Ints, capacity: Ints, shapes: Shapes,
            taken: NDArray[np.bool_],
        ) -> int:  # fmt: skip
            fits = shapes.mask[chunk] & ~taken & (free >= shapes.need[chunk]).all(axis=1)
            if alone:
                fits &= (free == capacity).all(axis=1)
            if not fits.any():
                return -1
            shown = free.copy()
            scores = np.asarray(score(shown, self._chunks[chunk], self.nodes), np.float64)
            if scores.shape != (len(free),):
                raise ValueError(
                    f"the allocator {self.name} gave {scores.shape} scores, "
                    f"but must give one for each of {len(free)} nodes"
                )
            scores = np.where(fits & ~np.isnan(scores), scores, np.inf)
            best = int(np.argmin(scores))
            return best if scores[best] < np.inf else -1

        return pick


class ShownNodes:
    """A machine's nodes as users' own policies see them (``view.nodes``): to be read."""

    __slots__ = ("_site",)

    def __init__(self, site: NodeSite) -> None:
        self._site = site

    @property
    def nodes(self) -> Nodes:
        """The nodes: names, resources, properties."""
        return self._site.nodes

    @property
    def free(self) -> Ints:
        """What each node has left of each resource (nodes × resources), as a copy."""
        return self._site.free.copy()

    def request_of(self, row: int) -> NodeRequest:
        """What the job in one row asks for."""
        return self._site.request_of(row)

    def parts_of(self, rows: Ints) -> NDArray[np.float64]:
        """What jobs ask of each resource, as parts of the machine (jobs × resources)."""
        return self._site.parts_of(rows)

    def fits(self, row: int) -> bool:
        """Whether the job in one row could start now."""
        return self._site.fits(row)

    def nodes_of(self, row: int) -> list[int]:
        """The nodes of a running job."""
        return self._site.nodes_of(row)


def _interpreted(pick: Callable[..., int]) -> Any:
    """The kernels as plain Python, with a user's function in the place of `pick`: the same source, and slow."""
    names: dict[str, Any] = {}
    homes = (vars(kernels), vars(node_profile))
    for home in homes:
        names.update({name: value for name, value in home.items() if not name.startswith("__")})
    for name, value in list(names.items()):
        plain = getattr(value, "py_func", value)
        if isinstance(plain, types.FunctionType) and any(plain.__globals__ is home for home in homes):
            names[name] = types.FunctionType(plain.__code__, names, name, plain.__defaults__)
    names["pick"] = pick
    names["__builtins__"] = __builtins__
    return types.SimpleNamespace(
        **{name: value for name, value in names.items() if not name.startswith("__")}
    )


def _own(module: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if name not in vars(kernels)}
