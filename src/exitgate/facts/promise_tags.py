"""Promise tags in a text: where they are, what is in them, and what keeps one from being an emission."""

from __future__ import annotations

from bisect import bisect_right

from exitgate.facts import structural, words
from exitgate.facts.scan_blocks import CODE, PATCH, QUOTATION
from exitgate.facts.status_examples import Examples, commented, guard_of
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.facts.guards.seen import GuardWords
    from exitgate.facts.scan import Text

#: At most so many of the last tags are looked at: a later one counts more.
TAG_LIMIT = 1_000
#: Characters that a tag may hold, and that are looked at on each side of it.
LONGEST, BESIDE = 2_000, 120
#: A line above that agrees with the task's in fewer words does so by accident.
COPIED_WORDS = 3
#: A negation further from the tag than so many words says something else.
DENIAL = 8


class Tag(Value):
    """A tag at ``start..end`` and the text in it; without a closing tag `said` is None."""

    __slots__ = ("end", "said", "start")

    def __init__(self, start: int, end: int, said: str | None) -> None:
        self.start = start
        self.end = end
        self.said = said


class Fences:
    """
    Which code of a text is in a fence or a comment; code that is only indented, a screen may have made.

    Args:
        text: The text; its lines are looked at once, when the first code is asked about.
    """

    __slots__ = ("_fenced", "_text")

    def __init__(self, text: Text) -> None:
        self._text = text
        self._fenced: list[bool] = []

    def hold(self, offset: int) -> bool:
        """Return whether the code at `offset` is in a fence or a comment."""
        number = self._text.lines.number(offset)
        if self._text.blocks.of_line(number) != CODE:
            return True
        if not self._fenced:
            inside = False
            for line in range(len(self._text.lines.starts)):
                if self._text.blocks.of_line(line) != CODE:
                    inside = False
                elif structural.fence_mark(_bare(self._text, line)):
                    inside = True
                self._fenced.append(inside)
        return self._fenced[number]


def tags(text: Text, name: str) -> Iterator[Tag]:
    """Yield the tags `name` of `text` in order."""
    opening, closing = f"<{words.fold(name)}>", f"</{words.fold(name)}>"
    at = text.folded.find(opening)
    while at >= 0:
        inside = at + len(opening)
        following = text.folded.find(opening, inside)
        limit = min(inside + LONGEST, len(text.folded) if following < 0 else following)
        end = text.folded.find(closing, inside, limit)
        if end < 0:
            yield Tag(at, inside, None)
        else:
            yield Tag(at, end + len(closing), text.original[inside:end])
        at = following


def is_distinctive(phrase: str) -> bool:
    """Return whether a promise is one word that is not in ordinary text: parts joined by underscores."""
    joined = [part for part in phrase.split("_") if part.isalnum()]
    return len(joined) > 1 and "_".join(joined) == phrase


def bare_line(text: Text, phrases: frozenset[str]) -> Tag | None:
    """Return the last line of the text, where it is one of `phrases` and nothing else."""
    if not phrases:
        return None
    end = len(text.original.rstrip())
    start = max(text.original.rfind("\n", 0, end), text.original.rfind("\r", max(0, end - LONGEST), end)) + 1
    said = text.original[start:end]
    return Tag(start, end, said) if plain(said[:LONGEST]) in phrases else None


def plain(said: str) -> str:
    """Return the words of a promise, one blank between, without invisible characters and emphasis."""
    shown = "".join(letter for letter in said if letter not in structural.INVISIBLE)
    return " ".join(shown.split()).strip(structural.KEY_MARKS)


