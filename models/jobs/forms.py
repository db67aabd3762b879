"""The shapes of the jobs of one machine, as the engine has them (`thinktime.models.engine.shapes`)."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes.shapes import NOWHERE
from thinktime.workloads.arrays import Flags, Whole
from thinktime.workloads.node_log import could_run
from thinktime.workloads.node_requests import NodeRequest
from thinktime.workloads.nodes import Nodes
from thinktime.workloads.shapes.shape import Shape

RIGID = -1
OF_ROWS = {
    "form": RIGID, "rate": 1.0, "pause": 0.0, "run_began": np.nan, "resized": -np.inf, "still_from": np.inf,
    "shrinks_at": np.inf, "shrinks_to": 0, "true_rate": 1.0, "worked": 0.0, "more_offset": 0, "more_size": 0,
    "asks_for": 0, "insists": 0, "asks_at": np.inf, "next_ask_of": 0,
}  # fmt: skip
"""Columns of jobs, with their values for one that is rigid."""
KINDS = {"form": np.int64, "shrinks_to": np.int64, "more_offset": np.int64, "more_size": np.int64,
         "asks_for": np.int64, "insists": np.int8, "next_ask_of": np.int64}  # fmt: skip


@dataclass(frozen=True)
class Sizes:
    """The sizes that jobs of a form may have here, and on nodes the kind of request of each."""

    every: Whole
    kinds: Whole


class Forms:
    """The different shapes that jobs have had so far, by their numbers."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self._sizes: list[Sizes] = []
        self._codes: dict[tuple[Shape, Hashable], int] = {}

    def code(self, shape: Shape | None, asked: Hashable, sizes: Callable[[Shape], Sizes]) -> int:
        """The number of a shape, which is new or known, of jobs that ask the same of the nodes."""
        if shape is None:
            return RIGID
        if (code := self._codes.get((shape, asked))) is None:
            self._sizes.append(sizes(shape))
            self.shapes.append(shape)
            code = self._codes[shape, asked] = len(self.shapes) - 1
        return code

    def narrowed(self, code: int, kept: Flags) -> int:
        """The number of a form that has some of the sizes of another one."""
        some = Sizes(self._sizes[code].every[kept], self._sizes[code].kinds[kept])
        return self.code(self.shapes[code], (code, *some.every.tolist()), lambda shape: some)

    def asked_sizes(self) -> Whole:
        """The size that jobs of each form ask for, whether they may have it or not."""
        return np.array([each.preferred for each in self.shapes], np.int64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """As the engine has them."""
        every = [each.every for each in self._sizes]
        first = np.concatenate([[0], np.cumsum([len(each) for each in every], dtype=np.int64)]).astype(np.int64)
        pairs = list(zip(self.shapes, every, first.tolist(), strict=False))
        below = [int(np.searchsorted(own, each.preferred or 0, "right")) - 1 for each, own, _ in pairs]
        preferred = [first + max(place, 0) for place, (_, _, first) in zip(below, pairs, strict=True)]
        asks = [each.asked for each in self.shapes]
        each_ask = [
            (ask, own, begin) for some, own, begin in zip(asks, every, first.tolist(), strict=False) for ask in some
        ]
        places = [
            begin + int(np.searchsorted(own, ask.size)) if ask.size in own else NOWHERE for ask, own, begin in each_ask
        ]
        return {
            "form_asks": np.concatenate([[0], np.cumsum([len(some) for some in asks], dtype=np.int64)]).astype(
                np.int64
            ),
            "ask_share": np.array([ask.share for ask, _, _ in each_ask], np.float64),
            "ask_place": np.array(places, np.int64),
            "ask_insists": np.array([ask.insists for ask, _, _ in each_ask], np.int8),
            "form_first": first,
            "form_sizes": _joined(every, np.int64),
            "form_nodes": _joined([each.kinds for each in self._sizes], np.int64),
            "form_preferred": np.array(preferred, np.int64),
            "form_rates": _joined([each.believed(own) for each, own, _ in pairs], np.float64),
            "form_true_rates": _joined([each.rate(own) for each, own, _ in pairs], np.float64),
            "form_cost": np.array([each.standstill for each in self.shapes], np.float64),
            "form_gap": np.array([each.gap for each in self.shapes], np.float64),
            "form_notice": np.array([each.notice for each in self.shapes], np.float64),
            "form_malleable": np.array([each.kind == "malleable" for each in self.shapes], np.int8),
        }


def of_processors(shape: Shape) -> Sizes:
    """All sizes of a shape, on a machine of processors."""
    return Sizes(shape.every, np.zeros(len(shape.every), np.int64))


def on_nodes(
    shape: Shape, request: NodeRequest, nodes: Nodes, codes: Callable[[list[NodeRequest]], list[int]]
) -> Sizes:
    """Those that are whole pieces of a request to nodes, and for which these have room if they are idle.

    ``ValueError`` if the request has several kinds of pieces.
    """
    if len(request.chunks) > 1:
        raise ValueError(f"a job that asks for {request}, several kinds of chunks, cannot have several sizes")
    (chunk,) = request.chunks
    every = shape.every[shape.every % chunk.processors == 0]
    asked = [replace(request, chunks=(replace(chunk, count=size // chunk.processors),)) for size in every.tolist()]
    fits = [could_run(each, nodes) or each.processors == shape.preferred for each in asked]
    every, asked = every[fits], list(compress(asked, fits))
    return Sizes(every, np.array(codes(asked), np.int64))


def _joined(arrays: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *arrays]).astype(kind)
