"""What cannot be used of Slurm's files: where it stands, and why."""

from typing import NamedTuple


class Note(NamedTuple):
    """A place, such as ``slurm.conf, line 12``, and the reason."""

    where: str
    what: str


class Notes(list[Note]):
    """What was found on the way, in order; the same is noted once."""

    def __init__(self) -> None:
        super().__init__()
        self.not_modelled: dict[str, None] = {}
        """Settings that schedules may depend on but are not modelled, with the reasons."""

    def add(self, where: str, what: str) -> None:
        """Note something, unless the same is noted for this place already."""
        note = Note(where, what)
        if note not in self:
            self.append(note)

    def refuse(self, where: str, setting: str, reason: str) -> None:
        """Note a setting, such as ``LLN=YES``, that is not modelled, and keep it for the site's file."""
        text = f"{setting}: {reason}"
        self.not_modelled[text] = None
        self.add(where, text)
