"""What the expectations paper prints: its schedulers and its one number (section 4.2). The rest are pictures."""

POLICIES = {
    "fcfs": "FIFO",
    "none:order=fairshare": "FIFO with fairshare",
    "easy": "backfilling",
    "easy:order=fairshare": "backfilling with fairshare",
}
"""The paper's schedulers by our names."""

FIFO, FAIR_FIFO, EASY, FAIR_EASY = POLICIES

VEET = 35.0
"""With fairshare 75 % of the users have at most this share of violated EETs (%); without it, fewer do."""
