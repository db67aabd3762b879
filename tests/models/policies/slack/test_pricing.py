"""The pricing tables of the slack paper (section 4.4) and the example of section 4.1, in twin and engine."""

from fractions import Fraction as F
from math import sqrt

import pytest

from tests.models.policies.slack.insertion import insertion
from tests.models.policies.slack.literal import J, Rules, Twin, cost, power
from thinktime.models.policies.slack.prices import Slack, move_factor

ONES = (1.0, 1.0, 1.0, 1.0)

# p1, s1, p2, s2 (each of an initial slack of 10), p of the new job, weights, prices of S1, S2 and S3
ROWS = {
    1: (F("0.5"), 10, F("0.75"), 10, F("0.5"), ONES, (4, 3, 4)),
    2: (F("0.15"), 10, F("0.9"), 10, F("0.3"), ONES, (4, 6, 2)),
    3: (F("0.15"), 5, F("0.9"), 10, F("0.3"), ONES, (4, 6, 4)),
    4: (F("0.15"), 2, F("0.9"), 3, F("0.3"), ONES, (4, 20, 10)),  # printed: infinite twice, though t = 2 <= s
    5: (F("0.5"), 10, F("0.75"), 10, F("0.5"), (0.5, 1.0, 1.0, 1.0), (2 * sqrt(2), 3, 2 * sqrt(2))),
    6: (F("0.15"), 10, F("0.9"), 10, F("0.3"), (1.0, 1.0, 0.5, 1.0), (4, sqrt(12), 2 * sqrt(2))),
}


def prices(p1, s1, p2, s2, p3, weights):
    """S1, S2 and S3 from the engine: J1 (n=2), J2 (n=1), and a new job of 2 processors whose wait would be 2 s."""
    rule = Slack(**dict(zip(("a_u", "a_t", "a_p", "a_f"), weights, strict=True)))

    def move(n, p, s):
        return move_factor(rule, n, float(p), float(p3), 0.0, float(s), 10.0) * 2.0 ** weights[1]

    return 2.0 ** weights[1] * 2 ** weights[0], move(1, p2, s2), move(2, p1, s1)


def literal_prices(p1, s1, p2, s2, p3, weights):
    """The same from the twin."""
    rules = Rules(4, "ast", 3, 100, *(int(a) if a == 1 else a for a in weights))
    one = J(1, 0, 2, 2, 2, p=p1, s=s1, s0=10)
    two = J(2, 0, 1, 5, 5, p=p2, s=s2, s0=10)
    return power(2, rules.at) * power(2, rules.au), cost(two, 2, p3, rules), cost(one, 2, p3, rules)


@pytest.mark.parametrize("row", ROWS)
def test_the_table_of_prices(row: int) -> None:
    """Prices are those printed in rows 1, 2, 3 and 5, and those of the formula in rows 4 and 6."""
    *scenario, printed = ROWS[row]
    assert prices(*scenario) == pytest.approx(printed, rel=1e-15)
    assert [float(price) for price in literal_prices(*scenario)] == pytest.approx(printed, rel=1e-15)


@pytest.mark.parametrize("row", [1, 2, 3])
def test_whole_prices_are_exact(row: int) -> None:
    """Prices are exact where all exponents are 1."""
    *scenario, printed = ROWS[row]
    assert prices(*scenario) == literal_prices(*scenario) == printed


def test_row_six_was_printed_for_a_third() -> None:
    """The printed prices of row 6 are those at a weight of 1/3."""
    *scenario, _, _ = ROWS[2]
    _, second, third = prices(*scenario, (1.0, 1.0, 1 / 3, 1.0))
    assert (round(second, 2), round(third, 2)) == (2.88, 3.17)
    assert min(second, third) < 4


def place(p, heuristic: str, permutations: int = 0) -> tuple[float, float, list[float]]:
    """Insert J3 (n=2, t=2) at 0 on four processors where J1 (n=2, t=2) and J2 (n=1, t=5) are to start at 0."""
    return insertion([(2, 2), (1, 5)], (2, 2, p[2]), [0, 0], 10, 10, p[:2], heuristic, permutations)


CASE_1, CASE_2 = (0.5, 0.75, 0.5), (0.15, 0.9, 0.3)


def test_the_first_case_delays_the_small_job() -> None:
    """In the first case the cheapest schedule is S2, at a price of 3."""
    assert place(CASE_1, "ast") == (0.0, 3.0, [0.0, 2.0])


def test_a_heuristic_may_not_see_the_cheapest_schedule() -> None:
    """In the second case AST finds S1 at 4, while DC and DP find S3 at 2."""
    assert place(CASE_2, "ast") == (2.0, 4.0, [0.0, 0.0])
    assert place(CASE_2, "dc") == place(CASE_2, "dp") == (0.0, 2.0, [2.0, 0.0])


def test_the_permutation_search_sees_it() -> None:
    """The permutation search finds S3 under any heuristic."""
    assert place(CASE_2, "ast", permutations=2) == (0.0, 2.0, [2.0, 0.0])
    assert place(CASE_2, "ast", permutations=1)[1] == 4.0


def test_the_first_heuristic_picks_the_same_in_the_twin() -> None:
    """The twin's candidates for the first case have the same prices."""
    twin = Twin(Rules(4), [])
    twin.waiting = [J(1, 0, 2, 2, 2, p=F(1, 2), te=0, s=10, s0=10), J(2, 0, 1, 5, 5, p=F(3, 4), te=0, s=10, s0=10)]
    found = twin.schedules(0, 2, 2, F(1, 2), twin.slots(0))
    assert [(at, price) for (price, _), _, _, at, _ in found] == [(0, 3), (2, 4), (5, 10)]
