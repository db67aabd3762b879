"""Sessions, batches and dependencies by the book: loops over plain numbers, no arrays."""

from collections import defaultdict


def users_of(jobs):
    """The jobs (index, user, submit, end) of each user in order of submission; jobs of user -1 are alone."""
    users = defaultdict(list)
    for job in sorted(jobs, key=lambda job: (job[2], job[0])):
        users[job[1] if job[1] >= 0 else ("nobody", job[0])].append(job)
    return list(users.values())


def sessions_of(jobs, by, threshold):
    """A list of sessions, each a list of batches, each a list of jobs; one list per user."""
    return [[batches_of(session) for session in _split(mine, by, threshold)] for mine in users_of(jobs)]


def _split(mine, by, threshold):
    sessions = []
    for job in mine:
        if sessions:
            session = sessions[-1]
            since = {"arrival": session[-1][2], "last": session[-1][3], "max": max(other[3] for other in session)}[by]
        if not sessions or job[2] - since > threshold:
            sessions.append([])
        sessions[-1].append(job)
    return sessions


def batches_of(session):
    """New batch: submitted when all jobs of the batch before are over."""
    batches = []
    for job in session:
        if not batches or job[2] >= max(other[3] for other in batches[-1]):
            batches.append([])
        batches[-1].append(job)
    return batches


def edges_of(batches):
    """Which batches (numbered in order of begin) wait for which: all precedences, without those that others imply."""
    begin = [batch[0][2] for batch in batches]
    end = [max(job[3] for job in batch) for batch in batches]
    numbers = range(len(batches))
    precedes = {(b, c) for b in numbers for c in numbers if b < c and end[b] <= begin[c]}
    return {
        (b, c): begin[c] - end[b]
        for b, c in precedes
        if not any((b, between) in precedes and (between, c) in precedes for between in numbers)
    }
