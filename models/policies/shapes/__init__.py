"""Sizes of jobs as schedulers choose them, around a rule that decides who starts (`policy`)."""
