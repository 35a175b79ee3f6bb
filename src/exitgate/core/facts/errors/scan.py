"""A line or word that reports an error, and what stands for a set of them."""

from __future__ import annotations

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons.lexicon import Entries, Entry, Lexicon
from exitgate.core.facts.lexicons.patterns import Noise, is_noise
from exitgate.core.facts.text import words as word_marks
from exitgate.core.facts.text.blocks import PATCH
from exitgate.core.facts.text.text import MATCH_LIMIT, PIECE, Match
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.facts.lexicons.patterns import Narrowed, Noise
    from exitgate.core.facts.lexicons.task_copies import Task
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.json_object import JsonObject


#: Longest signature, in characters; what is longer ends in a checksum.
SIGNATURE_LIMIT = 160


class Reported(Value):
    """A line, or word, that reports an error; `guard` is the guard that refused it, or None."""

    __slots__ = ("end", "guard", "kind", "start")

    def __init__(self, kind: str, start: int, end: int, guard: str | None = None) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.guard = guard


def patterns(text: Text, reported: Sequence[Reported], noise: Noise | None) -> tuple[str, ...]:
    """
    Return what stands for each error, equal for equal errors: distinct, sorted.

    Each is its line, folded, without noise and with blanks as one; where that is longer than
    `SIGNATURE_LIMIT`, cut and ended with the CRC-32 of the whole.
    """
    lines = {text.folded[r.start : r.end] for r in reported}
    return tuple(sorted({_short(_normal(line, noise)) for line in lines}))


def signature(patterns: Sequence[str]) -> str:
    """Return a text that is equal for equal sets of errors: their patterns, joined and as short."""
    return _short(" | ".join(patterns))


def _normal(line: str, noise: Noise | None) -> str:
    return " ".join(line.split()) if noise is None else noise.without(line)


def _short(text: str) -> str:
    if len(text) <= SIGNATURE_LIMIT:
        return text
    from binascii import crc32

    return f"{text[: SIGNATURE_LIMIT - 9]}~{crc32(text.encode('utf-8', 'replace')):08x}"


# Which lines report an error, by the patterns of a lexicon.

#: Most lines that belong to one error.
BLOCK_LIMIT = 200


def search(text: Text, options: JsonObject, task: Task | None) -> tuple[Reported, ...]:
    """
    Return the lines that report errors, in order, with the guard that refused each, or None.

    Each line counts once, for the first entry of the lexicon that matches it. Of an entry marked `block`
    the line that ends its block tells the error: every traceback begins alike. Lines of patches report
    nothing. Lines of an entry marked `fallback` count only where no other line does, and of
    several such entries only the first in the lexicon.
    """
    lexicon = _ready(options).lexicon
    narrowed = None if lexicon.patterns is None else lexicon.patterns.among(text)
    if narrowed is None or not narrowed.occur_in(_plain(text.plain)):
        return ()
    found = list(_lines(text, lexicon, narrowed))
    firm = [one for one in found if not one[0].options.get("fallback")]
    if not firm and found:
        present = {e.id for e, _, _ in found}
        first = next(e.id for e in lexicon.entries if e.id in present)
        firm = [one for one in found if one[0].id == first]
    return tuple(
        Reported(
            str(entry.options.get("kind", entry.id)),
            *told,
            lexicon.guards.refusing(entry.guards, text, match, task),
        )
        for entry, match, told in firm
    )


def noise_of(options: JsonObject) -> Noise | None:
    """Return the noise that the lexicon names, or None where it names none."""
    return _ready(options).noise


def _lines(
    text: Text, lexicon: Lexicon, patterns: Narrowed
) -> Iterator[tuple[Entry, Match, tuple[int, int]]]:
    """Yield entry and match of each line that reports an error, and the span of the line that tells it."""
    entries = lexicon.patterned()
    found = 0
    belongs = 0
    for number in range(len(text.lines.starts)):
        if number < belongs or not text.lines.line(number):
            continue
        entry = _first(entries, lexicon, patterns, _shown(text, number))
        if entry is None or text.blocks.of_line(number) == PATCH:
            continue
        if entry.options.get("block"):
            belongs = _behind(text, number)
        elif entry.options.get("row"):
            belongs = _in_row(text, number, entry, lexicon, patterns)
        own = _span(text, number)
        told = _span(text, belongs - 1) if entry.options.get("block") else own
        yield entry, Match(entry.id, *own), own if told[0] >= told[1] else told
        found += 1
        if found >= MATCH_LIMIT:
            return


