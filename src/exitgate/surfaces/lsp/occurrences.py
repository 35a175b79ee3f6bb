"""Every name in a policy, in policy tests, in settings and in a lexicon, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.literals import RESERVED
from exitgate.core.language.syntax.scan import Piece, scan
from exitgate.core.policy.sections.parameters import RESERVED as RESERVED_KEYS
from exitgate.core.policy.sections.templates import pieces
from exitgate.surfaces.lsp.cursor import inner
from exitgate.surfaces.lsp.schema import CONDITION as A_CONDITION
from exitgate.surfaces.lsp.schema import LEXICON as A_LEXICON
from exitgate.surfaces.lsp.schema import POLICY as A_POLICY
from exitgate.surfaces.lsp.schema import SETTINGS, TESTS, role_at
from exitgate.surfaces.lsp.tree import SCALAR, Entry, Node, Path

Found = tuple[str, int]


# A name that is somewhere in a text.

PARAMETER, ENTRY, FACT, CONDITION, RULE = "parameter", "entry", "fact", "condition", "rule"
LIST, PROFILE, POLICY, LEXICON = "list", "profile", "policy", "lexicon"
EXTRACTOR, FUNCTION, SOURCE = "extractor", "function", "source"


class Occurrence(Struct, frozen=True):
    """
    One name with its place.

    Args:
        kind: One of the kinds above. An `ENTRY` is a name under `facts:`, a `FACT` one that a
            condition uses: the entry's name, and for most extractors a part of their own behind it.
        name: Without ``$`` or ``@``.
        start, end: Offsets of the name in the text, without ``$``, ``@`` and quotes.
        declares: Whether it is here for the first time in this file: as a key, or as an `id:`.
    """

    kind: str
    name: str
    start: int
    end: int
    declares: bool = False


_SECTIONS = {"parameters": PARAMETER, "facts": ENTRY, "given": ENTRY, "conditions": CONDITION,
             "lists": LIST, "profiles": PROFILE}  # fmt: skip


def occurrences(kind: str, text: str, root: Node) -> Iterator[Occurrence]:
    """Yield every name of a text of a kind (`exitgate.surfaces.lsp.schema`), in the order of the file."""
    for path, entry in root.walk():
        if kind == A_POLICY:
            yield from _in_policy(text, root, path, entry)
        elif kind == TESTS:
            yield from in_tests(text, root, path, entry)
        elif kind == SETTINGS:
            yield from in_settings(text, path, entry)
        elif kind == A_LEXICON and path[:1] == ("uses",) and len(path) == 2:
            yield from named(LEXICON, value_of(text, entry.value))


def _in_policy(text: str, root: Node, path: Path, entry: Entry) -> Iterator[Occurrence]:
    role = role_at(path)
    if role and entry.value.kind == SCALAR:
        if len(path) == 2 and path[0] == "conditions":
            yield from named(CONDITION, key_of(text, entry), declares=True)
        found, start = inner(text, entry.value.start, entry.value.end, entry.value.style)
        names = in_condition(found) if role == A_CONDITION else in_message(found)
        yield from (replace(o, start=o.start + start, end=o.end + start) for o in names)
        return
    if len(path) == 2 and path[0] in _SECTIONS:
        yield from named(_SECTIONS[str(path[0])], key_of(text, entry), declares=True)
    if path[:1] == ("facts",):
        yield from _in_entry(text, root, path, entry)
        return
    word = value_of(text, entry.value)
    match path:
        case ("profiles", str(), str()):
            yield from named(PARAMETER, key_of(text, entry))
        case ("rules", int(), "id" | "before" | "after"):
            yield from named(RULE, word, declares=path[2] == "id")
        case ("extends",):
            yield from named(POLICY, word)
        case ("mask", "lexicon") | ("mask", "lexicon", int()):
            yield from named(LEXICON, word)
        case ("views", str(), str() as field) if field not in ("path", "folder"):
            yield from _value(word, True)
        case ("circuit", "cooldown") | ("undetermined", "exit_after"):
            yield from _value(word, False)


_IN_ENTRIES = {"lexicon": LEXICON, "extract": EXTRACTOR, "from": SOURCE}


def _in_entry(text: str, root: Node, path: Path, entry: Entry) -> Iterator[Occurrence]:
    """Yield what is in an entry under `facts:`."""
    if len(path) < 3:
        return
    kind = _IN_ENTRIES.get(str(path[2]))
    if kind is not None:
        yield from named(kind, value_of(text, entry.value))
    else:
        yield from _option(text, root, path, entry)


def _option(text: str, root: Node, path: Path, entry: Entry) -> Iterator[Occurrence]:
    """Yield what an option of an extractor names: a list, a parameter, facts of progress."""
    found = value_of(text, entry.value)
    if path[-1] == "list":
        yield from named(LIST, found)
        return
    extract = root.at((*path[:2], "extract"))
    signals = path[2] == "signals" and extract is not None and _says(text, extract, "progress")
    yield from _value(found, signals and path[4:] in ((), ("fact",)))


def _says(text: str, twig: Node, word: str) -> bool:
    return text[twig.start : twig.end].strip("'\"") == word


def _value(found: tuple[str, int] | None, fact: bool) -> Iterator[Occurrence]:
    """Yield the parameter, or where one may be the fact, that a whole scalar is."""
    if found is None:
        return
    said, start = found
    if said.startswith("$") and said[1:].replace("_", "a").isalnum():
        yield Occurrence(PARAMETER, said[1:], start + 1, start + len(said))
    elif fact and said and not said.startswith("$"):
        yield Occurrence(FACT, said, start, start + len(said))


def in_condition(text: str) -> Iterator[Occurrence]:
    """Yield the names in a condition or formula, whether it parses or not; offsets are those in `text`."""
    found = scan(text)
    for number, piece in enumerate(found):
        behind = found[number + 1].text if number + 1 < len(found) else ""
        if piece.kind == "parameter":
            yield Occurrence(PARAMETER, piece.text[1:], piece.start + 1, piece.end)
        elif piece.kind == "condition":
            yield Occurrence(CONDITION, piece.text[1:], piece.start + 1, piece.end)
        elif piece.kind == "word" and piece.text[0].islower():
            if behind == "(" and piece.text in FUNCTIONS:
                yield Occurrence(FUNCTION, piece.text, piece.start, piece.end)
            elif piece.text == "item" and listed(found[:number]) is not None:
                continue
            elif piece.text not in _WORDS:
                yield Occurrence(FACT, piece.text, piece.start, piece.end)


#: Words of the language: no fact has such a name.
_WORDS = frozenset(word for words in RESERVED for word in words.split())


def in_message(text: str) -> Iterator[Occurrence]:
    """Yield the names in the braces of a message; offsets are those in `text`."""
    for kind, _, start, end in pieces(text):
        if kind != "slot":
            continue
        words = in_condition(text[start + 1 : end - 1])
        for found in words:
            if found.name != "history":
                yield replace(found, start=found.start + start + 1, end=found.end + start + 1)


# Names of a policy in the files beside it: its tests and settings.

#: Keys of an expectation that hold ids of rules. An outcome is a rule's id where the rule says nothing else.
_RULES = ("rule", "outcome", "undetermined", "alternatives", "shadows", "warnings")
_FACTS = ("facts", "evidence", "rejected")


def in_tests(text: str, root: Node, path: Path, entry: Entry) -> Iterator[Occurrence]:
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
        case (str() as key,) if key not in RESERVED_KEYS and not key.startswith("x-"):
            yield from named(PARAMETER, key_of(text, entry))


# Keys and scalars of a tree without their quotes, with their offsets.


def key_of(text: str, entry: Entry) -> Found | None:
    """Return the key of an entry, None for an item of a sequence."""
    return _unquoted(text, entry.key_start, entry.key_end) if isinstance(entry.key, str) else None


def value_of(text: str, twig: Node) -> Found | None:
    """Return a scalar of one line, None for anything else."""
    if twig.kind != SCALAR or twig.style in ("|", ">"):
        return None
    return _unquoted(text, twig.start, twig.end)


def _unquoted(text: str, start: int, end: int) -> Found:
    quoted = end - start > 1 and text[start] in "'\"" and text[end - 1] == text[start]
    return (text[start + 1 : end - 1], start + 1) if quoted else (text[start:end], start)


def named(kind: str, found: Found | None, declares: bool = False) -> Iterator[Occurrence]:
    """Yield the occurrence that a text is as a whole; nothing for an empty one."""
    if found is not None and found[0]:
        yield Occurrence(kind, found[0], found[1], found[1] + len(found[0]), declares)


# Which list a place in a condition looks at item by item: what `item` is there.


def listed(pieces: Sequence[Piece]) -> Sequence[Piece] | None:
    """
    Return the pieces of the list whose items are looked at where `pieces`, a beginning, end.

    None where that is not within ``any of LIST where (``, ``all of`` or ``count of``.
    """
    depth = 0
    for at in range(len(pieces) - 1, 0, -1):
        text = pieces[at].text
        depth += {")": 1, "(": -1}.get(text, 0)
        if depth < 0:
            depth = 0
            if pieces[at - 1].text == "where":
                return _list_before(pieces[: at - 1])
    return None


def _list_before(pieces: Sequence[Piece]) -> Sequence[Piece] | None:
    for at in range(len(pieces) - 1, 0, -1):
        if pieces[at].text == "of":
            found = pieces[at + 1 :]
            of_iterations = len(found) > 1 and found[0].text == "last" and found[1].text != "("
            return None if of_iterations or not found else found
    return None
