"""Which views a policy wants, where they go, and which facts fill their fields."""

from __future__ import annotations

import os

from exitgate.core.ledger.line import DECISION
from exitgate.core.model.json_object import JsonObject, number_of, object_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Parameters = Mapping[str, object]


EXIT_STATE, DECISION_LOG, SESSION, CONFIDENCE_LOG = "exit_state", "decision_log", "session", "confidence_log"

#: View -> the fields a policy may map to a fact or a `$parameter`.
FIELDS: dict[str, tuple[str, ...]] = {
    EXIT_STATE: ("confidence", "completion", "errors", "stagnation"),
    DECISION_LOG: (),
    SESSION: ("tasks", "completed", "files", "commits", "status", "work"),
    CONFIDENCE_LOG: ("confidence",),
}

#: View -> the key of its place, and the place below the root when none is given.
PLACES = {
    EXIT_STATE: ("path", ".ralph/exit-state.json"),
    DECISION_LOG: ("folder", ".ralph/logs"),
    SESSION: ("path", ".ralph-session.json"),
    CONFIDENCE_LOG: ("folder", ".ralph/logs"),
}

#: Environment variable that names the folder of the confidence log, no matter what the policy says.
LOG_DIR = "RUN_LOG_DIR"

#: Fields whose values are summed up over a run.
SUMMED = ("completed", "files", "commits")

#: Fields of whose values the iterations are counted over a run.
COUNTED = ("work",)


class View(Value):
    """
    One view a policy wants.

    Args:
        name: A key of `FIELDS`.
        place: File or folder, below the root unless `outside`.
        fields: Field -> name of a fact, or `$parameter`.
        outside: The place comes from the environment and may be anywhere.
    """

    __slots__ = ("fields", "name", "outside", "place")

    def __init__(self, name: str, place: str, fields: Mapping[str, str], outside: bool = False) -> None:
        self.name = name
        self.place = place
        self.fields = fields
        self.outside = outside


def views_in(plain: Mapping[str, object], log_dir: str = "") -> tuple[View, ...]:
    """
    Return the views of a policy's `views:`.

    Args:
        plain: Name of a view -> its place and fields, in the form that `schemas/policy.schema.json` allows.
        log_dir: What `$RUN_LOG_DIR` holds, or the empty text.

    Raises:
        ValueError: For a view or field there is none of.
    """
    found = []
    for name, entry in plain.items():
        if name not in FIELDS:
            raise ValueError(f"there is no view `{name}`")
        key, usual = PLACES[name]
        given = object_of(entry)
        fields = {field: str(fact) for field, fact in given.items() if field != key}
        unknown = sorted(set(fields).difference(FIELDS[name]))
        if unknown:
            raise ValueError(f"view `{name}` has no field `{unknown[0]}`")
        outside = name == CONFIDENCE_LOG and bool(log_dir)
        found.append(View(name, log_dir if outside else str(given.get(key, usual)), fields, outside))
    return tuple(found)


def facts_in(plain: Mapping[str, object]) -> frozenset[str]:
    """Return the facts that views are filled from: they must be extracted although no rule names them."""
    named = (fact for view in views_in(plain) for fact in view.fields.values())
    return frozenset(fact for fact in named if not fact.startswith("$"))


def places_in(plain: Mapping[str, object], root: str = ".") -> tuple[str, ...]:
    """Return the files and folders that views are written to, for git facts to leave out."""
    views = views_in(plain, os.environ.get(LOG_DIR, ""))
    return tuple(view.place if view.outside else os.path.join(root, view.place) for view in views)


# What a view reads from lines of the ledger.


def decided(lines: Sequence[JsonObject]) -> list[JsonObject]:
    """Return the lines that hold a decision, in order."""
    return [line for line in lines if line.get("kind") == DECISION]


def value_in(line: JsonObject, field: str | None, parameters: Parameters) -> object:
    """
    Return the value that `field` names: of a fact in the line, or of a `$parameter`.

    None stands for a field that is not mapped, a fact that is unknown, and one that was not recorded. Of a
    number between two bounds it is the lower one: for points, what is earned for certain.
    """
    if field is None:
        return None
    if field.startswith("$"):
        return parameters.get(field[1:])
    fact = entry_in(line, field)
    bounds = fact.array("b")
    return plain_number(bounds[0] if bounds else fact.get("v"))


def entry_in(line: JsonObject, fact: str) -> JsonObject:
    """Return what the line keeps of a fact, an empty object where it keeps nothing."""
    facts = line.get("facts")
    return object_of(facts.get(fact)) if isinstance(facts, dict) else JsonObject()


def plain_number(value: object) -> object:
    """Return a whole float as an integer, anything else as it is: 50 rather than 50.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def number_in(line: JsonObject, field: str | None, parameters: Parameters) -> int | float | None:
    """Return `value_in` when it is a number, else None."""
    return number_of(value_in(line, field, parameters))


def instant_of(line: JsonObject) -> str:
    """Return the line's time as ISO 8601 with a Z, as the line has it otherwise."""
    return str(line.get("at", "")).replace("+00:00", "Z")
