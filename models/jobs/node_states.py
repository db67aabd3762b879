"""The nodes of a machine while it runs: what each has left, what jobs ask of them, and where jobs are.

No clock, no policy and no run times: policies see this as ``view.nodes``.
"""

import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import nodes as node_codes
from thinktime.models.engine.codes.fields import NODES
from thinktime.models.engine.machine_state import State
from thinktime.models.jobs.copies import but_for
from thinktime.workloads.arrays import Ints
from thinktime.workloads.names import quoted
from thinktime.workloads.node_requests import Chunk, NodeRequest
from thinktime.workloads.nodes import PROCESSORS, Nodes

ALLOCATORS = {
    "first-fit": node_codes.FIRST_FIT, "best-fit": node_codes.BEST_FIT, "worst-fit": node_codes.WORST_FIT,
    "consecutive": node_codes.CONSECUTIVE, "serial-last": node_codes.SERIAL_LAST,
}  # fmt: skip
Score = Callable[[Ints, Chunk, Nodes], Any]
"""A user's allocator: from what is free (nodes × resources), a chunk and the nodes, one score for each node.

The node with the smallest score of those on which the chunk fits is taken, NaN for never; it is asked once for
every piece of a chunk (once for as many pieces as a node can take, where these may share nodes).
"""


COLUMNS = ("shape", "offset", "size", "held", "planned")
"""What there is for each row."""
CHANGING = ("free", "blocks", "places", "memo", "tried", "lowest", "given", "faults")
"""What two copies of a site do not share either."""
_MORE_THAN_ANY = 2**62
"""What stands for any larger amount: no node has so much."""


