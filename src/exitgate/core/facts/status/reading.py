"""The status that a text, or a record in its place, gives: the block that counts and its values."""

from __future__ import annotations

from exitgate.core.facts.guards.catalogue import GuardWords
from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.status.blocks import Block, blocks
from exitgate.core.facts.status.fields import EMPTY, TEMPLATE, Reading, normal, read
from exitgate.core.facts.text import structure, words
from exitgate.core.facts.text.blocks import CODE, PATCH, QUOTATION
from exitgate.core.facts.text.text import Text
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from exitgate.core.facts.lexicons.lexicon import Lexicon
    from exitgate.core.facts.status.fields import Field
    from exitgate.core.facts.status.options import Form
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Iteration


#: So many words of a text field agree with the task only where it was copied.
COPIED_WORDS = 3
#: A task is looked through so far for blocks, in characters.
TASK_LIMIT = 400_000


class Judged(Value):
    """A block with what its fields read as; `guard` names what keeps it from counting, or is None."""

    __slots__ = ("block", "guard", "readings")

    def __init__(self, block: Block, readings: tuple[Reading, ...], guard: str | None) -> None:
        self.block = block
        self.readings = readings
        self.guard = guard


def judged(
    text: Text, form: Form, wordings: Examples, task: str | None, guards: Collection[str] | None = None
) -> tuple[Judged, ...]:
    """
    Return the blocks in `text`, each with the guard that refuses it, of `guards` where those are given.

    `template`: no field of it was filled in. `echoed`: it is in the task, text and all, and the
    agent went on behind it. The others are `status_examples.guard_of`'s.
    """
    found = blocks(text, form.names, form.known)
    if not found:
        return ()
    echoes = _copies(task, form) if task else frozenset()
    every = (_judged(text, block, wordings, echoes) for block in found)
    return tuple(_allowed(one, guards) for one in every)


def _allowed(one: Judged, guards: Collection[str] | None) -> Judged:
    if one.guard is None or one.guard == "template" or guards is None or one.guard in guards:
        return one
    return Judged(one.block, one.readings, None)


def last_message(iteration: Iteration, source: str, wordings: Examples) -> int:
    """
    Return where the agent's last message begins in the text of `source`.

    0 where that is all of it, or where the message does nothing but take leave.
    """
    said, last = iteration.source(source).text, iteration.source("response").text
    if source == "response" or not said or not last or not last.strip() or len(last) >= len(said):
        return 0
    return 0 if wordings.parts(last) else max(0, said.rfind(last.strip()))


def of_earlier(found: tuple[Judged, ...], border: int) -> tuple[Judged, ...]:
    """Return the blocks, those refused that set a flag before `border`: the agent said more behind them."""
    return tuple(
        Judged(one.block, one.readings, "continued")
        if one.guard is None and one.block.end <= border and any(r.value is True for r in one.readings)
        else one
        for one in found
    )


def readings_of(fields: tuple[Field, ...]) -> tuple[Reading, ...]:
    """Return what each field reads as."""
    return tuple(read(field.wanted, field.raw) for field in fields)


def _judged(text: Text, block: Block, wordings: Examples, echoes: frozenset[object]) -> Judged:
    readings = readings_of(block.fields)
    if all(reading.fault in (TEMPLATE, EMPTY) for reading in readings):
        return Judged(block, readings, "template")
    guard = guard_of(text, block.start, block.end, wordings)
    if guard is None and _hidden(text, block, readings):
        guard = "fenced"
    goes_on = any(letter.isalnum() for letter in text.original[block.end : block.end + COPIED_WORDS * 100])
    if guard is None and goes_on and echoes and _image(block) in echoes:
        guard = "echoed"
    return Judged(block, readings, guard)


def _hidden(text: Text, block: Block, readings: tuple[Reading, ...]) -> bool:
    """
    Return whether a block is commented out.

    Some agents report in a comment that begins with the block's name. That counts, but sets no flag.
    """
    first = block.fields[0].start
    if not commented(text, first):
        return False
    head = text.original[block.start : first].replace(structure.COMMENT_START, "")
    ruled = any(2 * mark in head for mark in structure.RULES)
    return ruled or any(reading.value is True for reading in readings)


def _image(block: Block) -> object:
    """Return what two copies of a block have in common."""
    return tuple((field.wanted.fact, normal(field.raw)) for field in block.fields)


def _copies(task: str, form: Form) -> frozenset[object]:
    """Return the images of the task's blocks that hold enough text of their own to be known again."""
    found = blocks(Text(task[:TASK_LIMIT]), form.names, form.known)
    return frozenset(
        _image(block)
        for block in found
        if any(f.wanted.kind == "text" and len(f.raw.split()) >= COPIED_WORDS for f in block.fields)
    )


