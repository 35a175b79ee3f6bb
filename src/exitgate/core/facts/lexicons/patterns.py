"""
Patterns of lexicons on RE2: linear on any text.

They are matched line by line. Finding *all* matches of one pattern can cost the square of a line's
length even on RE2, so a long line is taken in pieces.
"""

from __future__ import annotations

from exitgate.core.facts.text.structure import by_line
from exitgate.core.facts.text.text import ANY_DIGIT, DIGIT, EDGE, PIECE, Lines, unlike_folded
from exitgate.core.facts.text.words import encodable, fold
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from exitgate.core.facts.lexicons.lexicon import Entry
    from exitgate.core.facts.text.text import Text

    #: Each way in which a line matches a pattern: sets of texts in lower case of which it has one each.
    Ways = Sequence[Sequence[Sequence[str]]]


#: Texts that are searched for what patterns need, before a set of all patterns is worth its making.
ASKED = 4
#: Texts of more characters are not searched: that would take longer than to make the set.
SEARCHED = 50_000

#: A pattern that repeats something more often than this is in no set: RE2 then has a state of all patterns
#: for each way in which the repeat could have begun, and makes hundreds of them for each line.
WIDE = 32
#: Bytes that the set of all patterns may use; too few and RE2 refuses to make it.
MEMORY = 64 * 1024 * 1024


