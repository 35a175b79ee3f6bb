"""Options of `status_block` made ready: names of the block, its fields, what may not be together."""

from __future__ import annotations

from exitgate.core.facts.status.fields import TRUTHS, Field, Wanted, key_of, keys, normal
from exitgate.core.facts.text import structure
from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.core.facts.status.fields import Keys
    from exitgate.core.model.fact import Source


#: The member that the language takes for a word of its own, and what it is called there.
UNKNOWN, NOT_SAID = "UNKNOWN", "NOT_SAID"


class Form(Value):
    """
    A status block as a policy describes it.

    Args:
        names: Names under which it is.
        fields: In order.
        known: The fields by `normal` of their keys.
        contradictions: Each fact -> value, which together say two things.
    """

    __slots__ = ("contradictions", "fields", "known", "names")

    def __init__(
        self,
        names: tuple[str, ...],
        fields: tuple[Wanted, ...],
        known: Keys,
        contradictions: tuple[JsonObject, ...],
    ) -> None:
        self.names = names
        self.fields = fields
        self.known = known
        self.contradictions = contradictions


def form(options: JsonObject) -> Form:
    """Return the form that `options` describe; what does not match their schema is left out."""
    fields = tuple(wanted(fact, entry) for fact, entry in entries_of(options).items())
    combined = tuple(c for c in options.objects("contradictions") if c)
    names = tuple(str(n) for n in _listed(options.get("name")) if str(n).strip(structure.KEY_MARKS))
    together = tuple(JsonObject({k: _canonical(v) for k, v in c.items()}) for c in combined)
    return Form(names, fields, keys(fields), together)


def entries_of(options: JsonObject) -> dict[str, JsonObject]:
    """Return the options of each field, by the name of its fact."""
    return {fact: object_of(entry) for fact, entry in options.object("fields").items()}


def wanted(fact: str, entry: JsonObject) -> Wanted:
    """Return one field from its options."""
    written = [str(k) for k in _listed(entry.get("key", fact.upper()))] or [fact.upper()]
    kind = str(entry.get("type", "text"))
    words = _words(kind, entry)
    return Wanted(
        fact,
        written[0],
        tuple(n for n in map(normal, written) if n),
        kind,
        words,
        _canonical(entry.get("unreadable")),
        {words.get(key_of(value)): str(pattern) for value, pattern in entry.object("unless").items()} or None,
    )


def members(entry: JsonObject) -> tuple[str, ...]:
    """Return the members of an enum field in upper case, as conditions name them."""
    return tuple(dict.fromkeys(_member(entry, m) for m in entry.array("members")))


def _member(entry: JsonObject, written: object) -> str:
    member = str(written).upper()
    return str(entry.get("unknown", NOT_SAID)) if member == UNKNOWN else member


def _words(kind: str, entry: JsonObject) -> dict[str, object]:
    """Return `key_of` each word -> value, members before the words that stand for them."""
    values: dict[str, object] = {}
    if kind == "bool":
        values = dict(TRUTHS)
    elif kind == "enum":
        values = {normal(str(m)): _member(entry, m) for m in entry.array("members")}
    for member, others in entry.object("also").items():
        value = values.get(normal(member))
        for word in _listed(others) if value is not None else ():
            values.setdefault(key_of(str(word)), value)
    values.pop("", None)
    return values


