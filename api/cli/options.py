"""Options that several commands have, each declared once."""

from typing import Annotated

import typer

from thinktime.cli.inputs import DELIMITATION_HELP, DELIMITATIONS, ESTIMATES_HELP
from thinktime.cli.policy_runs import DEFAULT_POLICIES

OVERRUNS = ("kill", "extend", "until_needed")

Processors = Annotated[
    str | None, typer.Option(metavar="N", help="Size of the machine.", show_default="from the log's header")
]
Machines = Annotated[str | None, typer.Option(metavar="FILE", help="The nodes, in Alea's .machines format.")]
Policies = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SPEC",
        help="RULE[:key=value,…] or FILE.py:NAME; repeat it to compare. See 'thinktime policies'.",
        show_default=", ".join(DEFAULT_POLICIES),
    ),
]
Overrun = Annotated[
    str, typer.Option(metavar="|".join(OVERRUNS), help="What happens to a job that outlives its estimate.")
]
Since = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="T", help="Only jobs submitted at T (s, or a date in the log's zone) or later."
    ),
]
Until = Annotated[str | None, typer.Option("--to", metavar="T", help="Only jobs submitted before T.")]
Estimates = Annotated[str, typer.Option(metavar="KIND", help=ESTIMATES_HELP)]
Delimitation = Annotated[str, typer.Option(metavar="|".join(DELIMITATIONS), help=DELIMITATION_HELP)]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        min=0,
        help="The gap that ends a session (s).",
        show_default="3600 with arrival, else 1200",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Do not show progress.")]
