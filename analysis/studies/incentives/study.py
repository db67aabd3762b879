"""The study of incentives: what a site gains by asking its users for something, and what they give up for it.

Four questions on one log, or one made up (`thinktime.analysis.studies.incentives.runs`), in the open loop and with
users who wait for their jobs: (i) windows of demand response, in which a share of the users answers in one of five
ways; (ii) jobs held back for electricity with less carbon; (iii) who gains if the same revenue is charged in hours,
energy or carbon; (iv) budgets that are renewed each month. Work that is renounced is never counted as saved: energy and
carbon stand beside the work that was done.

Sources: (i) M. Madon, G. Da Costa, J.-M. Pierson (Euro-Par 2022, arXiv 2204.02869); (ii) W. A. Hanafy et al. (GAIA,
ASPLOS 2024).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import thinktime as tt
from thinktime.analysis.studies.incentives.assumptions import ASSUMED, LONGEST, Answered, answering
from thinktime.analysis.studies.incentives.runs import (
    MODES,
    Answer,
    Run,
    answers_to,
    demand_response,
    savers,
    with_power,
)
from thinktime.analysis.study import StudiedLog, Study, option, size_of
from thinktime.users import made_up_log
from thinktime.workloads.signals import wind

WEEKS, QUICK_WEEKS = 15, 3
"""105 days, as many as in the paper on demand response."""
QUICK_JOBS = 3000
SHARES, QUICK_SHARES = (0.1, 0.5, 1.0), (1.0,)
WAYS, QUICK_WAYS = ("renounce", "delay", "degrade", "reconfigure", "see you later"), ("renounce", "delay")
HELD = ("threshold", "lowest-slot", "lowest-window")
HOURS, QUICK_HOURS = (6, 24), (24,)
PICTURED = ("delay", "renounce")
PERIOD, QUICK_PERIOD = 30 * tt.DAY, 5 * tt.DAY
BUDGETS, QUICK_BUDGETS = (1.0, 0.7), (0.7,)
"""Each user's budget for a period, in the mean work of this user in one."""
ARMS = ("no budgets", "held by the site", "users save")

Key = tuple[Any, ...]
"""("asked", way, share, mode), ("held", policy, mode), ("budget", arm, budget, mode) or ("assumed", what, mode)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers of all runs, and the log that they are about."""

    source: str
    answers: Mapping[Key, Answer]
    pictured: Mapping[str, Run] = field(default_factory=dict)
    """What pictures show, by name: runs of the open loop."""

    def of(self, question: str) -> dict[Key, Answer]:
        """The answers to one question, without its name in their keys."""
        return {key[1:]: answer for key, answer in self.answers.items() if key[0] == question}

    @property
    def assumed(self) -> Answered:
        """The answers of users of whom something else is assumed."""
        return self.of("assumed")

    def unasked(self, mode: str) -> Answer:
        """The run in which no user is asked for anything."""
        return self.answers["held", "easy", mode]


