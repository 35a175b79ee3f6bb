"""
The BB3 chain as plain facts: seven cases, one for each rule and one for none.

The hand-written chain and the peers have no history; they get `stagnation`, a counter ready made.
exitgate reads the four records itself.
"""

from __future__ import annotations

NAMES = {
    "circuit.state": "state",
    "tasks.percent": "percent",
    "confidence": "confidence",
    "errors.count": "errors",
    "tasks.total": "total",
    "tasks.done": "done",
}
QUIET = {
    "state": "CLOSED",
    "percent": 50.0,
    "confidence": 90,
    "errors": 0,
    "total": 10,
    "done": 5,
    "stagnation": 0,
}
CHANGES = (
    {"state": "OPEN"},
    {"percent": 90.0},
    {"confidence": 50},
    {"errors": 9},
    {"total": 5},
    {"stagnation": 3},
    {},
)
#: Index of the rule that must decide each case; -1 for none.
WANTED = (0, 1, 2, 3, 4, 5, -1)

#: What a peer works on.
FLAT = tuple({**QUIET, **change} for change in CHANGES)


def _records(flat: dict[str, object]) -> tuple[dict[str, object], ...]:
    current = {name: flat[short] for name, short in NAMES.items()}
    earlier = current if flat["stagnation"] else {**current, "tasks.done": 1}
    return (dict(earlier), dict(earlier), dict(earlier), current)


#: The same for exitgate: four records, the current one last.
RECORDS = tuple(_records(flat) for flat in FLAT)


def by_hand(facts: dict[str, object]) -> int:
    """What a programmer would write, without unknowns and without a result."""
    if facts["state"] == "OPEN":
        return 0
    if facts["percent"] >= 80:
        return 1
    if facts["confidence"] < 70:
        return 2
    if facts["errors"] > 5:
        return 3
    if facts["total"] > 0 and facts["done"] == facts["total"]:
        return 4
    if facts["stagnation"] >= 3:
        return 5
    return -1
