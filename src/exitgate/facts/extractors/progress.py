"""
Whether an iteration moved anything: named signals compared with what the run has seen of them.

Progress rests on other facts, not on a text: the engine computes it once those are there
(`exitgate.engine.derive`), from the records of the run and from what its totals remember.
"""

from __future__ import annotations

from exitgate.facts.signals import TRUE, WAYS, Movement, Remembered, Signal, movement
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import BOOL, COUNT, TEXT, Type
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.iteration import Iteration

    Record = Mapping[str, object]

NAME = "progress"
SOURCE = "history"
OPTIONS: dict[str, object] = {
    "signals": {
        "type": "array",
        "items": {
            "type": ["string", "object"],
            "if": {"type": "object"},
            "then": {
                "properties": {
                    "fact": {
                        "type": "string",
                        "minLength": 1,
                        "description": "Name of the fact that is watched.",
                    },
                    "moves": {
                        "enum": [*(way for way in WAYS if way != TRUE), True],
                        "description": "`rises` above, or `falls` below, every earlier value of the run;"
                        " `changes` to a value not seen before in the run; is `true`.",
                    },
                },
                "required": ["fact"],
                "additionalProperties": False,
            },
            "else": {"minLength": 1},
        },
        "minItems": 1,
        "uniqueItems": True,
        "description": "Facts whose movement is progress: a name, or `{fact: NAME, moves: falls}`."
        " Without `moves`, a number moves if it exceeds every earlier value of the run, a bool if it is "
        "true, any other fact if it takes a value not seen before in the run. Any of them may be unknown.",
        "examples": [
            ["tasks.done", "git.content"],
            ["tasks.done", {"fact": "errors.count", "moves": "falls"}],
        ],
    },
}

MADE = "made"
MOVED, KNOWN = "signals", "known"

_UNKNOWN = "if no signal is known, or none was known earlier in the run"
_SPECS = (
    FactSpec(
        MADE,
        BOOL,
        "At least one signal moved in this iteration; false when every known signal is flat.",
        _UNKNOWN,
        read=False,
    ),
    FactSpec(MOVED, Type("list", item=TEXT), "The signals that moved.", _UNKNOWN, read=False),
    FactSpec(
        KNOWN,
        COUNT,
        "How many of the signals are known to have moved or not.",
        "if no iteration has ended since the last decision",
        low=0,
        read=False,
    ),
)


def specs(options: Mapping[str, object]) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """
    Return the facts for a source whose record holds `now` (fact -> value), `best`, `least` and `seen`.

    That is the form for values out of a recording; a check goes by `movement` itself.
    """
    given = iteration.source(source)
    record: Mapping[str, object] = given.record if given.record is not None else {}
    now = record.get("now")
    signals = _signals(options.get("signals"))
    found = movement(signals, now if isinstance(now, dict) else {}, Remembered.from_plain(record))
    return tuple(fact_of(f"{prefix}.{spec.name}", spec.name, found) for spec in _SPECS)


def fact_of(name: str, part: str, found: Movement) -> Fact:
    """
    Return one of the facts from what `movement` found.

    Args:
        name: Full name of the fact.
        part: `MADE`, `MOVED` or `KNOWN`.
        found: How the signals came out; the note of `MADE` says it of each.
    """
    if part == KNOWN:
        return Fact(name, found.known)
    note = str(found) if part == MADE else ""
    if not found.known:
        reason = "no signal is named"
        if found.unknown:
            reason = ": ".join(found.unknown[-1])
        return Fact(name, Unknown(reason, name), note=note if len(found.unknown) > 1 else "")
    return Fact(name, bool(found.moved) if part == MADE else found.moved, note=note)


def _signals(value: object) -> tuple[Signal, ...]:
    found = []
    for item in value if isinstance(value, list | tuple) else ():
        given = item if isinstance(item, dict) else {"fact": item}
        found.append(Signal(str(given.get("fact", "")), str(given.get("moves", "")).lower()))
    return tuple(found)