def refusing(
    text: Text, tag: Tag, wordings: Examples, denial: GuardWords, alone: bool, fences: Fences
) -> str | None:
    """
    Return the guard that makes a mention of a tag, or None for an emission.

    `mentioned`: it is not closed, or other words are on its line (with `alone` False, what is
    before it may be a whole sentence), or it is in the middle of a sentence that runs over lines.
    `fenced`, `quoted`: code, a patch, a comment; inline code or quotation. `negated`: the line above
    denies it. Others as for status blocks (`status_examples.guard_of`).
    """
    if tag.said is None or not _stands_alone(text, tag, alone):
        return "mentioned"
    kind = text.blocks.kind(tag.start)
    if kind == PATCH or (kind == CODE and fences.hold(tag.start)) or commented(text, tag.start):
        return "fenced"
    if kind == QUOTATION or _in_quotes(text, tag):
        return "quoted"
    above, below = _above(text, tag.start), _below(text, tag.end)
    if above and _denied(above, denial, wordings):
        return "negated"
    if above and below[:1].islower() and above[-1] not in structural.SENTENCE_ENDS + structural.COLONS:
        return "mentioned"
    return guard_of(text, tag.start, tag.end, wordings)


def led_in(text: Text, name: str) -> frozenset[str]:
    """Return the lines above the tags of a task, folded: an agent that repeats them gives no promise."""
    return frozenset(line for line in (_folded_above(text, tag) for tag in tags(text, name)) if line)


def copied(text: Text, tag: Tag, leads: frozenset[str]) -> bool:
    """Return whether the line above the tag is one of `leads`."""
    return _folded_above(text, tag) in leads


def _folded_above(text: Text, tag: Tag) -> str:
    line = words.fold(plain(_line_above(text, tag.start)))
    return line if len(line.split()) >= COPIED_WORDS else ""


def _stands_alone(text: Text, tag: Tag, alone: bool) -> bool:
    left, _ = text.lines.span(text.lines.number(tag.start))
    before = text.original[max(left, tag.start - BESIDE) : tag.start]
    _, right = text.lines.span(text.lines.number(tag.end - 1))
    after = text.original[tag.end : min(right, tag.end + BESIDE)]
    if any(map(str.isalnum, after)):
        return False
    if not any(map(str.isalnum, before)):
        return tag.start - left <= BESIDE
    ended = before.rstrip(structural.KEY_MARKS)
    return not alone and ended[-1:] in tuple(structural.SENTENCE_ENDS)


def _bare(text: Text, number: int) -> str:
    """Return a line without its marks of lists and quotations."""
    line = text.plain_lines.line(number).strip(structural.QUOTED_LINE)
    return line[structural.list_mark(line) :]


def _in_quotes(text: Text, tag: Tag) -> bool:
    spans, offset = text.quoted(tag.start)
    at = bisect_right(spans, (tag.start - offset, tag.start - offset)) - 1
    return at >= 0 and spans[at][0] < tag.start - offset < spans[at][1]


def _above(text: Text, start: int) -> str:
    """Return the end of the line right above, or of one further up that ends with a colon."""
    number = text.lines.number(start) - 1
    line = _end_of(text, number)
    if line:
        return line
    far = _line_above(text, start)
    return far if far.rstrip(structural.KEY_MARKS).endswith(tuple(structural.COLONS)) else ""


def _line_above(text: Text, start: int) -> str:
    number = text.lines.number(start)
    for above in range(number - 1, max(-1, number - 1 - len("...")), -1):
        line = _end_of(text, above)
        if line:
            return line
    return ""


def _end_of(text: Text, number: int) -> str:
    if number < 0:
        return ""
    start, end = text.lines.span(number)
    return text.original[max(start, end - 2 * BESIDE) : end].strip(structural.QUOTED_LINE)


def _below(text: Text, end: int) -> str:
    number = text.lines.number(end - 1) + 1
    if number >= len(text.lines.starts):
        return ""
    start, stop = text.lines.span(number)
    return text.original[start : min(stop, start + BESIDE)].strip(structural.QUOTED_LINE)


def _denied(above: str, denial: GuardWords, wordings: Examples) -> bool:
    """Return whether the unfinished sentence above speaks of saying it, and denies that."""
    if above[-1] in structural.SENTENCE_ENDS:
        return False
    folded = words.fold(above)
    row = [folded[a:b] for a, b in words.tokens(folded, 0, len(folded))]
    last = row[-DENIAL:]
    return denial.cues("words").within(last) and wordings.hypothetical.cues("intents").within(last)
