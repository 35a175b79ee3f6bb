"""How the agent's turn ended, as the envelope of its response says; plain text only has a format."""

from __future__ import annotations

from exitgate.core.facts.records import amount, count
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, TEXT, Type, Unknown, micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "result"
SOURCE = "result"
OPTIONS: dict[str, object] = {}

#: What `format` may be; the enum's members as `exitgate.core.envelopes.plain` writes them.
_FORMATS = ("TEXT", "JSON", "JSON_LINES")
_UNSAID = "if the response does not say it"

_SPECS = (
    FactSpec("format", Type("enum", members=_FORMATS), "Format of the response.", _UNSAID),
    FactSpec(
        "is_error",
        BOOL,
        "The agent's runner says that the turn failed.",
        _UNSAID,
    ),
    FactSpec("subtype", TEXT, "The runner's own term for the outcome of the turn.", _UNSAID),
    FactSpec("session", TEXT, "Id of the agent's session.", _UNSAID),
    FactSpec("turns", COUNT, "Turns of the agent in this iteration.", _UNSAID, low=0),
    FactSpec("cost", Type("money", currency="USD"), "Cost of this iteration.", _UNSAID, low=0),
    FactSpec(
        "tokens", COUNT, "Tokens of this iteration, read and written, cached ones included.", _UNSAID, low=0
    ),
    FactSpec(
        "files_changed",
        COUNT,
        "Files that the agent's tools wrote, without those that commands wrote.",
        "if the response does not say it, and when only commands can have written files",
        low=0,
    ),
    FactSpec("stop_reason", TEXT, "Why the model stopped writing.", _UNSAID),
    FactSpec("truncated", BOOL, "The response is truncated.", _UNSAID),
)

_NUMBERS = ("turns", "tokens", "files_changed")


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str,
    source: str,
    options: JsonObject,  # noqa: ARG001
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """
    Return what the source's record says, each part unknown that it does not say.

    A part of another kind than its fact's is not said either; nothing is made of it.
    """
    given = iteration.source(source)
    if given.record is None:
        return tuple(
            Fact(f"{prefix}.{spec.name}", Unknown(given.reason, f"{prefix}.{spec.name}")) for spec in _SPECS
        )
    return tuple(_fact(f"{prefix}.{spec.name}", spec, given.record) for spec in _SPECS)


def _fact(name: str, spec: FactSpec, record: JsonObject) -> Fact:
    value = _value(spec, record)
    if value is None:
        return Fact(name, Unknown(f"the response does not say `{spec.name}`", name))
    return Fact(name, value)


def _value(spec: FactSpec, record: JsonObject) -> object:
    kind, name = spec.type.kind, spec.name
    if name in _NUMBERS:
        return count(record.get(name))
    if kind == "bool":
        return record.flag(name)
    if kind == "money":
        number = amount(record.get(name))
        return micro(number) if number is not None and number >= 0 else None
    text = record.text(name)
    return text if kind != "enum" or text in spec.type.members else None
