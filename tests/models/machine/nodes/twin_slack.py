"""Slack-based backfilling on the nodes of the brute-force machine.

A candidate puts the new job at a slot, on nodes that the allocator chooses; jobs that are reserved for
earlier keep their nodes, and all others are delayed on theirs by the new job's length. Then each moves in turn to its
earliest fit, if that is earlier than where it stands. A job's size is the number of its processors.
"""

from fractions import Fraction
from itertools import permutations
from math import floor

from tests.models.machine.nodes.twin_rooms import ENDLESS, Rooms, holds, take


class SlackPass(Rooms):
    """A pass that prices schedules, and what it needs."""

    def pass_slack(self, ended):
        """Each removal, and each newcomer, is priced; what is due starts before the next one."""
        self.starting = []
        for _ in range(self.removals):
            chosen = self.cheapest(None, Fraction(1, 6))
            if chosen is not None:
                self.accept(chosen)
            self.start_due()
        self.start_due()
        for job in self.waiting:
            if job.reserved is None or job.reserved == ENDLESS:
                self.insert(job)
                self.start_due()
        return self.starting

    def start_due(self):
        """Jobs that are due start, if they have what they need; the others are placed again, and then may start."""
        for _ in range(2):
            free, blocked = self.free_now(), []
            for job in self.starting:
                take(free, job.places)
            for job in self.waiting:
                if job.reserved is None or job.reserved > self.now or job in self.starting:
                    continue
                if holds(free, job.places):
                    take(free, job.places)
                    self.starting.append(job)
                else:
                    job.reserved = None
                    blocked.append(job)
            for job in blocked:
                job.reserved, job.places = self.earliest(job)
                job.latest = max(job.latest, Fraction(job.reserved))
                self.broken += 1

    def insert(self, job):
        """A newcomer gets the slot of the cheapest schedule, and then its priority and its slack."""
        awt = self.more["awt"]
        chosen = self.cheapest(job, Fraction(1, 2) / 3)
        if chosen is None:
            at, places = self.earliest(job)
        else:
            self.accept(chosen)
            at, places = chosen["at"], chosen["places"]
        job.reserved, job.places = at, places
        job.p = min(Fraction(at - job.submit) / (2 * awt), Fraction(1)) / 3
        job.slack0 = Fraction(floor((1 - job.p) * 3 * awt * 1024 + Fraction(1, 2)), 1024)
        job.latest = Fraction(at) + job.slack0
        if job.promised is None:
            job.promised, job.latest_start = at, float(job.latest)

    def accept(self, chosen):
        """Make the moves of a schedule."""
        for job, begin, places in chosen["moves"]:
            self.moved += begin != job.reserved
            job.reserved, job.places = begin, places

    def ranked(self, jobs, p):
        """Delayed jobs in the order of the heuristic."""
        return sorted(
            jobs,
            key={
                "ast": lambda job: job.reserved,
                "aat": lambda job: 0,
                "du": lambda job: -job.processors * job.estimate,
                "dc": lambda job: -self.cost(job, 1, p),
                "dp": lambda job: -job.p,
            }[self.more["heuristic"]],
        )

    def cost(self, job, delay, p):
        """What a move costs: n t (p_i / p) (s0 / s)."""
        slack = job.latest - Fraction(job.reserved)
        if delay > slack:
            return ENDLESS
        used = job.slack0 / max(slack, 1) if job.slack0 else 1
        return job.processors * Fraction(delay) * job.p / p * used

    def cheapest(self, new, p):
        """The best schedule that is tried: the cheapest, of these the one with the fewest moves, then the first."""
        best = None
        fixed = [(job, job.reserved, job.places) for job in self.waiting]
        here = [job for job in self.waiting if job.reserved not in (None, ENDLESS)]
        here = [job for job in here if job not in self.starting]
        for at in self.changes():
            delayed = self.ranked([job for job in here if job.reserved >= at], p)
            places = new and self.place_at(new, at, new.estimate, delayed)
            if new and places is None:
                continue
            own = Fraction(at - self.now) * new.processors if new else Fraction(0)
            exact = len(delayed) <= self.more.get("permutations", 0)
            for turn in permutations(delayed) if exact else [delayed]:
                if new:
                    new.reserved, new.places = at, places
                moves = self.moves(turn, new.estimate if new else 0)
                for job, reserved, held in fixed:
                    job.reserved, job.places = reserved, held
                if moves is None:
                    continue
                price = own + sum(self.cost(job, Fraction(t) - Fraction(job.reserved), p) for job, t, _ in moves)
                found = price, sum(t != job.reserved for job, t, _ in moves)
                if best is None or found < best["found"]:
                    best = {"found": found, "at": at, "places": places, "moves": moves}
        return best

    def moves(self, turn, length):
        """Where delayed jobs go, one after the other; None if one would start too late."""
        moves, removed = [], self.more.get("delayed") == "removed"
        for job in turn:
            job.reserved = None if removed else job.reserved + length
        for job in turn:
            stands = ENDLESS if removed else job.reserved
            start, places = self.earliest(job, stands, [job])
            if start >= stands:
                start, places = stands, job.places
            if start > job.latest:
                return None
            job.reserved, job.places = start, places
            moves.append((job, start, places))
        return moves
