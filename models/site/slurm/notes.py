"""What cannot be used of Slurm's files: where it stands, and why."""

from typing import NamedTuple


class Note(NamedTuple):
    """A place, such as ``slurm.conf, line 12``, and the reason."""

    where: str
    what: str


class Notes(list[Note]):
    """What was found on the way, in order; the same is noted once."""

    def add(self, where: str, what: str) -> None:
        """Note something, unless the same is noted for this place already."""
        note = Note(where, what)
        if note not in self:
            self.append(note)
