"""The study of logs over the years, on a real one."""

import pytest

from thinktime.analysis.studies.logs.runs import Run, parts
from thinktime.analysis.studies.logs.study import LogsStudy, read

pytestmark = pytest.mark.compiled


def test_what_is_kept_of_kth_is_what_the_study_measures(log):
    """Jump, clock, wait and self-test of its first year, with their intervals."""
    kept = read().rows["KTH-SP2-1996-2.1-cln", 1996]
    found = Run(parts(log("KTH"))[1996], LogsStudy(kept=True).seed).perform()
    assert found.years == kept.years == (1996, 1996) and found.trust == kept.trust
    for name in ("jump", "over_placebo", "clock_gain", "wait_gain", "self_test", "withdrawn_share"):
        assert getattr(found, name) == pytest.approx(getattr(kept, name), abs=1e-6), name
