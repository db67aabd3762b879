"""Node resources besides processors and memory, from Slurm's trackable resources (ReqTRES).

``gres/NAME`` and ``gres/NAME:TYPE`` are node resources and become amounts of NAME (``gres/gpu`` becomes ``gpus``, as
in machines of nodes). Slurm lists a typed resource twice, with and without its type, so the entry without type is
used if there is one. If all GPUs of a job have the same type, it becomes a property that the nodes must have.
``cpu``, ``mem`` and ``node`` are read elsewhere, and ``billing`` is not a resource. Anything else (licences, burst
buffers) is not a node resource.

Source of the names: the manual of sacct and https://slurm.schedmd.com/tres.html.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby

from thinktime.workloads.node_requests import Chunk, NodeRequest
from thinktime.workloads.nodes import MEMORY, PROCESSORS
from thinktime.workloads.sacct.values import count

TOLD_ELSEWHERE = frozenset({"cpu", "mem", "node", "billing"})
NAMES = {"gpu": "gpus"}


@dataclass(frozen=True, slots=True)
class Wants:
    """The resources that a job requests of all its nodes together."""

    amounts: Mapping[str, int] = field(default_factory=dict)
    """By the resource names of machines of nodes."""
    properties: tuple[str, ...] = ()
    """Required of each node: the type of the GPUs."""
    elsewhere: tuple[str, ...] = ()
    """Resources that are not of nodes, by Slurm's names."""
    mixed: tuple[str, ...] = ()
    """Types of GPUs where a job wants several, of which a request for nodes cannot have each its own number."""


def wants(resources: Mapping[str, str]) -> Wants:
    """The node resources among trackable resources.

    >>> found = wants({"cpu": "8", "gres/gpu": "2", "gres/gpu:a100": "2", "license/matlab": "1"})
    >>> dict(found.amounts), found.properties, found.elsewhere
    ({'gpus': 2}, ('a100',), ('license/matlab',))
    """
    plain: dict[str, int] = {}
    typed: dict[str, dict[str, int]] = {}
    elsewhere = []
    for key, text in resources.items():
        kind, _, rest = key.partition("/")
        if kind != "gres" or not rest:
            elsewhere += [] if key in TOLD_ELSEWHERE else [key]
            continue
        name, _, type_ = rest.partition(":")
        name = NAMES.get(name, _word(name))
        amount = count(text) or 0
        if type_:
            of_name = typed.setdefault(name, {})
            of_name[_word(type_)] = of_name.get(_word(type_), 0) + amount
        else:
            plain[name] = plain.get(name, 0) + amount
    summed = {name: sum(of_name.values()) for name, of_name in typed.items()}
    amounts = {name: amount for name, amount in {**summed, **plain}.items() if amount}
    kinds = [type_ for type_, amount in typed.get("gpus", {}).items() if amount]
    one = len(kinds) == 1
    return Wants(amounts, tuple(kinds) if one else (), tuple(elsewhere), () if one else tuple(kinds))


def request(
    nodes: int,
    processors: int,
    memory: float | None,
    wanted: Wants,
    of_node: float | None = None,
    exclusive: bool = False,
) -> NodeRequest:
    """A job's request, divided among its nodes as evenly as whole numbers allow.

    ``memory`` is KB per processor; ``of_node``, if given, KB per node. Each node has at least one of the processors;
    with ``exclusive`` the job has its nodes for itself.

    >>> str(request(2, 5, 1024.0, Wants({"gpus": 3}, ("a100",))))
    '1:ppn=3:mem=3145728:gpus=2:a100+1:ppn=2:mem=2097152:gpus=1:a100'
    """
    count_of = max(1, min(nodes, processors))
    parts = {name: _shared(total, count_of) for name, total in wanted.amounts.items()}
    pieces = [(each, *(parts[name][i] for name in parts)) for i, each in enumerate(_shared(processors, count_of))]
    chunks = []
    for (ppn, *others), same in groupby(pieces):
        kilobytes = (memory or 0.0) * ppn if of_node is None else of_node
        amounts = {PROCESSORS: ppn, MEMORY: round(kilobytes) * 1024}
        amounts |= dict(zip(parts, others, strict=True))
        kept = tuple((name, amount) for name, amount in amounts.items() if amount)
        chunks.append(Chunk(len(list(same)), kept, wanted.properties))
    return NodeRequest(tuple(chunks), exclusive)


def _shared(total: int, among: int) -> list[int]:
    """Divide a whole number into nearly equal parts, the larger ones first."""
    part, rest = divmod(total, among)
    return [part + (i < rest) for i in range(among)]


def _word(text: str) -> str:
    """A name without characters that are special in a request."""
    return re.sub(r"[^\w.-]", "_", text)
