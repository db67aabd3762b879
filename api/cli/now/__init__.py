"""`thinktime now`: from the present state of a machine forward."""
