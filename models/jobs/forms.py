"""The shapes of the jobs of one machine, as the engine has them (`thinktime.models.engine.shapes`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.workloads.arrays import Whole
from thinktime.workloads.shapes.shape import Shape

RIGID = -1
OF_ROWS = {
    "form": RIGID, "rate": 1.0, "pause": 0.0, "run_began": np.nan, "resized": -np.inf, "still_from": np.inf,
    "shrinks_at": np.inf, "shrinks_to": 0, "true_rate": 1.0, "worked": 0.0,
}  # fmt: skip
"""Columns of jobs, with their values for one that is rigid."""
KINDS = {"form": np.int64, "shrinks_to": np.int64}
OF_ROWS_HIDDEN = ("true_rate", "worked")


class Forms:
    """The different shapes that jobs have had so far, by their numbers."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self._codes: dict[Shape, int] = {}
        self._kinds: list[NDArray[np.int64]] = []

    def code(self, shape: Shape | None, kinds: Any = None) -> int:
        """The number of a shape, which is new or known; on nodes, each of its sizes has a kind of request."""
        if shape is None:
            return RIGID
        if (code := self._codes.get(shape)) is None:
            code = self._codes[shape] = len(self.shapes)
            self.shapes.append(shape)
            self._kinds.append(np.zeros(len(shape.every), np.int64) if kinds is None else kinds(shape))
        return code

    def codes(self, shapes: Sequence[Shape | None], kinds: Any = None) -> Whole:
        """Those of several."""
        return np.array([self.code(shape, kinds) for shape in shapes], np.int64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """As the engine has them."""
        every = [each.every for each in self.shapes]
        first = np.concatenate([[0], np.cumsum([len(each) for each in every], dtype=np.int64)]).astype(np.int64)
        pairs = list(zip(self.shapes, every, first.tolist(), strict=False))
        return {
            "form_first": first,
            "form_sizes": _joined(every, np.int64),
            "form_nodes": _joined(self._kinds, np.int64),
            "form_preferred": np.array(
                [f + int(np.searchsorted(own, each.preferred or 0)) for each, own, f in pairs], np.int64
            ),
            "form_rates": _joined([each.believed(own) for each, own, _ in pairs], np.float64),
            "form_true_rates": _joined([each.rate(own) for each, own, _ in pairs], np.float64),
            "form_cost": np.array([each.cost for each in self.shapes], np.float64),
            "form_gap": np.array([each.gap for each in self.shapes], np.float64),
            "form_notice": np.array([each.notice for each in self.shapes], np.float64),
            "form_malleable": np.array([each.kind == "malleable" for each in self.shapes], np.int8),
        }


def _joined(arrays: Sequence[NDArray[Any]], kind: type) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *arrays]).astype(kind)
