"""How nodes are chosen among the usable ones: on which of them the pieces of a job lie.

A piece is a whole node for a job that has its nodes for itself, and one CPU for a job that may share. An allocator
gets the number of pieces wanted, how many fit on each usable node and how many CPUs are idle there, and gives the
number on each node it takes, or None if they do not fit.
"""

from collections.abc import Callable

Room = dict[int, int]
"""How many pieces fit on each usable node, in ascending order; only nodes on which one does."""
Allocator = Callable[[int, Room, Room], Room | None]


def first_fit(wanted: int, room: Room, idle: Room) -> Room | None:
    """Nodes in their order, as many pieces as fit on each."""
    if sum(room.values()) < wanted:
        return None
    taken: Room = {}
    for node, pieces in room.items():
        if wanted:
            taken[node] = min(pieces, wanted)
            wanted -= taken[node]
    return taken


def consecutive(wanted: int, room: Room, idle: Room) -> Room | None:
    """The smallest sufficient run of consecutive nodes; else the largest run whole, and again.

    In a sufficient run, the node with the fewest idle CPUs of those that are enough alone, else nodes from the low end.
    """
    if sum(room.values()) < wanted:
        return None
    together = runs(room)
    sufficient = [run for run in together if _size(run) >= wanted]
    if sufficient:
        run = min(sufficient, key=_size)
        alone = [node for node in run if run[node] >= wanted]
        return {min(alone, key=lambda node: idle[node]): wanted} if alone else first_fit(wanted, run, idle)
    largest = max(together, key=_size)
    others = {node: room[node] for node in room if node not in largest}
    rest = consecutive(wanted - _size(largest), others, idle)
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
