"""`confidence.log`: the confidence of each iteration and what it rests on, a line each."""

from __future__ import annotations

from exitgate.gate.views.fields import decided, decision_in, entry_in, instant_of, value_in
from exitgate.model.quick_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Line = Mapping[str, object]

FILE = "confidence.log"

#: Where the note of a piece of evidence is in a line of the ledger.
_NOTE = 6


def confidence_log(lines: Sequence[Line], fields: Mapping[str, str], parameters: Mapping[str, object]) -> str:
    """
    Return the text of the view: at most 50 lines, oldest first.

    Args:
        lines: The newest lines of the name since its last reset, oldest first, at most 50 decisions.
        fields: `confidence` names the fact.
        parameters: Effective values by name.
    """
    fact = fields.get("confidence")
    return "".join(_line(line, fact, parameters) + "\n" for line in decided(lines))


def _line(line: Line, fact: str | None, parameters: Mapping[str, object]) -> str:
    decision = decision_in(line)
    value = value_in(line, fact, parameters)
    # Quoted as JSON in ASCII: no text from a response can end the line or move a terminal's cursor.
    return " ".join(
        (
            instant_of(line),
            f"run={dumps(line.get('run'))}",
            f"iteration={line.get('iteration')}",
            f"confidence={'unknown' if value is None else dumps(value)}",
            f"decision={decision.get('verdict')}",
            f"outcome={dumps(decision.get('outcome'))}",
            f"reasons={dumps(_reasons(line, fact))}",
        )
    )


def _reasons(line: Line, fact: str | None) -> list[str]:
    """Return what the value rests on: its note, the notes of its evidence, or why it is unknown."""
    if fact is None:
        return []
    entry = entry_in(line, fact)
    evidence = entry.get("e")
    pieces = evidence if isinstance(evidence, list) else []
    notes = [piece[_NOTE] for piece in pieces if isinstance(piece, list) and len(piece) > _NOTE]
    return [str(note) for note in (entry.get("n"), entry.get("u"), *notes) if note]