@dataclass(frozen=True, kw_only=True)
class IncentivesStudy(Study[Answer, Evidence]):
    """Demand response, carbon, charges and budgets, and what users give up."""

    name = "incentives"
    line = "Demand response, carbon, charges, budgets, and who answers."
    unit = "runs"
    files = "Write the pictures and the numbers."
    formats = ("png",)
    compared = ("fcfs", "easy", *(f"carbon:rule={rule}" for rule in HELD))

    quick: bool = option(False, "Do fewer runs, of the first 3,000 jobs.", kind="flag")
    log: StudiedLog | None = option(None, "A log with users and waits.", "FILE", "log", shown="a made-up log")
    processors: int | None = option(None, "Size of the machine.", "N", "processors", shown="what the log's header says")
    carbon: str | None = option(
        None, "Carbon of electricity, a CSV file of start,value in g/kWh.", "FILE", shown="made up: wind and its hours"
    )
    seed: int = option(1, "Seed of the random numbers.", "S", "seed")

    def __post_init__(self) -> None:
        if self.log is not None:
            size_of(self.log, self.processors)
        if self.carbon is not None:
            self.signal  # noqa: B018  # refuses a file that is none before anything runs

    @cached_property
    def source(self) -> StudiedLog:
        """The log, with the power of its jobs, and what it is called."""
        weeks = QUICK_WEEKS if self.quick else WEEKS
        found = self.log or StudiedLog(f"a made-up log of {weeks} weeks", made_up_log(weeks))
        log = found.trace.select(np.arange(len(found.trace)) < QUICK_JOBS) if self.quick else found.trace
        return StudiedLog(found.path, with_power(log, self.seed))

    @cached_property
    def signal(self) -> tt.Signal:
        """The carbon of electricity."""
        if self.carbon is None:
            return wind(seed=self.seed)
        calendar = None if self.log is None else self.log.trace.calendar
        return tt.Signal.read(self.carbon, unit="g/kWh", calendar=calendar)

    def tasks(self) -> dict[Key, Run]:
        """Every run of the study, in both modes, by the key of its answer."""
        found: dict[Key, Run] = {}
        for mode in MODES:
            found |= self._asked(mode) | self._held(mode) | self._budgets(mode) | self._assumed(mode)
        return found

    def _run(self, mode: str, **more: Any) -> Run:
        log = self.source.trace
        return Run(log, size_of(self.source, self.processors), mode=mode, windows=demand_response(log), **more)

    def _asked(self, mode: str) -> dict[Key, Run]:
        shares = QUICK_SHARES if self.quick else SHARES
        ways = answers_to(demand_response(self.source.trace))
        return {
            ("asked", way, share, mode): self._run(mode, answering=tt.Respondents(ways[way], share, self.seed))
            for way in (QUICK_WAYS if self.quick else WAYS)
            for share in shares
        }

    def _held(self, mode: str) -> dict[Key, Run]:
        hours = QUICK_HOURS if self.quick else HOURS
        policies = ["fcfs", "easy", *(f"carbon:rule={rule},wait={each}h" for rule in HELD for each in hours)]
        return {("held", policy, mode): self._run(mode, policy=policy, carbon=self.signal) for policy in policies}

    def _budgets(self, mode: str) -> dict[Key, Run]:
        log, period = self.source.trace, QUICK_PERIOD if self.quick else PERIOD
        users, of = np.unique(log.user, return_inverse=True)
        usual = np.bincount(of, log.processors * log.runtime) / tt.HOUR / max(float(log.submit[-1]) / period, 1.0)
        found: dict[Key, Run] = {("budget", ARMS[0], 0.0, mode): self._run(mode, period=period)}
        for part in QUICK_BUDGETS if self.quick else BUDGETS:
            amounts = {int(user): max(float(part * each), 0.1) for user, each in zip(users, usual, strict=True)}
            held = tt.Budget(0, period=period, spent="hold", amounts={str(user): amounts[user] for user in amounts})
            found["budget", ARMS[1], part, mode] = self._run(mode, period=period, budget=held)
            found["budget", ARMS[2], part, mode] = self._run(mode, period=period, answering=savers(amounts, period))
        return found

    def _assumed(self, mode: str) -> dict[Key, Run]:
        log, windows = self.source.trace, demand_response(self.source.trace)
        found: dict[Key, Run] = {}
        for what in ASSUMED:
            policy = {"policy": LONGEST} if what[1] == "leave" else {}
            who = answering(what, log, windows, self.signal, self.seed)
            found["assumed", what, mode] = self._run(mode, answering=who, carbon=self.signal, **policy)
        return found

    def gather(self, answers: Mapping[Key, Answer]) -> Evidence:
        """The answers with what is said of the log and drawn."""
        found = f"{Path(self.source.path).name}, {len(self.source.trace):,} jobs"
        return Evidence(found, dict(answers), self._pictured())

    def _pictured(self) -> dict[str, Run]:
        ways = answers_to(demand_response(self.source.trace))
        found = {way: self._run("open", answering=tt.Respondents(ways[way]), carbon=self.signal) for way in PICTURED}
        found[LONGEST] = self._run("open", policy=LONGEST, carbon=self.signal)
        return {"easy": self._run("open", carbon=self.signal)} | found
