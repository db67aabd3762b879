"""The expectations paper's study (section 4): FIFO and backfilling, each with and without fairshare, on a site's log.

The log is replayed on the machine (of nodes, if it is described) under the four schedulers, and every schedule is
held against the same expectations: one capacity for all, chosen from the log's own schedule where it has one. What
the paper leaves open is varied one by one, and every finding is judged under each variant: how many EETs are
violated if users expect something else, or if they are judged in another way (the same schedules), and on smaller
machines, which bear a higher load (new schedules, and capacities of that machine). The paper does not print the load
of its machine, which decides how long queues are, and so what a scheduler can do for users.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import thinktime as tt
from thinktime.analysis.evaluation import report
from thinktime.analysis.expectations import Capacity, Expectations, Site, evaluate
from thinktime.analysis.papers.expectations.printed import POLICIES
from thinktime.analysis.papers.expectations.runs import Run, Variant, chosen_capacity, judgements, variant_of
from thinktime.analysis.study import Report, Study, grouped, option, quoted
from thinktime.workloads.node_log import read_requests

LOADS = (0.75, 0.85, 0.95)
"""Offered loads of the machines that the study tries, unless sizes are given (our decision)."""


def sites(base: Site, wanted: Sequence[str] | None = None) -> list[Site]:
    """The wanted sizes of a machine; by default, those with the `LOADS` that exceed its own load."""
    if wanted is None:
        parts = [base.load / load for load in LOADS if load > base.load]
        counts = [[max(1, ceil(part * count)) for count in base.counts] for part in parts]
    else:
        counts = [_parsed(text, base) for text in wanted]
    known = dict.fromkeys(map(tuple, counts))
    return [_smaller(base, each) for each in known if list(each) != base.counts]


def _parsed(text: str, base: Site) -> list[int]:
    """A size in words: numbers of nodes joined by +, one for each cluster, or a number of processors."""
    words = text.strip().split("+")
    needed = len(base.counts)
    if len(words) != needed or not all(word.isascii() and word.isdigit() and int(word) > 0 for word in words):
        clusters = [] if base.nodes is None else [cluster.name for cluster in base.nodes.clusters]
        wanted = (
            f"numbers of nodes of {', '.join(clusters)}, joined by +, such as {base.size}"
            if clusters
            else f"a number of processors, such as {base.processors}"
        )
        raise ValueError(f"a size of the machine is {wanted}, not {quoted(text)}")
    return [int(word) for word in words]


def _smaller(base: Site, counts: Sequence[int]) -> Site:
    """The same log on another number of nodes of each cluster."""
    if base.nodes is None or base.log is None:
        fits = base.trace.processors <= counts[0]
        site = Site(base.trace.select(fits), counts[0], dropped=int((~fits).sum()))
    else:
        clusters = zip(base.nodes.clusters, counts, strict=True)
        nodes = tt.Nodes([replace(cluster, count=count) for cluster, count in clusters])
        log = read_requests((base.log.whole or base.log).trace, nodes, base.log.memory_unit)
        site = Site(log.trace, nodes.total(), nodes, log, dropped=len(log.left_out))
    if len(site.trace) < 2:
        raise ValueError(f"a machine of {site.size} holds {len(site.trace)} jobs of the log, too few for a study")
    return site


QUICK_JOBS = 3_000


@dataclass(frozen=True)
class Evidence:
    """The results of all runs; the study's own assumptions come first among the judgements and among the sizes."""

    site: Site
    recorded: Expectations | None
    """The log's own schedule, where it has one."""
    judgements: list[Variant]
    """The same schedules, judged in other ways."""
    sizes: list[Variant]
    """The same log on machines of other sizes."""

    @property
    def own(self) -> Variant:
        """The study's own assumptions."""
        return self.judgements[0]

    @property
    def expectations(self) -> dict[str, Expectations]:
        """Those of the study's own assumptions, by policy."""
        return self.own.expectations

    @property
    def shown(self) -> dict[str, Expectations]:
        """The same, and the log's own schedule where it has one."""
        return self.expectations | ({} if self.recorded is None else {"recorded": self.recorded})


@dataclass(frozen=True, kw_only=True)
class ExpectationsStudy(Study[tt.Result, Evidence]):
    """FIFO and backfilling, with and without fairshare, by the expectations of users."""

    name = "expectations"
    line = "FIFO and backfilling by the expectations of users."
    unit = "schedules"
    files = "Write Figures 5, 6a, 6b, 7 and tables."
    formats = ("png",)
    compared = tuple(POLICIES)

    site: Site = option(..., "A log: .swf, .swf.gz, or PRESET:PATH of a data set.", "TRACE", "site")
    machines: str | None = option(None, "The nodes, in Alea's .machines format.", "FILE")
    processors: str | None = option(None, "Size of the machine.", "N", shown="--machines, or the log's header")
    sizes: str | None = option(
        None,
        "Other machine sizes: nodes per cluster, such as 15+34,14+30, or processors, or none.",
        "LIST",
        shown="those with a load of 75, 85 and 95 %",
    )
    quick: bool = option(False, f"Run only the first {QUICK_JOBS:,} jobs.", kind="flag")
    capacity: Capacity | str = option(
        "active", "active, users, or N[,MEMORY]: what a user expects to have.", "RULE", "capacity"
    )
    memory_unit: str = option("auto", "What field 10 is: auto, or kb|bytes-per-processor|chunk.", "UNIT")

    def base(self) -> Site:
        """The machine as it is described, with the jobs that are run."""
        return self.site.first(QUICK_JOBS) if self.quick else self.site

    def all_sites(self) -> list[Site]:
        """The machine, and the other sizes of it."""
        wanted = None if self.sizes is None else [] if self.sizes == "none" else self.sizes.split(",")
        base = self.base()
        return [base, *sites(base, wanted)]

    def tasks(self) -> dict[tuple[int, str], Run]:
        """By number of the machine and policy."""
        return {(at, policy): Run(site, policy) for at, site in enumerate(self.all_sites()) for policy in POLICIES}

    def gather(self, answers: Mapping[tuple[int, str], tt.Result]) -> Evidence:
        """Every schedule held against what users expect of its machine."""
        rule = self.capacity if isinstance(self.capacity, Capacity) else Capacity(self.capacity)
        machines = self.all_sites()
        schedules = list(grouped(answers).values())
        chosen = [chosen_capacity(site, of, rule) for site, of in zip(machines, schedules, strict=True)]
        base, *others = machines
        own = variant_of("nothing", "own", base, schedules[0], chosen[0])
        sizes = [
            variant_of(_sized(site), site.size, site, of, units)
            for site, of, units in zip(others, schedules[1:], chosen[1:], strict=True)
        ]
        return Evidence(
            site=base,
            recorded=evaluate(base.recorded(), chosen[0]) if base.has_waits else None,
            judgements=[own, *judgements(base, schedules[0], chosen[0])],
            sizes=[replace(own, changed=_sized(base), short=base.size), *sizes],
        )

    def write(self, evidence: Evidence, folder: Path) -> None:
        """Write ``expectations.json`` beside the others: the object of `thinktime expectations`."""
        super().write(evidence, folder)
        Report(tuple, report(evidence.expectations, evidence.site).values).write(folder, "expectations")


def _sized(site: Site) -> str:
    return f"{site.size} {'processors' if site.nodes is None else 'nodes'}"
