"""Slack-based backfilling with priorities: the policy, and where priorities and quotas come from."""

from thinktime.models.policies.slack.policy import HEURISTICS, Slack
from thinktime.models.policies.slack.priorities import OVER_QUOTA, EveryKth, PriorityTable
from thinktime.models.policies.slack.quotas import Quotas
from thinktime.workloads.lazy import import_on_demand

__all__ = ["HEURISTICS", "OVER_QUOTA", "EveryKth", "PriorityTable", "Quotas", "Slack"]

import_on_demand(__name__)
