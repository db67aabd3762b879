"""What a scenario measures, checked before anything runs: one window, and metrics of users who exist."""

from collections.abc import Mapping, Sequence

from thinktime.workloads.names import key_of, quoted


def one_window(first: float | str | None, last: float | str | None, warm: bool) -> None:
    """Raise ``ValueError`` for a window that is given twice, or that ends before it begins.

    ``warm`` says that there is a warm-up or a cool-down as well.
    """
    if warm and (first is not None or last is not None):
        raise ValueError("has measure_from or measure_to and a warm_up or cool_down; give one of them")
    if isinstance(first, float) and isinstance(last, float) and last <= first:
        raise ValueError(f"measure_to must be after measure_from, not {last:g} s after {first:g} s")


def known_users(metrics: Sequence[str], users: Mapping[str, int]) -> None:
    """Raise ``ValueError`` for a metric METRIC@NAME if no user will have that name; there are so many of each name."""
    for name in metrics:
        _, at, wanted = name.partition("@")
        if "=" in wanted:
            continue
        group, _, number = wanted.rpartition(" ")
        one_of_them = group in users and number.isdecimal() and 1 <= int(number) <= users[group]
        if at and wanted not in users and not one_of_them:
            meant = key_of(wanted, users, "the users")
            raise ValueError(f"metric {quoted(name)} names users {quoted(wanted)}, who do not exist; {meant}")
