"""Looks for the entries of a lexicon in a text and asks the guards about each match."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons.phrases import find
from exitgate.core.facts.text.structure import QUESTIONS
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, MATCH_LIMIT, Match, Text, evidence, sentence_of
from exitgate.core.model.json_object import array_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from exitgate.core.facts.lexicons.lexicon import Entry, Lexicon
    from exitgate.core.facts.lexicons.phrase_units import Units
    from exitgate.core.facts.lexicons.phrases import Phrase
    from exitgate.core.facts.lexicons.task_copies import Task
    from exitgate.core.model.fact import Evidence, Iteration

    Regions = tuple[tuple[int, int], ...]
    from collections.abc import Collection

    from exitgate.core.facts.text.text import Text


#: Texts of more characters go through an RE2 set first; for shorter ones its making is not worth it.
LONG = 100_000
#: So many matches of one search are judged by guards; more of one kind say nothing new.
JUDGED = 128
#: The last sentence of a text begins within so many characters of its end.
LAST = 2_000
_NO_WORDS: set[bytes] = set()


class Hit(Value):
    """A match of an entry; `guard` names the guard that refused it, or is None where it counts."""

    __slots__ = ("entry", "guard", "match")

    def __init__(self, entry: Entry, match: Match, guard: str | None) -> None:
        self.entry = entry
        self.match = match
        self.guard = guard


def task_of(iteration: Iteration, name: str = "task") -> Task | None:
    """Return the iteration's task, indexed, or None when none was given."""
    text = iteration.source(name).text
    if not text:
        return None
    if _tasks and _tasks[0].text is text:
        return _tasks[0]
    from exitgate.core.facts.lexicons.task_copies import Task

    _tasks[:] = [Task(text)]
    return _tasks[0]


#: The task that was asked about last, so that several extractors index it once.
_tasks: list[Task] = []


