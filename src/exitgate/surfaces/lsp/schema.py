"""What is at a path of a policy, of policy tests and of settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from exitgate.core.policy import shipped
from exitgate.surfaces.lsp.tree import Node, Path

Schema = dict[str, Any]


CONDITION, MESSAGE = "condition", "message"
POLICY, LEXICON, TESTS, SETTINGS = "policy", "lexicon", "tests", "settings"

_MESSAGES = ("because", "advice", "escalation")
_TREE = ("all", "any", "not")


def role_at(path: Path) -> str:
    """
    Return `CONDITION` or `MESSAGE` for a path of a policy that leads to one, else the empty text.

    Formulas count as conditions: they are written in the same language.
    """
    match _without_tree(path):
        case ("rules", int(), "when" | "retry_after") | ("invariants", int(), "given"):
            return CONDITION
        case ("conditions", str()) | ("conditions", str(), "when"):
            return CONDITION
        case ("circuit", "open", int(), "when") | ("circuit", "watch" | "close"):
            return CONDITION
        case ("facts", str(), "formula") | ("facts", str(), "points", int(), "when"):
            return CONDITION
        case ("facts", str(), "points", str(), int(), "when"):
            return CONDITION
        case ("rules", int(), key) if key in _MESSAGES:
            return MESSAGE
        case ("otherwise", "because"):
            return MESSAGE
    return ""


def _without_tree(path: Path) -> Path:
    """Return the path without the `all:`, `any:` and `not:` at its end that only take a condition apart."""
    end = len(path)
    while end > 2:
        if path[end - 1] == "not":
            end -= 1
        elif isinstance(path[end - 1], int) and path[end - 2] in _TREE[:2]:
            end -= 2
        else:
            break
    return path[:end]


#: Top-level keys one of which a file of each kind has.
_TELLING = ((LEXICON, "lexicon"), (SETTINGS, "exit_decision"), (POLICY, "policy"))
#: Keys that a file with `policy:` has beside it when it is a policy, and one with `tests:` when it is ours.
_BESIDE = frozenset(("format", "version", "rules", "extends", "facts", "parameters"))
_MODELINE = "yaml-language-server:"
#: Lines in which a modeline is looked for.
_HEAD = 5


def kind_of(path: str, text: str, keys: tuple[str, ...]) -> str:
    """
    Return what kind of file a text is, the empty text for one that is not one of ours.

    Args:
        path: The file's path.
        text: What it holds.
        keys: Its top-level keys.
    """
    told = _by_modeline(text)
    if told:
        return told
    name = path.replace("\\", "/").rpartition("/")[2]
    if "tests" in keys and ("format" in keys or "policy" in keys or name == "tests.yaml"):
        return TESTS
    for kind, key in _TELLING:
        if key in keys and (kind != POLICY or _BESIDE.intersection(keys) or name == "policy.yaml"):
            return kind
    if path.replace("\\", "/").endswith(".bb3/config.yaml"):
        return SETTINGS
    if not keys and name in ("policy.yaml", "tests.yaml"):
        return POLICY if name == "policy.yaml" else TESTS
    return ""


def _by_modeline(text: str) -> str:
    for line in text.split("\n", _HEAD)[:_HEAD]:
        if line.startswith("#") and _MODELINE in line:
            for kind, word in ((POLICY, POLICY), (LEXICON, LEXICON), (TESTS, TESTS), (SETTINGS, "config")):
                if line.rstrip().endswith(f"{word}.schema.json"):
                    return kind
    return ""


# What the schema of a format allows at a place of a text.

#: `$ref`s, `allOf`s and branches that are followed one inside the other.
_DEPTH = 12
_NAMES = {"policy": "policy", "lexicon": "lexicon", "tests": "tests", "settings": "config"}
_cache: dict[str, Any] = {}


class Shapes(Struct, frozen=True):
    """
    All that may be at one place: each schema is one way to write it, or a part of it.

    Args:
        schemas: With `$ref`s followed, `if` decided where the text decides it.
    """

    schemas: tuple[Schema, ...]

    def properties(self) -> dict[str, Schema]:
        """Return the keys a mapping here may have, each with its schema as it is written there."""
        found: dict[str, Schema] = {}
        for schema in self.schemas:
            for key, part in schema.get("properties", {}).items():
                if isinstance(part, dict) and not _says_less(part, found.get(key)):
                    found[key] = part
        return found

    def required(self) -> set[str]:
        """Return the keys that a mapping here must have, no matter what else is written."""
        return {k for s in self.schemas for k in s.get("required", ()) if k in s.get("properties", {})}

    def words(self) -> tuple[tuple[str, str], ...]:
        """Return the closed list of values that may be here, each with what it means."""
        found: dict[str, str] = {}
        for schema in self.schemas:
            meanings = schema.get("enumDescriptions", ())
            for number, word in enumerate(schema.get("enum", ())):
                found.setdefault(plain(word), meanings[number] if number < len(meanings) else "")
            if "const" in schema:
                found.setdefault(plain(schema["const"]), "")
        if any("boolean" in types(schema) and "enum" not in schema for schema in self.schemas) and not found:
            found = {"true": "", "false": ""}
        return tuple(found.items())

    def snippets(self) -> tuple[Schema, ...]:
        """Return the `defaultSnippets` of this place."""
        return tuple(snippet for schema in self.schemas for snippet in schema.get("defaultSnippets", ()))

    def about(self) -> str:
        """Return what the place is for, in Markdown; empty where the schema does not say."""
        for schema in self.schemas:
            said = schema.get("markdownDescription") or schema.get("description")
            if said:
                return str(said)
        return ""

    def items(self) -> bool:
        """Return whether a sequence may be here."""
        return any("array" in types(schema) or "items" in schema for schema in self.schemas)


def shapes_at(kind: str, path: Path, root: Node) -> Shapes:
    """
    Return what may be at `path` of a file of a kind.

    Args:
        kind: As `exitgate.surfaces.lsp.schema.kind_of` returns it.
        path: Keys and indexes.
        root: The text's tree: which branch of a schema counts, its keys decide.
    """
    name = _NAMES.get(kind)
    if name is None:
        return Shapes(())
    if name not in _cache:
        _cache[name] = shipped.schema(name)
    whole = _cache[name]
    here: tuple[Schema, ...] = tuple(_open(whole, whole, root, 0))
    twig: Node | None = root
    for step in path:
        twig = twig.get(step) if twig is not None else None
        below = [part for schema in here for part in _step(schema, step)]
        here = tuple(found for part in below for found in _open(part, whole, twig, 0))
    return Shapes(here)


def types(schema: Schema) -> tuple[str, ...]:
    """Return the types a schema names."""
    named = schema.get("type", ())
    return (named,) if isinstance(named, str) else tuple(named)


def plain(value: object) -> str:
    """Return a value of a schema as YAML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "~" if value is None else str(value)


