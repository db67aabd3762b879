"""A model one of whose runs tells its process number, and then waits for a line that never comes.

Named pipes do the telling and the waiting, so nothing sleeps, and whoever waits, waits a minute at most. The
second time, the run does not wait. The model's folder has the pipes `told` and `go`.
"""

import os
import select
from pathlib import Path

MINUTE = 60.0

MODEL = """
import os, select
from pathlib import Path

HERE = Path(__file__).parent
OPEN = []

def simulate(policy, seed):
    if seed == 5:
        wait_once()
    return {"wait": seed / 7}

def wait_once():
    try:
        (HERE / "once").touch(exist_ok=False)
    except FileExistsError:
        return
    told = os.open(HERE / "told", os.O_WRONLY)
    OPEN.append(told)  # it stays open for as long as this process lives
    os.write(told, f"{os.getpid()}\\n".encode())
    go = os.open(HERE / "go", os.O_RDONLY | os.O_NONBLOCK)
    select.select([go], [], [], 60)
    raise TimeoutError("nobody ended this process")
"""

SCENARIO = """
policies = ["fcfs"]
metrics = ["wait"]
replications = 12
model.function = "model.py:simulate"
"""


def lay_out(folder: Path) -> tuple[Path, int]:
    """Write the model, its scenario and its pipes; give the scenario's path and the pipe to listen to."""
    (folder / "model.py").write_text(MODEL)
    (folder / "waiting.toml").write_text(SCENARIO)
    for name in ("told", "go"):
        os.mkfifo(folder / name)
    return folder / "waiting.toml", os.open(folder / "told", os.O_RDONLY | os.O_NONBLOCK)


def heard(pipe: int) -> str:
    """What comes next through a pipe; nothing when everybody who could write has gone."""
    ready, _, _ = select.select([pipe], [], [], MINUTE)
    assert ready, "nothing was said for a minute"
    return os.read(pipe, 100).decode()
