"""`exit-state.json`: the last decision, the latest values, and how many decisions there were."""

from __future__ import annotations

from exitgate.core.ledger.line import OF_VALUE
from exitgate.core.ledger.runs import counts_in
from exitgate.core.model.json_object import JsonObject, array_of, object_or_none
from exitgate.core.system.quick_json import dumps
from exitgate.core.views.mapping import decided, entry_in, instant_of, value_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


#: A file that has this key may be replaced.
MARK = "last_decision"


def exit_state(
    lines: Sequence[JsonObject], fields: Mapping[str, str], parameters: Mapping[str, object]
) -> dict[str, object]:
    """
    Return the content of the view.

    Args:
        lines: The newest lines of the name since its last reset, oldest first, at most 50 decisions.
        fields: `confidence`, `completion` and `errors` name the values whose histories are kept; a
            value that was unknown is null. `stagnation` names a fact: see `stagnation_count`.
        parameters: Effective values by name.

    Counts are those the newest line carries; none without a line.
    """
    decisions = decided(lines)
    last = decisions[-1] if decisions else JsonObject()
    decision = last.object("decision")
    counts = counts_in(lines[-1] if lines else None)

    def history(field: str) -> list[object]:
        fact = fields.get(field)
        return [value_in(line, fact, parameters) for line in decisions] if fact is not None else []

    return {
        MARK: decision.get("verdict"),
        "decision_reason": decision.get("message") or decision.get("outcome"),
        "confidence_history": history("confidence"),
        "completion_history": history("completion"),
        "error_history": history("errors"),
        "stagnation_count": stagnation_count(decisions, fields.get("stagnation"), parameters),
        "total_decisions": counts["decisions"],
        "continue_count": counts["continue"],
        "exit_count": counts["exit"],
        "exit_class": decision.get("class"),
        "outcome": decision.get("outcome"),
        "run": last.get("run"),
        "iteration": last.get("iteration"),
        "updated_at": instant_of(last) or None,
    }


def stagnation_count(
    decisions: Sequence[JsonObject], fact: str | None, parameters: Mapping[str, object]
) -> int:
    """
    Return how many of the latest iterations of the last run brought nothing new, at most 49.

    A number, a text or the like brought something when it differs from the one before; a fact that
    is true or false did when it is true. An unknown one says nothing and ends the count.
    """
    if fact is None or not decisions:
        return 0
    run = decisions[-1].get("run")
    values = [value_in(line, fact, parameters) for line in decisions if line.get("run") == run]
    count = 0
    for place in range(len(values) - 1, -1, -1):
        value = values[place]
        before = values[place - 1] if place else None
        still = value is False if isinstance(value, bool) else value is not None and value == before
        if not still:
            break
        count += 1
    return count


# `exit-decisions_YYYYMMDD.log`: what the ledger holds, a JSON object a line, a file a day.

#: What ties a line of the ledger to its neighbours, and evidence, are left out.
_COPIED = ("sequence", "run", "iteration", "turn", "policy", "totals", "breaker", "reason", "retry_at")

#: The names of all days, as a pattern of git.
PATTERN = "exit-decisions_*.log"


def file_of(line: JsonObject) -> str:
    """Return the name of the file a line goes to, by its day in UTC."""
    return f"exit-decisions_{str(line.get('at', ''))[:10].replace('-', '')}.log"


def entry_of(line: JsonObject) -> dict[str, object]:
    """
    Return the entry of a line of the ledger.

    The shape is that of structlog's `JSONRenderer` behind `add_log_level` and an ISO `TimeStamper`:
    the entry's own keys, then `event`, `level` and `timestamp`. The event is the line's kind. Facts
    are ``{"v": value}`` or ``{"u": reason, "o": origin}``, so that with the policy of the digest
    each decision can be made again.
    """
    entry = {key: line[key] for key in _COPIED if line.get(key) is not None}
    facts, decision = object_or_none(line.get("facts")), line.object("decision")
    if facts is not None:
        entry["facts"] = {name: _bare(fact) for name, fact in facts.items()}
    if decision:
        entry["decision"] = decision
        entry["message"] = decision.get("message")
    entry["event"] = line.get("kind")
    entry["level"] = "info"
    entry["timestamp"] = str(line.get("at", "")).replace("+00:00", "Z")
    return entry


def _bare(fact: object) -> object:
    return {key: fact[key] for key in (*OF_VALUE, "n") if key in fact} if isinstance(fact, dict) else fact


# `confidence.log`: the confidence of each iteration and what it rests on, a line each.

FILE = "confidence.log"

#: Where the note of a piece of evidence is in a line of the ledger.
_NOTE = 6


def confidence_log(
    lines: Sequence[JsonObject], fields: Mapping[str, str], parameters: Mapping[str, object]
) -> str:
    """
    Return the text of the view: at most 50 lines, oldest first.

    Args:
        lines: The newest lines of the name since its last reset, oldest first, at most 50 decisions.
        fields: `confidence` names the fact.
        parameters: Effective values by name.
    """
    fact = fields.get("confidence")
    return "".join(_line(line, fact, parameters) + "\n" for line in decided(lines))


def _line(line: JsonObject, fact: str | None, parameters: Mapping[str, object]) -> str:
    decision = line.object("decision")
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


def _reasons(line: JsonObject, fact: str | None) -> list[str]:
    """Return what the value rests on: its note, the notes of its evidence, or why it is unknown."""
    if fact is None:
        return []
    entry = entry_in(line, fact)
    pieces = map(array_of, entry.array("e"))
    notes = [piece[_NOTE] for piece in pieces if len(piece) > _NOTE]
    return [str(note) for note in (entry.get("n"), entry.get("u"), *notes) if note]
