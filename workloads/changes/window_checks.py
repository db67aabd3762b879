"""What several windows of one machine must not do: exceed it, or admit one user or job at the same time."""

from collections.abc import Collection, Iterator, Sequence

from thinktime.workloads.changes.windows import CAP, Window
from thinktime.workloads.names import key_of, quoted


def check_windows(
    windows: Sequence[Window], machine: int | Collection[str], places: Sequence[str] | None = None
) -> None:
    """Raise ``ValueError`` if these windows cannot all be on a machine of so many processors, or of these nodes.

    It names the first window that does not fit the machine or the windows before it: by its place in a file, if the
    ``places`` of all are known.
    """
    problems = (*_alone(windows, machine), *_together(windows, machine))
    number, why = min(problems, key=lambda found: found[0], default=(0, ""))
    if why:
        raise ValueError(f"{places[number] if places else f'window {number + 1}'}: {why}")


def _alone(windows: Sequence[Window], machine: int | Collection[str]) -> Iterator[tuple[int, str]]:
    for k, window in enumerate(windows):
        taken = window.processors
        if window.kind == CAP:
            continue
        if isinstance(machine, int):
            if isinstance(taken, tuple):
                yield k, f"it names the node {quoted(taken[0])}, but the machine is a pool: give a number of processors"
            elif taken > machine:
                yield k, f"it takes {taken} processors, but the machine has {machine}"
        elif isinstance(taken, int):
            yield k, f"it takes {taken} processors, but the machine has nodes: give their names"
        elif strange := next((name for name in taken if name not in machine), None):
            yield k, f"there is no node {quoted(strange)}; {key_of(strange, machine, 'the nodes', 3)}"


def _together(windows: Sequence[Window], machine: int | Collection[str]) -> Iterator[tuple[int, str]]:
    """What is wrong with windows that are open at the same time."""
    order = sorted(range(len(windows)), key=lambda k: (windows[k].start, k))
    opened: list[int] = []
    for k in order:
        now = windows[k].start
        opened = [v for v in opened if windows[v].end > now] + [k]
        yield from ((max(opened), text) for text in _too_much([windows[v] for v in opened], machine, now))
        yield from ((max(v, k), text) for v in opened[:-1] if (text := _shared(windows[v], windows[k], now)))


def _too_much(opened: list[Window], machine: int | Collection[str], now: float) -> Iterator[str]:
    if not isinstance(machine, int):
        return
    counts = [window.processors for window in opened if isinstance(window.processors, int)]
    if len(counts) > 1 and max(counts) <= machine < sum(counts):
        yield f"at {now:.15g} s the open windows take {sum(counts)} processors, but the machine has {machine}"


def _shared(one: Window, other: Window, now: float) -> str | None:
    """What two windows that are open at the same time must not have in common."""
    both = f"in two windows that are open at {now:.15g} s; a window must end before the next begins"
    if node := next((name for name in _nodes(one) if name in _nodes(other)), None):
        return f"the node {quoted(node)} is {both}"
    user = next((each for each in one.users if other.admits(each)), None)
    if user is not None:
        return f"the user {quoted(user)} is admitted {both}"
    job = next((each for each in one.jobs if each in other.jobs), None)
    if one.kind == other.kind == CAP:
        return f"two caps are on at {now:.15g} s; a cap must end before the next begins"
    return None if job is None else f"job {job} is admitted {both}"


def _nodes(window: Window) -> tuple[str, ...]:
    return window.processors if isinstance(window.processors, tuple) else ()
