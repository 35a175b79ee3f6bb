"""Every name in a policy, in policy tests, in settings and in a lexicon, with its place."""

from __future__ import annotations

from exitgate.language.functions import FUNCTIONS
from exitgate.language.keywords import RESERVED
from exitgate.language.syntax_scan import scan
from exitgate.policy.templates import pieces
from exitgate.surfaces.lsp.list_items import listed
from exitgate.surfaces.lsp.occurrence import (
    CONDITION,
    ENTRY,
    EXTRACTOR,
    FACT,
    FUNCTION,
    LEXICON,
    LIST,
    PARAMETER,
    POLICY,
    PROFILE,
    RULE,
    SOURCE,
    Occurrence,
)  # fmt: skip
from exitgate.surfaces.lsp.occurrences_beside import in_settings, in_tests
from exitgate.surfaces.lsp.roles import CONDITION as A_CONDITION
from exitgate.surfaces.lsp.roles import LEXICON as A_LEXICON
from exitgate.surfaces.lsp.roles import POLICY as A_POLICY
from exitgate.surfaces.lsp.roles import SETTINGS, TESTS, text_role
from exitgate.surfaces.lsp.spans import key_of, named, value_of
from exitgate.surfaces.lsp.spot import inner
from exitgate.surfaces.lsp.twig import SCALAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.surfaces.lsp.twig import Entry, Path, Twig

_SECTIONS = {"parameters": PARAMETER, "facts": ENTRY, "given": ENTRY, "conditions": CONDITION,
             "lists": LIST, "profiles": PROFILE}  # fmt: skip


def occurrences(kind: str, text: str, root: Twig) -> Iterator[Occurrence]:
    """Yield every name of a text of a kind (`exitgate.surfaces.lsp.roles`), in the order of the file."""
    for path, entry in root.walk():
        if kind == A_POLICY:
            yield from _in_policy(text, root, path, entry)
        elif kind == TESTS:
            yield from in_tests(text, root, path, entry)
        elif kind == SETTINGS:
            yield from in_settings(text, path, entry)
        elif kind == A_LEXICON and path[:1] == ("uses",) and len(path) == 2:
            yield from named(LEXICON, value_of(text, entry.value))


def _in_policy(text: str, root: Twig, path: Path, entry: Entry) -> Iterator[Occurrence]:
    role = text_role(path)
    if role and entry.value.kind == SCALAR:
        if len(path) == 2 and path[0] == "conditions":
            yield from named(CONDITION, key_of(text, entry), declares=True)
        found, start = inner(text, entry.value.start, entry.value.end, entry.value.style)
        names = in_condition(found) if role == A_CONDITION else in_message(found)
        yield from (o.but(start=o.start + start, end=o.end + start) for o in names)
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


def _in_entry(text: str, root: Twig, path: Path, entry: Entry) -> Iterator[Occurrence]:
    """Yield what is in an entry under `facts:`."""
    if len(path) < 3:
        return
    kind = _IN_ENTRIES.get(str(path[2]))
    if kind is not None:
        yield from named(kind, value_of(text, entry.value))
    else:
        yield from _option(text, root, path, entry)


def _option(text: str, root: Twig, path: Path, entry: Entry) -> Iterator[Occurrence]:
    """Yield what an option of an extractor names: a list, a parameter, facts of progress."""
    found = value_of(text, entry.value)
    if path[-1] == "list":
        yield from named(LIST, found)
        return
    extract = root.at((*path[:2], "extract"))
    signals = path[2] == "signals" and extract is not None and _says(text, extract, "progress")
    yield from _value(found, signals and path[4:] in ((), ("fact",)))


def _says(text: str, twig: Twig, word: str) -> bool:
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
                yield found.but(start=found.start + start + 1, end=found.end + start + 1)
