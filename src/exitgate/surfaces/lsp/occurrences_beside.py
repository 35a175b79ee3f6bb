"""Names of a policy in the files beside it: its tests and settings."""

from __future__ import annotations

from exitgate.policy.parameters import RESERVED
from exitgate.surfaces.lsp.occurrence import (
    FACT,
    LIST,
    PARAMETER,
    POLICY,
    PROFILE,
    RULE,
    SOURCE,
    Occurrence,
)  # fmt: skip
from exitgate.surfaces.lsp.spans import key_of, named, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.surfaces.lsp.spans import Found
    from exitgate.surfaces.lsp.twig import Entry, Path, Twig

#: Keys of an expectation that hold ids of rules. An outcome is a rule's id where the rule says nothing else.
_RULES = ("rule", "outcome", "undetermined", "alternatives", "shadows", "warnings")
_FACTS = ("facts", "evidence", "rejected")


def in_tests(text: str, root: Twig, path: Path, entry: Entry) -> Iterator[Occurrence]:
    """Yield the names at a path of policy tests."""
    if path == ("policy",):
        yield from named(POLICY, value_of(text, entry.value))
        return
    if len(path) < 4 or path[0] != "tests":
        return
    match path[2:]:
        case ("facts" | "history", str()):
            yield from named(FACT, key_of(text, entry))
        case ("set", str()):
            yield from named(PARAMETER, key_of(text, entry))
        case ("sources", str()) | ("earlier", int(), str()):
            yield from named(SOURCE, key_of(text, entry))
        case ("grid", str()):
            yield from _either(key_of(text, entry))
        case ("table", "columns", int()):
            yield from _either(value_of(text, entry.value))
        case ("table", "rows", int(), int() as column) | ("table", "rows", int(), int() as column, int()):
            heading = root.at((*path[:2], "table", "columns", column))
            words = text[heading.start : heading.end].strip("'\"") if heading is not None else ""
            if words.rpartition(".")[2] in _RULES:
                yield from named(RULE, value_of(text, entry.value))
        case ("expect", *rest) | ("expect_at", str(), *rest):
            yield from _expected(text, tuple(rest), entry)


def _expected(text: str, path: Path, entry: Entry) -> Iterator[Occurrence]:
    match path:
        case (key, str()) if key in _FACTS:
            yield from named(FACT, key_of(text, entry))
        case ("pending", str()):
            yield from named(RULE, key_of(text, entry))
        case (key,) | (key, int()) if key in _RULES:
            yield from named(RULE, value_of(text, entry.value))


#: What a column begins with that says where in a case its cells belong.
_LEADS = {
    "expect.facts.": FACT, "expect.evidence.": FACT, "expect.rejected.": FACT, "facts.": FACT,
    "history.": FACT, "expect.pending.": RULE, "sources.": SOURCE, "set.": PARAMETER, "$": PARAMETER,
}  # fmt: skip


def _either(found: Found | None) -> Iterator[Occurrence]:
    """Yield the parameter, fact, rule or source that a column is about."""
    if found is None:
        return
    said, start = found
    for lead, kind in _LEADS.items():
        if said.startswith(lead):
            yield from named(kind, (said[len(lead) :], start + len(lead)))
            return
    yield from named(FACT, found)


def in_settings(text: str, path: Path, entry: Entry) -> Iterator[Occurrence]:
    """Yield the names at a path of settings; those for another policy are among them."""
    if path == ("project", "type"):
        yield from named(PROFILE, value_of(text, entry.value))
    if path[:1] != ("exit_decision",):
        return
    rest = path[3:] if path[1:2] == ("policies",) else path[1:]
    match rest:
        case ("policy",):
            yield from named(POLICY, value_of(text, entry.value))
        case ("profile",):
            yield from named(PROFILE, value_of(text, entry.value))
        case ("rules", str()):
            yield from named(RULE, key_of(text, entry))
        case ("lists", str()):
            yield from named(LIST, key_of(text, entry))
        case (str() as key,) if key not in RESERVED and not key.startswith("x-"):
            yield from named(PARAMETER, key_of(text, entry))
