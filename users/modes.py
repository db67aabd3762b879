"""The modes in which a log can be replayed: the source that each of them is."""

from typing import Any

from thinktime.users import sources
from thinktime.users.feedback import Hours
from thinktime.users.log_source import LogSource
from thinktime.workloads.calibration.users import Users
from thinktime.workloads.mode_names import CALIBRATED, CLOSED, OPEN
from thinktime.workloads.names import quoted
from thinktime.workloads.node_log import NodeLog
from thinktime.workloads.trace import Trace
from thinktime.workloads.user_models import Sessions


def source_of(
    mode: str,
    given: Trace | NodeLog,
    delimitation: Sessions | str = "arrival",
    threshold: Any = None,
    *,
    hours: Hours | str | None = None,
    users: Users | None = None,
    draw: Any = None,
    luck: str = "kept",
) -> LogSource:
    """A log as a source in a mode, which is one of `thinktime.workloads.mode_names` but for ``generative``.

    ``delimitation``, ``threshold`` and ``hours`` are those of `LogWithFeedback`. ``users`` are those of the mode
    ``calibrated``, which are fitted to the log unless they are given; with a ``draw``, a seed, their hazards are drawn
    from what they may be as well, with the log's ``luck`` or new one.
    """
    if mode == OPEN:
        return sources.log(given)
    if mode == CALIBRATED:
        return sources.calibrated(given, users, luck, 0 if draw is None else draw, posterior=draw)
    if mode in CLOSED:
        think = "recorded" if mode == "feedback" else mode
        return sources.feedback(given, delimitation, threshold, hours, think)
    raise ValueError(f"{quoted(mode)} is no mode in which a log is a source")
