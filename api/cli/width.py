"""How wide help and output are where no terminal says it."""

WIDTH = 100
"""The width of what is printed, in characters."""
