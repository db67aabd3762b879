"""FCFS and EASY as one loop in plain Python: independent of the package, and fast enough for a whole log.

A job is (submit, id, processors, run time, estimate), whole seconds. Ends before submissions, one pass per
round of an instant, jobs cut at their estimates.
"""

import bisect
import heapq


def starts(jobs, processors, easy, order=lambda queue, now: queue):
    """The start of each job by id, under EASY or without backfilling, in order of arrival unless told."""
    arrivals = sorted(jobs)
    ends, expected, queue, started = [], [], [], {}
    free, i = processors, 0
    while i < len(arrivals) or ends:
        now = min(arrivals[i][0] if i < len(arrivals) else float("inf"), ends[0][0] if ends else float("inf"))
        while ends and ends[0][0] == now:
            _, n, hold = heapq.heappop(ends)
            expected.pop(bisect.bisect_left(expected, hold))
            free += n
        while i < len(arrivals) and arrivals[i][0] == now:
            queue.append(arrivals[i])
            i += 1
        for job in chosen(order(queue, now), free, expected, now, easy):
            _, number, n, runtime, estimate = job
            queue.remove(job)
            started[number] = now
            hold = (now + estimate, number, n)
            bisect.insort(expected, hold)
            heapq.heappush(ends, (now + min(runtime, estimate), n, hold))
            free -= n
    return started


def chosen(queue, free, expected, now, easy):
    """The jobs that one pass starts."""
    begin = []
    for job in queue:
        if job[2] > free:
            break
        begin.append(job)
        free -= job[2]
    if not easy or len(begin) == len(queue) or not free:
        return begin
    need = queue[len(begin)][2] - free
    holds = sorted([(end, n) for end, _, n in expected] + [(now + job[4], job[2]) for job in begin])
    shadow = None
    for end, n in holds:
        if shadow is not None and end > shadow:
            break
        need -= n
        if need <= 0:
            shadow = end
    extra = -need
    for job in queue[len(begin) + 1 :]:
        in_time = now + job[4] <= shadow
        if job[2] <= free and (in_time or job[2] <= extra):
            begin.append(job)
            free -= job[2]
            extra -= 0 if in_time else job[2]
    return begin
