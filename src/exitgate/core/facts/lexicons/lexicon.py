"""
Lexicons made ready for scanning.

A lexicon reaches an extractor as plain JSON, resolved by
`exitgate.core.facts.lexicons.resolved.resolve`:

    {"entries": [{"id", "phrase" | "words" | "pattern", "weight", "guards", "language", ...}],
     "guards": {"negated": {"words": [...], "reach": 7}, ...},
     "languages": {"de": {"recognise": {...}, "spellings": {...}, "guards": {...}}, ...},
     "language": "auto" | "de" | ["de", "en"]}

Entries of a language are searched in texts of that language, and guarded by its words; without guards of
its own it has the lexicon's. Arrays and objects may be packed (`exitgate.core.model.json_object`). A
lexicon in several languages may have the entries of each under `languages`.
"""

from __future__ import annotations

from exitgate.core.facts.guards import catalogue
from exitgate.core.facts.lexicons.phrases import WITHIN, Phrase, find, phrase
from exitgate.core.facts.text.words import NO_SPELLINGS, respelled
from exitgate.core.model.json_object import JsonObject, array_of, object_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from exitgate.core.facts.lexicons.patterns import Patterns, Ways
    from exitgate.core.facts.text.text import Match, Text

    Made = TypeVar("Made")


#: The lexicon whose guards hold where a lexicon has none of its own under a name.
GUARD_LEXICON = "guards-en"
#: Key of an entry: what lines have that its pattern matches (`exitgate.core.facts.lexicons.patterns.Ways`).
NEEDED = "needed"
#: Key of an entry: for each of its phrases words of which a text has one, none where that is not known.
KEYS = "keys"
#: Key of a lexicon whose entries are parted by language: ``[language or "", entries in a row]``, in order.
ORDER = "order"
#: Key of a lexicon, and of a language in it: `index_of` its entries, and what is there.
INDEX = "index"
COUNT = "count"
FIRSTS = "firsts"
WORDS = "words"
ALWAYS = "always"
PATTERNED = "patterned"
#: Keys of an entry or a lexicon that the compiler works out from the others.
WORKED_OUT = frozenset((NEEDED, KEYS, INDEX))
#: Ready lexicons are kept for so many different options, for callers that ask again and again.
KEPT = 64


class Entry(Value):
    """
    What is looked for.

    Args:
        id: Its id in the lexicon, or the words themselves.
        weight: What a counting match adds.
        guards: Names of the guards that may refuse a match.
        written: Literal phrases, as written; a match of any is a match of the entry.
        within: Words that may be in their gaps.
        spellings: Letter -> other way to write it.
        pattern: Its RE2 pattern, or the empty text.
        unless: RE2 pattern; where it occurs in the sentence, `pattern` does not match.
        options: The rest of the entry, as written.
    """

    __slots__ = (
        "_made", "_spellings", "_within", "guards", "id", "options", "pattern", "unless", "weight", "written",
    )  # fmt: skip

    def __init__(
        self,
        id: str,
        weight: float,
        guards: tuple[str, ...],
        written: tuple[str, ...] = (),
        pattern: str = "",
        unless: str = "",
        options: JsonObject | None = None,
        within: int = WITHIN,
        spellings: Mapping[str, str] = NO_SPELLINGS,
    ) -> None:
        self.id = id
        self.weight = weight
        self.guards = guards
        self.written = written
        self.pattern = pattern
        self.unless = unless
        self.options = options or JsonObject()
        self._within = within
        self._spellings = spellings
        self._made: dict[int, Phrase] = {}

    def phrase(self, number: int) -> Phrase:
        """Return a phrase taken apart, made when first asked: most occur in no text."""
        made = self._made.get(number)
        if made is None:
            written = respelled(self.written[number], self._spellings)
            made = self._made[number] = phrase(self.id, written, self._within)
        return made

    def keys(self, number: int) -> Collection[bytes]:
        """Return words of which one is in every text that a phrase occurs in; none where it has none."""
        known: Any = self.options.get(KEYS)  # written by `with_required`
        if known and number < len(known):
            return [word.encode() for word in known[number]]
        sets = self.phrase(number).wanted.sets
        return sets[0] if sets else ()


class Entries:
    """
    Entries, each made ready when it is first asked for: most occur in no text.

    Args:
        plain: An array of them, which may be packed.
        apply: Guards of those that name none.
        spellings: Letter -> other way to write it.
        index: What `index_of` returned for them, empty where it was not asked.
    """

    __slots__ = ("_apply", "_made", "_plain", "_spellings", "index")

    def __init__(
        self,
        plain: object,
        apply: tuple[str, ...],
        spellings: Mapping[str, str] = NO_SPELLINGS,
        index: JsonObject | None = None,
    ) -> None:
        self._plain = plain
        self._apply = apply
        self._spellings = spellings
        self.index = index or JsonObject()
        self._made: dict[int, Entry] = {}

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> Entries:
        """Return entries that are ready."""
        made = cls([entry.options for entry in entries], ())
        made._made.update(enumerate(entries))
        return made

    def __len__(self) -> int:
        known = self.index.whole(COUNT)
        return len(array_of(self._plain)) if known is None else known

    def __getitem__(self, number: int) -> Entry:
        made = self._made.get(number)
        if made is None:
            plain = object_of(array_of(self._plain)[number])
            made = self._made[number] = _entry(plain, self._apply, self._spellings)
        return made

    def __iter__(self) -> Iterator[Entry]:
        return (self[number] for number in range(len(self)))

    def patterned(self) -> tuple[Entry, ...]:
        """Return those that have a pattern."""
        if not self.index:
            return tuple(entry for entry in self if entry.pattern)
        numbers: Any = self.index.array(PATTERNED)  # written by `index_of`
        return tuple(self[number] for number in numbers)


