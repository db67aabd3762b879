"""The table of impossible combinations, checked before anything runs and printed in the documentation.

All other policies, machines, sources of jobs, kinds of users, observers and estimates can be combined.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

from thinktime.models.machine.taking_over import can_take_over
from thinktime.models.machine.wanted import (
    Wanted,
    ends_at_sweeps,
    goes_by_site,
    has_own_order,
    is_asked_at_estimates,
    keeps_tree,
    misses_interruptions,
    priority_flags,
    sends_away,
)
from thinktime.models.orders.accounts import accounts_of
from thinktime.models.policies.agents.advised import Advised
from thinktime.models.policies.entry import entry_of
from thinktime.models.policies.hooks import Hooks, said_of
from thinktime.models.site.preempting import pauses_in_place


@dataclass(frozen=True, slots=True)
class Impossible:
    """Two things that cannot be combined: both in words, the reason, and how to recognise them."""

    this: str
    that: str
    why: str
    met: Callable[[Wanted], bool]
    shown: Callable[[Wanted], str] = lambda wanted: ""
    """What the error message says of this run."""

    def sentence(self, wanted: Wanted) -> str:
        """The error message for a run that wants both."""
        return f"{self.this} cannot be combined with {self.that}: {self.why}{self.shown(wanted)}"


def _as_recorded(wanted: Wanted) -> bool:
    return bool(said_of(wanted.policy, "as_recorded"))


def _is(wanted: Wanted, *rules: str) -> bool:
    """Whether the policy is one of these of the package, or derived from one."""
    return getattr(wanted.policy, "rule", None) in rules


def _shifts(wanted: Wanted) -> bool:
    """Whether `slack` shifts jobs, where taking them out and inserting them again is another rule."""
    policy: Any = wanted.policy
    if not _is(wanted, "slack") or policy.delayed == "removed":
        return False
    return bool(policy.heuristic != "ast" or policy.permutations > 0)


def _backfills(wanted: Wanted) -> bool:
    """Whether the policy is one of the package that plans ahead by estimates."""
    rule = getattr(wanted.policy, "rule", "")
    return rule not in ("", "none", "no-guarantee", "recorded", "agent")


def _without_users(wanted: Wanted) -> bool:
    return any(not each.users for each in wanted.data_sets)


def _compares_use(wanted: Wanted) -> bool:
    """Whether a goal compares what users have with what they are entitled to."""
    policy: Any = wanted.policy
    return _is(wanted, "tradeoff", "tradeoff-fs") and any(goal.name == "deviation" for goal in policy.goals)


def _needs_all_jobs(wanted: Wanted) -> bool:
    entry = entry_of(type(wanted.policy))
    whole = entry is not None and not entry.takes_part
    return whole and wanted.site is not None and "limits" in wanted.site.enforce


def _changing(that: str, why: str, met: Callable[[Wanted], bool]) -> Impossible:
    """A row about machines that change, which some do by their policy alone."""
    return Impossible(
        "a machine that changes", that, why, lambda wanted: wanted.interrupts and met(wanted), _how_it_changes
    )


def _how_it_changes(wanted: Wanted) -> str:
    if wanted.changing:
        return ""
    return "; here jobs are preempted" if sends_away(wanted) else "; here running jobs are given other sizes"


def _advised(wanted: Wanted) -> Wanted | None:
    """The same run with an agent's adviser for its policy; None where there is none."""
    return wanted._replace(policy=wanted.policy.adviser) if isinstance(wanted.policy, Advised) else None


def _advised_to(wanted: Wanted, what: Callable[[Wanted], bool]) -> bool:
    advised = _advised(wanted)
    return advised is not None and what(advised)


