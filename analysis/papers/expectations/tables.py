"""What the expectations study leaves behind as tables, and as plain values: every variant, every finding under each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thinktime.analysis.papers.expectations.findings import by_variant, shown
from thinktime.analysis.papers.expectations.study import Study

if TYPE_CHECKING:
    import pandas as pd


def sensitivity(study: Study) -> pd.DataFrame:
    """One row per variant and policy: offered load (a part of 1), jobs too large, violated EETs and quartile (%)."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "changed": variant.changed,
                "load": variant.load,
                "too_large": variant.dropped,
                "policy": policy,
                "violated_percent": variant.violated(policy),
                "veet_upper_quartile": variant.upper_quartile(policy),
                "in_use": variant.in_use[policy],
            }
            for variant in shown(study)
            for policy in variant.expectations
        ]
    )


def verdicts(study: Study) -> pd.DataFrame:
    """One row per variant and finding."""
    import pandas as pd

    return pd.DataFrame(
        {
            "changed": changed,
            "finding": each.says,
            "seen_if": each.criterion,
            "ours": each.ours,
            "verdict": each.verdict,
        }
        for changed, found in by_variant(shown(study)).items()
        for each in found
    )


def as_objects(study: Study) -> list[dict[str, Any]]:
    """Each variant with its numbers by policy and its verdicts by finding, for JSON."""
    found = by_variant(shown(study))
    return [
        {
            "changed": variant.changed,
            "load": variant.load,
            "too_large": variant.dropped,
            "violated_percent": {policy: variant.violated(policy) for policy in variant.expectations},
            "veet_upper_quartile": {
                policy: variant.upper_quartile(policy) for policy in variant.expectations
            },
            "findings": [
                {"finding": each.says, "seen_if": each.criterion, "ours": each.ours, "verdict": each.verdict}
                for each in found[variant.changed]
            ],
        }
        for variant in shown(study)
    ]