def _says_less(schema: Schema, other: Schema | None) -> bool:
    return other is not None and len(schema) <= len(other)


def _open(schema: Schema, whole: Schema, twig: Node | None, depth: int) -> Iterator[Schema]:
    """Yield a schema with what its `$ref`, `allOf` and branches add."""
    if depth > _DEPTH or not isinstance(schema, dict):
        return
    yield schema
    target = schema.get("$ref")
    if isinstance(target, str) and target.startswith("#/"):
        found: Any = whole
        for step in target[2:].split("/"):
            found = found[step]
        yield from _open(found, whole, twig, depth + 1)
    for part in (*schema.get("allOf", ()), *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _open(part, whole, twig, depth + 1)
    if "if" in schema:
        decided = _holds(schema["if"], twig)
        for branch, wanted in (("then", True), ("else", False)):
            if branch in schema and decided in (wanted, None):
                yield from _open(schema[branch], whole, twig, depth + 1)


def _holds(condition: Schema, twig: Node | None) -> bool | None:
    """Return whether the text decides an `if`; None where it does not say yet."""
    kind = {"mapping": "object", "sequence": "array"}.get(twig.kind) if twig is not None else None
    wanted = condition.get("type")
    if isinstance(wanted, str) and kind is not None and wanted != kind:
        return False
    if kind == "object" and twig is not None and "required" in condition:
        there = twig.keys()
        if all(key in there for key in condition["required"]):
            return None if "properties" in condition else True
        # A mapping that says nothing yet may become either.
        return False if there else None
    return None


def _step(schema: Schema, step: str | int) -> Iterator[Schema]:
    if isinstance(step, int):
        items = schema.get("items")
        if isinstance(items, dict):
            yield items
        return
    properties = schema.get("properties", {})
    if step in properties:
        yield properties[step]
        return
    for pattern, part in schema.get("patternProperties", {}).items():
        if step.startswith(pattern.lstrip("^")):
            yield part
            return
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        yield rest
