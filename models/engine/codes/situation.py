"""Numbers of `thinktime.models.engine.situation`."""

# places in ``situation``
(
    DOWN, KNOWN, OPEN_FOR_SOME, HELD, ENDLESS, GAPS, TAKEN, SEEN, PLACES, GROW, NEWS, BACK, TOLD, SLOTS, WINDOWS,
    CANCELS, REQUEUES_NOW, MOST_RUNS, RANKED, VICTIMS, LEAVING, DELAYED, AGAIN, INCLUDED, SET_ASIDE, GIVEN_UP, FENCED,
    KEEPS_ALL,
) = range(28)  # fmt: skip
"""``DOWN`` processors, ``KNOWN`` windows. ``OPEN_FOR_SOME``: so many windows are open that admit somebody; the others
that are open have ``HELD`` processors. ``ENDLESS``: processors of known windows without end. ``TAKEN`` jobs have been
chosen in this pass, and ``SEEN`` is the length of the profile that it had to look at, or 0. ``PLACES`` are given out;
the function at ``GROW`` makes more. ``NEWS`` and ``BACK`` are for rules that keep reservations. ``TOLD``: the ends of
outages are known. ``CANCELS``, ``REQUEUES_NOW`` and ``MOST_RUNS`` say what happens to jobs that are interrupted.
``RANKED``: jobs have ranks. A pass has chosen so many ``VICTIMS``; so many jobs are ``LEAVING``, under notice, or
``DELAYED`` on their way back into the queue. ``AGAIN``: the instant has another round. ``INCLUDED``: so many of the
known windows are in the profile of the pass. So many suspended jobs, ``kept``, are ``SET_ASIDE``, and so many of these
were ``GIVEN_UP`` after a failure. ``FENCED``: what is left later is looked at beside windows. ``KEEPS_ALL``: suspended
jobs keep their processors as well."""
# places in ``when``
NOW, NEXT_HOLD, NEXT_KNOWN, DELAY, THEN = range(5)
"""The present, when the next known window begins, the next time for which a change is known, how long a job that
is interrupted stays away from the queue, and the time at which the head of the queue is tried, s."""
CANCELLED, REQUEUED, SUSPENDED = range(3)
"""``leaves``: how a job that is preempted leaves."""
OF_PROCESS = 2
"""``lasting``, of a hold: it is no job that could run again."""
BEGAN, CAME_BACK = 1, 2
"""``NEWS``: an outage began or a window was announced; processors came back unexpectedly, ``BACK`` of them."""
REQUEUE, KILL_JOBS, WAIT = range(3)
"""What becomes of jobs in the way of a window."""
NOBODY = -1
