"""
Tells an example of a status block, or of a promise, from a real one.

Two thirds of real blocks are in code fences and a third have text behind them, so neither is a
reason. What makes an example is how it is led in, and what comes behind it.
"""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts import structural, words
from exitgate.facts.guards.seen import GuardWords
from exitgate.facts.scan import Text
from exitgate.facts.scan_blocks import CODE, PATCH, QUOTATION
from exitgate.facts.status_leads import lead, line_above
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.facts.lexicon import Lexicon

#: Characters of a line, and of what comes behind, that are read.
LEAD, BEHIND = 240, 300
#: Words behind it in which the text may go on to other work.
GOES_ON = 25
#: So far before it, in characters, the comment begins in which it is.
COMMENT = 8_000
#: Kind of entries that speak of what is right before or behind them.
BESIDE = "beside"
#: Kind of entries that say that work continues, or is open; words of a message that only takes leave at most.
OPEN, PARTING = "unfinished", 15
#: Lines of a fence around it that are looked at, on each side.
FENCE = 60
#: From this weight on, words that lead in make an example of it wherever it is.
ALWAYS = 2
#: At this sum of weights or below, what follows is real.
REAL = -1


class Examples(Value):
    """
    Words that lead in an example.

    Args:
        entries: Plain entries. Those of weight `ALWAYS` or more make an example of any text that follows. Of
            the others the weights are added: above 0 they do so only where the text continues after it,
            below 0 they speak for a real one, at `REAL` or less they decide for it.
        hypothetical, continued: Words of these guards.
    """

    __slots__ = ("_beside", "_entries", "_lexicon", "continued", "hypothetical")

    def __init__(self, entries: object, hypothetical: GuardWords, continued: GuardWords) -> None:
        self._entries = entries
        self._lexicon: Lexicon | None = None
        self._beside: Lexicon | None = None
        self.hypothetical = hypothetical
        self.continued = continued

    @property
    def lexicon(self) -> Lexicon:
        """The entries, made ready when they are first needed: most texts lead nothing in."""
        if self._lexicon is None:
            self._lexicon = self._of("", BESIDE)
        return self._lexicon

    def speaks(self, above: str, behind: str) -> bool:
        """Return whether a sentence says that what follows it, or before it, is an example."""
        if not above and not behind:
            return False
        if self._beside is None:
            self._beside = self._of(BESIDE)
        return any(_weights(sentence, self._beside) for sentence in (above, behind) if sentence)

    def parts(self, later: str) -> bool:
        """Return whether a later message only takes leave: it is short, and nothing in it is open."""
        row = _row(later[: PARTING * LEAD])
        if len(row) > PARTING or self.continued.cues("words").within(row):
            return False
        return "?" not in later and not _weights(later, self._of(OPEN))

    def _of(self, *kinds: str) -> Lexicon:
        entries = self._entries if isinstance(self._entries, list | tuple) else ()
        named = [e for e in entries if isinstance(e, dict) and e.get("reports", "") in kinds]
        return lexicons.ready({"entries": named}, ())


def examples(options: Mapping[str, object]) -> Examples:
    """Return the words that the option `lexicon`, resolved, holds."""
    plain = lexicons.option(options)
    guards = plain.get("guards")
    groups = guards if isinstance(guards, dict) else {}
    named = [groups.get(name) for name in ("hypothetical", "continued")]
    hypothetical, continued = (GuardWords(g if isinstance(g, dict) else {}) for g in named)
    return Examples(plain.get("entries"), hypothetical, continued)


def guard_of(text: Text, start: int, end: int, wordings: Examples) -> str | None:
    """
    Return the guard that makes an example of ``start..end`` of `text`, or None.

    `fenced`: it is part of a patch, of a document shown in a fence, or of a fence that is never closed.
    `hypothetical`: the line before
    it, which ends with a colon or is a heading, speaks of a form, or of when it will be said.
    `hypothetical` too: the sentence right before or behind it says so of it. `quoted`: the text continues
    behind it in the middle of a sentence, or it is in a quotation. `continued`: that line announces
    it, and the text continues to other work behind it.
    """
    kind = text.blocks.kind(start)
    first, last = text.lines.number(start), text.lines.number(max(start, end - 1))
    if kind == PATCH or _begins_with(text, first, "+"):
        return "fenced"
    behind = _behind(text, end)
    if _runs_on(text, end) or kind == QUOTATION or _begins_with(text, first, ">"):
        return "quoted"
    if kind == CODE and (_never_closed(text, first, last) or _shown(text, first, last, bool(behind))):
        return "fenced"
    led_in = lead(text, first)
    guard = _by_lead(led_in, behind, wordings) if led_in else None
    if guard is None and wordings.speaks(line_above(text, first), behind.partition("\n")[0]):
        return "hypothetical"
    return guard


