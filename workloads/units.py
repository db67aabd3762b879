"""Units of time, in seconds: `3 * DAY` reads better than 259200."""

MINUTE = 60
HOUR = 3_600
DAY = 86_400
WEEK = 604_800