def _canonical(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def written(value: object) -> str:
    """Return a value as a block has it: `true`, not `True`."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else () if value is None else (value,)


# A status that came as a flat JSON object in place of a block (`fields` of the source `result`).


def fields_of(result: Source, known: Keys) -> tuple[Field, ...]:
    """Return the known fields among the scalars of the record's `fields`, in their order."""
    given = result.record.object("fields") if result.record is not None else JsonObject()
    found = []
    for key, value in given.items():
        wanted = known.get(normal(key))
        if wanted is None or not isinstance(value, str | int | float):
            continue
        raw = written(value)
        found.append(Field(wanted, 0, max(1, len(raw)), raw, key.isupper()))
    return tuple(found)


# The options of `status_block`, as JSON Schema.

_TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}
OPTIONS: dict[str, object] = {
    "name": {
        "description": "Name of the block, as in `---NAME---` or `NAME:`; several are alternatives.",
        "anyOf": [{"type": "string", "minLength": 1}, _TEXTS],
        "examples": ["RALPH_STATUS"],
    },
    "fields": {
        "description": "Fact -> field of the block. Each is a fact under the prefix.",
        "type": "object",
        "minProperties": 1,
        "propertyNames": {
            "pattern": "^[a-z][a-z0-9_]*$",
            "not": {"enum": ["present", "count", "contradictory", "unread", "outside"]},
        },
        "additionalProperties": {
            "type": "object",
            "additionalProperties": False,
            "required": ["type"],
            "properties": {
                "key": {
                    "description": "The key in the block, or several that mean the same, the preferred "
                    "one first. By default the fact's name in capitals. Case, `_`, `-` and spaces do not "
                    "matter.",
                    "anyOf": [{"type": "string", "minLength": 1}, _TEXTS],
                    "examples": ["EXIT_SIGNAL", ["TASKS_COMPLETED_THIS_LOOP", "TASKS_COMPLETED"]],
                },
                "type": {
                    "description": "Type of the fact.",
                    "enum": ["bool", "count", "number", "percent", "enum", "text"],
                    "examples": ["bool"],
                },
                "members": {
                    "description": "For enum: its members.",
                    "type": "array",
                    "items": {
                        "type": "string",
                        "pattern": "^[A-Za-z][A-Za-z0-9_]*$",
                        "not": {"pattern": "^[Kk][Nn][Oo][Ww][Nn]$"},
                    },
                    "minItems": 1,
                    "uniqueItems": True,
                    "examples": [["IN_PROGRESS", "COMPLETE", "BLOCKED"]],
                },
                "unknown": {
                    "description": "For enum: the fact's value if the agent writes the member "
                    "`unknown`, since conditions use that word for unknown facts.",
                    "type": "string",
                    "pattern": "^[A-Z][A-Z0-9_]*$",
                    "default": "NOT_SAID",
                    "examples": ["NOT_SAID"],
                },
                "also": {
                    "description": "For bool and enum: other words, or marks, for a value.",
                    "type": "object",
                    "additionalProperties": _TEXTS,
                    "examples": [{"true": ["yes"], "false": ["no"]}],
                },
                "unless": {
                    "description": "For bool and enum: value -> pattern (RE2) of remarks after it "
                    "that revoke it, such as `true (once the tests pass)`. Such a value cannot be read.",
                    "type": "object",
                    "additionalProperties": {"type": "string", "minLength": 1},
                    "examples": [{"true": "^\\W*(once|when|if|unless)\\b"}],
                },
                "unreadable": {
                    "description": "The fact's value, with a note, if the field is "
                    "present but cannot be read. A missing field stays unknown.",
                    "type": ["boolean", "number", "string"],
                    "examples": [False],
                },
                "doc": {
                    "description": "Instructions for the value; `exitgate prompt` includes them.",
                    "type": "string",
                    "examples": ["true only when nothing is left to do"],
                },
            },
        },
        "examples": [{"exit_signal": {"key": "EXIT_SIGNAL", "type": "bool", "unreadable": False}}],
    },
    "style": {
        "description": "How `exitgate prompt` writes the block: `ruled` between `---NAME---` and "
        "`---END_NAME---`, `header` indented under `NAME:`. Either is read, and other shapes too.",
        "enum": ["ruled", "header"],
        "default": "ruled",
        "examples": ["header"],
    },
    "contradictions": {
        "description": "Values that a block must not have together; a block with them is contradictory.",
        "type": "array",
        "items": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": {"type": ["boolean", "number", "string"]},
        },
        "default": [],
        "examples": [[{"status": "COMPLETE", "tests_status": "FAILING"}]],
    },
    "apply": {
        "description": "Guards that keep a block from counting. `template`: nothing is filled in (that "
        "never counts). `fenced`: part of a patch, or of a longer text in a fence. `quoted`: quoted. "
        "`echoed`: copied from the task. `hypothetical`: introduced as a form, or as something that will be "
        "said. `continued`: introduced, and the text continues with other work.",
        "type": "array",
        "items": {"enum": ["template", "fenced", "quoted", "echoed", "hypothetical", "continued"]},
        "default": ["template", "fenced", "quoted", "echoed", "hypothetical", "continued"],
        "examples": [["template"]],
    },
    "lexicon": {
        "description": "Words that introduce an example (`illustrations`), and the guards' own.",
        "type": "string",
        "default": "illustrations",
        "examples": ["illustrations"],
    },
}