class NodeSite:
    """Nodes, kinds of requests, and places, in the arrays of the engine (`thinktime.models.engine.rooms.nodes`)."""

    def __init__(
        self,
        nodes: Nodes,
        state: State,
        allocator: str | Score = "first-fit",
        counted: bool = True,
        named: bool = False,
    ) -> None:
        self.nodes = nodes
        self.state = state
        """What the engine takes: it has the numbers."""
        self.capacity: Ints = np.ascontiguousarray(nodes.capacity).copy()
        self.free: Ints = self.capacity.copy()
        self.left, self.idle_left, self.later, self.low = (self.capacity.copy() for _ in range(4))
        self.taken = np.zeros(nodes.count, np.int8)
        self.alike = bool((self.capacity[:, nodes.resources.index(PROCESSORS)] == 1).all()) and not callable(allocator)
        """Whether jobs take whole nodes, and any nodes serve each of them; a user's allocator may refuse some."""
        self.single = self.alike
        """The same, but for windows and suspended jobs."""
        self.named = named
        """Whether nodes change one by one, so that jobs are put on nodes in every pass that looks at the present."""
        self.kinds: list[NodeRequest] = []
        self._codes: dict[NodeRequest, int] = {}
        self._chunks: list[Chunk] = []
        width = self.capacity.shape[1]
        self.first, self.pieces = np.zeros(1, np.int64), np.zeros(0, np.int64)
        self.need, self.mask = np.zeros((0, width), np.int64), np.zeros((0, nodes.count), np.int8)
        self.apart, self.alone, self.possible = (np.zeros(0, np.int8) for _ in range(3))
        self.memo, self.tried, self.lowest = (np.zeros(0, np.int64) for _ in range(3))
        self.blocked = np.zeros(0)
        self.given = np.zeros(nodes.count, np.int64)
        self.share = np.zeros((0, width))
        """What a job of each kind asks of each resource, as a part of the machine."""
        self.shape, self.offset, self.size, self.held = (np.zeros(0, np.int64) for _ in range(4))
        self.planned = np.zeros(0, np.int8)
        self.places = np.zeros((256, 4), np.int64)
        self.counted = counted and not callable(allocator)
        """Whether processors can be counted where jobs ask for no more: an allocator of one's own may refuse nodes."""
        self.partitions: Mapping[str, NDArray[np.bool_]] = {}
        """Which nodes are in each partition."""
        self.faults: list[BaseException] = []
        """What was raised inside the engine."""
        self._offer_places()
        processors = self.capacity[:, nodes.resources.index(PROCESSORS)]
        self.blocks: Ints = np.add.reduceat(processors, np.arange(0, nodes.count, node_codes.BLOCK))
        self._choice: _Choice | None = None
        if callable(allocator):
            self.name, self._choice = getattr(allocator, "__name__", "own"), _Choice(self, allocator)
            self.state.allocator = node_codes.OWN
        elif allocator in ALLOCATORS:
            self.name = allocator
            self.state.allocator = ALLOCATORS[allocator]
        else:
            raise ValueError(
                f"allocator is {quoted(allocator)}, but must be one of {', '.join(ALLOCATORS)}, or a function"
            )

    def __deepcopy__(self, memo: dict[int, Any]) -> "NodeSite":
        twin = but_for(self, memo, "_make", "_choice")
        twin._offer_places()
        twin._choice = None if self._choice is None else _Choice(twin, self._choice.score)
        return twin

    def arrays(self) -> dict[str, Any]:
        """What a state of nodes has beside one of processors, and whom the engine asks for more."""
        own = {name: getattr(self, name) for name in NODES}
        return own | {"grow_places": self._make, "chooser": self._choice}

    def raise_fault(self) -> None:
        """Raise what was raised inside the engine, by a user's allocator for example."""
        if self.faults:
            self.state.failed = False
            raise self.faults.pop()

    def _offer_places(self) -> None:
        """Let the engine ask for more places."""
        site = weakref.proxy(self)  # so that a site without users goes at once, with its arrays
        self._make = lambda: site._make_places()

    def _make_places(self) -> None:
        try:
            self.places = np.concatenate([self.places, np.zeros_like(self.places)])
            self.state.places = self.places
        except BaseException as fault:  # nothing can be raised through compiled code
            self.faults.append(fault)
            self.state.failed = True

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
            self._enter(new)
        return found

    def tells_apart(self, request: NodeRequest) -> bool:
        """Whether some of the nodes have room for a chunk of a request, and others do not, because of what they are."""
        if request in self._codes:
            return False
        serve = [self._mask(request, chunk) & self._holds(chunk) for chunk in request.chunks]
        return any(each.any() and not each.all() for each in serve)

    def _holds(self, chunk: Chunk) -> NDArray[np.bool_]:
        """The nodes that have as much as a piece of a chunk needs."""
        asked = dict(chunk.resources)
        need = np.array([min(asked.get(name, 0), _MORE_THAN_ANY) for name in self.nodes.resources])
        enough: NDArray[np.bool_] = np.asarray((self.capacity >= need).all(axis=1))
        return enough if asked.keys() <= set(self.nodes.resources) else np.zeros_like(enough)

    def _mask(self, request: NodeRequest, chunk: Chunk) -> NDArray[np.bool_]:
        """The nodes on which a chunk of a request may be."""
        mask = self.nodes.having(chunk.properties)
        return mask if request.partition is None else mask & self.partitions[request.partition]

    def room_for(self, capacity: int) -> None:
        """Let there be so many rows."""
        if (more := capacity - len(self.shape)) > 0:
            for name in COLUMNS:
                old = getattr(self, name)
                setattr(self, name, np.concatenate([old, np.zeros(more, old.dtype)]))

    def request_of(self, row: int) -> NodeRequest:
        """What the job in one row asks for."""
        return self.kinds[self.shape.item(row)]

    def parts_of(self, rows: Ints) -> NDArray[np.float64]:
        """What jobs ask of each resource, as parts of the machine (jobs × resources)."""
        parts: NDArray[np.float64] = self.share[self.shape[rows]]
        return parts

    def nodes_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """The number of nodes of each of some jobs that run or have run, and all nodes, ascending for each job."""
        places = self.places[_ranges(self.offset[rows], self.size[rows])]
        job = np.repeat(np.arange(len(rows)), self.size[rows])
        first = job * self.nodes.count + places[:, node_codes.NODE]
        each = _ranges(first, places[:, node_codes.STOP] - places[:, node_codes.NODE])
        if (each[1:] <= each[:-1]).any():
            each = np.unique(each)
        job, node = np.divmod(each, self.nodes.count)
        return np.bincount(job, minlength=len(rows)), node

    def unchanging(self) -> list[Any]:
        """What does not change as long as no kinds of requests are added, or is scratch."""
        return [value for name, value in vars(self).items() if name not in COLUMNS + CHANGING]

    def _enter(self, new: list[NodeRequest]) -> None:
        """Enter new kinds of requests into the arrays."""
        nodes = self.nodes
        for request in new:
            for chunk in request.chunks:
                amounts = dict(chunk.resources)
                unknown = amounts.keys() - set(nodes.resources)
                need = [min(amounts.get(name, 0), _MORE_THAN_ANY) for name in nodes.resources]
                mask = self._mask(request, chunk) & (not unknown)
                self.pieces = np.append(self.pieces, min(chunk.count, _MORE_THAN_ANY))
                self.need = np.vstack([self.need, np.array([need], np.int64)])
                self.mask = np.vstack([self.mask, mask.astype(np.int8)[np.newaxis]])
                self._chunks.append(chunk)
            self.first = np.append(self.first, len(self._chunks))
            self.kinds.append(request)
        total = np.maximum(self.capacity.sum(axis=0), 1)
        asked = [[request.amount(name) for name in nodes.resources] for request in new]
        self.share = np.vstack([self.share, np.array(asked, np.float64) / total])
        most = max(sum(min(chunk.count, nodes.count) for chunk in request.chunks) for request in new)
        self.state.most_places = max(most, self.state.most_places)
        for name, values in (("apart", [r.apart for r in new]), ("alone", [r.exclusive for r in new])):
            setattr(self, name, np.append(getattr(self, name), np.array(values, np.int8)))
        self.memo, self.lowest = np.zeros((2, len(self.kinds)), np.int64)
        self.blocked, self.tried = np.zeros(len(self.kinds)), np.full(len(self.kinds), -1 - nodes.count)
        mixed = bool((np.diff(self.first) > 1).any())
        shared = not (self.apart.any() or self.alone.any() or mixed) and bool(self.mask.all())
        plain = shared and bool((self.need == [name == PROCESSORS for name in nodes.resources]).all())
        others = [name != PROCESSORS for name in nodes.resources]
        self.single &= bool(self.mask.all() and not self.need[:, others].any())
        self.state.bind(
            mixed=mixed, plain=plain, alike=self.alike, single=self.single,
            anywhere=(self.alike and not self.named) or (plain and self.counted),
        )  # fmt: skip
        self.possible = np.append(self.possible, np.zeros(len(new), np.int8))


