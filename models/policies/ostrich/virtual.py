"""The virtual fair-sharing schedule of the ostrich paper (section 4).

In the virtual schedule V, every active user has the same share of the m processors (or one in proportion to a
weight), whatever the real schedule does. A user is active while a campaign of theirs is unfinished in V, and
executes one campaign at a time there:

    s~ = max(t, C~ of the user's preceding campaign)                 (4.2)
    C~ = s~ + k~ W / m, while k~ users are active                    (4.1)

Symbols: t submission, W work (processor-seconds, from estimates), s~ and C~ start and completion in V, k~ number
of active users.

We do not redo (4.1) for all campaigns at every event. Let S(t) be the service, in processor-seconds, that one
unit of share has received by t: S grows at the rate m / k~ (m / sum of the active shares). A campaign is complete
in V when S reaches its *tag* F = max(S(t), F of the user's preceding campaign) + W / share, which never changes.
At any time the projected completion is C~ = t + k~ (F - S) / m, so completions come in the order of the tags, and
a submission or a virtual completion costs a few operations, however many campaigns there are or have been. This
is the bookkeeping of fair queueing in networks, to which the paper refers.

Times, services and tags are whole numbers of 2^-120 s (or processor-seconds), and tags are compared after
rounding to 2^-60: thirds and sevenths that tie in exact arithmetic tie here, at any length of a log. Virtual
times are shown on the grid of time. `thinktime.models.policies.ostrich.progress` has the arithmetic.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thinktime.models.engine.codes import long_numbers as numbers
from thinktime.models.engine.codes import virtual as codes
from thinktime.models.policies.ostrich import progress as virtual
from thinktime.models.policies.ostrich.campaigns import CampaignsRule
from thinktime.workloads.arrays import Floats, IntTable

_SHOWN = ("index", "number", "submit", "work", "urgency", "virtual_start", "virtual_end")


@dataclass(frozen=True, slots=True)
class Campaign:
    """One campaign as a policy knows it at some time. Equal are campaigns of one number of one user."""

    user: int
    """The user's code."""
    index: int
    """Among the user's campaigns."""
    position: int = field(compare=False)
    """Of the user, in the order in which users appeared."""
    number: int = field(compare=False)
    """The machine's number of the campaign, -1 for none."""
    submit: float = field(compare=False)
    work: float = field(compare=False)
    urgency: float = field(compare=False)
    """Smaller is more urgent, where the policy has another urgency than the virtual completion."""
    virtual_start: float = field(compare=False)
    virtual_end: float = field(compare=False)
    rows: NDArray[np.int64] = field(compare=False, repr=False)
    """The jobs that wait, in the order in which they start; by row where they are held back."""


