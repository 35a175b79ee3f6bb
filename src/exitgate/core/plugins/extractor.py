"""
Extractors of other packages, as the registry has them: `docs/how-to/bring-your-own-fact.md` is the contract.

What a policy was compiled with is among the options, under `PLUGIN`: distribution, digest of its files,
module and the facts that it described. So nothing of a package runs where a compiled policy is only read.
"""

from __future__ import annotations

import os

from exitgate.core.model.fact import Evidence, Fact, FactSpec
from exitgate.core.model.json_object import kind_of, object_or_none
from exitgate.core.model.value import SIGNATURE, TEXT, Type, Unknown, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from exitgate.core.model.fact import Iteration, Source
    from exitgate.core.model.json_object import JsonObject


#: Option that holds what a policy was compiled with.
PLUGIN = "(plug-in)"
#: Option that every such extractor takes: a file of the project.
FILE = "file"
TEXT_LIMIT = 10_000
ITEM_LIMIT = 1_000
_LARGEST = 10**300


class Plugged:
    """One extractor of another package."""

    def __init__(self, id: str) -> None:
        self.NAME = self.SOURCE = id
        self.OPTIONS: dict[str, object] = {}

    def specs(self, options: JsonObject) -> tuple[FactSpec, ...]:
        """Return the facts that its package described when the policy was compiled."""
        described: Any = options.object(PLUGIN).array("specs")
        return tuple(FactSpec(**{**one, "type": Type.from_json(one["type"])}) for one in described)

    def extract(
        self, prefix: str, source: str, options: JsonObject, iteration: Iteration
    ) -> tuple[Fact, ...]:
        """Return its facts; all unknown with the reason where it may not run, fails or takes too long."""
        specs = self.specs(options)
        given = iteration.source(source)
        if given.text is None and given.record is None:
            return _unknown(prefix, specs, given.reason)
        answer = _answer(self.NAME, given, options)
        if isinstance(answer, str):
            return _unknown(prefix, specs, f"`{self.NAME}`: {answer}")
        strange = sorted(set(answer) - {spec.name for spec in specs})
        if strange:
            told = f"`{self.NAME}` gave `{strange[0][:80]}`, a fact that it did not describe"
            return _unknown(prefix, specs, told)
        return tuple(_fact(self.NAME, prefix, source, spec, answer.get(spec.name), given) for spec in specs)


def _answer(id: str, given: Source, options: JsonObject) -> JsonObject | str:
    """Return what the extractor found, or why there is nothing."""
    from exitgate.core.plugins import ask, permissions

    plugin = options.object(PLUGIN)
    name = str(plugin["distribution"])
    folders = permissions.folders_of()
    try:
        permission = permissions.read(os.environ, folders).get(name)
        if permission is None:
            return f"the distribution `{name}` is not allowed"
        if permission.digest != plugin["digest"] or permission.points.get(id) != plugin["module"]:
            return f"the distribution `{name}` is not the one that the policy was compiled with"
        why = permission.why_not(folders)
        if why:
            return f"the distribution `{name}` {why}"
        told = {
            "ask": "extract",
            "options": {key: value for key, value in options.items() if key not in (PLUGIN, FILE)},
            "source": {"name": given.name, "text": given.text, "record": given.record, "path": given.path},
        }
        answer = ask.ask(permission, id, told)
    except permissions.Unfit as unfit:
        return str(unfit)
    found = object_or_none(answer)
    return "its answer is not a mapping of facts" if found is None else found


def _fact(id: str, prefix: str, source: str, spec: FactSpec, told: object, given: Source) -> Fact:
    """Return one fact of an answer: a value, or a mapping with `value`, `start` and `end`, or `unknown`."""
    name = f"{prefix}.{spec.name}" if spec.name else prefix
    evidence: tuple[Evidence, ...] = ()
    parts = object_or_none(told)
    if parts is not None:
        unknown = parts.text("unknown")
        if unknown is not None:
            return Fact(name, Unknown(unknown[:TEXT_LIMIT], name))
        evidence, told = _evidence(source, parts, given), parts.get("value")
    if told is None:
        return Fact(name, Unknown(f"`{id}` found none", name))
    value = _typed(told, spec.type)
    if value is None or not _within(value, spec):
        reason = f"`{id}` gave {_shown(told)}, which is not a {spec.type} in its range"
        return Fact(name, Unknown(reason, name))
    return Fact(name, value, evidence)


def _evidence(source: str, told: JsonObject, given: Source) -> tuple[Evidence, ...]:
    """Return the stretch of the text that an answer names, if it names one."""
    start, end, text = told.whole("start", -1), told.whole("end", -1), given.text
    if text is None or not 0 <= start < end <= len(text):
        return ()
    line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
    return (Evidence(source, line, column, start, end, text[start:end]),)


def _typed(value: Any, type_: Type) -> object:
    """Return a JSON value as a fact of the type holds it, None where it does not fit."""
    kind, is_a = type_.kind, kind_of(value)
    if kind == "bool":
        return value if is_a == "boolean" else None
    if kind == "list":
        if is_a != "array" or len(value) > ITEM_LIMIT or type_.item is None:
            return None
        items = tuple(_typed(one, type_.item) for one in value)
        return None if None in items else items
    if kind in (TEXT.kind, SIGNATURE.kind, "enum"):
        if is_a != "string" or len(value) > TEXT_LIMIT:
            return None
        if kind != "enum":
            return value
        return value.upper() if value.upper() in type_.members else None
    if is_a != "number" or not -_LARGEST < value < _LARGEST:
        return None
    number = int(value) if value == int(value) else value
    if kind != "number" and number < 0:
        return None
    if kind == "count" and number.__class__ is not int:
        return None
    return None if kind == "percent" and number > 100 else number


def _within(value: object, spec: FactSpec) -> bool:
    if not is_number(value):
        return True
    return (spec.low is None or value >= spec.low) and (spec.high is None or value <= spec.high)


def _shown(told: object) -> str:
    text = str(told)
    return f"`{text[:60]}`"


def _unknown(prefix: str, specs: tuple[FactSpec, ...], reason: str) -> tuple[Fact, ...]:
    names = (f"{prefix}.{spec.name}" if spec.name else prefix for spec in specs)
    return tuple(Fact(name, Unknown(reason, name)) for name in names)