def search(
    text: Text, lexicon: Lexicon, task: Task | None = None, overlapping: bool = False
) -> tuple[Hit, ...]:
    """
    Return every match of every entry, by place, each with the guard that refused it.

    Unless `overlapping`, a match that is within a longer one, of any entry, or is as long as a heavier
    one, is left out, so that one sentence is not two signals. Of more than `JUDGED` matches with guards the
    first and the last half of that many are judged and returned.
    """
    found = [(match, entry, part) for part in lexicon.parts(text) for match, entry in _occurring(text, part)]
    found.sort(key=lambda one: (one[0].start, -one[0].end, -one[1].weight))
    if not overlapping:
        found = list(_outermost(found))
    found = found[:MATCH_LIMIT]
    guarded = [number for number, (_, entry, _) in enumerate(found) if entry.guards]
    spared = set(guarded[JUDGED // 2 : -JUDGED // 2]) if len(guarded) > JUDGED else ()
    hits = []
    for number, (match, entry, part) in enumerate(found):
        if number not in spared:
            hits.append(Hit(entry, match, part.guards.refusing(entry.guards, text, match, task)))
    return tuple(hits)


def is_out(text: Text, lexicon: Lexicon) -> bool:
    """Return True when a look at a few words shows that no entry can be in the text; False says nothing."""
    plain = lexicon.languages is None and lexicon.patterns is None
    return plain and _indexes.of(lexicon).is_out(text)


def _occurring(text: Text, part: Lexicon) -> Iterator[tuple[Match, Entry]]:
    """Yield the matches of the entries of one part of a lexicon."""
    index = _indexes.of(part)
    for entry, wanted, regions in index.likely(text):
        if entry.options.get("question") and not any(map(text.has, QUESTIONS)):
            continue
        last = ((max(0, len(text.folded) - LAST), len(text.folded)),)
        for match in find(text, wanted, last if entry.options.get("last") else regions):
            if _placed(text, entry, match):
                yield match, entry
    yield from _patterned(text, part)


class _Index:
    """
    The phrases of a lexicon's part, by a word that each must have.

    Args:
        part: The part.
    """

    __slots__ = ("_by_word", "_entries", "_firsts", "_gated", "_others", "_units")

    def __init__(self, part: Lexicon) -> None:
        self._entries = part.entries
        index: Any = part.entries.index or lexicons.index_of(part.entries)
        self._firsts: list[int] = index[lexicons.FIRSTS]
        self._others: list[int] = index[lexicons.ALWAYS]
        self._by_word: dict[bytes, list[int]] = {
            word.encode(): numbers for word, numbers in index[lexicons.WORDS].items()
        }
        self._units: Units | None = None
        self._gated = GATE.numbers(self._by_word)

    def phrase(self, number: int) -> tuple[Entry, int]:
        """Return the entry of a phrase, and which of its phrases it is."""
        at = bisect_right(self._firsts, number) - 1
        return self._entries[at], number - self._firsts[at]

    def likely(self, text: Text) -> Iterator[tuple[Entry, Phrase, Regions | None]]:
        """Yield the phrases that may occur in `text` with their entries, and where, if that is known."""
        if len(text.folded) <= LONG:
            for number in self.candidates(_NO_WORDS if self.lacks(text) else text.stretches.words()):
                entry, n = self.phrase(number)
                yield entry, entry.phrase(n), None
            return
        if self._units is None:
            from exitgate.core.facts.lexicons.phrase_units import Units

            each = map(self.phrase, range(self._firsts[-1]))
            self._units = Units([entry.phrase(n) for entry, n in each])
        for number, regions in self._units.regions(text.folded):
            entry, n = self.phrase(number)
            yield entry, entry.phrase(n), regions

    def lacks(self, text: Text) -> bool:
        """Return True when the text has none of the words of which phrases need one; False says nothing."""
        return self._gated is not None and len(text.folded) <= LONG and GATE.without(self._gated, text)

    def is_out(self, text: Text) -> bool:
        """Return True when no phrase can be in the text."""
        return not self._others and self.lacks(text)

    def candidates(self, present: set[bytes]) -> list[int]:
        """Return the numbers of the phrases that `present`, the words of a text, does not rule out."""
        near = set(self._others)
        for word in self._by_word.keys() & present:
            near.update(self._by_word[word])
        return sorted(number for number in near if self._likely(number, present))

    def _likely(self, number: int, present: set[bytes]) -> bool:
        entry, n = self.phrase(number)
        return not any(map(present.isdisjoint, entry.phrase(n).wanted.sets))


class _Indexes:
    """The indexes of the parts asked about last; a part is a value and stays as it is."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[int, tuple[Lexicon, _Index]] = {}

    def of(self, part: Lexicon) -> _Index:
        known = self._made.get(id(part))
        if known is None or known[0] is not part:
            if len(self._made) >= lexicons.KEPT:
                self._made.clear()
            known = self._made[id(part)] = (part, _Index(part))
        return known[1]


_indexes = _Indexes()


def _placed(text: Text, entry: Entry, match: Match) -> bool:
    """Return whether the match is where its entry wants it (`opens`, `closes`, `leads`, `last`)."""
    wants = entry.options
    from exitgate.core.facts.text import sentences

    if wants.get("opens") and not sentences.opens(text, match.start):
        return False
    if wants.get("closes") and not sentences.closes(text, match.end):
        return False
    if wants.get("leads") and not sentences.leads(text, match.end):
        return False
    if wants.get("question") and not sentences.asks(text, match.end):
        return False
    return not wants.get("last") or sentences.is_open(text, match.end, 0)


def shown(
    source: str, text: Text, hits: Iterable[Hit]
) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...], str]:
    """
    Return evidence of the hits that count, evidence of those refused, and a note on what was left out.

    Each is at most `EVIDENCE_LIMIT` long; the note is empty when nothing was left out.
    """
    hits = tuple(hits)
    counting = [h for h in hits if h.guard is None]
    refused = [h for h in hits if h.guard is not None]
    notes = []
    if len(hits) >= MATCH_LIMIT:
        notes.append(f"only the first {MATCH_LIMIT} matches were looked at")
    elif sum(bool(h.entry.guards) for h in hits) >= JUDGED:
        notes.append(f"of many matches the first {JUDGED // 2} and the last {JUDGED // 2} were looked at")
    if len(counting) > EVIDENCE_LIMIT:
        notes.append(f"the first {EVIDENCE_LIMIT} of {len(counting)} matches are shown")
    return (
        tuple(_evidence(source, text, h) for h in counting[:EVIDENCE_LIMIT]),
        tuple(_evidence(source, text, h) for h in refused[:EVIDENCE_LIMIT]),
        "; ".join(notes),
    )


def _evidence(source: str, text: Text, hit: Hit) -> Evidence:
    note = hit.entry.id if hit.entry.weight == 1 else f"{hit.entry.id}, weight {hit.entry.weight:g}"
    return evidence(source, text, hit.match.start, hit.match.end, note, hit.guard)


def _outermost(found: Iterable[tuple[Match, Entry, Lexicon]]) -> Iterator[tuple[Match, Entry, Lexicon]]:
    reached = -1
    for one in found:
        if one[0].end > reached:
            reached = one[0].end
            yield one


def _patterned(text: Text, lexicon: Lexicon) -> Iterator[tuple[Match, Entry]]:
    """Yield the matches of entries with patterns, line by line."""
    if lexicon.patterns is None or lexicon.refusals is None:
        return
    from exitgate.core.facts.lexicons.patterns import pieces

    patterns = lexicon.patterns.among(text)
    if not patterns.occur_in(text.original.replace("\r\n", "\n")):
        return
    entries = lexicon.patterned()
    left = dict.fromkeys(range(len(entries)), MATCH_LIMIT)
    for offset, line in pieces(text.lines):
        for index in patterns.which(line):
            refused = entries[index].unless and lexicon.refusals.occurs(index, line)
            less = entries[index].options.get("less")
            for found in lexicon.patterns.matches(index, line):
                if left[index] <= 0:
                    break
                left[index] -= 1
                if less and not _is_less(found, less):
                    continue
                start, end = found.span()
                if refused:
                    first, last = sentence_of(line, start, end)
                    if lexicon.refusals.occurs(index, line[first:last]):
                        continue
                yield Match(entries[index].id, offset + start, offset + end), entries[index]


def _is_less(found: Any, groups: object) -> bool:
    """Return whether the number in the first of two groups is less than the number in the second."""
    part, whole = (str(found.group(str(name)) or "") for name in array_of(groups))
    if not (part.isdecimal() and whole.isdecimal()):
        return False
    # as texts: `int` takes no more than some thousand digits
    part, whole = part.lstrip("0"), whole.lstrip("0")
    return (len(part), part) < (len(whole), whole)


# Which words of lexicons a text has at all, by one pass of an RE2 set of all their words.
#
# Most phrases are in no text, and taking a text apart into words costs five times as much as such a pass.
# So the small lexicons that are asked again and again share a set: where it has none of the words of which
# a lexicon's phrases need one, none of them is there. The set is made once a few texts were asked about; a
# single check asks about fewer.

#: Texts that are asked about before a set is worth its making.
ASKED = 6
#: Words of one lexicon, and of all in the set: a set of many words that are in every text is slow.
OWN, TOGETHER = 64, 256
#: Bytes that the set may use.
MEMORY = 16 * 1024 * 1024
_EDGE = "[^0-9a-z]"


class Gate:
    """
    A set of words, each a run of ASCII letters and digits in lower case.

    What a text has of them is kept at the text, with the number of words that were in the set then.
    """

    __slots__ = ("_asked", "_numbers", "_set")

    def __init__(self) -> None:
        #: The empty word is in every text: a set that says nothing has failed.
        self._numbers: dict[bytes, int] = {b"": 0}
        self._set: Any = None
        self._asked = 0

    def numbers(self, words: Collection[bytes]) -> frozenset[int] | None:
        """Have the words in the set and return their numbers in it; None where they are too many."""
        new = [word for word in words if word not in self._numbers]
        if len(words) > OWN or len(self._numbers) + len(new) > TOGETHER:
            return None
        for word in new:
            self._numbers[word] = len(self._numbers)
            self._set = None
        return frozenset(map(self._numbers.__getitem__, words))

    def without(self, numbers: frozenset[int], text: Text) -> bool:
        """
        Return True when none of the words is in the folded text as a whole run of letters and digits.

        False says nothing.
        """
        known = text.gate
        if known is None or known[0] != len(self._numbers):
            if known is None:
                self._asked += 1
            found = self._found(text.folded) if self._asked >= ASKED else frozenset()
            known = text.gate = (len(self._numbers), found)
        return bool(known[1]) and numbers.isdisjoint(known[1])

    def _found(self, folded: str) -> frozenset[int]:
        """Return the numbers of the words that a text has, none where the set has run out of memory."""
        import re2

        if self._set is None:
            options = re2.Options()
            options.max_mem = MEMORY
            options.log_errors = False
            self._set = re2.Set.SearchSet(options)
            for word in self._numbers:
                self._set.Add(f"(?:^|{_EDGE}){word.decode()}(?:{_EDGE}|$)" if word else "^")
            self._set.Compile()
        return frozenset(self._set.Match(folded.encode("utf-8", "replace")) or ())


#: One for all lexicons of a process.
GATE = Gate()
