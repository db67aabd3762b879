"""Slack-based backfilling: a newcomer may delay other jobs, but none by more than its slack.

Source: the slack paper, section 4. Each job has a priority p = (UP + PP + SP) / 3 of a user, a political and a
scheduler priority, and a slack s0 = (1 - p) SF AWT. Whenever a job arrives, or one leaves before the profile expected
it, all schedules that a heuristic proposes are priced, and the cheapest is kept
(`thinktime.models.policies.slack.rule`). At insertion SP = 1/2. Once the job has its first reserved start, SP =
min(wait / (2 AWT), 1) gives the p and s0 that it keeps. So no job starts later than its first reserved start plus its
slack, as long as none outlives its estimate and the machine does not change.

Our choices where the paper leaves some: of several jobs that end early at one instant, each is a removal of its own, in
the order of their ends, and what becomes due starts before the next removal. A removal's dummy job has p = 1/6, which
does not matter. The ratio s0 / s is 1 where s0 is 0, and s0 is rounded to the grid of time. Prices that differ by a
billionth are equal, and ties go to the fewest moved jobs, then to the earliest slot. Jobs over quota have the "absolute
zero" priority of section 1.2: of two schedules that cost the others the same, the one that is cheaper for them wins.

On a machine that changes, windows are in the profile, so their edges are slots as well, and delayed jobs are taken out
and inserted again. A job that is interrupted leaves the profile early, which is a removal, and arrives anew: it gets
another start, priority and slack, while its promise stays the first one. Its quota is charged for what it used. When an
outage begins or a window is announced, reservations are kept, in queue order, where they still fit. The others are
placed again at their earliest fits before schedules are priced, and their guarantee moves with them; ``broken`` counts
them. Processors that come back unexpectedly are a removal.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import slack_pass as readings
from thinktime.models.engine.codes import slack_prices as codes
from thinktime.models.jobs.view import View
from thinktime.models.orders.options import one_of, within
from thinktime.models.policies.base import Proposal
from thinktime.models.policies.conservative import Conservative
from thinktime.models.policies.entry import listed
from thinktime.models.policies.queue_policy import QueuePolicy
from thinktime.models.policies.slack import passes as slack_pass
from thinktime.models.policies.slack.awt import as_average_wait
from thinktime.models.policies.slack.passes import SlackRule
from thinktime.models.policies.slack.priorities import OVER_QUOTA, EveryKth, Pair, as_priorities, checked_pair
from thinktime.models.policies.slack.quotas import as_quotas
from thinktime.models.results.result import Result
from thinktime.models.state import Reason
from thinktime.workloads.arrays import Rows, writable
from thinktime.workloads.names import quoted

HEURISTICS = {"ast": codes.AST, "aat": codes.AAT, "du": codes.DU, "dc": codes.DC, "dp": codes.DP}
"""In which order delayed jobs are placed anew, by name (slack paper)."""
DELAYED = {"shifted": False, "removed": True}
TICKS = {"no": False, "yes": True, "half": True}
READINGS = {
    "printed": readings.PRINTED,
    "sp-kept": readings.SP_KEPT,
    "sp-first": readings.SP_FIRST,
    "absolute": readings.ABSOLUTE,
    "own-price": readings.OWN_PRICE,
}
MOST_PERMUTED = 7  # jobs; 8! permutations of each candidate would take minutes


@listed(
    "a newcomer may delay others within their slack; the cheapest schedule is chosen",
    "Talby, Feitelson (IPPS 1999)",
    "heuristic=ast|aat|du|dc|dp, slack_factor=3, awt=auto|S, classes=S+…, alpha_u=1, alpha_t=1, alpha_p=1, alpha_f=1, "
    "priorities=FILE, quotas=FILE, every=K, gap=2, permutations=0, tick=no|yes|half, delayed=shifted|removed, "
    "reading=printed|sp-kept|sp-first|absolute|own-price",
)
class Slack(QueuePolicy):
    """``slack``: slack-based backfilling with priorities.

    ``heuristic`` orders the delayed jobs: ``ast`` by reserved start, ``aat`` by arrival, ``du`` by descending
    processor-seconds, ``dc`` by descending cost of a delay, ``dp`` by descending priority. ``awt`` is the average wait
    of the system, s; ``auto`` measures it in a conservative run of the same replay. With ``classes`` (estimates, s,
    ascending) there is one for jobs up to each of them and one for all others. ``alpha_u``, ``alpha_t``, ``alpha_p``
    and ``alpha_f`` weigh utilization, time, priority and fairness, each from 0 to 1.

    ``delayed`` says what happens to the jobs behind a newcomer: ``shifted`` delays all of them by its length, and then
    moves each, in the heuristic's order, to its earliest fit (section 4.5); ``removed`` takes all of them out and
    inserts them again. Under ``ast`` both give the same schedules.

    ``priorities`` (`as_priorities`) and ``quotas`` (`Quotas`) say who matters; ``every`` gives every k-th job UP = PP =
    ``gap`` / 2. ``permutations`` tries all orders of up to that many delayed jobs (at most 7; section 4.5). ``tick``
    lets a job that reaches its estimate go on for a tenth of it where that is cheaper than killing it (section 4.7).
    With ``yes`` the extension has the job's own priority; a job that started as soon as it came, without UP and PP, has
    p = 0, and then its extension may delay no job. With ``half`` it has SP = 1/2, as a newcomer has: a departure from
    the paper.

    ``reading`` is for the study of the paper: ``sp-kept`` leaves SP at 1/2; ``sp-first`` takes SP from the first fit
    among jobs that stay, before schedules are priced; ``absolute`` prices moves by p_i instead of p_i / p_j, so the
    newcomer's priority does not matter; ``own-price`` weighs the newcomer's own wait by its priority as well.
    """

    rule = "slack"
    reason = Reason.RESERVATION

    def __init__(
        self,
        heuristic: str = "ast",
        slack_factor: float = 3.0,
        awt: Any = "auto",
        alpha_u: float = 1.0,
        alpha_t: float = 1.0,
        alpha_p: float = 1.0,
        alpha_f: float = 1.0,
        classes: Any = (),
        priorities: Any = None,
        quotas: Any = None,
        every: int | None = None,
        gap: float = 2.0,
        permutations: int = 0,
        tick: bool | str = False,
        reading: str = "printed",
        delayed: str = "shifted",
    ) -> None:
        super().__init__()
        self.heuristic = one_of("heuristic", heuristic, HEURISTICS)
        self.delayed = one_of("delayed", delayed, DELAYED)
        self.slack_factor = within("slack_factor", slack_factor, 0.0, 1e6)
        self.alphas = {
            name: within(name, value, 0.0, 1.0)
            for name, value in zip(_ALPHAS, (alpha_u, alpha_t, alpha_p, alpha_f), strict=True)
        }
        self.awt = as_average_wait(awt, classes)
        self.priorities = as_priorities(priorities)
        self.quotas = as_quotas(quotas)
        if every is None and gap != 2:
            raise ValueError(
                f"gap is {quoted(gap)}, but there is no every=K whose jobs it could distinguish; give both"
            )
        self.every = None if every is None else EveryKth(every, gap)
        if self.every and self.priorities:
            raise ValueError("every and priorities both say which jobs matter; give one of them")
        self.permutations = int(within("permutations", permutations, 0, MOST_PERMUTED))
        if isinstance(tick, bool):
            tick = "yes" if tick else "no"
        self.tick = one_of("tick", tick, TICKS)
        self.reading = one_of("reading", reading, READINGS)
        # The tick strategy must be asked when a job reaches its estimate, and quotas are charged by ends.
        self.may_hear_late = self.tick == "no" and self.quotas is None
        if TICKS[self.tick]:
            self.overrun_note = "kill, after extensions by a tenth"
        else:
            self.on_estimate = None  # type: ignore[assignment, method-assign]
        self._rehearsed = False
        self.needs_rehearsal = not self.awt.known
        self._jobs: dict[str, NDArray[np.float64]] = {name: np.empty(0) for name in codes.PER_JOB}
        self._structure = SlackRule(
            heuristic=HEURISTICS[heuristic], permuted=self.permutations, afresh=DELAYED[delayed],
            reading=READINGS[reading], slack_factor=self.slack_factor,
            **{name.replace("alpha", "a"): value for name, value in self.alphas.items()},
        )  # fmt: skip
        self._submitted = 0
        self._over_quota = 0

    @property
    def compiles(self) -> bool:  # type: ignore[override]
        """Whether no Python code has to be asked about jobs, neither when they come nor at their estimates."""
        return self.tick == "no" and not (self.priorities or self.quotas or self.every) and self.awt.known

    def as_rule(self, rows: int, jobs: int) -> SlackRule:
        """The columns of jobs, and the options."""
        if "_bound" not in vars(self) or len(self._jobs["due"]) < rows or len(self._structure.queue) < jobs:
            for name, column in self._jobs.items():
                longer = np.full(max(rows, len(column)), 0.0 if name.endswith("_priority") else np.nan)
                longer[: len(column)] = column
                self._jobs[name] = longer
            most = 2 * jobs + 64
            self._structure.bind(
                queue=np.empty(most, np.int64), chosen=np.empty(most),
                limits=np.array(self.awt.limits, float), waits=np.array(self.awt.waits), **self._jobs,
            )  # fmt: skip
            self._bound = True
        return self._structure

    # -- before a replay ------------------------------------------------------------------

    def rehearse(self, run: Callable[[Any], Result]) -> "Slack":
        """With ``awt=auto``, this policy with the mean wait of a conservative run of the same input; else itself."""
        if self.awt.known:
            return self
        twin: Slack = self.copy()
        twin.awt = self.awt.measured(run(BASELINE))
        twin._rehearsed, twin.needs_rehearsal = True, False
        return twin

    # -- on request -------------------------------------------------------------------------

    @property
    def broken(self) -> int:
        """Reservations that could not be kept so far: where jobs outlive their estimates, or the machine changes."""
        return self._structure.broken

    @property
    def counts(self) -> dict[str, int]:
        """How many events were priced so far, candidate slots, and insertions of jobs into candidate schedules."""
        return {name: getattr(self._structure, name) for name in ("events", "candidates", "insertions")}

    def reservations(self, view: View) -> NDArray[np.float64]:
        """The reserved start of every waiting job, s, in queue order (infinite: none is in sight)."""
        return self._jobs["due"][view.waiting]

    def predict(self, view: View, row: int) -> float:
        """The reserved start of a waiting job, s (NaN before its first pass)."""
        due = self._jobs["due"]
        return float(due[row]) if row < len(due) else np.nan

    def slacks(self, view: View) -> NDArray[np.float64]:
        """By how much every waiting job may still be delayed, s, in queue order."""
        return self._jobs["latest"][view.waiting] - self._jobs["due"][view.waiting]

    # -- the instant ----------------------------------------------------------------------

    def on_submit(self, view: View, rows: Rows, now: float) -> None:
        """Note the newcomers' priorities and average waits."""
        if not self.awt.known:
            raise ValueError(
                "policy slack: awt=auto needs a replay, which can measure it; in a model, give the average wait "
                "in seconds, for instance Slack(awt=2401)"
            )
        if not (self.priorities or self.quotas or self.every):
            return
        self._rule(view)
        rows = rows[view.requests.runs[rows] == 0]
        for number, row in enumerate(rows.tolist(), self._submitted + 1):
            up, pp = self._priorities_of(view, row, number, now)
            self._jobs["user_priority"][row], self._jobs["political_priority"][row] = up, pp
        self._submitted += len(rows)

    def on_end(self, view: View, rows: Rows, now: float) -> None:
        """A job that ends before the profile expected it is removed from it."""
        if self.quotas:
            self.quotas.charge(view, rows, now)
        self._rule(view).ended(view.state, now, writable(rows))

    def on_withdraw(self, view: View, rows: Rows, now: float) -> None:
        """A job that has left the queue is removed from the profile."""
        self._rule(view).withdrawn(view.state, now, writable(rows))

    def on_bar(self, view: View, rows: Rows, now: float) -> None:
        """The same, and they are newcomers when they come back."""
        self._rule(view).barred(view.state, now, writable(rows))

    def on_put_off(self, view: View, rows: Rows, now: float) -> None:
        """They are newcomers in the next pass."""
        self._rule(view).put_off(view.state, now, writable(rows))

    def on_start(self, view: View, rows: Rows, now: float) -> None:
        """Jobs that were evicted for these starts ended after the pass, and the profile did not count them."""
        if self.quotas:
            self.quotas.begin(rows, now)
        self._rule(view).started(view.state, now, writable(rows))

    def select(self, view: View, now: float) -> Proposal:
        """Price removals, start what is due, insert newcomers."""
        return self.decided(view, self._rule(view), now, view.waiting)

    def next_clock(self, now: float) -> float:
        """The next reservation that falls due."""
        return self._structure.first_due

    def on_estimate(self, view: View, rows: Rows, now: float) -> NDArray[np.float64]:
        """Until when each of the unfinished jobs may go on (now: it is killed); a hook only with ``tick``."""
        until = np.empty(len(rows))
        slack_pass.extend_pass(view.state, self._rule(view), now, writable(rows), until, self.tick == "half")
        return until

    # -- the text ---------------------------------------------------------------------------

    def options(self) -> dict[str, Any]:
        """Heuristic, slack factor and AWT, and what else was given."""
        options: dict[str, Any] = {
            "heuristic": self.heuristic,
            "slack_factor": f"{self.slack_factor:g}",
            "awt": self.awt,
        }
        options |= {name: f"{value:g}" for name, value in self.alphas.items() if value != 1}
        if self.awt.limits:
            options["classes"] = "+".join(f"{limit:g}" for limit in self.awt.limits)
        for name in ("priorities", "quotas"):
            given = getattr(self, name)
            if given is not None:
                options[name] = getattr(given, "__name__", None) or str(given)
        if self.every:
            options |= {"every": self.every.k, "gap": f"{self.every.gap:g}"}
        if self.permutations:
            options["permutations"] = self.permutations
        usual = {"tick": "no", "reading": "printed", "delayed": "shifted"}
        return options | {name: getattr(self, name) for name in usual if getattr(self, name) != usual[name]}

    def notes(self, processors: int) -> list[str]:
        """What AWT was measured, how many jobs were over quota, and broken guarantees."""
        notes = []
        if self._rehearsed:
            notes.append(f"slack: awt={self.awt} s, the mean wait of {BASELINE} on the same input (awt=auto)")
        if self._over_quota:
            jobs = "1 job was" if self._over_quota == 1 else f"{self._over_quota} jobs were"
            notes.append(f"slack: {jobs} submitted over quota")
        if self.broken:
            notes.append(
                f"slack: {self.broken} reservations fell due without processors, behind jobs that outlived their "
                "estimates, or broke when the machine changed"
            )
        return notes

    # -- inside -----------------------------------------------------------------------------

    def _priorities_of(self, view: View, row: int, number: int, now: float) -> Pair:
        job = view.request(row)
        up, pp = 0.0, 0.0
        if self.every:
            up, pp = self.every.of(number)
        elif self.priorities:
            up, pp = checked_pair(self.priorities(job), job)
        if self.quotas and self.quotas.exceeded(view, job, now):
            pp = OVER_QUOTA
        self._over_quota += pp == OVER_QUOTA
        return up, pp

    def _rule(self, view: View) -> SlackRule:
        return self.as_rule(view.requests.capacity, view.jobs)


BASELINE = Conservative(compress="scheduled")
"""The paper's conservative scheduler, whose mean wait is the AWT of ``awt=auto``."""

_ALPHAS = ("alpha_u", "alpha_t", "alpha_p", "alpha_f")
