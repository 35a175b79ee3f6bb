"""
What the shell reads: lines `key=value` for its functions, then the very texts of the state files.

While the three files hold what is here, no other process has written them and the answer counts; the
shell compares them itself, without a process.
"""

from __future__ import annotations

from exitgate.hosts.ralph.files import text_of
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD = "exitgate shim 1"
END = "---"
#: Characters of a text for people.
SHOWN = 300


class Written(Value):
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


def text(values: Mapping[str, object], written: Written) -> str:
    """Return the answer; values become one line each."""
    sizes = " ".join(str(len(part)) for part in written.parts())
    lines = [f"{key}={_plain(value)}" for key, value in {**values, "sizes": sizes}.items()]
    return "\n".join([HEAD, *lines, END, "".join(written.parts())])


def read(path: str) -> tuple[dict[str, str], Written] | None:
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
    return values, Written(signals, breaker, analysis)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join("".join(c if c.isprintable() else " " for c in str(value)).split())[:SHOWN]
