"""What is wanted of a run, as far as the table of impossible combinations asks for it."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from thinktime.models.orders.accounts import accounts_of
from thinktime.models.policies.base import Policy
from thinktime.models.policies.entry import is_trusted
from thinktime.models.policies.hooks import Hooks
from thinktime.models.site.preempting import preempts_under
from thinktime.models.site.site import Site
from thinktime.workloads.data_set import DataSet

OWN_ORDER = ("slack", "tradeoff", "tradeoff-fs", "cplant", "ostrich", "ostrich-slurm", "faircamp")


class Wanted(NamedTuple):
    """The properties of a run that the table checks."""

    policy: Policy | None = None
    overrun: str = "kill"
    estimates: Any = "requested"
    nodes: bool = False
    changing: bool = False
    """Whether the machine changes: windows, outages, jobs that are interrupted."""
    shrinks: bool = False
    """Whether malleable jobs that lose processors go on with what is left."""
    recorded_jobs: bool = True
    """Whether all jobs come from a log, which has their start times."""
    repeatable: bool = True
    """Whether all sources can be run twice with the same jobs."""
    endless: bool = False
    """Whether users go on for ever and the run has no end."""
    resizes: bool = False
    """Whether users change the processors of jobs that ask for nodes."""
    site: Site | None = None
    """The site of the machine."""
    closed: bool = False
    """Whether users of a log submit when what they wait for is over."""
    responds: bool = False
    """Whether users of a log respond when a batch is due."""
    adapts: bool = False
    """Whether they may submit other jobs than those of the log."""
    unheeded: str = ""
    """A behaviour of theirs that does more than think, postpone and adapt."""
    thinking: str = ""
    """A behaviour of theirs about think times, where no user thinks."""
    budget: str = ""
    """What happens to jobs whose budget is spent, if what users are charged is limited."""
    data_sets: tuple[DataSet, ...] = ()
    """The data sets that jobs are from."""
    unlogged: bool = False
    """Whether sizes are assumed of jobs that neither a log nor an open recipe has."""
    differs: str = ""
    """What is not as in the state that the run begins from."""
    coded: str = ""
    """What of a state that is to be written is no data."""
    unchanging: bool = False
    """Whether the machine of a state is to change from now on, and could not before."""
    former: Policy | None = None
    """The policy that governed the machine until now."""

    @property
    def interrupts(self) -> bool:
        """Whether jobs may be interrupted, or have other sizes while they run."""
        return self.changing or sends_away(self) or bool(getattr(self.policy, "resizes", False))


def priority_flags(wanted: Wanted) -> frozenset[str]:
    """Those of the site's priorities."""
    return frozenset() if wanted.site is None else wanted.site.priority.flags


def spent_in(fields: Mapping[str, Any]) -> str:
    """What happens to jobs whose budget is spent, on a machine of these fields; empty without a budget."""
    budget = fields.get("budget")
    return "" if budget is None else str(budget.spent)


def has_own_order(wanted: Wanted) -> bool:
    """Whether the policy goes by more than the order of the queue, or sorts it again in the middle of a pass."""
    reconsiders: bool = getattr(getattr(wanted.policy, "order", None), "reconsiders", False)
    return reconsiders or getattr(wanted.policy, "rule", None) in OWN_ORDER


def sends_away(wanted: Wanted) -> bool:
    """Whether the policy, or the site under it, may send running jobs away."""
    return getattr(wanted.policy, "ranks", None) is not None or preempts_under(wanted.policy, wanted.site)


def shrinks_in(changes: Any) -> bool:
    """Whether malleable jobs that lose processors go on with what is left."""
    return getattr(changes, "on_failure", "") == "shrink"


def misses_interruptions(wanted: Wanted) -> bool:
    """Whether a policy of one's own would not hear of jobs that are interrupted."""
    if wanted.policy is None or is_trusted(wanted.policy):
        return False
    hooks = Hooks(wanted.policy)
    return hooks.on_end is not None and hooks.on_interrupt is None and not hooks.knows_interruptions


def is_asked_at_estimates(wanted: Wanted) -> bool:
    """Whether the policy says what becomes of jobs that reach their estimates."""
    return wanted.policy is not None and Hooks(wanted.policy).on_estimate is not None


def goes_by_site(wanted: Wanted) -> bool:
    """Whether the order has the weights of the machine's site."""
    accounts = accounts_of(wanted.policy)
    return accounts is not None and accounts.needs_site


def keeps_tree(wanted: Wanted) -> bool:
    """Whether fair shares are those of a tree of accounts."""
    accounts = accounts_of(wanted.policy)
    return accounts is not None and accounts.in_tree


def ends_at_sweeps(wanted: Wanted) -> bool:
    """Whether jobs are ended at sweeps, as Slurm does it."""
    return wanted.site is not None and wanted.site.time_limits.sweeps
