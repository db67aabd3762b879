"""Users fitted to a log: when each of them submits next is a hazard."""