def _ranges(first: Ints, count: Ints) -> Ints:
    """The numbers from each first one on, so many of each."""
    ends = np.cumsum(count)
    return np.repeat(first - ends + count, count) + np.arange(ends[-1] if len(ends) else 0)


class _Choice:
    """A user's allocator, as the engine calls it."""

    def __init__(self, site: NodeSite, score: Score) -> None:
        self._site, self.score, self._faults = site, score, site.faults

    def __call__(self, chunk: int, alone: bool, free: Any) -> int:
        """The node for a piece of a chunk; -1 for none."""
        if self._faults:
            return -1
        try:
            return self._best(chunk, alone, np.array(free))
        except BaseException as fault:  # nothing can be raised through compiled code
            self._faults.append(fault)
            return -1

    def _best(self, chunk: int, alone: bool, free: NDArray[np.int64]) -> int:
        site = self._site
        fits = (site.mask[chunk] > 0) & (site.taken == 0) & (free >= site.need[chunk]).all(axis=1)
        if alone:
            fits &= (free == site.capacity).all(axis=1)
        if not fits.any():
            return -1
        scores = np.asarray(self.score(free, site._chunks[chunk], site.nodes), np.float64)
        if scores.shape != (len(free),):
            raise ValueError(
                f"the allocator {site.name} gave {scores.shape} scores, but must give one for each of {len(free)} nodes"
            )
        scores = np.where(fits & ~np.isnan(scores), scores, np.inf)
        best = int(np.argmin(scores))
        return best if scores[best] < np.inf else -1


class ShownNodes:
    """A machine's nodes as users' own policies see them (``view.nodes``): to be read."""

    __slots__ = ("_pool",)

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    @property
    def nodes(self) -> Nodes:
        """The nodes: names, resources, properties."""
        nodes: Nodes = self._pool.site.nodes
        return nodes

    @property
    def free(self) -> Ints:
        """What each node has left of each resource (nodes × resources), as a copy."""
        free: Ints = self._pool.site.free.copy()
        return free

    def request_of(self, row: int) -> NodeRequest:
        """What the job in one row asks for."""
        request: NodeRequest = self._pool.site.request_of(row)
        return request

    def parts_of(self, rows: Ints) -> NDArray[np.float64]:
        """What jobs ask of each resource, as parts of the machine (jobs × resources)."""
        parts: NDArray[np.float64] = self._pool.site.parts_of(rows)
        return parts

    def nodes_of(self, row: int) -> list[int]:
        """The nodes of a running job."""
        nodes: list[int] = self._pool.site.nodes_of(np.array([row]))[1].tolist()
        return nodes