TABLE = (
    Impossible(
        "policy recorded",
        "jobs that no log recorded (those of drawn users and campaign users)",
        "the log holds no schedule of theirs",
        lambda wanted: _as_recorded(wanted) and not wanted.recorded_jobs,
    ),
    Impossible(
        "policy recorded",
        "nodes",
        "the log's own schedule need not fit the nodes, so replay it on processors",
        lambda wanted: _as_recorded(wanted) and wanted.nodes,
    ),
    Impossible(
        "policy recorded",
        "estimates other than the requests",
        "a recorded schedule plans nothing",
        lambda wanted: _as_recorded(wanted) and wanted.estimates != "requested",
    ),
    Impossible(
        "overrun = 'until_needed'",
        "estimates other than the requests",
        "a job that may run on until its processors are needed has no limit to plan with",
        lambda wanted: wanted.overrun == "until_needed" and wanted.estimates != "requested",
    ),
    Impossible(
        "policies that backfill by requested times, last-two or user-average",
        "a data set with neither time limits nor users",
        "nothing says how long jobs take; give estimates = exact, or a policy that does not plan, such as fcfs",
        lambda wanted: (
            wanted.estimates in ("requested", "last-two", "user-average")
            and _backfills(wanted)
            and any(not (each.limits or each.users) for each in wanted.data_sets)
        ),
    ),
    Impossible(
        "policies that backfill by requested times",
        "a data set without time limits",
        "no time was requested; give estimates = last-two or user-average, which predict, or exact",
        lambda wanted: (
            wanted.estimates == "requested" and _backfills(wanted) and any(not each.limits for each in wanted.data_sets)
        ),
    ),
    Impossible(
        "users who react (all modes but the open loop)",
        "a data set without users",
        "it is unknown who waited for what; replay it in an open loop",
        lambda wanted: wanted.closed and _without_users(wanted),
    ),
    Impossible(
        "fair shares of users",
        "a data set without users",
        "all jobs would be one user's",
        lambda wanted: accounts_of(wanted.policy) is not None and _without_users(wanted),
    ),
    Impossible(
        "users who degrade or reconfigure jobs",
        "jobs that ask for nodes",
        "they change processors alone",
        lambda wanted: wanted.resizes,
    ),
    Impossible(
        "users of a log who respond",
        "behaviours that do more than think, postpone and adapt (patience, limits, refusals, cutting, leaving)",
        "no user is told of starts, a job of the log is one job, and the log says what is still to come; give users a "
        "profile instead",
        lambda wanted: bool(wanted.unheeded),
        lambda wanted: f"; here {wanted.unheeded}",
    ),
    Impossible(
        "users of a log at recorded times, or with fitted hazards",
        "behaviours about think times (Rush, Continuation and others)",
        "no user thinks there when a job is over; use feedback, or drawn users",
        lambda wanted: bool(wanted.thinking),
        lambda wanted: f"; here {wanted.thinking}",
    ),
    Impossible(
        "users of a log who respond",
        "policy recorded",
        "the log's own schedule is of the jobs as they were submitted",
        lambda wanted: wanted.responds and _as_recorded(wanted),
    ),
    Impossible(
        "users of a log who respond",
        "a run that begins from a state of the log",
        "users are no part of a state",
        lambda wanted: False,  # known only when the log is read, and refused there
    ),
    Impossible(
        "users of a log who change their jobs",
        "a runtime limit",
        "the segments of their jobs are cut before they are submitted",
        lambda wanted: wanted.adapts and said_of(wanted.policy, "runtime_limit") < inf,
    ),
    Impossible(
        "policy slack with awt=auto",
        "processes of your own",
        "it first runs the same jobs under conservative, and a process cannot be run twice; give awt=SECONDS",
        lambda wanted: bool(said_of(wanted.policy, "needs_rehearsal")) and not wanted.repeatable,
    ),
    Impossible(
        "users who go on for ever",
        "a run without an end",
        "it would never be over; give until (a scenario's horizon), or a number of campaigns",
        lambda wanted: wanted.endless,
    ),
    _changing(
        "overrun = 'until_needed'",
        "jobs would be evicted for two reasons, in an order that is not defined",
        lambda wanted: wanted.overrun == "until_needed",
    ),
    _changing(
        "policy recorded", "the log's own schedule knows nothing of the changes", lambda wanted: _as_recorded(wanted)
    ),
    _changing(
        "estimates other than the requests",
        "predictions are of whole run times, and no predictor says what is left of a job that has run in part",
        lambda wanted: wanted.estimates != "requested",
    ),
    _changing(
        "a runtime limit",
        "segments and checkpoints are two ways to save work, and a segment would begin again; use checkpoints",
        lambda wanted: said_of(wanted.policy, "runtime_limit") < inf,
    ),
    _changing(
        "policy slack with delayed=shifted, unless heuristic=ast and permutations=0",
        "windows do not shift, so a job that is shifted could be in one; give delayed=removed",
        lambda wanted: _shifts(wanted),
    ),
    Impossible(
        "a machine of nodes that changes",
        "policies slack and tradeoff",
        "what they try out moves jobs in time, on nodes that may be down or in a window by then",
        lambda wanted: wanted.interrupts and wanted.nodes and _is(wanted, "slack", "tradeoff", "tradeoff-fs"),
    ),
    _changing(
        "policy slack with tick",
        "the paper's tenth of an estimate says nothing of checkpoints, restarts and work that is done",
        lambda wanted: _is(wanted, "slack") and getattr(wanted.policy, "tick", "no") != "no",
    ),
    _changing(
        "policy tradeoff with goals=deviation",
        "what users are entitled to depends on what the machine will deliver until the window ends, which is unknown",
        lambda wanted: _compares_use(wanted),
    ),
    _changing(
        "policies ostrich, ostrich-slurm and faircamp with within=mlpt",
        "MLPT assigns jobs to processors that are the same for all jobs and stay until the campaign is over",
        lambda wanted: getattr(wanted.policy, "within", None) == "mlpt",
    ),
    _changing(
        "a policy of your own with on_end and without on_interrupt",
        "on_end is not called for jobs that are interrupted; write on_interrupt, or set knows_interruptions = True",
        lambda wanted: misses_interruptions(wanted),
    ),
    Impossible(
        "on_failure = 'shrink'",
        "policies that choose no sizes",
        "they plan with sizes that do not change; give a policy such as shapes:base=easy",
        lambda wanted: wanted.shrinks and wanted.policy is not None and not Hooks(wanted.policy).resizes,
    ),
    Impossible(
        "order multifactor",
        "a machine without a site whose priorities are multifactor",
        "the weights of the factors are the site's; give site=, or a sum such as order=age*1000+fairshare*10000",
        lambda wanted: goes_by_site(wanted) and (wanted.site is None or wanted.site.priority.type != "multifactor"),
    ),
    Impossible(
        "order multifactor, and sums of its factors",
        "a site with PriorityFlags=DEPTH_OBLIVIOUS or INCR_ONLY",
        "the one is a third formula for fair shares, and the other a memory of all priorities that a job has had",
        lambda wanted: keeps_tree(wanted) and bool(priority_flags(wanted) & {"DEPTH_OBLIVIOUS", "INCR_ONLY"}),
    ),
    Impossible(
        "a policy that lets jobs go on at their estimates",
        "a site with time_limits.kept = 'slurm'",
        "it is asked when a job reaches its limit, and there the job is ended later, at a sweep",
        lambda wanted: ends_at_sweeps(wanted) and is_asked_at_estimates(wanted),
    ),
    Impossible(
        "policy slurm",
        "a site that suspends jobs for others of the same tier (PreemptMode=SUSPEND,GANG in one partition)",
        "Slurm lets such jobs take turns on the same processors, or run there at once; give the preemptors' partition "
        "a higher tier, or set preemption.type to none",
        lambda wanted: _is(wanted, "slurm") and wanted.site is not None and pauses_in_place(wanted.site),
    ),
    Impossible(
        "a runtime limit",
        "a hold that is longer (machine.request)",
        "the process that holds the processors cannot be split",
        lambda wanted: False,  # known only at the request, and refused there
    ),
    Impossible(
        "policy recorded",
        "the part of an agent or its adviser",
        "the log's starts may exceed the machine, and an agent starts what fits",
        lambda wanted: _advised_to(wanted, _as_recorded),
    ),
    Impossible(
        "a policy that sends running jobs away",
        "the part of an agent or its adviser",
        "an answer says who starts, and never who leaves",
        lambda wanted: _advised_to(wanted, sends_away),
    ),
    Impossible(
        "nodes",
        "an agent's adviser",
        "an answer says which job starts and not on which nodes, and policies that reserve nodes choose them, too",
        lambda wanted: wanted.nodes and _advised(wanted) is not None,
    ),
    Impossible(
        "a site that enforces limits",
        "an agent's adviser that plans for the whole queue (slack, slurm, and policies for campaigns)",
        "it would be given a part of the queue, without jobs that are beyond a limit",
        lambda wanted: _advised_to(wanted, _needs_all_jobs),
    ),
    Impossible(
        "a run that begins from a state",
        "another machine, or another policy, than the one that the state is of",
        "jobs are where that machine has put them, and what a rule remembers is of use to no other",
        lambda wanted: bool(wanted.differs),
        lambda wanted: f"; here {wanted.differs}",
    ),
    Impossible(
        "[shapes] of a scenario",
        "users, a closed recipe or a model alone",
        "sizes are assumed of the jobs of a log or an open recipe; give [trace] or [workload]",
        lambda wanted: wanted.unlogged,
    ),
    Impossible(
        "a budget with spent = 'lowest'",
        "policies with an order of their own (slack, tradeoff, cplant, policies for campaigns), and order relshare",
        "jobs come behind all others in the queue, which these do not follow; give spent = 'hold'",
        lambda wanted: wanted.budget == "lowest" and has_own_order(wanted),
    ),
    Impossible(
        "recorded",
        "jobs that are held back: the policy carbon, and budgets",
        "jobs start when the log says",
        lambda wanted: _as_recorded(wanted) and (bool(wanted.budget) or said_of(wanted.policy, "deferral") is not None),
    ),
    Impossible(
        "a state that goes on under another policy",
        "policies that remember more than reservations (slack, search, policies for campaigns, agents, your own), "
        "recorded, a runtime limit, preemption, budgets, and sites with limits or several partitions",
        "they would have to know what was submitted and started before; simulate the change from the start",
        lambda wanted: wanted.former is not None and not can_take_over(wanted),
    ),
    Impossible(
        "a state of a machine that does not change",
        "windows, outages and failures from then on",
        "its processors have no places; replay with --on-failure requeue (MachineSpec(changes=Changes())), which alone "
        "changes no start, and save the state of that",
        lambda wanted: wanted.unchanging,
    ),
    Impossible(
        "a state in a file",
        "policies, orders, estimators, allocators and agents of your own",
        "code is not data, and what its objects remember it alone can write and read; states in memory have them",
        lambda wanted: bool(wanted.coded),
        lambda wanted: f"; here {wanted.coded}",
    ),
    Impossible(
        "an agent that is stepped through (thinktime.gym)",
        "users or observers who ask for forecasts, and runs that begin from its machine's state",
        "they would ask the agent what it will do; an agent that is a function can be asked",
        lambda wanted: False,  # known only at the question, and refused there
    ),
)


def refuse(wanted: Wanted, who: str = "") -> None:
    """``ValueError`` for the first row of the table that applies, in one sentence that begins with ``who``."""
    advised = _advised(wanted)
    for each in TABLE:
        if each.met(wanted) or (advised is not None and each.met(advised)):
            raise ValueError(who + each.sentence(wanted))


def rows() -> list[tuple[str, str, str]]:
    """The table in words."""
    return [(each.this, each.that, each.why) for each in TABLE]
