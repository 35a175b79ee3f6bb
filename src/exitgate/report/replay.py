"""Decisions made again beside those on record, as people and programs read them."""

from __future__ import annotations

from exitgate.report.past import decision_of
from exitgate.report.safe import safe
from exitgate.report.style import Style
from exitgate.report.summary import verdict_text
from exitgate.report.width import wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Plain = Mapping[str, object]

#: What an answer consists of for a program that acts on it.
ANSWER = ("verdict", "class", "outcome")


class Counted:
    """
    How a replay came out.

    Args:
        same: Decisions that came out as recorded.
        different: The others, see `difference_json`.
        told: Remarks on damaged lines.
    """

    __slots__ = ("different", "same", "told")

    def __init__(self, same: int, different: Sequence[Plain], told: Sequence[str]) -> None:
        self.same = same
        self.different = tuple(different)
        self.told = tuple(told)


def answer_text(decision: Plain) -> str:
    """Return ``EXIT stuck · stagnation``."""
    exit_class = decision.get("class")
    verdict = verdict_text(str(decision.get("verdict")), exit_class if isinstance(exit_class, str) else None)
    return f"{verdict} · {decision.get('outcome')}"


def difference_json(line: Plain, decision: Plain | None, why: str) -> dict[str, object]:
    """
    Return one difference as plain values.

    Args:
        line: The ledger's line.
        decision: As it came out now, or None where it could not be made.
        why: The first place at which they differ, or why it could not be made.
    """
    recorded = decision_of(line)
    return {
        "sequence": line.get("sequence"),
        "run": line.get("run"),
        "iteration": line.get("iteration"),
        "recorded": {key: recorded.get(key) for key in ANSWER},
        "now": None if decision is None else {key: decision.get(key) for key in ANSWER},
        "difference": why,
    }


def replay_text(counted: Counted, style: Style) -> str:
    """Return the differences, a paragraph each, and the counts as the last line."""
    lines: list[str] = []
    for one in counted.different:
        lines += _difference(one, style)
    glyph = style.paint("error", "✗") if counted.different else style.paint("true", "●")
    return "\n".join([*lines, f"{glyph} {counted.same} reproduced, {len(counted.different)} differ"]) + "\n"


def replay_json(counted: Counted) -> dict[str, object]:
    """Return counts and differences as plain values."""
    return {
        "reproduced": counted.same,
        "differ": len(counted.different),
        "differences": list(counted.different),
        "warnings": list(counted.told),
    }


def _difference(one: Plain, style: Style) -> list[str]:
    recorded, now = one["recorded"], one["now"]
    assert isinstance(recorded, dict)
    head = f"✗ {one['sequence']} {one['run']} iteration {one['iteration']}: "
    if isinstance(now, dict) and now != recorded:
        said = f"was {answer_text(recorded)}, now {answer_text(now)}"
    elif now is None:
        said = f"was {answer_text(recorded)}, cannot be reproduced: {one['difference']}"
    else:
        said = f"{answer_text(recorded)}, but {one['difference']}"
    first, *rest = wrap(safe(said), style.width, safe(head), "    ")
    return [style.paint("error", "✗") + first[1:], *rest]
