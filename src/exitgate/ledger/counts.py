"""How many decisions were made under a name since it was last reset: carried from line to line."""

from __future__ import annotations

from exitgate.model.verdict import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYS = ("decisions", "continue", "exit")


def counts_in(line: Mapping[str, object] | None) -> dict[str, int]:
    """Return the counts a line carries: `decisions`, `continue` and `exit`, each from 0."""
    found = line.get("counts") if line is not None else None
    known: Mapping[str, object] = found if isinstance(found, dict) else {}
    return {key: _count(known.get(key)) for key in _KEYS}


def counts_after(before: Mapping[str, object] | None, line: Mapping[str, object]) -> dict[str, int]:
    """
    Return the counts that `line` is to carry.

    Args:
        before: The newest line of any run of the same name, or None.
        line: The new one; of kind `decision` it counts, of kind `reset` all begins again.
    """
    counts = counts_in(before if line.get("kind") != "reset" else None)
    decision = line.get("decision")
    if line.get("kind") == "decision" and isinstance(decision, dict):
        counts["decisions"] += 1
        counts["exit" if decision.get("verdict") == EXIT else "continue"] += 1
    return counts


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
