"""What agents' programs say about their own trouble, by the patterns of a lexicon."""

from __future__ import annotations

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons.patterns import Patterns
from exitgate.core.facts.records import amount
from exitgate.core.facts.text.structure import list_mark, strip_escapes
from exitgate.core.facts.text.text import PIECE, Match, Text, ready
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from exitgate.core.facts.lexicons.lexicon import Entry, Lexicon
    from exitgate.core.model.json_object import JsonObject


#: Lines behind a message in which its retry time may be.
BEHIND = 3
#: Lines of a text that are looked at, from its end.
LAST_LINES = 200
#: Lines and characters of an answer that may be nothing but a program's own error.
ALONE_LINES, ALONE_LENGTH = 80, 20_000
#: What begins a line that an agent shows, and a line of an object in JSON.
SHOWN, OBJECT = "\"'`>|#*+-\u2018\u201c", '{}[]"'
#: Guard of a printed line that is an item of a list or prose: agents write such, their programs do not.
LISTED = "quoted"
#: Keys of entries that are not tried on the last lines that were printed.
REPORTED = ("alone", "structured")
#: What an entry may find beside an error.
LEAD = "lead"
LINE = "line"
PROSE = "prose"
BESIDE = (LEAD, LINE, PROSE)


class Trouble(Value):
    """
    A line that shows trouble.

    Args:
        entry: Id of the entry of the lexicon.
        kind: Its kind, as the lexicon writes it.
        start: Where the line starts, in the text it was found in.
        end: Where it ends.
        guard: The guard that refused it, or None.
        retry: The parts of the retry time said there or close behind, by name; empty without.
    """

    __slots__ = ("end", "entry", "guard", "kind", "retry", "start")

    def __init__(
        self, entry: str, kind: str, start: int, end: int, guard: str | None, retry: Mapping[str, str]
    ) -> None:
        self.entry = entry
        self.kind = kind
        self.start = start
        self.end = end
        self.guard = guard
        self.retry = retry


class Watch(Value):
    """A lexicon of trouble ready for scanning; `words` are what times are called in it."""

    __slots__ = ("_beside", "_kinds", "_lexicon", "_own", "_retries", "_times", "_troubles", "words")

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._kinds = tuple(e for e in lexicon.entries if e.pattern and "kind" in e.options)
        self._retries = tuple(e for e in lexicon.entries if e.pattern and e.options.get("retry"))
        self._troubles = _Lines(self._kinds, narrowed=True)
        self._times = _Lines(self._retries)
        parts = {p: [e for e in lexicon.entries if e.options.get("beside") == p] for p in BESIDE}
        self._beside = {part: _Lines(entries) for part, entries in parts.items()}
        self._own = _Lines([e for e in self._kinds if not e.options.get("structured")], narrowed=True)
        self.words: RetryWords = retry_words(lexicon.entries)

    def reported(self, text: Text) -> tuple[Trouble, ...]:
        """Return the trouble in an error that the program reports in a field of its own, in order."""
        return tuple(self._found(text, structured=True))

    def own(self, text: Text) -> tuple[Trouble, ...]:
        """Return the trouble in an answer that is nothing but the program's own error, in order."""
        return tuple(self._found(text, structured=True))

    def printed(self, text: Text) -> tuple[Trouble, ...]:
        """Return the trouble in lines that were printed; guards may have refused some of it."""
        return tuple(self._found(text, structured=False))

    def alone(self, written: str) -> bool:
        """
        Return whether a text is nothing but what a program prints of its own trouble.

        Each line is its error or another of its lines, and no line holds what only an agent writes.
        """
        if len(written) > ALONE_LENGTH:
            return False
        text = ready(strip_escapes(written))
        lines = [line for line in text.original.splitlines() if line.strip()]
        # most responses have no word of an error's: neither is a pattern made then
        if not lines or len(lines) > ALONE_LINES or not self._own.among(text):
            return False
        lines = [self._without_lead(line) for line in lines]
        prose = self._beside[PROSE]
        return not any(True for line in lines for _ in prose.which(line)) and self._all_own(lines)

    def _without_lead(self, whole: str) -> str:
        """Return a line without what programs put before an error."""
        line, lead = whole[:PIECE].rstrip(), self._beside[LEAD]
        for index in lead.which(line):
            return line[next(lead.patterns.spans(index, line))[1] :]
        return line

    def _all_own(self, lines: Sequence[str]) -> bool:
        """Return whether some line is an error, and each is one or is beside it."""
        own = [any(True for _ in self._own.which(line)) and not self._is_shown(line) for line in lines]
        if not any(own):
            return False
        found = False
        for line, is_own in zip(lines, own, strict=True):
            if is_own:
                found = True
            elif not (found and line.lstrip()[:1] in OBJECT) and not any(
                True for _ in self._beside[LINE].which(line)
            ):
                return False
        return found

    def _is_shown(self, line: str) -> bool:
        """Return whether a line is one that an agent shows: an item, a quotation, code."""
        start = line.lstrip()
        return bool(list_mark(start)) or (start[:1] in SHOWN and not start.startswith("'"))

    def _found(self, text: Text, structured: bool) -> Iterator[Trouble]:
        count = len(text.lines.starts)
        if not self._troubles.among(text):
            return
        for number in range(max(0, count - LAST_LINES), count):
            line = _line(text, number)
            for index in self._troubles.which(line):
                entry = self._kinds[index]
                if not structured and any(entry.options.get(key) for key in REPORTED):
                    continue
                start = text.lines.starts[number]
                match = Match(entry.id, start, start + len(line))
                guards = () if structured else entry.guards
                guard = self._lexicon.guards.refusing(guards, text, match, None)
                if (
                    guard is None
                    and not structured
                    and (list_mark(line.lstrip()) or any(True for _ in self._beside[PROSE].which(line)))
                ):
                    guard = LISTED
                kind = str(entry.options["kind"])
                yield Trouble(entry.id, kind, match.start, match.end, guard, self._retry(text, number))
                break

    def _retry(self, text: Text, number: int) -> Mapping[str, str]:
        for behind in range(number, min(number + 1 + BEHIND, len(text.lines.starts))):
            line = _line(text, behind)
            for index in self._times.which(line):
                return self._times.patterns.groups(index, line)
        return {}


