"""Whether two snapshots are the same, but for where they are read from."""

from dataclasses import replace
from pathlib import Path

import thinktime as tt
from thinktime.models.snapshot.reading import Snapshot, read_snapshot
from thinktime.models.snapshot.writing import to_slurm


def alike(one: Snapshot, other: Snapshot) -> None:
    """Everything but the places in files is the same, and so is what follows."""
    assert (one.zero, one.time, one.tick, one.zone) == (other.zero, other.time, other.tick, other.zone)
    assert replace(one.site, not_modelled=()) == replace(other.site, not_modelled=())
    assert one.spec.changes == other.spec.changes and one.spec.policy == other.spec.policy
    assert [replace(each, where="") for each in one.jobs] == [replace(each, where="") for each in other.jobs]
    assert one.moment.used == other.moment.used and one.moment.charged == other.moment.charged
    assert str(one.state) == str(other.state)
    rest = [tt.run(tt.MachineSpec(begin=each.state)).jobs for each in (one, other)]
    assert rest[0].equals(rest[1])


def again(snapshot: Snapshot, folder: Path) -> Snapshot:
    """What is read of what is written."""
    to_slurm(snapshot, folder)
    return read_snapshot(folder)
