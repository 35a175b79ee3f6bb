"""
Lexicons made ready for scanning.

A lexicon reaches an extractor as plain JSON, resolved by `resolve`:

    {"entries": [{"id", "phrase" | "words" | "pattern", "weight", "guards", ...}],
     "guards": {"negated": {"words": [...], "reach": 7}, ...}}
"""

from __future__ import annotations

from exitgate.facts.guards import catalogue
from exitgate.facts.scan_phrases import WITHIN, Phrase, find, phrase
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from exitgate.facts.scan import Match, Text
    from exitgate.facts.scan_patterns import Patterns

#: The lexicon whose guards hold where a lexicon has none of its own under a name.
GUARD_LEXICON = "guards-en"
#: Ready lexicons are kept for so many different options, for callers that ask again and again.
KEPT = 64


class Entry(Value):
    """
    What is looked for.

    Args:
        id: Its id in the lexicon, or the words themselves.
        weight: What a counting match adds.
        guards: Names of the guards that may refuse a match.
        phrases: Literal phrases; a match of any is a match of the entry.
        pattern: Its RE2 pattern, or the empty text.
        unless: RE2 pattern; where it occurs on the line, `pattern` does not match.
        options: The rest of the entry, as written.
    """

    __slots__ = ("guards", "id", "options", "pattern", "phrases", "unless", "weight")

    def __init__(
        self,
        id: str,
        weight: float,
        guards: tuple[str, ...],
        phrases: tuple[Phrase, ...] = (),
        pattern: str = "",
        unless: str = "",
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.id = id
        self.weight = weight
        self.guards = guards
        self.phrases = phrases
        self.pattern = pattern
        self.unless = unless
        self.options = options or {}


class Lexicon(Value):
    """Entries, guards, and the patterns of the entries compiled together (None without any)."""

    __slots__ = ("entries", "guards", "patterns", "refusals")

    def __init__(self, entries: tuple[Entry, ...], guards: catalogue.Guards) -> None:
        self.entries = entries
        self.guards = guards
        patterned = [e for e in entries if e.pattern]
        self.patterns: Patterns | None = None
        self.refusals: Patterns | None = None
        if patterned:
            from exitgate.facts.scan_patterns import Patterns

            self.patterns = Patterns([e.pattern for e in patterned])
            self.refusals = Patterns([e.unless or NEVER for e in patterned])

    def patterned(self) -> tuple[Entry, ...]:
        """Return the entries that have a pattern, in the order of `patterns`."""
        return tuple(e for e in self.entries if e.pattern)


#: A pattern that matches nothing: a character that is none.
NEVER = r"[^\x00-\x{10FFFF}]"


def resolve(document: Mapping[str, object], read: Callable[[str], Mapping[str, object]]) -> dict[str, object]:
    """
    Return a lexicon's document as extractors take it.

    Args:
        document: The lexicon, as its schema has it; ``{}`` for the guards alone.
        read: Returns the document of the lexicon of that name.

    Guards that the document does not write itself come from the lexicons it `uses`, in order, the
    later over the earlier; from `GUARD_LEXICON` when it names none. Entries of used lexicons are added
    before its own.
    """
    uses = document.get("uses", [GUARD_LEXICON])
    guards: dict[str, object] = {}
    entries: list[object] = []
    if document.get("lexicon") != GUARD_LEXICON:
        for name in uses if isinstance(uses, list) else [uses]:
            used = resolve(read(str(name)), read)
            guards.update(_mapping(used.get("guards")))
            entries.extend(listed(used.get("entries")))
    guards.update(_mapping(document.get("guards")))
    default = document.get("apply")
    for entry in listed(document.get("entries")):
        written = dict(_mapping(entry))
        if default is not None:
            written.setdefault("guards", default)
        entries.append(written)
    return {"entries": entries, "guards": guards}


def ready(plain: Mapping[str, object], apply: Sequence[str] | None = None) -> Lexicon:
    """
    Return a resolved lexicon ready for scanning.

    Args:
        plain: The resolved lexicon.
        apply: Guards of entries that name none; all but `continued` when None.
    """
    default = catalogue.DEFAULT if apply is None else tuple(apply)
    entries = tuple(_entry(_mapping(e), default) for e in listed(plain.get("entries")))
    guards = {str(k): _mapping(v) for k, v in _mapping(plain.get("guards")).items()}
    return Lexicon(entries, catalogue.Guards(guards))


def _entry(plain: Mapping[str, object], default: tuple[str, ...]) -> Entry:
    within = plain.get("within", WITHIN)
    written = [str(plain["phrase"])] if "phrase" in plain else [str(w) for w in listed(plain.get("words"))]
    id = str(plain.get("id") or plain.get("phrase") or plain.get("pattern") or (written or [""])[0])
    guards = plain.get("guards")
    weight = plain.get("weight", 1)
    return Entry(
        id,
        weight if isinstance(weight, int | float) else 1,
        tuple(str(g) for g in guards) if isinstance(guards, list | tuple) else default,
        tuple(phrase(id, w, within if isinstance(within, int) else WITHIN) for w in written),
        str(plain.get("pattern", "")),
        str(plain.get("unless", "")),
        plain,
    )


def matches(text: Text, entry: Entry) -> Iterator[Match]:
    """Yield the matches of an entry's phrases, phrase by phrase."""
    for wanted in entry.phrases:
        yield from find(text, wanted)


class Kept:
    """
    Keeps what was made from options, for a process that decides many times with the same ones.

    Options are values and never change, so the same object gives the same result; it is held here
    so that its identity stays its own.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[Mapping[str, object]], Value]) -> None:
        self._make = make
        self._made: dict[int, tuple[Mapping[str, object], Value]] = {}

    def of(self, options: Mapping[str, object]) -> Value:
        """Return what `make` makes of `options`."""
        known = self._made.get(id(options))
        if known is not None and known[0] is options:
            return known[1]
        if len(self._made) >= KEPT:
            self._made.clear()
        made = self._make(options)
        self._made[id(options)] = (options, made)
        return made


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def listed(value: object) -> list[object]:
    """Return the items of a plain JSON list; none for anything else."""
    return list(value) if isinstance(value, list | tuple) else []
