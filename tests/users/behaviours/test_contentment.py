"""Users who complain, and stay away."""

import thinktime as tt
from tests.users.behaviours.behaving import LONG, PLAIN, one, several
from thinktime.users import behaviours as b


def test_who_complains_too_often_stays_away():
    """A user whose waits use up the budget of complaints stays away."""
    contentment = b.Contentment(complaints=3, away=1e5)
    result = one(contentment, before=[LONG], campaigns=6, **PLAIN)
    assert result["think_time"].tolist()[2:] == [60, 60, 100_000, 60, 60]
    result = one(b.Contentment(complaints=1), before=[LONG], campaigns=6, **PLAIN)
    assert len(result) == 2


def test_behaviours_remember_each_user_alone():
    """Two users with one profile have an account each; the profile's own behaviour is not touched."""
    contentment = b.Contentment()
    several(contentment, users=3, until=tt.DAY)
    assert contentment.account.jobs == 0
