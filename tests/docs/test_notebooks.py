"""The notebooks of docs/tutorials run from top to bottom, and what their text concludes is so."""

import ast
from pathlib import Path
from typing import Any

from tools.docs.notebooks import TUTORIALS, cells, notebooks

Names = dict[str, Any]


class Opened:
    """A notebook whose cells have run: its text, and the names that they have made."""

    def __init__(self, name: str) -> None:
        page = TUTORIALS / f"{name}.md"
        texts, codes = cells(page)
        self.text = " ".join(" ".join(texts).split())
        self.names: Names = {"__name__": "__main__"}
        for code in codes:
            _show(_run(code, page, self.names))

    def wrong(self, claims: dict[str, bool]) -> list[str]:
        """The claims that are not in the text, and those that are not true."""
        return [claim for claim, so in claims.items() if claim not in self.text or not so]


def _run(code: str, page: Path, names: Names) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    tree = ast.parse(code)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(page), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(page), "eval"), names) if isinstance(last, ast.Expr) else None


def _show(value: Any) -> None:
    """What Jupyter does with it."""
    for form in ("_repr_png_", "_repr_html_"):
        if hasattr(value, form):
            assert getattr(value, form)()
            return


def test_there_are_three() -> None:
    """The notebooks are those that these tests are about."""
    assert [page.stem for page in notebooks()] == ["first-model", "your-log", "your-policy"]


def test_first_model() -> None:
    """Twice as many jobs with the shortest first, the modellers pay, and it is no luck."""
    page = Opened("first-model")
    table, hours, finished = (page.names[name] for name in ("compared", "hours", "finished"))
    short, easy, fcfs = (table.loc[name] for name in ("shortest first", "easy", "fcfs"))
    testers, modellers = hours[hours.index.str.startswith("tester")], hours[hours.index.str.startswith("modeller")]
    done = {name: page.names["results"][name].users["finished"] for name in table.index}
    long_jobs = {name: done[name][page.names["MODELLERS"]].sum() for name in done}
    claims = {
        "The machine is about as busy under each of the three": table["utilization"].max() - table["utilization"].min()
        < 0.02,
        "about twice as many jobs are done with the shortest first": 1.8 < short["finished"] / easy["finished"] < 2.5
        and 1.8 < short["finished"] / fcfs["finished"] < 2.5,
        "Every tester gets campaigns back in about half the time or less": bool(
            (testers["shortest first"] < 0.5 * testers[["fcfs", "easy"]].min(axis=1)).all()
        ),
        "every modeller waits longer than under EASY": bool((modellers["shortest first"] > modellers["easy"]).all()),
        "the long jobs are fewer": long_jobs["shortest first"] < min(long_jobs["easy"], long_jobs["fcfs"]),
        "With each seed, the shortest first gets the most jobs done, by far": bool(
            (finished["shortest first"] > 1.5 * finished[["fcfs", "easy"]].max(axis=1)).all()
        ),
        "The difference between FCFS and EASY is small beside it": bool(
            ((finished["easy"] - finished["fcfs"]).abs() < 0.2 * (finished["shortest first"] - finished["easy"])).all()
        ),
    }
    assert page.wrong(claims) == []


def test_your_log() -> None:
    """The users of the made-up log react, and the open loop promises more of EASY than feedback does."""
    page = Opened("your-log")
    jump, modes, waits, gain = (page.names[name] for name in ("jump", "modes", "waits", "gain"))
    log, processors = page.names["log"], page.names["PROCESSORS"]
    assert log.processors.max() <= processors, "every job can run"
    jobs = {mode: modes.mean(mode, "fcfs", "throughput_per_day") for mode in ("open", "feedback")}
    weekend = (log.submit // 86400 % 7 > 4).mean()
    claims = {
        "20 office users for two weeks on 64 processors": len(set(log.user)) == 20 and log.machine_size == 64,
        "These users work on weekdays": weekend < 0.01,
        "nearly always wait for their jobs": jump.value > 0.95,
        "jobs wait for more than half a day on average, feedback for less than two hours": waits["open", "fcfs"] > 12
        and waits["feedback", "fcfs"] < 2,
        "fewer jobs are done in a day": jobs["feedback"] < 0.85 * jobs["open"],
        "Both modes agree that EASY is better than FCFS": min(gain.values()) > 0,
        "the open loop promises several times the gain": gain["open"] > 5 * gain["feedback"],
    }
    assert page.wrong(claims) == []


def test_your_policy() -> None:
    """The first policy lets wide jobs wait, the mended one halves the longest wait, and reactions shrink the gain."""
    page = Opened("your-policy")
    table, modes, results = (page.names[name] for name in ("table", "modes", "results"))
    log, processors = page.names["log"], page.names["PROCESSORS"]
    assert log.processors.max() <= processors, "every job can run"
    first, mended, easy = (table.loc[name] for name in ("mine", "mended", "easy"))
    ten = table.drop("mended")["mean_bounded_slowdown_10"].rank()
    longest = table.drop("mended")["max_wait"].rank(ascending=False)
    wide = {name: result["processors"] > 8 for name, result in results.items()}
    waits = {
        name: (results[name]["start"] - results[name]["submit"])[wide[name]].mean() for name in ("mine", "easy, sjf")
    }
    ratio = {mode: modes.mean(mode, "easy") / modes.mean(mode, "mended") for mode in ("open", "feedback")}
    claims = {
        "these lines come fourth of ten": ten["mine"] == 4 and len(ten) == 10,
        "before EASY and conservative backfilling in the order of arrival": ten["mine"]
        < min(ten["easy"], ten["conservative"]),
        "only one of the others lets a job wait longer": longest["mine"] == 2,
        "under EASY the longest wait is half of it": easy["max_wait"] < 0.55 * first["max_wait"],
        "Wide jobs wait": waits["mine"] > 1.2 * waits["easy, sjf"],
        "The longest wait is about half of what it was, and the slowdown is lower": 0.45
        < mended["max_wait"] / first["max_wait"]
        < 0.55
        and mended["mean_bounded_slowdown_10"] < 0.8 * first["mean_bounded_slowdown_10"],
        "The mean wait is a little longer": 1 < mended["mean_wait"] / first["mean_wait"] < 1.05,
        "In the open loop EASY has more than twice the slowdown of the mended policy": ratio["open"] > 2,
        "with users who react less than one and a half times as much": 1 < ratio["feedback"] < 1.5,
        "both differences are in doubt": {modes.verdict(mode, "easy", "mended") for mode in ratio} == {"in doubt"},
    }
    assert page.wrong(claims) == []