class Lexicon(Value):
    """
    Entries, guards, and the patterns of the entries compiled together (None without any).

    Args:
        entries: Those searched in every text.
        guards: Theirs.
        languages: Makes the parts for texts of a language; None when there are none.
    """

    __slots__ = ("_patterned", "entries", "guards", "languages", "patterns", "refusals")

    def __init__(self, entries: Entries, guards: catalogue.Guards, languages: Parts | None = None) -> None:
        self.entries = entries
        self.guards = guards
        self.languages = languages
        patterned = self._patterned = entries.patterned()
        self.patterns: Patterns | None = None
        self.refusals: Patterns | None = None
        if patterned:
            from exitgate.core.facts.lexicons.patterns import Patterns

            self.patterns = Patterns([e.pattern for e in patterned], [needed(e.options) for e in patterned])
            self.refusals = Patterns([e.unless or NEVER for e in patterned])

    def patterned(self) -> tuple[Entry, ...]:
        """Return the entries that have a pattern, in the order of `patterns`."""
        return self._patterned

    def parts(self, text: Text) -> tuple[Lexicon, ...]:
        """
        Return what is searched in `text`: the entries for every text, then those of its languages.

        Each part has the guards of its language, and those of the language that most of the text is in.
        """
        return (self,) if self.languages is None else self.languages.of(self, text.folded)


class Parts(Value):
    """
    The entries and guards of each language, made ready when a text in it is first met.

    Args:
        plain: A resolved lexicon with `languages`.
        entries: Its entries, where they are not parted.
        apply: Guards of entries that name none.
    """

    __slots__ = ("_apply", "_entries", "_fixed", "_guards", "_languages", "_made", "_plain")

    def __init__(self, plain: JsonObject, entries: list[JsonObject], apply: tuple[str, ...]) -> None:
        from exitgate.core.facts.lexicons.languages import Languages, chosen

        self._plain = plain.object("languages")
        self._entries = entries
        self._apply = apply
        self._fixed = chosen(plain.get("language"), tuple(self._plain))
        self._languages = Languages(
            {code: object_of(of).object("recognise") for code, of in self._plain.items()}
        )
        self._guards: dict[str, catalogue.Guards | None] = {}
        self._made: dict[tuple[str, str], Lexicon] = {}

    def of(self, base: Lexicon, folded: str) -> tuple[Lexicon, ...]:
        """Return `base`, guarded as the text's main language wants it, and the parts of its languages."""
        codes = self._fixed or self._languages.of(folded)
        main = codes[0] if codes else ""
        own = [self._part(base, "", main)] if len(base.entries) else []
        return (*own, *(self._part(base, code, main) for code in codes))

    def _part(self, base: Lexicon, code: str, main: str) -> Lexicon:
        made = self._made.get((code, main))
        if made is None:
            guards = self._of(code) or base.guards
            if main != code:
                guards = catalogue.Joined(guards, self._of(main) or base.guards)
            made = self._made[code, main] = Lexicon(self._entries_of(base, code), guards)
        return made

    def _entries_of(self, base: Lexicon, code: str) -> Entries:
        if not code:
            return base.entries
        language, spellings = self._plain.object(code), _spellings(self._plain, code)
        if "entries" in language:
            return Entries(language["entries"], self._apply, spellings, language.object(INDEX))
        return Entries([e for e in self._entries if e.get("language") == code], self._apply, spellings)

    def _of(self, code: str) -> catalogue.Guards | None:
        """Return the guards of a language; None where they are the lexicon's."""
        if code not in self._guards:
            words = _guards_in(self._plain, code)
            self._guards[code] = catalogue.Guards(words, _spellings(self._plain, code)) if words else None
        return self._guards[code]


#: A pattern that matches nothing: a character that is not one.
NEVER = r"[^\x00-\x{10FFFF}]"


