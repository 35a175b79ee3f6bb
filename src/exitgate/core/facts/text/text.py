"""A text under examination, and the matches found in it."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.core.facts.text import structure, words
from exitgate.core.model.fact import EXCERPT_LIMIT, Evidence
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    from exitgate.core.facts.text.blocks import Blocks
    from exitgate.core.facts.text.word_runs import Stretches

    Made = TypeVar("Made")

#: At most this many matches of one entry are looked at; a count at the limit means "at least".
MATCH_LIMIT = 10_000
#: At most this many pieces of evidence are beside a fact; its note says how many there were.
EVIDENCE_LIMIT = 50
#: Letters outside ASCII that RE2 takes for some of ASCII, or folding turns into one: a long s, the sign of
#: Kelvin, a capital i with a dot.
ASCII_ALIKE = "\u017f\u212a\u0130"
#: Longest piece of a line that patterns see, in characters.
PIECE = 2_000
#: Before or behind a text that is looked for: a word begins or ends there, as for RE2's ``\\b``.
EDGE = "\b"
#: In such a text: any digit of ASCII.
DIGIT = "\x1a"
ANY_DIGIT = dict.fromkeys(range(ord("0"), ord("9") + 1), DIGIT)
#: Characters shown before a match.
LEAD = 60
#: Of a paragraph of more characters only so much on each side is searched for marks of quotation: twice
#: the longest quotation.
LONG = 800
#: So many prepared texts are kept: the sources of one iteration that are read for phrases.
KEPT = 4


class Match(Value):
    """
    Where an entry of a lexicon occurs.

    `start` and `end` are offsets in characters; `parts` are the spans of its words, in order, so
    that what is between them can be looked at; `entry` is the entry's id.
    """

    __slots__ = ("end", "entry", "parts", "start")

    def __init__(self, entry: str, start: int, end: int, parts: tuple[tuple[int, int], ...] = ()) -> None:
        self.entry = entry
        self.start = start
        self.end = end
        self.parts = parts or ((start, end),)


class Text:
    """
    A source's text with what scanning needs of it, each view made once when first asked for.

    Args:
        original: The text as it was read.

    `folded` is for comparing: lower case, escape sequences blanked, offsets unchanged. `plain` is the
    text without its escape sequences: as many lines, other offsets. `given` is the object it was made of.
    """

    __slots__ = (
        "_blocks",
        "_holding",
        "_lines",
        "_pieces",
        "_plain",
        "_present",
        "_quoted",
        "_stretches",
        "_views",
        "_views_of",
        "folded",
        "gate",
        "given",
        "original",
        "plain",
    )

    def __init__(self, original: str) -> None:
        self.given = original
        self.original = self.plain = original
        if structure.ESCAPE in original:
            self.original = structure.blank_escapes(original)
            self.plain = structure.strip_escapes(original)
        self.original = composed(self.original)
        self.folded = words.fold(self.original)
        #: What `exitgate.core.facts.lexicons.search` found in it.
        self.gate: tuple[int, frozenset[int]] | None = None
        self._present: dict[str, bool] = {}
        self._holding: dict[str, int] = {}
        self._views_of: dict[bool, tuple[tuple[str, ...], str]] = {}
        self._pieces = False
        self._stretches: Stretches | None = None
        self._lines: Lines | None = None
        self._plain: Lines | None = None
        self._blocks: Blocks | None = None
        self._quoted: dict[int, list[tuple[int, int]]] = {}
        self._views: dict[object, Any] = {}

    def view(self, make: Callable[[Text], Made]) -> Made:
        """Return what `make` makes of this text; asked again, the same object."""
        if make not in self._views:
            self._views[make] = make(self)
        found: Made = self._views[make]
        return found

    @property
    def stretches(self) -> Stretches:
        """Which words are in which stretch of the text."""
        if self._stretches is None:
            from exitgate.core.facts.text.word_runs import Stretches

            self._stretches = Stretches(self.folded)
        return self._stretches

    @property
    def lines(self) -> Lines:
        """The text's lines."""
        if self._lines is None:
            self._lines = Lines(self.original)
        return self._lines

    @property
    def plain_lines(self) -> Lines:
        """The same lines without escape sequences: what a terminal shows, so colour indents nothing."""
        if self.plain is self.original:
            return self.lines
        if self._plain is None:
            self._plain = Lines(self.plain)
        return self._plain

    @property
    def blocks(self) -> Blocks:
        """The text's code, quotations and patches."""
        if self._blocks is None:
            from exitgate.core.facts.text.blocks import Blocks

            self._blocks = Blocks(self.original, self.lines, self.plain_lines)
        return self._blocks

    def quoted(self, offset: int) -> tuple[list[tuple[int, int]], int]:
        """
        Return the quoted stretches of the paragraph around `offset`, and where that starts.

        They are code spans and quotations, those that overlap made one, in order, and count from
        the start of the paragraph. Answers are kept, so asking is linear.
        """
        start, end = self.lines.paragraph(offset)
        if end - start > LONG:
            # of a paragraph of any length only what is near: quotations are short
            at = start + max(0, (offset - start) // LONG - 1) * LONG
            start, end = at, min(end, at + 3 * LONG)
        spans = self._quoted.get(start)
        if spans is None:
            from exitgate.core.facts.text import inline

            spans = self._quoted[start] = inline.quoted(self.original[start:end])
        return spans, start

    def sentence_end(self, offset: int) -> int:
        """Return where the sentence that continues after `offset` ends, its mark included."""
        from exitgate.core.facts.text import sentences

        return sentences.sentence_end(self, offset)

    def searched(self) -> tuple[str, ...]:
        """
        Return folded texts of which one holds each text in lower case that a pattern meets in this one.

        Empty where that cannot be said, for some letters outside ASCII.
        """
        if unlike_folded(self.original):
            return ()
        return (self.folded,) if self.plain is self.original else (self.folded, words.fold(self.plain))

    def lines_holding(self, texts: Sequence[str]) -> int:
        """
        Return the lines of `searched()` that hold one of the texts, as bits: line 0 is 1, line 1 is 2.

        A text is looked for only where its longest piece without blanks is in one of the different words,
        a small part of the whole. Answers are kept: many patterns need the same few texts.
        """
        known, there = self._holding, 0
        for one in texts:
            lines = known.get(one)
            if lines is None:
                lines = known[one] = self._lines_with(one)
            there |= lines
        return there

    def _lines_with(self, one: str) -> int:
        digits = DIGIT in one
        texts, words = self._views_of.get(digits) or self._view_of(digits)
        plain = one.strip(EDGE)
        # blanks of all kinds part words
        whole = plain.isascii() and " " not in plain
        if (plain if whole else max(plain.split(), key=len, default="")) not in words:
            return 0
        # a piece of a long line may begin and end inside of a word
        begins, ends = (one[:1] == EDGE, one[-1:] == EDGE) if not self._pieces else (False, False)
        there = 0
        for folded in texts:
            at = folded.find(plain)
            number, counted = 0, 0
            while at >= 0:
                number, counted = number + folded.count("\n", counted, at), at
                behind = at + len(plain)
                inside = begins and is_of_word(folded[max(0, at - 1) : at])
                if inside or (ends and is_of_word(folded[behind : behind + 1])):
                    at = folded.find(plain, at + 1)
                    continue
                there |= 1 << number
                end = folded.find("\n", at)
                at = folded.find(plain, end) if end >= 0 else -1
        return there

    def _view_of(self, digits: bool) -> tuple[tuple[str, ...], str]:
        """Return what is searched, any digit as `DIGIT` or as it is, and all its different words."""
        texts = self.searched()
        if digits:
            texts = tuple(folded.translate(ANY_DIGIT) for folded in texts)
        words = "\n".join({word for folded in texts for word in folded.split()})
        self._pieces = any(len(line) > PIECE for folded in texts for line in folded.split("\n"))
        found = self._views_of[digits] = texts, words
        return found

    def has(self, word: str) -> bool:
        """Return whether the folded text holds `word` anywhere, also inside another word."""
        known = self._present.get(word)
        if known is None:
            known = self._present[word] = word in self.folded
        return known


def unlike_folded(text: str) -> bool:
    """Return whether RE2 sees letters in a text where the folded text has others, or words end elsewhere."""
    return not text.isascii() and any(letter in text for letter in ASCII_ALIKE)


def is_of_word(letter: str) -> bool:
    """Return whether a character is one of RE2's words: a letter or digit of ASCII, or the low line."""
    return letter.isascii() and (letter.isalnum() or letter in ("_", DIGIT))


_prepared: list[Text] = []


def ready(original: str) -> Text:
    """
    Return `original` prepared, the same object for the same text object while it is among the last `KEPT`.

    Several extractors read one source; each view of it is then made once.
    """
    for at, known in enumerate(_prepared):
        if known.given is original:
            if at:
                _prepared.insert(0, _prepared.pop(at))
            return known
    made = Text(original)
    _prepared.insert(0, made)
    del _prepared[KEPT:]
    return made


def evidence(
    source: str, text: Text, start: int, end: int, note: str = "", guard: str | None = None
) -> Evidence:
    """
    Return the evidence for the match at ``start..end`` of `text`.

    The excerpt is the match with what is around it on its line, at most 200 characters.
    """
    line, column = text.lines.position(start)
    left, right = text.lines.span(line - 1)
    if end - left > EXCERPT_LIMIT:
        left = max(left, start - LEAD)
    excerpt = text.original[left : min(max(right, end), left + EXCERPT_LIMIT)]
    return Evidence(source, line, column, start, end, excerpt, note, guard)


# Lines and paragraphs of a text, found once and asked by offset.

#: A line shorter than this that ends without a stop, before a line that starts with a capital
#: letter, was not wrapped: it is a paragraph of its own.
WRAPPED = 50
#: More lines than these are kept in eight bytes each: a text of nothing but line ends must not eat
#: memory. Fewer are not worth the import.
MANY = 20_000

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import MutableSequence


class Lines:
    """
    The line starts of a text.

    Args:
        text: Any text; a line ends behind its line feed.
    """

    __slots__ = ("_paragraph", "starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        starts: MutableSequence[int] = [0]
        if text.count("\n") > MANY:
            from array import array

            starts = array("q", starts)
        at = 0
        append = starts.append
        for line in text.split("\n"):
            at += len(line) + 1
            append(at)
        starts.pop()
        self.starts = starts
        self._paragraph = (0, 0)

    def number(self, offset: int) -> int:
        """Return the 0-based number of the line that holds `offset`."""
        return bisect_right(self.starts, offset) - 1

    def span(self, number: int) -> tuple[int, int]:
        """Return start and end of line `number`, its line end left out."""
        start = self.starts[number]
        if number + 1 < len(self.starts):
            end = self.starts[number + 1] - 1
            if end > start and self.text[end - 1] == "\r":
                end -= 1
            return start, end
        return start, len(self.text)

    def line(self, number: int) -> str:
        """Return line `number` without its line end."""
        start, end = self.span(number)
        return self.text[start:end]

    def position(self, offset: int) -> tuple[int, int]:
        """Return 1-based line and column of `offset`."""
        number = self.number(offset)
        return number + 1, offset - self.starts[number] + 1

    def paragraph(self, offset: int) -> tuple[int, int]:
        """
        Return the stretch of running text around `offset`.

        Blank lines, list items, headings, quotations, table rows, fences and lines of the form
        ``KEY: value`` begin a new one. The last answer is kept, so asking in order is linear.
        """
        start, end = self._paragraph
        if start <= offset < end:
            return start, end
        number = self.number(offset)
        first = number
        while first > 0 and not self._begins(first):
            first -= 1
        last = number
        while last + 1 < len(self.starts) and not self._begins(last + 1):
            last += 1
        self._paragraph = (self.starts[first], self.span(last)[1])
        return self._paragraph

    def _begins(self, number: int) -> bool:
        here = self.line(number).strip()
        if not here or structure.begins_block(here):
            return True
        before = self.line(number - 1).strip()
        if not before or structure.is_rule(before) or structure.is_heading(before):
            return True
        return len(before) < WRAPPED and here[0].isupper() and before[-1] not in structure.CLAUSE_MARKS


def sentence_of(line: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentence around ``line[start:end]`` begins and ends within its line."""
    left, right = start, end
    while left > 0 and not _ends(line, left - 1):
        left -= 1
    while right < len(line) and not _ends(line, right):
        right += 1
    return left, right


def behind(line: str, end: int) -> int:
    """Return where the sentence behind the one that ends at `end` ends itself."""
    right = end
    while right < len(line) and not line[right].isalnum():
        right += 1
    while right < len(line) and not _ends(line, right):
        right += 1
    return right


def _ends(line: str, at: int) -> bool:
    """Return whether a sentence ends with the character at `at`: a mark, and a blank behind one of ASCII."""
    if line[at] not in structure.SENTENCE_ENDS:
        return False
    return not line[at].isascii() or at + 1 == len(line) or line[at + 1].isspace()


# Letters written as a base and a combining mark, made one without moving what follows their word.

#: Combining marks of the scripts that have letters of one character for them.
MARKS = (
    "\u0300", "\u0301", "\u0302", "\u0303", "\u0306", "\u0307", "\u0308", "\u030a", "\u030b", "\u030c",
    "\u0327", "\u0328", "\u3099", "\u309a",
)  # fmt: skip
#: What fills the places of marks behind a word that grew shorter: it shows nothing and joins nothing.
FILLER = "\u200b"


def composed(text: str) -> str:
    """
    Return `text` with marks composed with their letters; it has as many characters as before.

    A word that grows shorter is followed by fillers, so the next word starts where it did.
    """
    if text.isascii() or not any(mark in text for mark in MARKS):
        return text
    from unicodedata import normalize

    pieces = [""]
    missing = 0
    for letter in text:
        if letter in MARKS:
            one = normalize("NFC", pieces[-1] + letter)
            if len(one) == 1 and pieces[-1]:
                pieces[-1] = one
                missing += 1
                continue
        elif missing and not letter.isalnum():
            pieces.append(FILLER * missing)
            missing = 0
        pieces.append(letter)
    pieces.append(FILLER * missing)
    return "".join(pieces)
