"""Completion of keys: what the format allows here, and names that are keys."""

from __future__ import annotations

from typing import Any

from exitgate.facts import registry
from exitgate.policy import shipped
from exitgate.surfaces.lsp.item import FORM, KEY, Item
from exitgate.surfaces.lsp.names import fact_items, parameter_items, rule_items
from exitgate.surfaces.lsp.roles import POLICY, SETTINGS, TESTS
from exitgate.surfaces.lsp.shapes import Shapes, shapes_at, types
from exitgate.surfaces.lsp.snippets import body_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.surfaces.lsp.known import Known
    from exitgate.surfaces.lsp.page import Page
    from exitgate.surfaces.lsp.spot import Spot
    from exitgate.surfaces.lsp.twig import Path

_NEEDED, _ALLOWED, _SNIPPET = 1, 3, 4


def key_items(page: Page, spot: Spot, cursor: int) -> tuple[Item, ...]:
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


def key_item(key: str, schema: dict[str, Any], kind: str, spot: Spot, rank: int, extra: str = "") -> Item:
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


def _named(kind: str, spot: Spot, known: Known | None) -> Iterable[Item]:
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


def _in_case(path: Path, known: Known) -> Iterable[Item]:
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


def _in_section(path: Path, known: Known) -> Iterable[Item]:
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


def _locked(rule: str, known: Known) -> bool:
    locked = known.rules[rule][0].get("locked")
    return locked is not None and locked.value is True


def _options(kind: str, spot: Spot, text: str) -> dict[str, Any]:
    """Return the options of the extractor of an entry under `facts:`."""
    if kind != POLICY or len(spot.path) != 2 or spot.path[0] != "facts":
        return {}
    id_ = extractor_at(spot, text)
    return registry.load(id_).OPTIONS if id_ in registry.names() else {}


def extractor_at(spot: Spot, text: str) -> str:
    """Return the extractor that the entry around a spot names, empty for none."""
    written = spot.root.at((*spot.path[:2], "extract"))
    if written is None:
        return ""
    # Offsets of the tree count the mark at the cursor.
    shift = 1 if written.start > spot.start else 0
    return text[written.start - shift : written.end - shift].strip("'\"")


def _snippets(shapes: Shapes, spot: Spot, there: set[str], extra: str) -> tuple[Item, ...]:
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
