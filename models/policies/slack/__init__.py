"""Slack-based backfilling with priorities: the policy, and where priorities and quotas come from."""

from thinktime.models.policies.slack.policy import HEURISTICS, Slack
from thinktime.models.policies.slack.priorities import OVER_QUOTA, EveryKth, PriorityTable
from thinktime.models.policies.slack.quotas import Quotas

__all__ = ["HEURISTICS", "OVER_QUOTA", "EveryKth", "PriorityTable", "Quotas", "Slack"]
