"""The kinds of machines, pools and nodes with or without changes: what each has of `thinktime.models.engine.parts`."""

from thinktime.models.engine.changes.changes import ChangingChanges
from thinktime.models.engine.changes.node_changes import ChangingNodeChanges
from thinktime.models.engine.changes.pool_changes import PoolChanges
from thinktime.models.engine.machine_state import State
from thinktime.models.engine.rooms.capped_profile import CappedProfiles
from thinktime.models.engine.rooms.capped_room import CappedRoom
from thinktime.models.engine.rooms.changing_node_profile import ChangingNodeProfiles
from thinktime.models.engine.rooms.changing_nodes import ChangingNodeRoom
from thinktime.models.engine.rooms.changing_profile import ChangingProfiles
from thinktime.models.engine.rooms.changing_room import ChangingRoom
from thinktime.models.engine.rooms.node_profile import NodeProfiles
from thinktime.models.engine.rooms.node_room import NodeRoom
from thinktime.models.engine.rooms.pool_profile import PoolProfiles
from thinktime.models.engine.rooms.pool_room import PoolRoom


def make_state() -> State:
    """The state of a pool, before it has arrays."""
    return State(PoolRoom(), PoolProfiles(), PoolChanges(), False, False)


def make_state_on_nodes() -> State:
    """The state of a machine of nodes, before it has arrays."""
    return State(NodeRoom(), NodeProfiles(), PoolChanges(), True, False)


def make_changing_state() -> State:
    """The state of a pool that changes, before it has arrays."""
    return State(ChangingRoom(), ChangingProfiles(), ChangingChanges(), False, True)


def make_changing_nodes() -> State:
    """The state of a machine of nodes that change, before it has arrays."""
    return State(ChangingNodeRoom(), ChangingNodeProfiles(), ChangingNodeChanges(), True, True)


def put_below_cap(state: State) -> None:
    """Let a state of any kind go by a cap on power, too, from now on."""
    if not is_below_cap(state):
        state.room, state.profiles = CappedRoom(state.room), CappedProfiles(state.profiles)


def is_below_cap(state: State) -> bool:
    """Whether the machine's power is capped."""
    return isinstance(state.room, CappedRoom)
