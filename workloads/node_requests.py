"""Requests to a machine of nodes: chunks, in the syntax of the PBS family of batch systems.

    2:ppn=12:mem=4gb:gpus=1:infiniband:^old + 1:ppn=1 #excl

requests two chunks of 12 processors, 4 GB and a GPU each, on nodes with the property ``infiniband`` and without
``old``, and one chunk of a single processor. ``+`` joins kinds of chunks. Each chunk gets its own node. With
``#excl`` the job does not share its nodes with others; with ``#pack`` its chunks may share nodes. Amounts of memory
are in bytes, or have a unit (b, kb, mb, gb, tb: powers of 1024). A word without an amount is a property.

A plain number of processors means that many packed chunks of one processor.
"""

import re
from dataclasses import dataclass, replace

from thinktime.workloads.names import quoted
from thinktime.workloads.nodes import MEMORY, PROCESSORS

UNITS = {"": 1, "b": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30, "tb": 2**40}
NAMES = {"ppn": PROCESSORS, "mem": MEMORY, "pmem": "pmem"}
PROPERTY_LIKE = ("host",)  # words with an equals sign that are properties


@dataclass(frozen=True, slots=True)
class Chunk:
    """``count`` equal chunks, each on one node: amounts of resources, and properties of the node."""

    count: int
    resources: tuple[tuple[str, int], ...]
    properties: tuple[str, ...] = ()

    @property
    def processors(self) -> int:
        """Processors of one chunk."""
        return dict(self.resources)[PROCESSORS]

    @property
    def memory(self) -> int:
        """Bytes of one chunk; 0 for none."""
        return dict(self.resources).get(MEMORY, 0)


@dataclass(frozen=True, slots=True)
class NodeRequest:
    """All chunks of a job. ``apart``: each on its own node; ``exclusive``: no other job on these nodes.

    ``partition`` is that of the site on whose nodes the job has to be; the machine puts it there.
    """

    chunks: tuple[Chunk, ...]
    exclusive: bool = False
    apart: bool = True
    partition: str | None = None

    def __post_init__(self) -> None:
        if not self.chunks:
            raise ValueError("a request needs at least one chunk")
        for chunk in self.chunks:
            if chunk.count < 1 or dict(chunk.resources).get(PROCESSORS, 0) < 1:
                raise ValueError("a request needs at least one chunk, and each at least one processor")

    @property
    def processors(self) -> int:
        """Processors of all chunks."""
        return sum(chunk.count * chunk.processors for chunk in self.chunks)

    @property
    def memory(self) -> int:
        """Bytes of all chunks."""
        return sum(chunk.count * chunk.memory for chunk in self.chunks)

    def amount(self, resource: str) -> int:
        """The total amount of a resource."""
        return sum(chunk.count * dict(chunk.resources).get(resource, 0) for chunk in self.chunks)

    def with_memory(self, per_chunk: int = 0, per_processor: float = 0.0) -> "NodeRequest":
        """The request with memory (bytes) added to chunks without any."""
        chunks = []
        for chunk in self.chunks:
            memory = per_chunk or round(per_processor * chunk.processors)
            if chunk.memory or not memory:
                chunks.append(chunk)
            else:
                chunks.append(replace(chunk, resources=(*chunk.resources, (MEMORY, memory))))
        return replace(self, chunks=tuple(chunks))

    @classmethod
    def packed(cls, processors: int, memory: int = 0) -> "NodeRequest":
        """A request for processors anywhere, each with `memory` bytes."""
        return cls((Chunk(processors, _amounts({PROCESSORS: 1, MEMORY: memory})),), apart=False)

    @classmethod
    def parse(cls, text: str, ppn: int = 1) -> "NodeRequest":
        """Parse a request; ``ppn`` is the default number of processors per chunk."""
        body, *flags = re.sub(r"\s+", "", text).split("#")
        for flag in flags:
            if flag not in ("excl", "pack", ""):
                raise ValueError(f"request {quoted(text)}: {quoted('#' + flag)} is neither '#excl' nor '#pack'")
        try:
            chunks = tuple(_chunk(part, ppn) for part in body.split("+"))
            return cls(chunks, "excl" in flags, "pack" not in flags)
        except ValueError as error:
            raise ValueError(f"request {quoted(text)}: {error}") from None

    def __str__(self) -> str:
        parts = [_text(chunk) for chunk in self.chunks]
        flags = ("#excl" if self.exclusive else "") + ("" if self.apart else "#pack")
        return "+".join(parts) + flags + (f" in partition {self.partition}" if self.partition else "")


def _chunk(text: str, ppn: int) -> Chunk:
    first, *words = text.split(":")
    if re.fullmatch(r"\d+", first, re.ASCII):
        count = int(first)
    elif first:
        count, words = 1, [first, *words]  # a node's name instead of a number of nodes
    else:
        raise ValueError("a chunk begins with the number of nodes")
    amounts, properties = {PROCESSORS: ppn}, []
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or name in PROPERTY_LIKE:
            if word:
                properties.append(word)
        else:
            amounts[NAMES.get(name, name)] = amount(name, value)
    if "pmem" in amounts:
        amounts[MEMORY] = amounts.pop("pmem") * amounts[PROCESSORS]
    return Chunk(count, _amounts(amounts), tuple(properties))


def amount(name: str, text: str) -> int:
    """Parse an amount with an optional unit of memory; fractions of a processor are dropped, as the sites do."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([a-z]*)", text.lower(), re.ASCII)
    if not found or found[2] not in UNITS:
        raise ValueError(
            f"{quoted(f'{name}={text}')} is not an amount: it must be a whole number, for memory with b, kb, mb, gb "
            "or tb"
        )
    number = found[1]
    return int(number) * UNITS[found[2]] if number.isdigit() else int(float(number) * UNITS[found[2]])


def _amounts(amounts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple((name, amount) for name, amount in amounts.items() if amount or name == PROCESSORS)


def _text(chunk: Chunk) -> str:
    short = {PROCESSORS: "ppn", MEMORY: "mem"}
    amounts = [f"{short.get(name, name)}={amount}" for name, amount in chunk.resources]
    return ":".join([str(chunk.count), *amounts, *chunk.properties])
