"""Numbers of `thinktime.models.policies.slack.prices`."""

AST, AAT, DU, DC, DP = 0, 1, 2, 3, 4  # heuristics
PER_JOB = "due", "latest", "slack0", "priority", "user_priority", "political_priority", "awt"
