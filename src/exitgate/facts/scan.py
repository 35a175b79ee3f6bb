"""A text under examination, and the matches found in it."""

from __future__ import annotations

from exitgate.facts import structural, words
from exitgate.facts.compose import composed
from exitgate.facts.lines import Lines
from exitgate.model.evidence import EXCERPT_LIMIT, Evidence
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.facts.scan_blocks import Blocks
    from exitgate.facts.scan_words import Stretches

#: At most this many matches of one entry are looked at; a count at the limit means "at least".
MATCH_LIMIT = 10_000
#: At most this many pieces of evidence are beside a fact; its note says how many there were.
EVIDENCE_LIMIT = 50
LONG_S = "\u017f"
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
        "_lines",
        "_plain",
        "_present",
        "_quoted",
        "_stretches",
        "folded",
        "gate",
        "given",
        "original",
        "plain",
    )

    def __init__(self, original: str) -> None:
        self.given = original
        self.original = self.plain = original
        if structural.ESCAPE in original:
            self.original = structural.blank_escapes(original)
            self.plain = structural.strip_escapes(original)
        self.original = composed(self.original)
        self.folded = words.fold(self.original)
        #: What `exitgate.facts.scan_gate` found in it.
        self.gate: tuple[int, frozenset[int]] | None = None
        self._present: dict[str, bool] = {}
        self._stretches: Stretches | None = None
        self._lines: Lines | None = None
        self._plain: Lines | None = None
        self._blocks: Blocks | None = None
        self._quoted: dict[int, list[tuple[int, int]]] = {}

    @property
    def stretches(self) -> Stretches:
        """Which words are in which stretch of the text."""
        if self._stretches is None:
            from exitgate.facts.scan_words import Stretches

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
            from exitgate.facts.scan_blocks import Blocks

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
            from exitgate.facts import scan_inline

            spans = self._quoted[start] = scan_inline.quoted(self.original[start:end])
        return spans, start

    def sentence_end(self, offset: int) -> int:
        """Return where the sentence that continues after `offset` ends, its mark included."""
        from exitgate.facts import scan_sentences

        return scan_sentences.sentence_end(self, offset)

    def searched(self) -> tuple[str, ...]:
        """
        Return folded texts of which one holds each text in lower case that a pattern meets in this one.

        Empty where that cannot be said: to patterns that ignore case a long s is an s.
        """
        if LONG_S in self.original:
            return ()
        return (self.folded,) if self.plain is self.original else (self.folded, words.fold(self.plain))

    def has(self, word: str) -> bool:
        """Return whether the folded text holds `word` anywhere, also inside another word."""
        known = self._present.get(word)
        if known is None:
            known = self._present[word] = word in self.folded
        return known


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
