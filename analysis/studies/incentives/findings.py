"""What the study of incentives looks for, with criteria of ours where the sources give no number."""

from collections.abc import Iterator

from thinktime.analysis.studies.incentives.assumptions import carbon_per_work
from thinktime.analysis.studies.incentives.runs import MODES
from thinktime.analysis.studies.incentives.study import ARMS, Evidence
from thinktime.analysis.study import Finding, Thresholds, together

USUAL = Thresholds()


def percent(value: float, of: float) -> float:
    """The change against another value, %."""
    return 100 * (value / of - 1)


def findings(study: Evidence) -> Iterator[Finding]:
    """Demand response, rebound, carbon, what users leave of it, budgets, in this order."""
    asked = study.of("asked")
    share = max(key[1] for key in asked)
    inside = {way: asked[way, share, "open"].inside for way, each, mode in asked if mode == "open" and each == share}
    usual = study.unasked("open")
    least = min(inside, key=lambda way: inside[way])
    yield Finding(
        says="Of all ways to answer, renouncing saves most energy in the windows",
        criterion="least energy in the windows, open loop, all users",
        ours=", ".join(f"{way} {percent(value, usual.inside):+.0f} %" for way, value in inside.items()),
        seen=least == "renounce",
    )
    rebound = [asked["delay", share, mode].after / study.unasked(mode).after for mode in MODES]
    yield Finding(
        says="What is delayed comes back after the window",
        criterion="more energy after the windows with delay, open loop and users",
        ours=" and ".join(f"{100 * (each - 1):+.0f} %" for each in rebound),
        seen=together(USUAL.more(each, 1.0) for each in rebound),
    )
    held = study.of("held")
    longest = list(dict.fromkeys(key[0] for key in held if "lowest-window" in key[0]))[-1]
    saved = [-percent(carbon_per_work(held[longest, mode]), carbon_per_work(held["easy", mode])) for mode in MODES]
    waits = [held[policy, "open"].wait for policy in (longest, "easy")]
    yield Finding(
        says="Carbon is saved for waits",
        criterion="less carbon per work and longer waits under lowest-window than under EASY, open loop",
        ours=f"{saved[0]:.1f} % less, {waits[0] / 3600:.1f} and {waits[1] / 3600:.1f} h",
        seen=together([USUAL.more(saved[0], 0.0), USUAL.more(waits[0], waits[1])]),
    )
    done = held[longest, "users"].work / held["easy", "users"].work
    yield Finding(
        says="Users who wait for results get less done in the same time",
        criterion="less work by the end of the log under lowest-window than under EASY, users",
        ours=f"{100 * (done - 1):+.1f} % work, {saved[1]:.1f} % less carbon per work",
        seen=USUAL.less(done, 1.0),
    )
    budgets = study.of("budget")
    part = min(key[1] for key in budgets if key[1] > 0)
    late = [(budgets[ARMS[2], part, mode].late, budgets[ARMS[0], 0.0, mode].late) for mode in MODES]
    yield Finding(
        says="Users who save their budgets rush at the end of a period",
        criterion="a larger share of work in its last tenth than without budgets, open loop and users",
        ours=", ".join(f"{100 * saving:.0f} and {100 * usual:.0f} %" for saving, usual in late),
        seen=together(USUAL.more(saving, usual) for saving, usual in late),
    )