def _span(text: Text, number: int) -> tuple[int, int]:
    """Return where the first piece of a line begins and ends, blanks left out; empty behind the last line."""
    if number >= len(text.lines.starts):
        return 0, 0
    start, end = text.lines.span(number)
    line = text.original[start : min(end, start + PIECE)].rstrip()
    return start + len(line) - len(line.lstrip()), start + len(line)


def _shown(text: Text, number: int) -> str:
    """Return line `number` as patterns see it: without escape sequences, its first piece."""
    start, end = text.plain_lines.span(number)
    return text.plain[start : min(end, start + PIECE)].rstrip()


def _first(entries: Sequence[Entry], lexicon: Lexicon, patterns: Narrowed, line: str) -> Entry | None:
    if not line:
        return None
    for index in patterns.which(line):
        entry = entries[index]
        if not entry.unless or lexicon.refusals is None or not lexicon.refusals.occurs(index, line):
            return entry
    return None


def _behind(text: Text, number: int) -> int:
    """Return the number of the line behind an error's block: the lines indented more and the one after."""
    last = min(len(text.lines.starts), number + BLOCK_LIMIT)
    own = _indent(text, number)
    number += 1
    while number < last and _indent(text, number) > own:
        number += 1
    return number + 1


def _indent(text: Text, number: int) -> int:
    line = text.lines.line(number)[:PIECE]
    return len(line) - len(line.lstrip(" \t"))


def _in_row(text: Text, number: int, entry: Entry, lexicon: Lexicon, patterns: Narrowed) -> int:
    """Return the number of the line behind those that follow line `number` and that `entry` matches too."""
    entries = lexicon.patterned()
    last = min(len(text.lines.starts), number + BLOCK_LIMIT)
    number += 1
    while number < last and _first(entries, lexicon, patterns, _shown(text, number)) is entry:
        number += 1
    return number


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text


class _Ready(Value):
    """A lexicon for errors, and its noise."""

    __slots__ = ("lexicon", "noise")

    def __init__(self, lexicon: Lexicon, noise: Noise | None) -> None:
        self.lexicon = lexicon
        self.noise = noise


@lexicons.kept
def _ready(options: JsonObject) -> _Ready:
    lexicon = lexicons.ready(options.object("lexicon"))
    noise = [e for e in lexicon.entries if is_noise(e)]
    if not noise:
        return _Ready(lexicon, None)
    errors = Entries.of([e for e in lexicon.entries if not is_noise(e)])
    return _Ready(Lexicon(errors, lexicon.guards), Noise(noise))


# Counts words the way ``grep`` does: in any case, wherever they are.

LINES, PRESENT = "lines", "present"


def search_words(text: Text, wanted: Sequence[str], whole: bool) -> tuple[Reported, ...]:
    """
    Return the occurrences of the words, by place, at most `MATCH_LIMIT` of each.

    Args:
        text: The text.
        wanted: The words; each becomes the `kind` of what it finds.
        whole: Leave out occurrences inside longer words.
    """
    found = []
    for word in wanted:
        folded = word_marks.fold(word)
        at = text.folded.find(folded) if folded else -1
        left = MATCH_LIMIT
        while at >= 0 and left > 0:
            end = at + len(folded)
            if not whole or (
                word_marks.starts_word(text.original, at) and word_marks.ends_word(text.original, end)
            ):
                found.append(Reported(word, at, end))
                left -= 1
            at = text.folded.find(folded, end)
    return tuple(sorted(found, key=lambda r: (r.start, -r.end)))


def count(text: Text, found: Sequence[Reported], how: str) -> int:
    """Return the number of lines, of different words, or of occurrences that do not overlap."""
    if how == LINES:
        return len({text.lines.number(r.start) for r in found})
    if how == PRESENT:
        return len({r.kind for r in found})
    reached = total = 0
    for reported in found:
        if reported.start >= reached:
            total += 1
            reached = reported.end
    return total
