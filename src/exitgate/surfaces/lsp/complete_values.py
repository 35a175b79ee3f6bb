"""Completion of values outside of conditions and messages."""

from __future__ import annotations

from exitgate.facts import registry
from exitgate.policy import shipped
from exitgate.policy.document import load_yaml
from exitgate.policy.own_files import SOURCES
from exitgate.surfaces.lsp.complete_keys import extractor_at
from exitgate.surfaces.lsp.item import REFERENCE, WORD, Item
from exitgate.surfaces.lsp.names import fact_items, list_items, parameter_items, rule_items
from exitgate.surfaces.lsp.roles import POLICY, SETTINGS, TESTS
from exitgate.surfaces.lsp.shapes import Shapes, shapes_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.type import Type
    from exitgate.surfaces.lsp.known import Known
    from exitgate.surfaces.lsp.page import Page
    from exitgate.surfaces.lsp.spot import Spot

#: Keys of an expectation that hold ids of rules.
_RULES = ("rule", "undetermined", "alternatives", "shadows", "warnings")


def value_items(page: Page, spot: Spot, cursor: int) -> tuple[Item, ...]:
    """Return the values that may be written at a spot."""
    known = page.known(cursor)
    named = _NAMED[page.kind](page, spot, known) if page.kind in _NAMED else ()
    words = shapes_at(page.kind, spot.path, spot.root).words()
    return (*named, *(Item(word, WORD, "", doc, rank=2) for word, doc in words))


def _policy(page: Page, spot: Spot, known: Known | None) -> tuple[Item, ...]:
    match spot.path:
        case ("extends",):
            return policy_items(True)
        case ("facts", str(), "extract"):
            return extractor_items()
        case ("facts", str(), "from"):
            own = known.extractions.items() if known is not None else ()
            files = [name for name, one in own if registry.own_files(one.extractor)]
            return tuple(Item(name, WORD, "source", rank=1) for name in (*sorted(SOURCES), *files))
        case ("facts", str(), "lexicon") | ("facts", str(), "lexicon", int()) | ("mask", "lexicon", *_):
            return lexicon_items()
        case ("rules", int(), "before" | "after" | "id"):
            return rule_items(known) if known is not None else ()
        case ("facts", str(), *_) if known is not None:
            return _option(page, spot, known)
        case ("views", *_) if known is not None:
            return (*fact_items(known), *parameter_items(known))
        case ("profiles", str(), str() as name) if known is not None and name in known.parameters:
            return typed_items(known.parameters[name].type)
        case ("circuit", "cooldown") | ("undetermined", "exit_after") if known is not None:
            return parameter_items(known)
    return ()


def _option(page: Page, spot: Spot, known: Known) -> tuple[Item, ...]:
    """Return what may be as the value of an option of an extractor."""
    key = spot.path[2] if len(spot.path) > 2 else ""
    if spot.path[-1] == "list":
        return list_items(known)
    id_ = extractor_at(spot, page.text)
    if id_ == "progress" and key == "signals":
        return fact_items(known)
    if id_ not in registry.names() or len(spot.path) < 3:
        return ()
    schema = registry.load(id_).OPTIONS.get(str(key))
    words = Shapes((schema,)).words() if isinstance(schema, dict) else ()
    found = [Item(word, WORD, rank=1) for word, _ in words]
    return (*found, *parameter_items(known, rank=4))


def _tests(page: Page, spot: Spot, known: Known | None) -> tuple[Item, ...]:
    del page
    if spot.path == ("policy",):
        return policy_items(False)
    if known is None or len(spot.path) < 3:
        return ()
    match spot.path[2:]:
        case ("facts" | "history", str() as name) | (_, "facts", str() as name) if name in known.facts:
            return typed_items(known.facts[name].type)
        case ("set", str() as name) if name in known.parameters:
            return typed_items(known.parameters[name].type)
        case ("table", "columns", int()):
            expected = Shapes(shapes_at(TESTS, ("tests", 0, "expect"), spot.root).schemas).properties()
            words = tuple(Item(key, WORD, "expected", rank=2) for key in ("name", *expected))
            return (*fact_items(known), *parameter_items(known), *words)
        case ("expect" | "expect_at", *_, key) if key in _RULES or spot.path[-2] in _RULES:
            return rule_items(known)
    return ()


def _settings(page: Page, spot: Spot, known: Known | None) -> tuple[Item, ...]:
    del page
    match spot.path:
        case ("exit_decision", "policy"):
            return policy_items(False)
        case ("exit_decision", "profile") | ("project", "type") if known is not None:
            return tuple(Item(name, WORD, "profile", rank=1) for name in known.section("profiles"))
        case ("exit_decision", str() as name) if known is not None and name in known.parameters:
            return typed_items(known.parameters[name].type)
    return ()


def typed_items(type_: Type) -> tuple[Item, ...]:
    """Return the values of a type of which there are only few."""
    if type_.kind == "enum":
        return tuple(Item(member, WORD, str(type_), rank=1) for member in type_.members)
    return (
        tuple(Item(word, WORD, "bool", rank=1) for word in ("true", "false")) if type_.kind == "bool" else ()
    )


def policy_items(versioned: bool) -> tuple[Item, ...]:
    """Return the shipped policies; `versioned` adds the versions that `extends:` accepts."""
    found = []
    for name in shipped.policies():
        with open(shipped.path(name), encoding="utf-8") as file:
            head = load_yaml(file.read(), name).root
        version, title = head.fields["version"].text, head.get("title")
        word = f"{name}@^{version.partition('.')[0]}" if versioned else name
        found.append(Item(word, REFERENCE, version, title.text if title is not None else "", rank=1))
    return tuple(found)


def extractor_items() -> tuple[Item, ...]:
    """Return the extractors with what they do and the facts they give."""
    return tuple(Item(name, WORD, "extractor", extractor_doc(name), rank=1) for name in registry.names())


def extractor_doc(name: str) -> str:
    """Return what an extractor does, the source it reads by default, and its options."""
    module = registry.load(name)
    about = (getattr(module, "__doc__", None) or "").strip().partition("\n\n")[0].replace("\n", " ")
    options = ", ".join(f"`{option}`" for option in module.OPTIONS) or "none"
    return f"{about}\n\nReads `{module.SOURCE}` unless `from:` is different. Options: {options}."


def lexicon_items() -> tuple[Item, ...]:
    """Return the shipped lexicons."""
    return tuple(Item(name, REFERENCE, "lexicon", rank=1) for name in shipped.lexicons())


_NAMED = {POLICY: _policy, TESTS: _tests, SETTINGS: _settings}