# Tells an example of a status block, or of a promise, from a real one.
#
# Two thirds of real blocks are in code fences and a third have text behind them, so neither is a reason.
# What makes an example is how it is led in, and what comes behind it.

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
        lexicon: Its plain entries are asked. Those of weight `ALWAYS` or more make an example of any text
            that follows. Of the others the weights are added: above 0 they do so only where the text
            continues after it, below 0 they speak for a real one, at `REAL` or less they decide for it.
        hypothetical, continued: Words of these guards.
    """

    __slots__ = ("_beside", "_lexicon", "_plain", "continued", "hypothetical")

    def __init__(self, lexicon: JsonObject, hypothetical: GuardWords, continued: GuardWords) -> None:
        self._plain = lexicon
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
        named = [e for e in lexicons.entries_of(self._plain) if e.get("reports", "") in kinds]
        return lexicons.ready(JsonObject(entries=named), ())


def examples(options: JsonObject) -> Examples:
    """Return the words that the option `lexicon`, resolved, holds."""
    plain = options.object("lexicon")
    guards = plain.object("guards")
    hypothetical, continued = (GuardWords(guards.object(name)) for name in ("hypothetical", "continued"))
    return Examples(plain, hypothetical, continued)


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
    opened = text.original.rfind(structure.COMMENT_START, left, start)
    if opened < 0 or text.original.find(structure.COMMENT_END, opened, start) >= 0:
        return False
    line, _ = text.lines.span(text.lines.number(opened))
    return not text.original[line:opened].strip(structure.BOX_LEAD)


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
    piece = text.original[end : end + LEAD].lstrip(structure.RUN_ON)
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
        structure.fence_mark(text.plain_lines.line(number).strip(structure.QUOTED_LINE))
        for number in range(first, max(-1, first - FENCE), -1)
        if text.blocks.of_line(number) == CODE
    )
    for number in range(last + 1, count) if opened else ():
        if text.blocks.of_line(number) != CODE:
            return False
        if structure.fence_mark(text.plain_lines.line(number).strip(structure.QUOTED_LINE)):
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
        if text.blocks.of_line(number) != CODE or structure.fence_mark(text.plain_lines.line(number).strip()):
            break
        found.append(number)
    return found


def _says(text: Text, number: int) -> bool:
    start, end = text.lines.span(number)
    return any(letter.isalnum() for letter in text.original[start : min(end, start + LEAD)])


# The line that leads in what is below it: it ends with a colon, or is a heading (with those above).

#: Characters of a line that are read, and lines that are looked back over.
LINE, BACK = 240, 60
#: Lines among which the line right above is looked for.
NEAR = 6


def lead(text: Text, first: int) -> str:
    """Return the end of the line that leads in what starts on line `first`, or ``""``."""
    for number in range(first - 1, max(-1, first - BACK), -1):
        start, end = text.plain_lines.span(number)
        line = text.plain[max(start, end - LINE) : end].strip(structure.QUOTED_LINE)
        if not any(letter.isalnum() for letter in line) or structure.fence_mark(line):
            continue
        bare = line.rstrip(structure.KEY_MARKS)
        if structure.heading_level(line):
            return _headings(text, number, structure.heading_level(line), bare)
        return _last_sentence(bare) if bare.endswith(tuple(structure.COLONS)) else ""
    return ""


def line_above(text: Text, first: int) -> str:
    """Return the last sentence right above line `first`, fences and blank lines left out, or ``""``."""
    for number in range(first - 1, max(-1, first - NEAR), -1):
        start, end = text.plain_lines.span(number)
        line = text.plain[max(start, end - LINE) : end].strip(structure.QUOTED_LINE)
        if any(letter.isalnum() for letter in line) and not structure.fence_mark(line):
            return _last_sentence(line.rstrip(structure.KEY_MARKS))
    return ""


def _headings(text: Text, number: int, level: int, last: str) -> str:
    """Return the heading at line `number` and those it is under, the highest first."""
    found = [last]
    for above in range(number - 1, max(-1, number - BACK), -1):
        if level <= 1:
            break
        start, end = text.plain_lines.span(above)
        line = text.plain[start : min(end, start + LINE)].strip(structure.QUOTED_LINE)
        higher = structure.heading_level(line)
        if 0 < higher < level and text.blocks.of_line(above) != CODE:
            found.append(line)
            level = higher
    return ": ".join(reversed(found))


def _last_sentence(line: str) -> str:
    cut = max(line.rfind(mark + " ") for mark in structure.SENTENCE_ENDS)
    wide = max(line.rfind(mark) for mark in structure.FULL_WIDTH_ENDS)
    return line[max(cut, wide) + 1 :]
