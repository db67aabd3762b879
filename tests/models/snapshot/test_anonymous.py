"""A snapshot without names says the same of the machine."""

from pathlib import Path

import thinktime as tt
from tests.models.snapshot import made_up
from thinktime.models.snapshot.anonymous import anonymize
from thinktime.models.snapshot.reading import read_snapshot


def test_the_rest_is_the_same(tmp_path: Path) -> None:
    """Who runs, who waits and for what, priorities, and every start afterwards."""
    named = read_snapshot(made_up.write(tmp_path / "named"))
    folder = made_up.write(tmp_path / "other")
    key = list(anonymize(folder).rows())
    other = read_snapshot(folder)
    starts = [tt.run(tt.MachineSpec(begin=each.state)).jobs["start"] for each in (named, other)]
    assert starts[0].equals(starts[1])
    assert other.differences == named.differences and other.report.of("read") == named.report.of("read")
    stands = {name: number for kind, number, name in key if kind in ("user", "job", "account")}
    assert [each.user for each in other.jobs] == [stands[each.user] for each in named.jobs]
    assert [each.name for each in other.jobs] == [stands[each.name] for each in named.jobs]


def test_a_name_has_one_number_and_root_keeps_its_own(tmp_path: Path) -> None:
    """In all files; what stands for different names differs."""
    folder = made_up.write(tmp_path / "other")
    key = list(anonymize(folder).rows())
    assert len({(kind, number) for kind, number, _ in key}) == len({(kind, name) for kind, _, name in key}) == len(key)
    assert "root" not in {name for _, _, name in key}
    assert "|root|root|" in (folder / "assoc.psv").read_text().replace(" ", "")
