"""Numbers of `thinktime.models.engine.slack_prices`."""

# places in ``memory``: the options, what the pass has so far, and what is counted
(
    REMOVALS, HEURISTIC, PERMUTED, AFRESH, READING, SIZE, LENGTH, STARTED, EVENTS, CANDIDATES, INSERTIONS, BROKEN,
) = range(12)  # fmt: skip
SLACK_FACTOR, NEXT_DUE = 0, 1  # places in ``numbers``
AST, AAT, DU, DC, DP = 0, 1, 2, 3, 4  # heuristics
A_U, A_T, A_P, A_F = 0, 1, 2, 3  # places in ``weights``
PER_JOB = "due", "latest", "slack0", "priority", "user_priority", "political_priority", "awt"
