"""What the tests of facts share: shipped lexicons resolved, an extractor run on texts."""

from __future__ import annotations

import functools
from pathlib import Path

import yaml

from exitgate.core.facts import registry
from exitgate.core.facts.lexicons.resolved import resolve
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject

ROOT = Path(__file__).parents[3]
LEXICONS = ROOT / "policies" / "lexicons"
TABLES = Path(__file__).parent / "guards"


@functools.cache
def document(name: str) -> JsonObject:
    return JsonObject(yaml.safe_load((LEXICONS / f"{name}.yaml").read_text(encoding="utf-8")))


@functools.cache
def resolved(name: str) -> JsonObject:
    return resolve(document(name), document)


def iteration(**texts: str) -> Iteration:
    return Iteration(1, "tests#1", 0.0, {name: Source(name, text) for name, text in texts.items()})


#: Options by what they consist of; each holds its values, so that the identity of none is taken again.
_GIVEN: dict[tuple[object, ...], JsonObject] = {}


def _once(options: dict) -> JsonObject:
    """Return options as the object that first said the same: what extractors make of it is kept with it."""
    plain = (str, int, float, bool, type(None))
    told = ((name, type(v), v if isinstance(v, plain) else id(v)) for name, v in options.items())
    return _GIVEN.setdefault(tuple(told), JsonObject(options))


def facts(extractor: str, options: dict, source: str = "response", **texts: str) -> dict[str, Fact]:
    module, options = registry.load(extractor), _once(options)
    found = module.extract("x", source, options, iteration(**texts))
    assert [f.name for f in found] == [f"x.{s.name}".rstrip(".") for s in module.specs(options)]
    return {f.name: f for f in found}
