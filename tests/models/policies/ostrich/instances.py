"""Random users for both: small whole numbers, close together, so that ties and odd shares are common."""

from hypothesis import strategies as st

from tests.models.policies.ostrich.exact import User, user

RUNS = st.sampled_from([0, 1, 1, 2, 2, 3, 4, 6, 7, 12])
TIMES = st.sampled_from([0, 0, 1, 2, 3, 5, 8])
SHARES = st.sampled_from([1, 1, 2, 3, 0.5])


@st.composite
def campaign(draw, time, estimates, shortest):
    runs = [max(run, shortest) for run in draw(st.lists(RUNS, min_size=1, max_size=6))]
    if not estimates:
        return time, runs
    return time, runs, [max(run, 1) + draw(st.sampled_from([0, 0, 1, 3, 10])) for run in runs]


@st.composite
def populations(draw, most=6, closed=None, shares=False, estimates=False, shortest=0) -> list[User]:
    """Some users; those who do not wait for the ends of their campaigns submit several at once, too."""
    users = []
    for number in range(draw(st.integers(1, most))):
        waits = draw(st.booleans()) if closed is None else closed
        times = draw(st.lists(TIMES, min_size=1, max_size=4))
        if not waits:
            times = [sum(times[: i + 1]) for i in range(len(times))]
        campaigns = [draw(campaign(time, estimates, shortest)) for time in times]
        users.append(user(number, campaigns, draw(SHARES) if shares else 1, waits))
    return users
