"""Compiled policies as JSON and back. Needs neither yaml nor lark: it is on the path of every check."""

from __future__ import annotations

from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import Type
from exitgate.core.policy.compiled import (
    Breaker,
    CompiledPolicy,
    Derived,
    Extraction,
    Invariant,
    Opening,
    Parameter,
    PointsRow,
    Rule,
)
from exitgate.core.system.quick_json import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from exitgate.core.policy.compiled import Slot, Template


#: Raised by one whenever the form below changes, so that older files are compiled again.
STORED = 12

_NODES = frozenset(("when", "given", "formula", "retry_after"))
_TEMPLATES = frozenset(("because", "advice", "escalation"))
_PLAIN = (
    "name", "format", "version", "title", "digest", "path", "exit_after_blind", "lookback",
)  # fmt: skip


#: The policy that was written or read last, and its text: the cache and a run's state keep the same one.
_LAST: list[tuple[CompiledPolicy, str]] = []


def text_of(policy: CompiledPolicy) -> str:
    """Return the policy as JSON text, ASCII; `from_json(loads(text))` gives it back."""
    for last, text in _LAST:
        if last is policy:
            return text
    text = dumps(to_json(policy))
    remember(policy, text)
    return text


def remember(policy: CompiledPolicy, text: str) -> None:
    """Keep the text that a policy was read from: it may be written again."""
    _LAST[:] = [(policy, text)]


def to_json(policy: CompiledPolicy) -> dict[str, object]:
    """Return the policy as plain JSON: dicts, lists, texts, numbers, bools and None."""
    plain: dict[str, object] = {"stored": STORED}
    plain |= {name: getattr(policy, name) for name in _PLAIN}
    plain["parameters"] = [_slots(parameter) for parameter in policy.parameters.values()]
    shared: dict[str, tuple[int, object]] = {}
    plain["extractions"] = [_extraction_json(extraction, shared) for extraction in policy.extractions]
    plain["shared"] = [part for _, part in shared.values()]
    plain["derived"] = [
        _slots(fact) | {"rows": [[row.when.to_json(), row.add, row.because] for row in fact.rows]}
        for fact in policy.derived
    ]
    plain["facts"] = [_slots(spec) for spec in policy.facts.values()]
    plain["conditions"] = {name: node.to_json() for name, node in policy.conditions.items()}
    plain["rules"] = [_slots(rule) for rule in policy.rules]
    plain["otherwise_message"] = _json(policy.otherwise_message)
    plain["unreadable"] = _json(policy.unreadable)
    plain["invariants"] = [_slots(invariant) for invariant in policy.invariants]
    plain["breaker"] = _breaker_json(policy.breaker)
    plain["layers"] = _json(dict(policy.layers))
    plain["mask"] = _json(policy.mask)
    plain["views"] = _json(dict(policy.views))
    plain["warnings"] = [_slots(found) for found in policy.warnings]
    return plain


def _breaker_json(breaker: Breaker | None) -> object:
    if breaker is None:
        return None
    return _slots(breaker) | {"openings": [_slots(opening) for opening in breaker.openings]}


def _slots(value: object) -> dict[str, object]:
    slots: tuple[str, ...] = value.__slots__  # type: ignore[attr-defined]
    return {name: _json(getattr(value, name)) for name in slots}


def _json(value: Any) -> object:
    if isinstance(value, Location | Type | Node):
        return value.to_json()
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_json(item) for item in value]
    return value


def from_json(plain: dict[str, Any]) -> CompiledPolicy:
    """
    Return the policy that `to_json` wrote.

    Raises:
        ValueError: It was written in another form (`STORED`).
        KeyError, TypeError: It is not something `to_json` wrote.
    """
    if plain.get("stored") != STORED:
        raise ValueError(f"a compiled policy in form {plain.get('stored')!r}, not {STORED}")
    facts = [_fact(spec) for spec in plain["facts"]]
    parameters = [_parameter(parameter) for parameter in plain["parameters"]]
    types = {spec.name: spec.type for spec in facts}
    return CompiledPolicy(
        **{name: plain[name] for name in _PLAIN},
        parameters={parameter.name: parameter for parameter in parameters},
        extractions=tuple(_extraction(extraction, plain["shared"]) for extraction in plain["extractions"]),
        derived=tuple(_derived(fact) for fact in plain["derived"]),
        facts={spec.name: spec for spec in facts},
        conditions={name: Node.from_json(node) for name, node in plain["conditions"].items()},
        rules=tuple(Rule(**_read(rule)) for rule in plain["rules"]),
        otherwise_message=_template(plain["otherwise_message"]),
        unreadable={name: _value(types[name], value) for name, value in plain["unreadable"].items()},
        invariants=tuple(Invariant(**_read(invariant)) for invariant in plain["invariants"]),
        warnings=tuple(_diagnostic(found) for found in plain["warnings"]),
        breaker=_breaker(plain["breaker"]) if plain["breaker"] is not None else None,
        mask=tuple(plain["mask"]),
        views=plain["views"],
        layers=plain["layers"],
    )


