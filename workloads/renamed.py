"""Names that the package had before: whoever uses one is told the name that it has now.

The names are those of options, keys, columns, metrics and words for estimates. Of columns and metrics a part changed:
``p95_turnaround`` is ``p95_response_time``, ``mean_flow_time`` is ``mean_campaign_response_time``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

FORMER: Mapping[str, tuple[str, ...]] = {
    "--by": ("--delimitation",),
    "--sessions": ("--delimitation",),
    "--estimates": ("--requested",),
    "sessions": ("delimitation",),
    "estimates": ("requested",),
    "turnaround": ("response_time",),
    "flow_time": ("campaign_response_time", "response_time"),
    "start": ("unix_start",),
    "runtimes": ("exact",),
    "perfect": ("exact",),
    "user": ("requested",),
    "tsafrir": ("last-two",),
}
"""What each former name, or part of a name, has become; of several the first that fits its place."""


def now_called(word: str, choices: Collection[str]) -> str | None:
    """Which of the choices has replaced a former name; None if none has.

    >>> now_called("p95_turnaround", ["p95_response_time"]), now_called("estimates", ["seed"])
    ('p95_response_time', None)
    """
    return next((name for name in _candidates(word) if name in choices), None)


def _candidates(word: str) -> Iterator[str]:
    for old, names in FORMER.items():
        if word == old or f"_{old}" in word or f"{old}_" in word:
            yield from (word.replace(old, new) for new in names)
