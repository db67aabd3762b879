"""Whole numbers with names: places in arrays, states, choices. Not compiled; the `.pxd` beside each is for C."""
