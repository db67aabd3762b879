"""One module to C, and C to an object: what runs in the processes that build the engine.

Started by `building`; each line of the standard input is a `Job` as JSON, and each line of the standard output says
what went wrong, or nothing.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from tools.engine.hints import hints

DIRECTIVES = {
    "language_level": 3, "infer_types": True, "annotation_typing": False, "boundscheck": False, "wraparound": False,
    "initializedcheck": False, "cdivision": False, "cpow": True, "auto_pickle": False,
}  # fmt: skip
"""How Cython reads our modules; every one of them means what Python says it means.

Structures say how they are copied; the code for Cython's own way, which nothing used, was a third of the largest.
"""


MOST_DIMENSIONS = 3
"""One more than arrays have. A memoryview is passed by value, and has three numbers for each that it might have."""


@dataclass(frozen=True)
class Job:
    """What a worker does at a time."""

    name: str
    """The module's name."""
    source: str
    """Its file; without one, the job is the shared utility code."""
    c_file: str
    object_file: str
    shared: str
    """The module of the utility code that all share."""
    command: list[str]
    """The C compiler with its flags."""
    directives: dict[str, Any] = field(default_factory=dict)
    hints: str = ""
    """Where to write the hints on the module, if they are wanted."""
    common: str = ""
    """The module whose declarations it needs, as most do; none if it is itself one of those that they rest on."""

    def as_line(self) -> str:
        """For the standard input of a worker."""
        return json.dumps(asdict(self)) + "\n"


def _cython(name: str) -> Any:
    """A module of the compiler, whose types are of no help."""
    return importlib.import_module(f"Cython.Compiler.{name}")


def options_of(job: Job) -> Any:
    """What Cython is told."""
    _cython("Options").buffer_max_dims = MOST_DIMENSIONS
    main = _cython("Main")
    options = main.CompilationOptions(
        main.default_options, compiler_directives=DIRECTIVES | job.directives, annotate=bool(job.hints)
    )
    if job.source:
        options.shared_utility_qualified_name = job.shared
        options.output_file = job.c_file
        options.include_path = ["."]
    return options


def read_common(job: Job) -> Any:
    """What Cython knows once it has read the common declarations, or nothing, if they have errors.

    One module's C file is the same with it and without, if Cython knows nothing of other modules: a process of its own
    must make each. Reading took half of Cython's time.
    """
    context, errors = _cython("Main").Context.from_options(options_of(job)), _cython("Errors")
    errors.reset()
    wrong = errors.hold_errors()
    try:
        context.find_module(job.common)
    except Exception as error:  # those of Cython's own, too: the modules will tell
        wrong.append(error)
    errors.release_errors(ignore=True)
    return None if wrong else context


def to_c(job: Job, context: Any = None) -> str:
    """Write the C file of a job, and return what Cython says against it; `context` is what Cython has read already."""
    main, options = _cython("Main"), options_of(job)
    if context is not None:
        context.options = options
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            if job.source:
                errors = main.compile_single(job.source, options, job.name, context=context).num_errors
            else:
                shared: Any = importlib.import_module("Cython.Build.SharedModule")
                options.shared_c_file_path, options.module_name = job.c_file, job.name
                errors = shared.generate_shared_module(options)[0]
        except (OSError, main.PyrexError) as error:
            errors = error
    if errors:
        return f"{said.getvalue()}{errors}"
    if job.hints and job.source:
        source, page = Path(job.source), Path(job.c_file).with_suffix(".html")
        texts = [each.read_text(encoding="utf-8") for each in (source, source.with_suffix(".pxd"), page)]
        found = hints(texts[0], job.source, texts[1], texts[2], said.getvalue())
        Path(job.hints).write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
        page.unlink()
    return ""


def to_object(job: Job) -> str:
    """Compile the C file of a job, and return what the compiler says against it."""
    done = subprocess.run(
        [*job.command, "-c", job.c_file, "-o", job.object_file], capture_output=True, text=True, errors="replace"
    )
    return done.stderr or f"exit status {done.returncode}" if done.returncode else ""


def done(job: Job, context: Any) -> str:
    """Do a job; return what went wrong, or nothing."""
    try:
        return to_c(job, context) or to_object(job)
    except Exception as error:  # an error of Cython's own, too, must not end the build without a word
        return f"{type(error).__name__}: {error}"


def serve(jobs: TextIO, answers: TextIO) -> None:
    """Do what is asked, until nothing more is."""
    context = None
    gc.disable()  # each process is soon over
    sys.modules["pygments"] = None  # type: ignore[assignment]  # nobody looks at the pages that it would colour
    for line in jobs:
        job = Job(**json.loads(line))
        if job.common and context is None:
            context = read_common(job)
        child = os.fork()
        if not child:
            answers.write(json.dumps(done(job, context if job.common else None)) + "\n")
            answers.flush()
            os._exit(0)
        if status := os.waitpid(child, 0)[1]:
            answers.write(json.dumps(f"the process that compiled it has died (status {status})") + "\n")
            answers.flush()


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(sys.stdin, answers)
