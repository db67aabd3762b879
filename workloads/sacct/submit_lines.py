"""What a site's users asked of time on the command line: the options of sbatch, salloc and srun in SubmitLine.

Options are those before the name of the script, since all that follows is the script's own. What stands in the script
itself (``#SBATCH``) is not in SubmitLine. Source: Slurm's manual of sbatch.
"""

import shlex
from dataclasses import dataclass

FLAGS = frozenset({
    "--bell", "--contiguous", "--disable-stdin-handling", "--exclusive", "--help", "--hold", "--ignore-pbs",
    "--immediate", "--label", "--multi-prog", "--no-allocate", "--no-bell", "--no-kill", "--no-requeue", "--no-shell",
    "--overcommit", "--oversubscribe", "--parsable", "--preserve-env", "--pty", "--quiet", "--reboot", "--requeue",
    "--spread-job", "--test-only", "--unbuffered", "--usage", "--use-min-nodes", "--verbose", "--version", "--wait",
    "-E", "-H", "-I", "-O", "-Q", "-V", "-W", "-X", "-Z", "-h", "-k", "-l", "-s", "-u", "-v",
})  # fmt: skip
"""Options without a value of their own; all others have one."""
ASKED = {
    "--dependency": "dependency", "-d": "dependency", "--begin": "begin", "-b": "begin", "--array": "array",
    "-a": "array", "--hold": "hold", "-H": "hold",
}  # fmt: skip
PROGRAMS = ("sbatch", "salloc", "srun")


@dataclass(slots=True)
class Asked:
    """The values of the options, empty if they were not given."""

    dependency: str = ""
    begin: str = ""
    array: str = ""
    hold: bool = False


def asked(line: str) -> Asked:
    """What a submit line asks; ``ValueError`` if its quotes do not match."""
    found, words = Asked(), shlex.split(line)
    if words and words[0].rsplit("/", 1)[-1] in PROGRAMS:
        words = words[1:]
    while words and words[0].startswith("-") and words[0] not in ("-", "--"):
        word = words.pop(0)
        name, equals, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
        if name not in FLAGS and not equals and words:
            value = words.pop(0)
        if ASKED.get(name) == "hold":
            found.hold = True
        elif name in ASKED:
            setattr(found, ASKED[name], value)
    return found
