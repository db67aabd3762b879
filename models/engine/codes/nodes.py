"""Numbers of `thinktime.models.engine.nodes`."""

FIRST_FIT, BEST_FIT, WORST_FIT, OWN, CONSECUTIVE, SERIAL_LAST = range(6)  # allocators
# places in ``site``
(
    ALLOCATOR, ADDRESS, MIXED, NEEDED, ANYWHERE, FOUND, PLAIN, ALIKE, MOST, USED, GROW, FAILED, GIVEN,
    STAMP, HEAD, HOPE, LOWEST, SINGLE,
) = range(18)  # fmt: skip
"""``ALIKE``: nodes have one processor each, and any of them serve every job, so profiles count processors.
``ANYWHERE``: passes count them, too, since nodes are alike or all jobs ask for processors alone (``PLAIN``).
``SINGLE``: nodes have one processor each, and jobs ask for nothing else, whatever windows and suspended jobs have.
``USED`` of the ``places`` are given out, and no job needs more than ``MOST``. The function at ``GROW`` makes more,
unless it has ``FAILED``. ``GIVEN`` nodes have got more room so far. What a pass knows of a shape holds until ``STAMP``
changes. In what is ``later`` left, no node before ``HOPE`` has room for a piece of shape ``HEAD``. No block before
``LOWEST`` has an idle processor."""
NODE, STOP, CHUNK, UNITS = range(4)  # columns of ``places``
GIVE, TAKE = 1, -1  # signs of a change
MANY = 2**62
BLOCK = 64
"""Nodes whose idle processors are counted together."""
NOBODY = -1  # instead of a shape
