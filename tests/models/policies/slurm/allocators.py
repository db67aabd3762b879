"""How nodes are chosen among the usable ones: on which of them the pieces of a job lie.

A piece is a whole node for a job that has its nodes for itself, and one CPU for a job that may share. An allocator
gets the number of pieces wanted and how many fit on each usable node, and gives the number on each node it takes, or
None if they do not fit.
"""

from __future__ import annotations

from collections.abc import Callable

Room = dict[int, int]
"""How many pieces fit on each usable node, in ascending order; only nodes on which one does."""
Allocator = Callable[[int, Room], Room | None]


def first_fit(wanted: int, room: Room) -> Room | None:
    """Nodes in their order, as many pieces as fit on each."""
    if sum(room.values()) < wanted:
        return None
    taken: Room = {}
    for node, pieces in room.items():
        if wanted:
            taken[node] = min(pieces, wanted)
            wanted -= taken[node]
    return taken


def consecutive(wanted: int, room: Room) -> Room | None:
    """The smallest sufficient run of consecutive nodes, from its low end; else the largest run whole, and again."""
    if sum(room.values()) < wanted:
        return None
    together = runs(room)
    sufficient = [run for run in together if _size(run) >= wanted]
    if sufficient:
        return first_fit(wanted, min(sufficient, key=_size))
    largest = max(together, key=_size)
    rest = consecutive(wanted - _size(largest), {node: room[node] for node in room if node not in largest})
    assert rest is not None
    return dict(sorted((largest | rest).items()))


def runs(room: Room) -> list[Room]:
    """The usable nodes in maximal runs of consecutive numbers."""
    together: list[Room] = []
    for node in sorted(room):
        if node - 1 not in room:
            together.append({})
        together[-1][node] = room[node]
    return together


def _size(run: Room) -> int:
    """A run is as large as the number of pieces that fit; min and max take the first among equals."""
    return sum(run.values())


ALLOCATORS: dict[str, Allocator] = {"first-fit": first_fit, "consecutive": consecutive}
