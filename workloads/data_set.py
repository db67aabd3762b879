"""What is known of the data set that a log is from: its machine, and what it supports."""

from dataclasses import dataclass

from thinktime.workloads.nodes import Nodes


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of jobs, as its mapping describes it and as its files were read."""

    name: str
    """The preset, or the file of the mapping."""
    limits: bool = True
    """Whether jobs have time limits, by which policies may plan."""
    users: bool = True
    """Whether it is known who submitted a job."""
    nodes: Nodes | None = None
    """The machine; None if the set does not say."""
    pooled: bool = True
    """Whether a pool of processors is the same as its nodes, since jobs have whole nodes of one kind."""
    partial: str = ""
    """Which part of the load the publisher left out."""
    guesses: tuple[str, ...] = ()
    """What is not confirmed, and the key of the mapping that overrides it."""
    notes: tuple[str, ...] = ()
    """What a reader of results has to know besides."""

    @property
    def own_nodes(self) -> Nodes | None:
        """The machine of nodes on which to replay the log; None if a pool is the same."""
        return None if self.pooled else self.nodes

    @property
    def sentences(self) -> tuple[str, ...]:
        """What results should be read with."""
        found = []
        if not self.limits:
            found.append(f"{self.name} has no time limits: policies plan with a predictor or with exact run times")
        if not self.users:
            found.append(f"{self.name} has no users: it can be replayed in an open loop only")
        if self.partial:
            found.append(f"{self.name} has a part of the load, so utilization and waits are too low: {self.partial}")
        return (*found, *self.notes, *(f"guessed, {each}" for each in self.guesses))
