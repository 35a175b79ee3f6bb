"""Completion: what may be written where the cursor is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from exitgate.core.facts import registry
from exitgate.core.model.value import Type
from exitgate.core.policy import shipped
from exitgate.core.policy.sections.options import SOURCES
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.surfaces.lsp.completion.condition import complete_condition, word_around
from exitgate.surfaces.lsp.completion.item import (
    FORM,
    KEY,
    REFERENCE,
    WORD,
    Completed,
    Item,
    fact_items,
    list_items,
    parameter_items,
    rule_items,
    slot_items,
)
from exitgate.surfaces.lsp.cursor import AT_KEY, Cursor, cursor_at, inner
from exitgate.surfaces.lsp.document import Document
from exitgate.surfaces.lsp.policy_index import PolicyIndex
from exitgate.surfaces.lsp.schema import (
    CONDITION,
    MESSAGE,
    POLICY,
    SETTINGS,
    TESTS,
    Shapes,
    role_at,
    shapes_at,
    types,
)
from exitgate.surfaces.lsp.tree import Path

#: Characters that make an editor ask: signs of names, of YAML, of messages.
TRIGGERS = (".", "$", "@", ":", " ", "{", "[", "-")
_EMPTY = Completed((), 0, 0)


def complete(page: Document, cursor: int) -> Completed:
    """Return what may be written at `cursor`, an offset in the page's text."""
    if not page.kind:
        return _EMPTY
    spot = cursor_at(page.text, cursor)
    if spot is None:
        return _EMPTY
    if spot.role == AT_KEY:
        return Completed(key_items(page, spot, cursor), spot.start, spot.end)
    role = role_at(spot.path) if page.kind == POLICY else ""
    if role == CONDITION:
        found = _in_condition(page, spot, cursor)
        if not spot.alone or page.text[spot.start : cursor].strip():
            return found
        keys = key_items(page, spot, cursor)
        return Completed((*found.items, *keys), found.start, found.end)
    if role == MESSAGE:
        return _in_message(page, spot, cursor)
    items = value_items(page, spot, cursor)
    if spot.alone:
        items += key_items(page, spot, cursor)
    return Completed(items, spot.start, spot.end)


def _in_condition(page: Document, spot: Cursor, cursor: int) -> Completed:
    text, start = inner(page.text, spot.start, spot.end, spot.style)
    if cursor < start:
        return _EMPTY
    found = complete_condition(text, cursor - start, page.known(cursor))
    return Completed(found.items, found.start + start, found.end + start)


def _in_message(page: Document, spot: Cursor, cursor: int) -> Completed:
    """Return names for the braces of a message."""
    text, start = inner(page.text, spot.start, spot.end, spot.style)
    at = cursor - start
    brace = text.rfind("{", 0, max(at, 0))
    if brace < 0 or "}" in text[brace:at] or "\n" in text[brace:at]:
        return _EMPTY
    first, last = word_around(text, at)
    known = page.known(cursor)
    return Completed(slot_items(known) if known is not None else (), first + start, last + start)


# Completion of keys: what the format allows here, and names that are keys.

_NEEDED, _ALLOWED, _SNIPPET = 1, 3, 4


def key_items(page: Document, spot: Cursor, cursor: int) -> tuple[Item, ...]:
    """Return the keys that may be written at a spot; those that are there already are left out."""
    kind = page.kind
    shapes = shapes_at(kind, spot.path, spot.root)
    here = spot.root.at(spot.path)
    there = set(here.keys()) if here is not None else set()
    there.discard(page.text[spot.start : spot.end])
    known = page.known(cursor)
    named = [_followed(item) for item in _named(kind, spot, known)]
    extra = deeper(page.text, spot.start)
    found = {item.label: item for item in named if item.label not in there}
    for key, schema in {**shapes.properties(), **_options(kind, spot, page.text)}.items():
        if key not in there and key not in found:
            rank = _NEEDED if key in shapes.required() else _ALLOWED
            found[key] = key_item(key, schema, kind, spot, rank, extra)
    return (*found.values(), *_snippets(shapes, spot, there, extra))


def key_item(key: str, schema: dict[str, Any], kind: str, spot: Cursor, rank: int, extra: str = "") -> Item:
    """Return the proposal of one key, with the beginning of its value."""
    shapes = Shapes((schema,))
    below = shapes_at(kind, (*spot.path, key), spot.root).schemas or shapes.schemas
    of = {name for part in below for name in types(part)}
    about = shapes.about() or Shapes(below).about()
    insert = f"{key}: "
    if not spot.flow and of in ({"object"}, {"array"}):
        insert = f"{key}:\n{extra}  " + ("- " if of == {"array"} else "")
    return Item(key, KEY, "/".join(sorted(of)), about, insert, rank=rank)


def deeper(text: str, start: int) -> str:
    """
    Return how much deeper than its line a key at `start` is: behind a dash, by two.

    Editors begin each further line of what they put in as deep as the line itself.
    """
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    before = text[line:start]
    return " " * (len(before.lstrip(" ")))


def _followed(item: Item) -> Item:
    return item.but(insert=f"{item.label}: ")