class Patterns(Value):
    """
    RE2 patterns asked together.

    Args:
        written: The patterns in RE2 syntax; they ignore case unless they say ``(?-i)``.
        needed: For each pattern the ways in which a line matches it; none where they are not known.

    A pattern is compiled when it is first asked; `re2.error` for one that RE2 refuses is raised then.
    """

    __slots__ = ("_apart", "_by_line", "_each", "_left", "_numbers", "_set", "needed", "written")

    def __init__(self, written: Sequence[str], needed: Sequence[Ways] = ()) -> None:
        self.written = tuple(written)
        self.needed = tuple(needed)
        #: The patterns in the set, by their numbers in it; and for how many more texts it is chosen.
        self._numbers: list[int] = []
        self._left = ASKED if any(self.needed) else 0
        #: Patterns that are asked alone, where a text holds what they need.
        self._apart = tuple(
            number
            for number, ways in enumerate(self.needed)
            if ways and _repeats(self.written[number]) > WIDE
        )
        self._each: dict[int, Any] = {}
        self._by_line: dict[int, Any] = {}
        self._set: Any = None

    def among(self, text: Text) -> Narrowed:
        """
        Return the patterns that may occur in `text`, for questions about its lines and pieces of them.

        To make a set of patterns takes longer than to look for a few words in one text of usual length:
        patterns are made when a text that may hold them is met, all of them after a few texts.
        """
        if not self._left or len(text.original) > SEARCHED or not text.searched():
            self._widen()
            return Narrowed(self, bool(self.written), self._apart)
        likely = [
            index
            for index, ways in enumerate(self.needed)
            if not ways or index in self._numbers or _has_line(text, ways)
        ]
        self._left -= 1
        together = [index for index in likely if index not in self._apart]
        if together != self._numbers or not self._left:
            self._set, self._numbers = None, together if self._left else []
        return Narrowed(self, bool(likely), tuple(index for index in likely if index in self._apart))

    def by_lines(self, text: Text) -> LikelyLines | None:
        """
        Return which patterns may occur on which lines of `text`; None where `among` has to be asked.

        That is so after a few texts, in a long text, in one with a long line, which is taken in pieces, and
        where a letter has more forms than lower case tells. Otherwise few patterns are made, and no set.
        """
        if not self._left or len(text.original) > SEARCHED or not text.searched():
            return None
        if any(len(line) > PIECE for line in text.original.split("\n")) or self.is_of_whole_texts():
            return None
        self._left -= 1
        likely = {index: _lines_of(text, ways) if ways else _ALL for index, ways in enumerate(self.needed)}
        return LikelyLines(self, text, {index: lines for index, lines in likely.items() if lines})

    def is_of_whole_texts(self) -> bool:
        """Return whether a pattern says where the whole text begins or ends."""
        return any(edge in one for one in self.written for edge in _WHOLE)

    def may_occur(self, index: int, folded: str) -> bool:
        """Return whether a folded line holds what pattern `index` needs; True where that is not known."""
        ways = self.needed[index] if self.needed else ()
        numbered = folded.translate(ANY_DIGIT) if ways else ""
        return not ways or any(
            all(
                any(one.strip(EDGE) in (numbered if DIGIT in one else folded) for one in texts)
                for texts in way
            )
            for way in ways
        )

    def which(self, line: str) -> list[int]:
        """Return the indices, ascending, of the patterns that occur in `line`, or in a line of several."""
        self._widen()
        return self.found(line)

    def _widen(self) -> None:
        """Have a set of all patterns from now on."""
        self._left = 0
        if len(self._numbers) + len(self._apart) != len(self.written):
            self._set = None

    def found(self, line: str, apart: Sequence[int] | None = None) -> list[int]:
        """Return what `which` does of patterns in the set, and of those `apart`, by default all others."""
        found: list[int] = []
        if self._numbers or (not self._left and len(self._apart) < len(self.written)):
            together = self._set if self._set is not None else self._together()
            found = [self._numbers[number] for number in together.Match(_encoded(line)) or ()]
        apart = self._apart if apart is None else apart
        if apart:
            folded = "" if unlike_folded(line) else fold(line)
            found += [n for n in apart if (not folded or self.may_occur(n, folded)) and self.is_in(n, line)]
        return sorted(found)

    def occurs(self, index: int, line: str) -> bool:
        """Return whether pattern `index` occurs in `line`."""
        return self._one(index).search(_encoded(line)) is not None

    def spans(self, index: int, line: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of the matches of pattern `index` that are not empty, in characters."""
        for match in self._one(index).finditer(encodable(line)):
            if match.end() > match.start():
                yield match.span()

    def groups(self, index: int, line: str) -> dict[str, str]:
        """Return the named groups that took part in the first match of pattern `index`, by name."""
        match = self._one(index).search(encodable(line))
        found = match.groupdict() if match else {}
        return {name: text for name, text in found.items() if text}

    def replaced(self, index: int, line: str, by: str) -> str:
        """Return `line` with `by` for each match of pattern `index`; ``\\1`` in it is the first group."""
        written: str = self._one(index).sub(by, encodable(line))
        return written

    def matches(self, index: int, line: str) -> Iterator[Any]:
        """Yield the matches of pattern `index` that are not empty, with their groups."""
        for match in self._one(index).finditer(encodable(line)):
            if match.end() > match.start():
                yield match

    def anywhere(self, which: Sequence[int], text: str) -> Iterator[tuple[int, int]]:
        """
        Yield the spans of the matches of the patterns `which` in a text of several lines.

        They may reach over ends of lines, so they only tell where to look. No line may be long: see above.
        """
        text = encodable(text)
        for index in which:
            for match in self._in_lines(index).finditer(text):
                yield match.span()

    def is_in(self, index: int, lines: str) -> bool:
        """Return whether pattern `index` occurs in a text of several lines, or over their ends."""
        return self._in_lines(index).search(_encoded(lines)) is not None

    def _in_lines(self, index: int) -> Any:
        """Return one pattern with `^` and `$` at every line, compiled when first asked."""
        one = self._by_line.get(index)
        if one is None:
            import re2

            one = self._by_line[index] = re2.compile(by_line(self.written[index]), _options())
        return one

    def _together(self) -> Any:
        """Return all patterns as one RE2 set, made when first asked."""
        import re2

        options = _options()
        options.max_mem = MEMORY
        together = re2.Set.SearchSet(options)
        if not self._left:
            self._numbers = [number for number in range(len(self.written)) if number not in self._apart]
        for number in self._numbers:
            together.Add(by_line(self.written[number]))
        together.Compile()
        self._set = together
        return together

    def _one(self, index: int) -> Any:
        """Return one pattern, compiled when first asked: most never occur in a text."""
        one = self._each.get(index)
        if one is None:
            import re2

            one = self._each[index] = re2.compile(self.written[index], _options())
        return one


class Narrowed(Value):
    """
    The patterns that may occur in one text.

    Args:
        patterns: All of them.
        any: Whether there is one.
        apart: Which of those that are in no set.
    """

    __slots__ = ("_apart", "_patterns", "any")

    def __init__(self, patterns: Patterns, any: bool, apart: Sequence[int]) -> None:
        self._patterns = patterns
        self._apart = apart
        self.any = any

    def which(self, line: str) -> list[int]:
        """Return the indices, ascending, of the patterns that occur in a line, or in a line of several."""
        return self._patterns.found(line, self._apart) if self.any else []

    def occur_in(self, text: str) -> bool:
        """
        Return whether a pattern occurs in a text of several lines; False also where none does in a piece.

        One pass over a long line costs much more than passes over its pieces: all that the patterns have met
        on it goes along. What occurs within a piece, away from its ends, occurs in the line.
        """
        if not self.any:
            return False
        lines = text.split("\n")
        if max(map(len, lines)) <= PIECE or self._patterns.is_of_whole_texts():
            return bool(self.which(text))
        unsure = False
        for line in lines:
            for at in range(0, len(line), PIECE):
                piece = line[at : at + PIECE]
                found = self.which(piece)
                if found and (len(line) <= PIECE or self._within(piece, found)):
                    return True
                unsure = unsure or bool(found) or (piece[-1:].isspace() and bool(self.which(piece.rstrip())))
        return unsure and bool(self.which(text))

    def _within(self, piece: str, found: Sequence[int]) -> bool:
        """Return whether one of the patterns matches in a piece, away from its ends."""
        last = len(piece)
        return any(start > 0 and end < last for n in found for start, end in self._patterns.spans(n, piece))


class LikelyLines(Value):
    """
    The lines of one text on which patterns may occur.

    Args:
        patterns: All of them.
        text: The text, none of its lines long.
        likely: The patterns that may occur in it -> on which lines, as bits.
    """

    __slots__ = ("_likely", "_lines", "_patterns")

    def __init__(self, patterns: Patterns, text: Text, likely: Mapping[int, int]) -> None:
        self._patterns = patterns
        self._lines = text.plain.replace("\r\n", "\n").split("\n")
        self._likely = likely

    def numbers(self) -> list[int]:
        """Return the numbers, from 0, of the lines on which a pattern occurs, ascending."""
        found, lines, occurs = 0, self._lines, self._patterns.occurs
        for index, likely in self._likely.items():
            if likely == _ALL:
                likely &= (1 << len(lines)) - 1 if self._patterns.is_in(index, "\n".join(lines)) else 0  # noqa: PLW2901
            for number in _numbers(likely & ~found):
                if occurs(index, lines[number]):
                    found |= 1 << number
        return _numbers(found)

    def which(self, number: int, line: str) -> list[int]:
        """Return the indices, ascending, of the patterns that occur in `line`, which is line `number`."""
        return [
            n for n, likely in self._likely.items() if likely >> number & 1 and self._patterns.occurs(n, line)
        ]


#: The bits of all lines.
_ALL = -1
#: What in a pattern means an end of the whole text.
_WHOLE = (r"\A", r"\z")


def _numbers(bits: int) -> list[int]:
    """Return the numbers of the bits, from 0, that are set, ascending."""
    found = []
    while bits:
        found.append((bits & -bits).bit_length() - 1)
        bits &= bits - 1
    return found


def _lines_of(text: Text, ways: Ways) -> int:
    """Return the lines of a text that hold what one of the ways needs, as bits."""
    found = 0
    for way in ways:
        found |= _lines_in(text, way)
    return found


def _has_line(text: Text, ways: Ways) -> bool:
    """Return whether a line of a text holds what one of the ways needs."""
    return any(_lines_in(text, way) for way in ways)


def _lines_in(text: Text, way: Sequence[Sequence[str]]) -> int:
    """Return the lines of a text that hold a text of each set, as bits."""
    there = _ALL
    for texts in way:
        there &= text.lines_holding(texts)
        if not there:
            break
    return there


def _repeats(pattern: str) -> int:
    """Return how often a pattern repeats something at most, where it says so by a number."""
    most = [piece.partition("}")[0].partition(",")[2] for piece in pattern.split("{")[1:]]
    return max((int(number) for number in most if number.isdecimal()), default=0)


def refusal(pattern: str) -> str:
    """Return why RE2 refuses a pattern; the empty text where it does not."""
    import re2

    try:
        re2.compile(pattern, _options())
    except re2.error as error:
        return why_refused(error)
    return ""


def why_refused(error: Exception) -> str:
    """Return what RE2 says of a pattern that it refuses."""
    return error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)


def _options() -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    return options


def pieces(lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield offset and text of every line, long ones in pieces of `PIECE` characters."""
    for number in range(len(lines.starts)):
        start, end = lines.span(number)
        while end - start > PIECE:
            yield start, lines.text[start : start + PIECE]
            start += PIECE
        if end > start:
            yield start, lines.text[start:end]


def _encoded(text: str) -> bytes:
    # a lone surrogate becomes one question mark: offsets in characters stay as they are
    return text.encode("utf-8", "replace")


# What changes in a message from one time to the next and says nothing about the error.
#
# Positions, times and addresses are noise; counts are not. Which is which is in a lexicon: its entries with
# `noise` hold a pattern and what takes its place.


class Noise(Value):
    """
    The noise of a lexicon.

    Args:
        entries: Entries with a pattern and, among their options, `noise`: what replaces each match,
            in which ``\\1`` is the pattern's first group. They are taken in order.
    """

    __slots__ = ("_patterns", "_replacements")

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._patterns = Patterns([e.pattern for e in entries])
        self._replacements = tuple(str(e.options["noise"]) for e in entries)

    def without(self, line: str) -> str:
        """
        Return a folded line without its noise, runs of blanks as one.

        Only the line's first `PIECE` characters are looked at. An entry is tried where its pattern occurs
        in the line as it was written.
        """
        line = line[:PIECE]
        for index in self._patterns.which(line):
            line = self._patterns.replaced(index, line, self._replacements[index])
        return " ".join(line.split())


def is_noise(entry: Entry) -> bool:
    """Return whether an entry says what is noise, not what is an error."""
    return "noise" in entry.options and bool(entry.pattern)
