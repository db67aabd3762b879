"""States of machines in files: where a replay begins, and what it leaves for others to begin from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from thinktime.cli import options
from thinktime.cli.inputs import existing
from thinktime.cli.workload import Choice, Workload
from thinktime.workloads.names import shortened

if TYPE_CHECKING:
    from thinktime.models.machine.state import MachineState
    from thinktime.users.saving import Saving
    from thinktime.workloads import Trace

TEN_MINUTES = 600.0


@dataclass(frozen=True, kw_only=True)
class States:
    """The states that a replay reads and writes."""

    begin: Annotated[
        str | None, options.option("FILE", "Go on from the state in a file, with the jobs of the log from then on.")
    ] = None
    save_state: Annotated[
        list[str] | None,
        options.option("TIME:FILE", "Write the state at TIME (s, '3 d', or a date) to FILE; may be repeated."),
    ] = None
    resume: Annotated[
        str | None, options.option("FILE", "Keep the latest state here; after a kill, the same command goes on.")
    ] = None
    resume_every: Annotated[
        float, options.time("TIME", "Write the state for --resume after so much time.", "--resume-every", "10 min")
    ] = TEN_MINUTES

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(self.begin or self.save_state or self.resume)

    @property
    def left_behind(self) -> bool:
        """Whether a run was killed."""
        return self.resume is not None and Path(self.resume).exists()

    def saving(self, trace: Trace, state: MachineState | None) -> Saving | None:
        """What is to be written by a run that begins from a state; the log says what dates are."""
        from thinktime.users.saving import Saving

        at: dict[float, Path] = {}
        for text in self.save_state or ():
            moment, colon, name = text.rpartition(":")
            if not (colon and moment and name):
                raise ValueError(f"--save-state {shortened(text)}: give TIME:FILE, such as '30 d:june.state'")
            try:
                at[trace.seconds(moment)] = Path(name)
            except ValueError as error:
                raise ValueError(f"--save-state {shortened(text)}: {error}") from None
        if not at and self.resume is None:
            return None
        if self.left_behind and state is not None:  # the others are written
            at = {moment: path for moment, path in at.items() if moment > state.time}
        checkpoint = None if self.resume is None else Path(self.resume)
        return Saving(at=at, checkpoint=checkpoint, every=self.resume_every)

    def check(self, policies: int, shaken: bool) -> None:
        """``ValueError`` for what a state has only one of."""
        if not self.any:
            return
        if policies > 1:
            raise ValueError("a state is of one policy: with --begin, --save-state and --resume give one --policy")
        if shaken:
            raise ValueError("--shake replays other logs: leave out --begin, --save-state and --resume")

    def read(self) -> MachineState | None:
        """The state to begin from: one that was left behind comes first."""
        file = self.resume if self.left_behind else self.begin
        if file is None:
            return None
        from thinktime.models.machine.state import MachineState

        return MachineState.read(existing(file))


def own_choice(state: MachineState) -> Choice:
    """The policy of a state."""
    policy = state.fields["policy"]
    return str(policy), policy


def left(choice: Choice, state: MachineState) -> Choice:
    """The policy of a replay that was killed: one that first ran another policy does not do so again."""
    spec, policy = choice
    own = state.fields["policy"]
    return (spec, own) if getattr(policy, "needs_rehearsal", False) and type(own) is type(policy) else choice


def begun(state: MachineState, workload: Workload, states: States, load: Callable[[str], Workload]) -> Workload:
    """A workload that goes on from a state: its jobs come by themselves, or those of another log from then on do.

    ``load`` reads the log from a time on.
    """
    if state.is_of(workload.trace):
        return replace(workload, begin=state)
    name = shortened(workload.path)
    if states.resume is not None:
        raise ValueError(
            f"--resume {shortened(states.resume)}: {name} is not the log whose jobs the state has; remove the "
            "file, or name another one"
        )
    if workload.dependencies:
        raise ValueError(
            f"--begin {shortened(states.begin)}: {name} is not the log whose jobs the state has, so it is unknown who "
            "waits for whom; leave out --dependencies"
        )
    later = load(f"{state.time!r}")
    return replace(later, begin=state.without_arrivals())