def index_of(entries: Iterable[Entry]) -> JsonObject:
    """
    Return where to look for entries, so that few of them are read for a text.

    Phrases are numbered through all entries: `FIRSTS` has the first number of each, and the number of all;
    `WORDS` a word -> the phrases of which it is one of the keys; `ALWAYS` the phrases without; `PATTERNED`
    the numbers of the entries that have a pattern.
    """
    firsts, patterned = [0], []
    words: dict[str, list[int]] = {}
    always: list[int] = []
    for number, entry in enumerate(entries):
        for n in range(len(entry.written)):
            keys = entry.keys(n)
            for word in keys:
                words.setdefault(word.decode(), []).append(firsts[-1] + n)
            if not keys:
                always.append(firsts[-1] + n)
        firsts.append(firsts[-1] + len(entry.written))
        if entry.pattern:
            patterned.append(number)
    found = {COUNT: len(firsts) - 1, FIRSTS: firsts, WORDS: words, ALWAYS: always, PATTERNED: patterned}
    return JsonObject(found)


def entries_of(plain: JsonObject) -> list[JsonObject]:
    """Return all entries of a resolved lexicon, those that are parted by language too, in their order."""
    if ORDER not in plain:
        return plain.objects("entries")
    languages = plain.object("languages")
    parts = {code: iter(languages.object(code).objects("entries")) for code in languages}
    parts[""] = iter(plain.objects("entries"))
    order: Any = plain[ORDER]
    return [next(parts[code]) for code, count in order for _ in range(count)]


def ready(plain: JsonObject, apply: Sequence[str] | None = None) -> Lexicon:
    """
    Return a resolved lexicon ready for scanning.

    Args:
        plain: The resolved lexicon.
        apply: Guards of entries that name none; all but `continued` when None.

    Entries of a lexicon in one language are searched in every text.
    """
    default = catalogue.DEFAULT if apply is None else tuple(apply)
    languages = plain.object("languages")
    guards = {name: object_of(words) for name, words in plain.object("guards").items()}
    if len(languages) > 1:
        entries: list[JsonObject] = []
        always = Entries(plain.get("entries"), default, NO_SPELLINGS, plain.object(INDEX))
        if ORDER not in plain:
            entries = plain.objects("entries")
            always = Entries([e for e in entries if e.get("language") not in languages], default)
        return Lexicon(always, catalogue.Guards(guards), Parts(plain, entries, default))
    only = next(iter(languages), "")
    spellings = _spellings(languages, only)
    guards = _guards_in(languages, only) or guards
    own = Entries(plain.get("entries"), default, spellings, plain.object(INDEX))
    return Lexicon(own, catalogue.Guards(guards, spellings))


def needed(plain: JsonObject) -> Ways:
    """Return what lines have that an entry's pattern matches; nothing where that is not known."""
    found: Any = plain.get(NEEDED)  # written by `with_required`, thousands of texts: not looked at again
    return found or ()


def _guards_in(languages: JsonObject, code: str) -> dict[str, JsonObject]:
    """Return the words of the guards of a language; none where they are the lexicon's."""
    guards = languages.object(code).object("guards")
    return {name: object_of(words) for name, words in guards.items()}


def _spellings(languages: JsonObject, code: str) -> Mapping[str, str]:
    written = languages.object(code).object("spellings")
    return {letter: str(other) for letter, other in written.items()}


def _entry(plain: JsonObject, default: tuple[str, ...], spellings: Mapping[str, str] = NO_SPELLINGS) -> Entry:
    read: Any = plain.get  # the schema has checked it: hundreds of entries are made ready for a check
    written = (str(plain["phrase"]),) if "phrase" in plain else tuple(map(str, read("words", ())))
    return Entry(
        str(read("id") or read("phrase") or read("pattern") or (written or ("",))[0]),
        read("weight", 1),
        tuple(map(str, read("guards", default))),
        written,
        str(read("pattern", "")),
        str(read("unless", "")),
        plain,
        read("within", WITHIN),
        spellings,
    )


def guard_names(plain: JsonObject, key: str = "guards") -> tuple[str, ...] | None:
    """Return the guards that an entry or an extractor's options name, which may be none; None without."""
    named = plain.get(key)
    return tuple(map(str, named)) if isinstance(named, list | tuple) else None


def matches(text: Text, entry: Entry) -> Iterator[Match]:
    """Yield the matches of an entry's phrases, phrase by phrase."""
    present = text.stretches.words()
    for number in range(len(entry.written)):
        keys = entry.keys(number)
        if not keys or not present.isdisjoint(keys):
            yield from find(text, entry.phrase(number))


def keys_of(plain: JsonObject) -> list[list[str]]:
    """Return what is under `KEYS` in an entry; none for a phrase silently."""
    entry = _entry(plain, ())
    found: list[list[str]] = []
    for number in range(len(entry.written)):
        try:
            found.append(sorted(key.decode() for key in entry.keys(number)))
        except ValueError:
            found.append([])
    return found


def kept(make: Callable[[JsonObject], Made]) -> Callable[[JsonObject], Made]:
    """
    Return `make`, but what it made of the same object before is given back.

    For a process that decides many times with the same options: they are values and never change. Each
    object is held here, so that its identity stays its own.
    """
    known: dict[int, tuple[JsonObject, Made]] = {}

    def of(options: JsonObject) -> Made:
        found = known.get(id(options))
        if found is not None and found[0] is options:
            return found[1]
        if len(known) >= KEPT:
            known.clear()
        made = make(options)
        known[id(options)] = (options, made)
        return made

    return of
