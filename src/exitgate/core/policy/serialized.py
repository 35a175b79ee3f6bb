"""Compiled policies as JSON and back. Needs neither yaml nor lark: it is on the path of every check."""

from __future__ import annotations

from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.json_object import JsonObject, Packed
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
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from exitgate.core.policy.compiled import Slot, Template


#: Raised by one whenever the form below changes, so that older files are compiled again.
STORED = 13

_NODES = frozenset(("when", "given", "formula", "retry_after"))
_TEMPLATES = frozenset(("because", "advice", "escalation"))
_PLAIN = (
    "name", "format", "version", "title", "digest", "path", "exit_after_blind", "lookback",
)  # fmt: skip


#: The policy that was written or read last, its text, and where that begins: the cache and a run's state keep
#: the same one.
_LAST: list[tuple[CompiledPolicy, bytes, int]] = []
#: Between the policy and each of the packed values that it has: they are read when they are first asked for.
_NEXT = b",\n"


def text_of(policy: CompiledPolicy) -> bytes:
    """
    Return the policy as JSON text, ASCII; `policy_from` gives it back.

    An array, an item to a line: the policy, and the packed values in it, which are numbers there.
    """
    for last, text, start in _LAST:
        if last is policy:
            return text[start:]
    packed: dict[Packed, int] = {}
    text = _in_lines(_to_json(policy, packed), packed)
    _LAST[:] = [(policy, text, 0)]
    return text


def _in_lines(main: object, packed: Iterable[Packed]) -> bytes:
    return b"[%b]" % _NEXT.join((dumps(main).encode("ascii"), *(bytes(one.raw) for one in packed)))


def _of_lines(text: bytes, start: int = 0) -> tuple[Any, list[Packed]]:
    if text[start : start + 1] != b"[" or text[-1:] != b"]":
        raise ValueError("it is cut, or an older version of exitgate wrote it")
    view, at, end = memoryview(text), start + 1, len(text) - 1
    pieces = []
    while at <= end:
        to = text.find(_NEXT, at, end)
        to = end if to < 0 else to
        pieces.append(view[at:to])
        at = to + len(_NEXT)
    return loads(str(pieces[0], "ascii")), [Packed(piece) for piece in pieces[1:]]


def lexicon_text(lexicon: JsonObject) -> bytes:
    """Return a resolved lexicon as JSON text, as `text_of` a policy; `lexicon_from` gives it back."""
    packed: dict[Packed, int] = {}
    return _in_lines(_lexicon(lexicon, _numbering(packed)), packed)


def lexicon_from(text: bytes) -> JsonObject:
    """
    Return the resolved lexicon that `lexicon_text` wrote.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: It is not something that `lexicon_text` wrote.
    """
    main, packed = _of_lines(text)
    return JsonObject(_lexicon(main, _numbered(packed)))


def policy_from(text: bytes, start: int = 0) -> CompiledPolicy:
    """
    Return the policy that `text_of` wrote, from where it starts in a text.

    Raises:
        ValueError: It is not JSON, or was written in another form (`STORED`).
        KeyError, TypeError, AttributeError: It is not something that `text_of` wrote.
    """
    policy = _from_json(*_of_lines(text, start))
    _LAST[:] = [(policy, text, start)]
    return policy


def _to_json(policy: CompiledPolicy, packed: dict[Packed, int]) -> dict[str, object]:
    """Return the policy as plain JSON: dicts, lists, texts, numbers, bools and None; add to `packed`."""
    plain: dict[str, object] = {"stored": STORED}
    plain |= {name: getattr(policy, name) for name in _PLAIN}
    plain["parameters"] = [_slots(parameter) for parameter in policy.parameters.values()]
    plain["extractions"] = [_extraction_json(extraction, packed) for extraction in policy.extractions]
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


def _from_json(plain: dict[str, Any], packed: list[Packed]) -> CompiledPolicy:
    if plain.get("stored") != STORED:
        raise ValueError(f"a compiled policy in form {plain.get('stored')!r}, not {STORED}")
    facts = [_fact(spec) for spec in plain["facts"]]
    parameters = [_parameter(parameter) for parameter in plain["parameters"]]
    types = {spec.name: spec.type for spec in facts}
    return CompiledPolicy(
        **{name: plain[name] for name in _PLAIN},
        parameters={parameter.name: parameter for parameter in parameters},
        extractions=tuple(_extraction(extraction, packed) for extraction in plain["extractions"]),
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


def _extraction_json(extraction: Extraction, packed: dict[Packed, int]) -> dict[str, object]:
    """Return an extraction with numbers for what is packed in its lexicon: many have the same."""
    plain = {name: getattr(extraction, name) for name in Extraction.__slots__}
    return _with_parts(plain, _numbering(packed))


def _numbering(packed: dict[Packed, int]) -> Callable[[Any], object]:
    def number(value: object) -> object:
        return packed.setdefault(value, len(packed)) if isinstance(value, Packed) else value

    return number


def _numbered(packed: list[Packed]) -> Callable[[Any], object]:
    return lambda number: packed[number] if isinstance(number, int) else number


def _extraction(plain: dict[str, Any], packed: list[Packed]) -> Extraction:
    read = _with_parts(plain, _numbered(packed))
    return Extraction(**read | {name: tuple(plain[name]) for name in ("parameters", "unasked")})


#: What of a lexicon, and of a language in it, may be packed.
_PACKED = ("entries", "index", "guards", "recognise")


def _with_parts(extraction: dict[str, Any], change: Callable[[Any], object]) -> dict[str, Any]:
    """Return an extraction with what may be packed in its lexicon changed."""
    lexicon = extraction["options"].get("lexicon")
    if not lexicon:
        return extraction
    return {**extraction, "options": {**extraction["options"], "lexicon": _lexicon(lexicon, change)}}


def _lexicon(lexicon: dict[str, Any], change: Callable[[Any], object]) -> dict[str, Any]:
    changed = _changed(lexicon, change)
    if "languages" in lexicon:
        changed["languages"] = {code: _changed(of, change) for code, of in lexicon["languages"].items()}
    return changed


def _changed(plain: dict[str, Any], change: Callable[[Any], object]) -> dict[str, Any]:
    return {**plain, **{name: change(plain[name]) for name in _PACKED if name in plain}}


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