def _named(kind: str, spot: Cursor, known: PolicyIndex | None) -> Iterable[Item]:
    """Return the names of a policy that are keys at a path."""
    if known is None:
        return ()
    if kind == POLICY:
        extended = spot.path == ("parameters",) and len(known.chain) > 1
        own = extended or (len(spot.path) == 2 and spot.path[0] == "profiles")
        return parameter_items(known, "", 1) if own else ()
    if kind == TESTS and spot.path[:1] == ("tests",):
        return _in_case(spot.path[2:], known)
    if kind == SETTINGS and spot.path[:1] == ("exit_decision",):
        apart = spot.path[1:2] == ("policies",) and len(spot.path) > 2
        return _in_section(spot.path[3:] if apart else spot.path[1:], known)
    return ()


def _in_case(path: Path, known: PolicyIndex) -> Iterable[Item]:
    """Return the names that are keys in a case of policy tests."""
    match path:
        case ("facts" | "history",) | ("expect", "facts" | "evidence" | "rejected"):
            return fact_items(known)
        case ("expect_at", str(), "facts" | "evidence" | "rejected"):
            return fact_items(known)
        case ("grid",):
            return (*fact_items(known), *parameter_items(known))
        case ("expect", "pending"):
            return rule_items(known)
        case ("set",):
            return parameter_items(known, "", 1)
    return ()


def _in_section(path: Path, known: PolicyIndex) -> Iterable[Item]:
    """Return the names that are keys in a section of settings."""
    match path:
        case ():
            return parameter_items(known, "", 1)
        case ("rules",):
            return [item for item in rule_items(known) if not _locked(item.label, known)]
        case ("lists",):
            return [Item(name, KEY, "list", rank=1) for name in known.section("lists")]
        case ("policies",):
            return [Item(name, KEY, "policy", rank=1) for name in shipped.policies()]
    return ()


def _locked(rule: str, known: PolicyIndex) -> bool:
    locked = known.rules[rule][0].get("locked")
    return locked is not None and locked.value is True


def _options(kind: str, spot: Cursor, text: str) -> dict[str, Any]:
    """Return the options of the extractor of an entry under `facts:`."""
    if kind != POLICY or len(spot.path) != 2 or spot.path[0] != "facts":
        return {}
    id_ = extractor_at(spot, text)
    return registry.load(id_).OPTIONS if id_ in registry.names() else {}


def extractor_at(spot: Cursor, text: str) -> str:
    """Return the extractor that the entry around a spot names, empty for none."""
    written = spot.root.at((*spot.path[:2], "extract"))
    if written is None:
        return ""
    # Offsets of the tree count the mark at the cursor.
    shift = 1 if written.start > spot.start else 0
    return text[written.start - shift : written.end - shift].strip("'\"")


def _snippets(shapes: Shapes, spot: Cursor, there: set[str], extra: str) -> tuple[Item, ...]:
    """Return the snippets of the schema for a place where nothing is written yet."""
    if spot.flow:
        return ()
    found = []
    for snippet in shapes.snippets():
        body = snippet["body"]
        if isinstance(body, dict) and not there & body.keys():
            text = body_text(body).replace("\n", "\n" + extra)
            about = str(snippet.get("description", ""))
            found.append(Item(str(snippet["label"]), FORM, "", about, text, True, _SNIPPET))
    return tuple(found)


# Completion of values outside of conditions and messages.

#: Keys of an expectation that hold ids of rules.
_RULES = ("rule", "undetermined", "alternatives", "shadows", "warnings")


def value_items(page: Document, spot: Cursor, cursor: int) -> tuple[Item, ...]:
    """Return the values that may be written at a spot."""
    known = page.known(cursor)
    named = _NAMED[page.kind](page, spot, known) if page.kind in _NAMED else ()
    words = shapes_at(page.kind, spot.path, spot.root).words()
    return (*named, *(Item(word, WORD, "", doc, rank=2) for word, doc in words))


def _policy(page: Document, spot: Cursor, known: PolicyIndex | None) -> tuple[Item, ...]:
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


def _option(page: Document, spot: Cursor, known: PolicyIndex) -> tuple[Item, ...]:
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


def _tests(page: Document, spot: Cursor, known: PolicyIndex | None) -> tuple[Item, ...]:
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


def _settings(page: Document, spot: Cursor, known: PolicyIndex | None) -> tuple[Item, ...]:
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


# Bodies of the schemas' snippets as YAML.


def body_text(body: object, indent: str = "") -> str:
    """
    Return the body of a snippet (plain data whose texts hold fields such as ``${1:name}``) as YAML.

    Fields and what surrounds them are kept as they are: an editor fills them in.
    """
    lines = []
    if isinstance(body, dict):
        for key, value in body.items():
            lines.append(f"{indent}{key}:{_below(value, indent)}")
    elif isinstance(body, list):
        for value in body:
            lines.append(f"{indent}- {body_text(value, indent + '  ').lstrip()}")
    else:
        return indent + _scalar(body)
    return "\n".join(lines)


def _below(value: object, indent: str) -> str:
    if isinstance(value, dict | list) and value:
        return "\n" + body_text(value, indent + "  ")
    return " " + _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    # `^` before a text says that it is not text in YAML: a number or a word that is filled in.
    return text[1:] if text.startswith("^") else text
