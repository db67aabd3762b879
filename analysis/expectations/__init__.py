"""Expected end times, and how a schedule meets them (the expectations paper)."""
