"""The predictors: what one may do with a site's log to learn what would happen in another case.

==========================  =======================================================================================
no change                   what the log has
open                        jobs come at their recorded times
feedback                    users wait for what they waited for in the log, and think as long
feedback, hours             the same, within each user's hours as the log has them
clock                       the same, but long breaks end at the recorded time of day
reacting                    the same, but pauses keep their rank among those after such a response at such an hour
partly-open                 the same, but sessions begin at their recorded times, if what is waited for is over
calibrated                  users submit with hazards that are fitted to the log, and keep their luck
generative                  users drawn from the log: the mean of five draws
generative, corrected       the same, times the log's own number over that predicted for no change
==========================  =======================================================================================

*Luck* is none: it is the truth with other dice, the mean of five, and about as good as any predictor that draws anew
can be. `thinktime.users.think_times` says what ``clock``, ``reacting`` and ``partly-open`` do.
"""

import tempfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import thinktime as tt
from thinktime.users.generative import drawable
from thinktime.users.source import Source
from thinktime.users.think_times import RULES, Pauses, ThinkTime
from thinktime.workloads.user_models import Population, Sessions, delimit, dependencies, resample

NO_CHANGE, OPEN, FEEDBACK, HOURS = "no change", "open", "feedback", "feedback, hours"
CLOCK, REACTING, PARTLY_OPEN, CALIBRATED = "clock", "reacting", "partly-open", "calibrated"
GENERATIVE, CORRECTED, LUCK = "generative", "generative, corrected", "luck"
REPLAYS = (OPEN, FEEDBACK, HOURS, CLOCK, REACTING, PARTLY_OPEN)
MODES = (NO_CHANGE, *REPLAYS, CALIBRATED, GENERATIVE, CORRECTED, LUCK)
DRAWS = 5
"""Of generative users, and of luck."""


def recorded(result: tt.Result) -> tt.Trace:
    """What the site records of a run, written as a log and read back (`thinktime.models.results.site_log`).

    Jobs that were withdrawn without a run are part of the demand.
    """
    with tempfile.TemporaryDirectory(prefix="thinktime-") as folder:
        return tt.read_swf(result.to_swf(Path(folder) / "site.swf", site=True), withdrawn="queue")


class Log:
    """The log of a site, with what all replays of it need; ``seed`` is that of whatever is drawn."""

    def __init__(self, trace: tt.Trace, seed: tuple[int, ...]) -> None:
        self.trace, self.seed = trace, seed
        self._rules: dict[str, ThinkTime] = {}
        self._drawn: dict[tuple[float, int], tt.sources.drawn] = {}

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions of the log's users."""
        return delimit(self.trace)

    def replayed(self, mode: str, spec: tt.MachineSpec, users: float = 1.0) -> tt.Result:
        """What one of `REPLAYS`, or ``calibrated``, says of a machine; ``users`` is how many per user of the log."""
        return tt.run(spec, self._source(mode, users))

    def drawn(self, spec: tt.MachineSpec, users: float = 1.0, draws: int = DRAWS) -> Iterator[tt.Result]:
        """What generative users do on a machine, draw by draw."""
        for draw in range(draws):
            if (users, draw) not in self._drawn:
                seed = (*self.seed, draw)
                self._drawn[users, draw] = tt.sources.drawn(self.trace, seed, users, draw=self._drawable, again=True)
            yield tt.run(spec, self._drawn[users, draw])

    @cached_property
    def _drawable(self) -> Population:
        return drawable(self.trace, delimitation=self.sessions)

    def _source(self, mode: str, users: float) -> Source:
        trace, sessions = self.trace, self.sessions
        if users != 1:
            trace = resample(trace, self.seed, users, replace=False)
            sessions = delimit(trace)
        if mode == OPEN:
            return tt.sources.log(trace)
        if mode == CALIBRATED:
            return self._calibrated if users == 1 else tt.sources.calibrated(trace)
        think: ThinkTime | str = mode if mode in RULES else "recorded"
        if think in RULES and users == 1:
            think = self._thinking(mode)
        return tt.sources.feedback(trace, sessions, hours="log" if mode == HOURS else None, think=think)

    @cached_property
    def _calibrated(self) -> tt.sources.calibrated:
        """The users who are fitted to the log, once for all machines."""
        return tt.sources.calibrated(self.trace)

    def _thinking(self, mode: str) -> ThinkTime:
        """A rule for think times, which is made once for all machines."""
        if mode not in self._rules:
            pauses = Pauses(self.sessions, dependencies(self.sessions.batches))
            self._rules[mode] = RULES[mode](self.trace, self.sessions, pauses)
        return self._rules[mode]