def commented(text: Text, start: int) -> bool:
    """Return whether `start` is in an HTML comment, closed or not."""
    left = max(0, start - COMMENT)
    opened = text.original.rfind(structural.COMMENT_START, left, start)
    if opened < 0 or text.original.find(structural.COMMENT_END, opened, start) >= 0:
        return False
    line, _ = text.lines.span(text.lines.number(opened))
    return not text.original[line:opened].strip(structural.BOX_LEAD)


def _by_lead(led_in: str, behind: str, wordings: Examples) -> str | None:
    """Return the guard that the line before, together with what comes behind, gives reason for."""
    row = _row(led_in)
    weights = _weights(led_in, wordings.lexicon)
    total = sum(weights)
    intends = wordings.hypothetical.cues("intents").within(row)
    depends = any(wordings.hypothetical.cues(g).within(row) for g in ("conditions", "times"))
    if max(weights, default=0) >= ALWAYS:
        return "hypothetical"
    if total <= REAL:
        return None
    if (depends and intends) or (total > 0 and behind):
        return "hypothetical"
    announced = intends or depends or total == 0
    return "continued" if behind and announced and _continues(behind, wordings.continued) else None


def _continues(behind: str, continued: GuardWords) -> bool:
    row = _row(behind)[:GOES_ON]
    return continued.cues("words").within(row) and not _closing(behind, continued)


def _closing(behind: str, continued: GuardWords) -> bool:
    return continued.cues("closings").within(_row(behind)[:GOES_ON])


def _row(piece: str) -> list[str]:
    folded = words.fold(piece)
    return [folded[a:b] for a, b in words.tokens(folded, 0, len(folded))]


def _weights(led_in: str, lexicon: Lexicon) -> list[float]:
    """Return the weights of the entries that are in `led_in`."""
    text = Text(led_in)
    return [e.weight for e in lexicon.entries if next(iter(lexicons.matches(text, e)), None) is not None]


def _behind(text: Text, end: int) -> str:
    """Return the beginning of what follows offset `end`, marks left out, or ``""``."""
    piece = text.original[end : end + BEHIND]
    at = next((n for n, letter in enumerate(piece) if letter.isalnum()), None)
    return "" if at is None else piece[at:]


def _runs_on(text: Text, end: int) -> bool:
    """Return whether what comes behind continues in the middle of a sentence: with a small letter."""
    piece = text.original[end : end + LEAD].lstrip(structural.RUN_ON)
    first = piece[: len("xx")].rstrip(" ,")
    return first.isalpha() and first.islower()


def _begins_with(text: Text, first: int, mark: str) -> bool:
    """Return whether the line begins with the mark of a quotation, or of a line that a patch adds."""
    start, end = text.lines.span(first)
    return text.original[start : min(end, start + LEAD)].lstrip(" \t").startswith(mark)


def _never_closed(text: Text, first: int, last: int) -> bool:
    """Return whether the block is in a fence that no line closes."""
    count = len(text.lines.starts)
    opened = any(
        structural.fence_mark(text.plain_lines.line(number).strip(structural.QUOTED_LINE))
        for number in range(first, max(-1, first - FENCE), -1)
        if text.blocks.of_line(number) == CODE
    )
    for number in range(last + 1, count) if opened else ():
        if text.blocks.of_line(number) != CODE:
            return False
        if structural.fence_mark(text.plain_lines.line(number).strip(structural.QUOTED_LINE)):
            return False
    return opened


def _shown(text: Text, first: int, last: int, goes_on: bool) -> bool:
    """Return whether other text is in the same fence behind it, or before it and then outside behind."""
    count = len(text.lines.starts)
    if any(_says(text, n) for n in _within(text, range(last + 1, min(count, last + FENCE)))):
        return True
    before = _within(text, range(first - 1, max(-1, first - FENCE), -1))
    return goes_on and any(_says(text, n) for n in before)


def _within(text: Text, numbers: range) -> list[int]:
    """Return the lines up to the mark of the fence, that left out."""
    found = []
    for number in numbers:
        if text.blocks.of_line(number) != CODE or structural.fence_mark(
            text.plain_lines.line(number).strip()
        ):
            break
        found.append(number)
    return found


def _says(text: Text, number: int) -> bool:
    start, end = text.lines.span(number)
    return any(letter.isalnum() for letter in text.original[start : min(end, start + LEAD)])
