"""The bash file as it is printed: its text with the program and the policy to ask put in."""

from __future__ import annotations

import os

from exitgate.core.model.value import Value
from exitgate.core.system.python import bare, places
from exitgate.hosts.shim.files import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import Json


FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shim.bash")


def shim(policy: str | None) -> str:
    """
    Return the bash file.

    A variable EXITGATE names another program to start for a step. Without it the interpreter that
    prints is started itself, as it costs a tenth less than the script that pip writes; once that is
    gone, no matter what `exitgate` is on the PATH.

    Args:
        policy: Shipped name or path; None leaves it to the project's settings.
    """
    with open(FILE, encoding="utf-8") as file:
        text = file.read()
    program = " ".join(quoted(word) for word in bare("exitgate.cli.start", "main", _paths()))
    return text.replace("@POLICY@", quoted(policy or "")).replace("@PROGRAM@", program)


def quoted(text: str) -> str:
    """Return a text as one word of the shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def _paths() -> list[str]:
    """Return where this program and what it needs are imported from, beside Python's own library."""
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    library = os.path.dirname(os.__file__)
    others = [path for path in places() if os.path.basename(path) in ("site-packages", "dist-packages")]
    return list(dict.fromkeys(path for path in (own, *others) if path != library))


# The functions as they are printed: their text with the program and the policy to ask put in.

FOLDER = os.path.dirname(os.path.abspath(__file__))
#: Project -> the policy that is asked where none is named.
POLICIES = {"bb3": "bb3", "doyaken": "doyaken"}


def bash_functions(project: str, policy: str | None) -> str:
    """
    Return the bash file of a project.

    A variable EXITGATE names another program than the `exitgate` on the PATH.

    Args:
        project: `bb3` or `doyaken`.
        policy: Shipped name or path; None for the project's own scheme.
    """
    with open(os.path.join(FOLDER, f"{project}.bash"), encoding="utf-8") as file:
        return file.read().replace("@POLICY@", quoted(policy or POLICIES[project]))


# What the shell reads: lines `key=value` for its functions, then the very texts of the state files.
#
# While the three files hold what is here, no other process has written them and the answer counts; the
# shell compares them itself, without a process.

HEAD = "exitgate shim 1"
END = "---"
#: Characters of a text for people.
SHOWN = 300


class StateTexts(Value):
    """
    The texts of the state files, each None if the file is missing.

    Args:
        signals: `.exit_signals`.
        breaker: `.circuit_breaker_state`.
        analysis: `.response_analysis`.
    """

    __slots__ = ("analysis", "breaker", "signals")

    def __init__(self, signals: str | None, breaker: str | None, analysis: str | None) -> None:
        self.signals = signals
        self.breaker = breaker
        self.analysis = analysis

    def parts(self) -> tuple[str, str, str]:
        """Return the texts in their order, a missing file as the empty text."""
        return self.signals or "", self.breaker or "", self.analysis or ""


def answer_text(values: Mapping[str, Json], written: StateTexts) -> str:
    """Return the answer; values become one line each."""
    sizes = " ".join(str(len(part)) for part in written.parts())
    lines = [f"{key}={_plain(value)}" for key, value in {**values, "sizes": sizes}.items()]
    return "\n".join([HEAD, *lines, END, "".join(written.parts())])


def read_answer(path: str) -> tuple[dict[str, str], StateTexts] | None:
    """Return the values and texts of an answer, None where there is none or it is not whole."""
    found = text_of(path)
    if found is None or not found.startswith(f"{HEAD}\n"):
        return None
    head, end, rest = found.partition(f"\n{END}\n")
    values = dict(line.partition("=")[::2] for line in head.splitlines()[1:])
    sizes = values.get("sizes", "").split()
    if not end or len(sizes) != 3 or not all(size.isdigit() for size in sizes):
        return None
    first, second, third = (int(size) for size in sizes)
    if len(rest) != first + second + third:
        return None
    parts = rest[:first], rest[first : first + second], rest[first + second :]
    signals, breaker, analysis = (part or None for part in parts)
    return values, StateTexts(signals, breaker, analysis)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join("".join(c if c.isprintable() else " " for c in str(value)).split())[:SHOWN]
