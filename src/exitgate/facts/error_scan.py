"""Which lines report an error, by the patterns of a lexicon."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts.lexicon import Entry, Lexicon
from exitgate.facts.noise import Noise, is_noise
from exitgate.facts.reported import Reported
from exitgate.facts.scan import MATCH_LIMIT, Match
from exitgate.facts.scan_blocks import PATCH
from exitgate.facts.scan_patterns import PIECE
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.facts.scan import Text
    from exitgate.facts.scan_patterns import Narrowed
    from exitgate.facts.scan_task import Task

#: Most lines that belong to one error.
BLOCK_LIMIT = 200


def search(text: Text, options: Mapping[str, object], task: Task | None) -> tuple[Reported, ...]:
    """
    Return the lines that report errors, in order, with the guard that refused each, or None.

    Each line counts once, for the first entry of the lexicon that matches it. Of an entry marked `block`
    the line that ends its block tells the error: every traceback begins alike. Lines of patches report
    nothing. Lines of an entry marked `fallback` count only where no other line does, and of
    several such entries only the first in the lexicon.
    """
    lexicon = _ready(options).lexicon
    narrowed = None if lexicon.patterns is None else lexicon.patterns.among(text)
    if narrowed is None or not narrowed.any or not narrowed.which(_plain(text.plain)):
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


def noise_of(options: Mapping[str, object]) -> Noise | None:
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


def _made(options: Mapping[str, object]) -> _Ready:
    lexicon = lexicons.ready(lexicons.option(options))
    noise = [e for e in lexicon.entries if is_noise(e)]
    if not noise:
        return _Ready(lexicon, None)
    errors = tuple(e for e in lexicon.entries if not is_noise(e))
    return _Ready(Lexicon(errors, lexicon.guards), Noise(noise))


def _ready(options: Mapping[str, object]) -> _Ready:
    made = _kept.of(options)
    assert isinstance(made, _Ready)
    return made


_kept = lexicons.Kept(_made)
