"""A machine of nodes that changes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import fields as columns
from thinktime.models.engine.codes import situation as of
from thinktime.models.engine.kinds import make_changing_nodes
from thinktime.models.engine.rooms import changing_nodes
from thinktime.models.jobs.columns import grown
from thinktime.models.jobs.forms import RIGID, on_nodes
from thinktime.models.jobs.labels import Labels
from thinktime.models.jobs.node_states import Score
from thinktime.models.machine.changing.machine import OF_ROWS, ChangingMachine
from thinktime.models.machine.changing.ranks import Ranks
from thinktime.models.machine.changing.rules import Changes
from thinktime.models.machine.changing.window_arrays import packed
from thinktime.models.machine.nodes.pool import NodePool
from thinktime.workloads.arrays import Rows, Whole
from thinktime.workloads.changes.windows import CAP, Window
from thinktime.workloads.node_requests import Chunk, NodeRequest
from thinktime.workloads.nodes import PROCESSORS, Nodes
from thinktime.workloads.shapes.of_logs import LogShapes
from thinktime.workloads.shapes.shape import Shape


class ChangingNodes(ChangingMachine, NodePool):
    """Nodes that may be down or set aside.

    Windows name nodes, and suspended jobs keep theirs. Where there are neither, jobs are planned on a number of nodes,
    if these have one processor each and any of them serve every job.
    """

    fields = (*columns.CHANGES_SEEN, *columns.OUTAGES, *columns.FENCES)
    of_rows = OF_ROWS
    make = staticmethod(make_changing_nodes)

    def __init__(
        self, nodes: Nodes, overrun: str, allocator: str | Score, changes: Changes, labels: Labels,
        ranks: Ranks | None = None,
    ) -> None:  # fmt: skip
        self.sizes = dict(zip(nodes.names, nodes.capacity[:, 0].tolist(), strict=True))
        self._prepare(changes, nodes.numbers, labels, ranks)
        NodePool.__init__(self, nodes, overrun, allocator, named=True)
        if any(each.kind != CAP or each.rule == "suspend" for each in changes.windows) or self.ranks.suspends:
            self.tell_apart()
        self._begin()

    def add_window(self, window: Window, now: float) -> None:
        """A window is announced, for nodes by their names."""
        super().add_window(window, now)
        if window.kind != CAP or window.rule == "suspend":
            self.tell_apart()

    def choose(self, row: int, how: str, now: float, grace: float, keeper: int = of.NOBODY) -> None:
        """A policy wants a running job to leave; one that is suspended keeps its nodes."""
        super().choose(row, how, now, grace, keeper)
        if how == "suspend":
            self.tell_apart()

    def take_shapes(self) -> None:
        """Parts of jobs are a kind of request of their own."""
        super().take_shapes()
        another = NodeRequest((Chunk(1, ((PROCESSORS, 1), (PROCESSORS, 1))),), apart=False)  # no job asks so
        self.state.part_shape = self._codes([another])[0]

    def _form_of(self, row: int, shape: Shape | None) -> int:
        """The number of the shape of a job, whose request says what a piece is."""
        assert self.forms is not None
        if shape is None:
            return RIGID
        request = self.site.request_of(row)
        return self.forms.code(shape, request, lambda shape: on_nodes(shape, request, self.site.nodes, self._codes))

    def _forms_of(self, rows: slice, shapes: LogShapes) -> Whole:
        """Those of several jobs, which may ask for different pieces."""
        each = [None if code < 0 else shapes.shapes[code] for code in shapes.codes.tolist()]
        return np.array([self._form_of(rows.start + place, shape) for place, shape in enumerate(each)], np.int64)

    def bind(self) -> None:
        """Make the structures, with room for suspended jobs that are given up."""
        if len(self.done) < self.requests.capacity:
            self.done = grown(self.done, self.requests.capacity)
        super().bind()

    def _bound_room(self) -> dict[str, Any]:
        return super()._bound_room() | self.site.arrays()

    def draw_windows(self) -> None:
        """With the nodes of each."""
        super().draw_windows()
        self.arrays["window_nodes"], self.arrays["first_node"] = packed(list(map(self._nodes_of, self.windows)))

    def _nodes_of(self, window: Window) -> list[int]:
        if window.kind == CAP:
            return []
        assert isinstance(window.processors, tuple) and not isinstance(self.machine, int)
        return [self.machine[name] for name in window.processors]

    @property
    def first_and_count(self) -> tuple[Rows, Rows]:
        """For each job the first range of nodes that it has, or had, and their number."""
        return self.site.offset, self.site.size

    def ranges(self) -> NDArray[np.int64]:
        """All ranges of nodes, each with the number of processors that the job has on each of its nodes."""
        node, stop, chunk, units = self.site.places[: self.state.places_used].T
        each = units * self.site.need[chunk, 0] if len(chunk) else units
        return np.column_stack([node, stop, each])

    def _amount(self, window: Window) -> int:
        return int(self.site.capacity[self._nodes_of(window), 0].sum())

    def look(self, now: float) -> tuple[int, int]:
        """It is this time now; returns how many processors are up, and how many are idle for any job."""
        self.state.now = now
        down = self.arrays["broken"][: self.state.down]
        up = self.processors - int(self.site.capacity[down, 0].sum())
        return up, changing_nodes.left_for_anybody(self.state)
