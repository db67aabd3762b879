"""Numbers of `thinktime.models.policies.slack.prices`."""

AST, AAT, DU, DC, DP = 0, 1, 2, 3, 4  # heuristics
A_U, A_T, A_P, A_F = 0, 1, 2, 3  # places in ``weights``
PER_JOB = "due", "latest", "slack0", "priority", "user_priority", "political_priority", "awt"
