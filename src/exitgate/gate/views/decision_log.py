"""`exit-decisions_YYYYMMDD.log`: what the ledger holds, a JSON object a line, a file a day."""

from __future__ import annotations

from exitgate.ledger.encode import OF_VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Line = Mapping[str, object]

#: What ties a line of the ledger to its neighbours, and evidence, are left out.
_COPIED = ("sequence", "run", "iteration", "turn", "policy", "totals", "breaker", "reason", "retry_at")

#: The names of all days, as a pattern of git.
PATTERN = "exit-decisions_*.log"


def file_of(line: Line) -> str:
    """Return the name of the file a line goes to, by its day in UTC."""
    return f"exit-decisions_{str(line.get('at', ''))[:10].replace('-', '')}.log"


def entry_of(line: Line) -> dict[str, object]:
    """
    Return the entry of a line of the ledger.

    The shape is that of structlog's `JSONRenderer` behind `add_log_level` and an ISO `TimeStamper`:
    the entry's own keys, then `event`, `level` and `timestamp`. The event is the line's kind. Facts
    are ``{"v": value}`` or ``{"u": reason, "o": origin}``, so that with the policy of the digest
    each decision can be made again.
    """
    entry = {key: line[key] for key in _COPIED if line.get(key) is not None}
    facts = line.get("facts")
    if isinstance(facts, dict):
        entry["facts"] = {name: _bare(fact) for name, fact in facts.items()}
    decision = line.get("decision")
    if isinstance(decision, dict):
        entry["decision"] = decision
        entry["message"] = decision.get("message")
    entry["event"] = line.get("kind")
    entry["level"] = "info"
    entry["timestamp"] = str(line.get("at", "")).replace("+00:00", "Z")
    return entry


def _bare(fact: object) -> object:
    return {key: fact[key] for key in (*OF_VALUE, "n") if key in fact} if isinstance(fact, dict) else fact
