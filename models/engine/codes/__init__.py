"""Whole numbers with names: states, choices, columns of records. Not compiled; the `.pxd` beside each is for C."""
