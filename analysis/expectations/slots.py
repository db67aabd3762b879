"""Expected end times (EET): a user's jobs, one after another, in the capacity that the user expects.

Source: the expectations paper, section 3.2, Algorithm 1. There, time is made of slots; each job in order of
arrival takes min(what is left of the capacity, what it asks for) of one slot after another, from its
arrival on, until its work is done; its EET is the end of the last slot.

Here equal slots are joined into steps. ``used[i]`` is what is taken on [times[i], times[i + 1]); the last step is
empty and has no end. From the latest arrival on, ``used`` never rises: a job turns it into max(used, min(capacity,
used + request)) up to its EET, and leaves it as it is from there on. So neighbours with equal values can be joined,
and there are never more steps than units of capacity, nor than jobs.
"""

from thinktime.workloads.arrays import AnyArray, Whole


def plan(
    first: Whole,
    arrival: AnyArray,
    request: AnyArray,
    work: AnyArray,
    capacity: AnyArray,
    times: AnyArray,
    used: AnyArray,
    out: AnyArray,
) -> None:
    """Write the EET (in slots) of every job to ``out``.

    User u has the jobs ``first[u]`` to ``first[u + 1]``, by arrival. ``work`` is request times run time, and
    ``capacity`` what the user expects when the job arrives (at least 1). ``times`` and ``used`` are scratch arrays,
    longer by two than any user's list of jobs.
    """
    for u in range(len(first) - 1):
        head, n = 0, 1
        used[0] = 0
        for j in range(first[u], first[u + 1]):
            a, r, rem, cap = arrival[j], request[j], work[j], capacity[j]
            while head + 1 < n and times[head + 1] <= a:
                head += 1
            times[head] = a
            if rem <= 0:
                out[j] = a
                continue
            i = head
            while True:
                x = min(cap - used[i], r)
                if x > 0:
                    need = (rem + x - 1) // x
                    if i + 1 == n or times[i] + need <= times[i + 1]:
                        end = times[i] + need
                        break
                    rem -= x * (times[i + 1] - times[i])
                i += 1
            out[j] = end
            if i + 1 == n or times[i + 1] > end:
                for k in range(n, i + 1, -1):
                    times[k] = times[k - 1]
                    used[k] = used[k - 1]
                times[i + 1] = end
                used[i + 1] = used[i]
                n += 1
            last = head
            for k in range(head, n):
                level = used[k]
                if k <= i:
                    level = max(level, min(cap, level + r))
                if k > head and level == used[last]:
                    continue
                if k > head:
                    last += 1
                times[last] = times[k]
                used[last] = level
            n = last + 1