def _read(plain: dict[str, Any]) -> dict[str, Any]:
    """Return the slots of a rule or invariant with places, trees and templates made again."""
    read = dict(plain)
    for name, value in plain.items():
        if name in _NODES and value is not None:
            read[name] = Node.from_json(value)
        elif name in _TEMPLATES:
            read[name] = _template(value)
        elif name == "place" and value is not None:
            read[name] = Location.from_json(value)
    return read


def _template(plain: list[Any]) -> Template:
    return tuple(piece if isinstance(piece, str) else _slot(piece) for piece in plain)


def _slot(plain: list[Any]) -> Slot:
    name, *more = map(str, plain)
    if len(more) > 1:
        return name, more[0], more[1]
    return (name, more[0]) if more else (name,)


def _value(type: Type, plain: Any) -> object:
    return tuple(plain) if type.kind == "list" and isinstance(plain, list) else plain


def _extraction_json(extraction: Extraction, shared: dict[str, tuple[int, object]]) -> dict[str, object]:
    """Return an extraction with the parts of its lexicon as numbers in `shared`: many have the same."""
    plain = {name: getattr(extraction, name) for name in Extraction.__slots__}
    return _with_parts(plain, lambda part: shared.setdefault(dumps(part), (len(shared), part))[0])


def _extraction(plain: dict[str, Any], shared: list[Any]) -> Extraction:
    read = _with_parts(plain, lambda number: shared[number])
    return Extraction(**read | {name: tuple(plain[name]) for name in ("parameters", "unasked")})


def _with_parts(extraction: dict[str, Any], change: Callable[[Any], object]) -> dict[str, Any]:
    """Return an extraction with the entries, the guards and the languages' guards of its lexicon changed."""
    lexicon = extraction["options"].get("lexicon")
    if not lexicon:
        return extraction
    parts = {name: change(lexicon[name]) for name in ("entries", "guards") if name in lexicon}
    if "languages" in lexicon:
        parts["languages"] = {
            code: {name: change(value) if name == "guards" else value for name, value in told.items()}
            for code, told in lexicon["languages"].items()
        }
    return {**extraction, "options": {**extraction["options"], "lexicon": {**lexicon, **parts}}}


def _fact(plain: dict[str, Any]) -> FactSpec:
    return FactSpec(**plain | {"type": Type.from_json(plain["type"])})


def _parameter(plain: dict[str, Any]) -> Parameter:
    type_ = Type.from_json(plain["type"])
    place = Location.from_json(plain["place"]) if plain["place"] is not None else None
    values = {name: _value(type_, plain[name]) for name in ("value", "default")}
    return Parameter(**plain | values | {"type": type_, "place": place})


def _derived(plain: dict[str, Any]) -> Derived:
    rows = tuple(PointsRow(Node.from_json(when), add, because) for when, add, because in plain["rows"])
    formula = Node.from_json(plain["formula"]) if plain["formula"] is not None else None
    made = {"type": Type.from_json(plain["type"]), "rows": rows, "formula": formula}
    return Derived(**plain | made | {name: tuple(plain[name]) for name in ("signals", "moves")})


def _breaker(plain: dict[str, Any]) -> Breaker:
    watch, close = (
        Node.from_json(plain[name]) if plain[name] is not None else None for name in ("watch", "close")
    )
    openings = tuple(Opening(**_read(opening)) for opening in plain["openings"])
    return Breaker(openings, watch, close, plain["cooldown"])


def _diagnostic(plain: dict[str, Any]) -> Diagnostic:
    place = Location.from_json(plain["place"]) if plain["place"] is not None else None
    related = tuple((word, Location.from_json(where)) for word, where in plain["related"])
    return Diagnostic(**plain | {"place": place, "related": related})
