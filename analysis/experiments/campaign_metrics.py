"""Metrics of campaigns: their response times, their stretches, and how many had an answer."""

from typing import Any

from thinktime.analysis.response_times import response_times
from thinktime.analysis.stretch import CampaignColumns, campaign_columns
from thinktime.models.results.metric import PLAIN, SECONDS, Catalogue
from thinktime.models.results.outcome import Outcome
from thinktime.models.results.result import Result
from thinktime.workloads.arrays import Floats

CAMPAIGNS = Catalogue()
"""The metrics of campaigns; a measure is a function of `thinktime.analysis.stretch.campaign_columns`."""

PER_CAMPAIGN: dict[str, Any] = {"per": "campaign", "source": "ostrich paper", "summary": False}


@CAMPAIGNS.of_jobs(SECONDS, term="response time of a campaign", **PER_CAMPAIGN)
def campaign_response_time(columns: CampaignColumns) -> Floats:
    """Last end − first submission (s); the ostrich paper's flow time."""
    return columns.response_time


@CAMPAIGNS.of_jobs(PLAIN, **PER_CAMPAIGN)
def stretch(columns: CampaignColumns) -> Floats:
    """Response time of a campaign / max(work / processors, longest run time)."""
    return columns.stretch


@CAMPAIGNS.of_run("campaigns", source="ostrich paper", summary=False, describes=True)
def campaigns(result: Result) -> int:
    """Sets of jobs that a user submits together and waits for; their number."""
    return len(campaign_columns(result).number)


@CAMPAIGNS.of_run("campaigns", source="ours", summary=False, describes=True)
def served_campaigns(result: Result) -> int:
    """Campaigns of which all jobs were served."""
    return _of(result, Outcome.SERVED)


@CAMPAIGNS.of_run("campaigns", source="ours", summary=False, describes=True)
def abandoned_campaigns(result: Result) -> int:
    """Campaigns of which a job was given up by its user, or that were never submitted (balked, renounced)."""
    return _of(result, Outcome.ABANDONED)


@CAMPAIGNS.of_run("campaigns", source="ours", summary=False, describes=True)
def unfinished_campaigns(result: Result) -> int:
    """Campaigns of which a job waits or runs at the horizon, and none was given up."""
    return _of(result, Outcome.UNFINISHED)


def _of(result: Result, outcome: Outcome) -> int:
    return int((response_times(result).outcome == outcome).sum())
