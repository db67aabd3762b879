"""Whole schedules in plain Python: an event loop, and the decisions of EASY by relative fairshare and of search.

Nothing is shared with the package. A job is a dictionary of id, user, submit, n, est, run (run <= est).
"""

from tests.models.policies.goal import plain


def simulate(jobs, processors, decide):
    """The starts by id; ``decide(now, waiting, running, ended)`` gives the jobs to start."""
    future = sorted(jobs, key=lambda job: (job["submit"], job["id"]))
    waiting, running, ended, starts = [], [], [], {}
    while future or running:
        times = [job["submit"] for job in future[:1]] + [starts[job["id"]] + job["run"] for job in running]
        now = min(times)
        while True:
            done = [job for job in running if starts[job["id"]] + job["run"] <= now]
            ended += [(job, starts[job["id"]], now) for job in done]
            running = [job for job in running if job not in done]
            new = [job for job in future if job["submit"] <= now]
            future = [job for job in future if job["submit"] > now]
            waiting += new
            view = [(job, starts[job["id"]]) for job in running]
            chosen = decide(now, list(waiting), view, ended, processors) if waiting else []
            for job in chosen:
                waiting.remove(job)
                starts[job["id"]] = now
                running.append(job)
            if not any(job["run"] == 0 for job in chosen):
                break
    return starts


def overlap(start, end, window):
    """How much of [start, end) lies in the window."""
    return max(0, min(end, window[1]) - max(start, window[0]))


def usage(now, running, ended, window_of):
    """Actual and expected use in the window that holds now, by user."""
    window, used = window_of(now), {}
    for job, start, end in ended:
        used[job["user"]] = used.get(job["user"], 0) + job["n"] * overlap(start, end, window)
    for job, start in running:
        used[job["user"]] = used.get(job["user"], 0) + job["n"] * overlap(start, start + job["est"], window)
    return used


def by_usage(waiting, used):
    """The waiting jobs by (usage of the owner, submission, id)."""
    return sorted(waiting, key=lambda job: (used.get(job["user"], 0), job["submit"], job["id"]))


def relshare_after_every_start(window_of):
    """EASY by relative fairshare, where the waiting jobs are sorted anew whenever one of them has started."""

    def decide(now, waiting, running, ended, processors):
        busy, chosen, head, shadow, extra = list(running), [], None, None, 0
        while True:
            free = processors - sum(job["n"] for job, _ in busy)
            used = usage(now, busy, ended, window_of)
            if head is not None:
                reserved = head["n"] * overlap(shadow, shadow + head["est"], window_of(now))
                used[head["user"]] = used.get(head["user"], 0) + reserved
            order = [job for job in by_usage(waiting, used) if job not in chosen and job is not head]
            if not order:
                return chosen
            if head is None and order[0]["n"] > free:
                head, room = order[0], free
                for end in sorted({start + job["est"] for job, start in busy}):
                    room += sum(job["n"] for job, start in busy if start + job["est"] == end)
                    if room >= head["n"]:
                        shadow, extra = end, room - head["n"]
                        break
                continue
            for job in order[:1] if head is None else order:
                late = head is not None and now + job["est"] > shadow
                if job["n"] <= free and (not late or job["n"] <= extra):
                    extra -= job["n"] if late else 0
                    busy.append((job, now))
                    chosen.append(job)
                    break
            else:
                return chosen

    return decide


def relshare(window_of):
    """EASY by relative fairshare."""

    def decide(now, waiting, running, ended, processors):
        free = processors - sum(job["n"] for job, _ in running)
        order = by_usage(waiting, usage(now, running, ended, window_of))
        chosen = []
        while order and order[0]["n"] <= free:
            chosen.append(order.pop(0))
            free -= chosen[-1]["n"]
        if not order:
            return chosen
        head = order.pop(0)
        busy = running + [(job, now) for job in chosen]
        shadow, room = None, free
        for end in sorted({start + job["est"] for job, start in busy}):
            room += sum(job["n"] for job, start in busy if start + job["est"] == end)
            if room >= head["n"]:
                shadow, extra = end, room - head["n"]
                break
        used = usage(now, busy, ended, window_of)
        reserved = head["n"] * overlap(shadow, shadow + head["est"], window_of(now))
        used[head["user"]] = used.get(head["user"], 0) + reserved
        for job in by_usage(order, used):
            if job["n"] <= free and (now + job["est"] <= shadow or job["n"] <= extra):
                extra -= 0 if now + job["est"] <= shadow else job["n"]
                free -= job["n"]
                chosen.append(job)
        return chosen

    return decide


def searching(heuristic, algorithm, comparison, bound, tau):
    """Search over all orders of the waiting jobs; ``heuristic(now, waiting, running, ended)`` sorts them."""

    def decide(now, waiting, running, ended, processors):
        if sum(job["n"] for job, _ in running) == processors:
            return []
        order = heuristic(now, waiting, running, ended)
        longest = max(now - job["submit"] for job in waiting) if bound is None else bound
        busy = [(start + job["est"], job["n"]) for job, start in running]
        (_, starts), _ = plain.fold((order, busy, processors, now), algorithm, comparison, longest, tau)
        return [job for job, start in zip(order, starts, strict=True) if start == now]

    return decide


def lxf(now, waiting, running, ended):
    """Largest expansion factor first."""
    return sorted(waiting, key=lambda job: (-(now - job["submit"] + job["est"]) / job["est"], job["submit"], job["id"]))


def fairshare(window_of):
    """Least usage in the window first."""
    return lambda now, waiting, running, ended: by_usage(waiting, usage(now, running, ended, window_of))