class _Lines(Value):
    """
    Entries with patterns, asked line by line.

    Args:
        entries: The entries.
        narrowed: Whether `among` is asked about a text before `which` is about its lines.
    """

    __slots__ = ("_entries", "_refusals", "patterns")

    def __init__(self, entries: Sequence[Entry], narrowed: bool = False) -> None:
        self._entries = tuple(entries)
        asked = [entry.options for entry in entries] if narrowed else ()
        self.patterns = Patterns([e.pattern for e in entries], [lexicons.needed(one) for one in asked])
        self._refusals = Patterns([e.unless or lexicons.NEVER for e in entries])

    def among(self, text: Text) -> bool:
        """Return whether an entry may be found in `text`, and have those that may be ready for its lines."""
        return self.patterns.among(text).any

    def which(self, line: str) -> Iterator[int]:
        """Yield the indices of the entries that are found in `line`, in their order."""
        for index in self.patterns.found(line) if line else ():
            if not (self._entries[index].unless and self._refusals.occurs(index, line)):
                yield index


def _line(text: Text, number: int) -> str:
    start, end = text.lines.span(number)
    return text.original[start : min(end, start + PIECE)].rstrip()


@lexicons.kept
def watch(options: JsonObject) -> Watch:
    """Return the lexicon of the options, ready."""
    return Watch(lexicons.ready(options.object("lexicon")))


# Names of units, months, halves of the day and time zones, as a lexicon has them.

_UNIT, _MONTH, _HALF, _ZONE = "seconds", "month", "half_day", "utc_offset"


class RetryWords(Value):
    """
    What words about times mean; keys are lower case and without stops at the end.

    Args:
        units: Name of a unit -> its length in seconds.
        months: Name of a month -> 1 to 12.
        halves: What follows an hour from 1 to 12 -> 0 or 12.
        zones: Name of a zone -> seconds ahead of UTC.
    """

    __slots__ = ("halves", "months", "units", "zones")

    def __init__(
        self,
        units: Mapping[str, float],
        months: Mapping[str, float],
        halves: Mapping[str, float],
        zones: Mapping[str, float],
    ) -> None:
        self.units = units
        self.months = months
        self.halves = halves
        self.zones = zones


def retry_words(entries: Iterable[Entry]) -> RetryWords:
    """Return the meanings that the entries with `seconds`, `month`, `half_day` or `utc_offset` give."""
    found: dict[str, dict[str, float]] = {name: {} for name in (_UNIT, _MONTH, _HALF, _ZONE)}
    for entry in entries:
        words = entry.options.array("words")
        for name, meanings in found.items():
            value = amount(entry.options.get(name))
            if value is not None:
                meanings.update((word_of(str(w)), value) for w in words)
    return RetryWords(found[_UNIT], found[_MONTH], found[_HALF], found[_ZONE])


def word_of(text: str) -> str:
    """Return a word as it is looked up."""
    return text.strip().lower().rstrip(".")