class VirtualSchedule:
    """V, advanced from event to event, and the table of campaigns that campaign policies share with it.

    Users are known by their codes, and ``shares`` has weights by label (default 1).
    """

    def __init__(self, shares: Mapping[Any, float] | None = None) -> None:
        exact = {user: Fraction(share) for user, share in (shares or {}).items()}
        self._unit = lcm(*(share.denominator for share in exact.values()))
        self._shares = {user: int(share * self._unit) for user, share in exact.items()}
        bits = 240 + self._unit.bit_length() + max(self._shares.values(), default=0).bit_length()
        self._words = bits // numbers.BITS + 1
        self._known = 0  # users
        self._arrays: dict[str, NDArray[Any]] = {
            name: np.zeros((0, self._words)[: 1 + (kind is IntTable)], float if kind is Floats else np.int64)
            for name, kind in codes.CAMPAIGNS.items()
        }
        for name in ("time", "service", "due", "shares", "unit", "speed"):
            self._arrays[name] = np.zeros(self._words, np.int64)
        self._arrays["unit"][:] = self._in_words(self._unit)
        self.table = CampaignsRule(**self._arrays)
        """What the engine takes: it has the numbers."""

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"table": CampaignsRule(**self.table.all_numbers())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.table.bind(**self._arrays)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the table, by name."""
        return self._arrays

    def structure(self, rows: int = 0, jobs: int = 0) -> CampaignsRule:
        """What the engine takes, with room for so many rows, and for so many jobs that wait or run."""
        arrays = self._arrays
        if len(arrays["of"]) < rows:
            self._grow(["of"], rows, -1)
        if len(arrays["line"]) < jobs:
            self._grow(["line"], 2 * jobs)
        if self.table.free_count < jobs:
            free = np.setdiff1d(np.flatnonzero(~self._alive()), arrays["latest"][: self._known])
            if len(free) < 2 * jobs:
                free = np.append(free, len(arrays["free"]) + np.arange(2 * jobs))
                self._grow(codes.BY_CAMPAIGN, len(arrays["free"]) + 2 * jobs)
            arrays["free"][: len(free)] = free[::-1]
            self.table.free_count = len(free)
        return self.table

    def prepare(self, users: list[Any], processors: int) -> None:
        """V shares so many processors, and these are the users so far, by code."""
        arrays, rows = self._arrays, len(users) + 1  # the first is for jobs without a user
        if self.table.capacity != processors:
            self.table.capacity = processors
            arrays["speed"][:] = self._in_words(self._unit * processors)
        if self._known < rows:
            if len(arrays["weight"]) < rows:
                self._grow(codes.BY_USER, 2 * rows)
            shares = [self._shares.get(user, self._unit) for user in [None, *users][self._known :]]
            arrays["share"][self._known : rows] = [self._in_words(share) for share in shares]
            arrays["weight"][self._known : rows] = [share / self._unit for share in shares]
            for name in ("latest", "first", "last"):
                arrays[name][self._known : rows] = -1
            self._known = rows

    def submit(self, user: int, now: float, work: float) -> int:
        """A campaign of a user enters V (``advance`` to its submission first); returns its place in `times`.

        Work without end (a hold that declares none) has no place in V: such a campaign starts there at once, is
        the least urgent of all, and delays none.
        """
        rule = self.structure(jobs=1)
        place = virtual.found(rule, user + 1, -1, now, work)
        self._arrays["live"][place] = 1  # keep it
        virtual.enter(rule, place)
        return place

    def advance(self, now: float) -> list[Campaign]:
        """Let V run until ``now`` (infinity: to its end); the campaigns that have started in V since the last event."""
        rule = self.structure()
        begun = virtual.advance(rule, now)
        return [self.campaign(place) for place in self._arrays["begun"][:begun].tolist()]

    def next_completion(self) -> float:
        """The next virtual completion, s, as an instant on the grid of time; infinite if no user is active."""
        return self.table.next_completion

    @property
    def times(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Start and end in V (s) of the campaigns in the table, by place."""
        return self._arrays["virtual_start"], self._arrays["virtual_end"]

    @property
    def active(self) -> dict[int, list[Campaign]]:
        """By the code of every active user: the campaigns that are unfinished in V, oldest first."""
        campaigns = list(self.projected())
        return {each.user: [other for other in campaigns if other.user == each.user] for each in campaigns}

    def projected(self) -> dict[Campaign, float]:
        """C~ of every campaign unfinished in V, if the active users stayed as they are (equation 4.1).

        In the order in which their users became active, the oldest first.
        """
        rule, found, arrays = self.structure(), {}, self._arrays
        for owner in np.argsort(arrays["since"][: self._known], kind="stable").tolist():
            place = arrays["first"].item(owner)
            while place >= 0 and np.isnan(arrays["virtual_end"][place]):
                found[self.campaign(place)] = virtual.projected(rule, place)
                place = arrays["after"].item(place)
        return found

    @property
    def line(self) -> NDArray[np.int64]:
        """The rows of the jobs that may start, those of the most urgent campaign first."""
        return self._arrays["line"][: self.table.ready_count]

    def campaigns(self) -> list[Campaign]:
        """All campaigns that wait, run, or are unfinished in V: those in line first, the most urgent first."""
        known = self._arrays["of"][self.line].tolist() + np.flatnonzero(self._alive()).tolist()
        return [self.campaign(place) for place in dict.fromkeys(known)]

    def campaign(self, place: int) -> Campaign:
        """The campaign at a place, as it is now."""
        arrays, line = self._arrays, self.line
        owner, own = arrays["owner"].item(place), {name: arrays[name].item(place) for name in _SHOWN}
        rows = line[arrays["of"][line] == place]
        if np.isnan(arrays["virtual_start"][place]) and not len(rows):
            rows = np.flatnonzero(arrays["of"] == place)
        appeared = arrays["appeared"]
        position = int((appeared[arrays["founded"] > 0] < appeared[owner]).sum())
        return Campaign(user=owner - 1, position=position, rows=rows, **own)

    def _alive(self) -> NDArray[np.bool_]:
        alive: NDArray[np.bool_] = (self._arrays["live"] > 0) | np.isnan(self._arrays["virtual_end"])
        return alive

    def _grow(self, names: Iterable[str], size: int, value: int = 0) -> None:
        for name in names:
            old = self._arrays[name]
            self._arrays[name] = np.full((size, *old.shape[1:]), value, old.dtype)
            self._arrays[name][: len(old)] = old
        self.table.bind(**self._arrays)

    def _in_words(self, number: int) -> list[int]:
        return [number >> numbers.BITS * place & numbers.LOW for place in range(self._words)]
