"""`matching_lines`: how many lines of a source match patterns, wherever they are: no guard is asked."""

from __future__ import annotations

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.lexicons.patterns import Patterns, refusal
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, PIECE, evidence
from exitgate.core.facts.text.text import ready as prepared
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


#: Lines that patterns are asked about at once.
TOGETHER = 24

NAME = "matching_lines"
SOURCE = "response"
_PATTERNS: dict[str, object] = {
    "type": "array",
    "minItems": 1,
    "items": {"type": "string", "minLength": 1},
}
OPTIONS: dict[str, object] = {
    "patterns": {
        **_PATTERNS,
        "description": "Patterns (RE2) that a line must match one of, ignoring case unless they say `(?-i)`.",
        "examples": [["^FATAL", "segmentation fault"]],
    },
    "unless": {
        **_PATTERNS,
        "description": "Patterns that exclude a line.",
        "examples": [['"[^"]*error[^"]*":']],
    },
    "as_written": {
        "description": "Whether colour codes and carriage returns are part of the line, as in a "
        "plain text search. By default a line is what a terminal shows.",
        "type": "boolean",
        "default": False,
        "examples": [True],
    },
}

_UNKNOWN = "without a readable source; also if RE2 rejects a pattern"
_SPECS = (
    FactSpec("count", COUNT, "How many lines match.", _UNKNOWN, low=0),
    FactSpec("present", BOOL, "Whether any does.", _UNKNOWN),
)
_REFUSED = "RE2 rejects one of the patterns"


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; both are known on a readable source."""
    return _SPECS


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help for each pattern that RE2 refuses, and for options without any."""
    if not options.array("patterns"):
        yield (), "there are no patterns", 'add `patterns:`, such as `["^FATAL"]`'
    for key in ("patterns", "unless"):
        for number, pattern in enumerate(options.array(key)):
            why = refusal(str(pattern))
            if why:
                help = "patterns are RE2's: no look-around, no back references"
                yield (key, number), f"RE2 rejects this pattern: {why}", help


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return how many lines of `source` match; unknown when it is missing.

    A line ends at its line feed. Of a line longer than `PIECE` characters each piece of that length is
    looked at as a line of its own, and the line counts once.
    """
    found = iteration.source(source)
    if found.text is None:
        return _unknown(prefix, found.reason)
    import re2

    text = prepared(found.text)
    asked = _ready(options)
    try:
        numbers = _matching(tuple(_lines(text, found.text, asked.as_written)), asked)
    except re2.error:
        return _unknown(prefix, _REFUSED)
    shown = tuple(evidence(source, text, *text.lines.span(n)) for n in numbers[:EVIDENCE_LIMIT])
    note = f"the first {EVIDENCE_LIMIT} of {len(numbers)} are shown" if len(numbers) > EVIDENCE_LIMIT else ""
    return (
        Fact(f"{prefix}.count", len(numbers), shown, note=note),
        Fact(f"{prefix}.present", bool(numbers), shown[:1]),
    )


def _lines(text: Text, written: str, as_written: bool) -> Iterator[str]:
    if as_written:
        yield from written.split("\n")
        return
    lines = text.plain_lines
    for number in range(len(lines.starts)):
        yield lines.line(number)


def _matching(lines: Sequence[str], asked: _Ready) -> list[int]:
    """Return the numbers, from 0, of the lines that match: some at once, then each where one may."""
    numbers: list[int] = []
    for start in range(0, len(lines), TOGETHER):
        some = lines[start : start + TOGETHER]
        if any(len(line) > PIECE for line in some) or asked.may_match("\n".join(some)):
            numbers += [start + n for n, line in enumerate(some) if asked.matches(line)]
    return numbers


class _Ready(Value):
    """The patterns of some options, made ready once."""

    __slots__ = ("_unless", "_wanted", "as_written")

    def __init__(self, options: JsonObject) -> None:
        self._wanted = Patterns([str(p) for p in options.array("patterns")])
        self._unless = Patterns([str(p) for p in options.array("unless")])
        self.as_written = options.flag("as_written", False)

    def may_match(self, lines: str) -> bool:
        """Return whether a pattern occurs in one of several lines."""
        return bool(self._wanted.which(lines))

    def matches(self, line: str) -> bool:
        """Return whether a pattern occurs in the line, and none that keeps it from counting."""
        pieces = [line[at : at + PIECE] for at in range(0, len(line), PIECE)] or [line]
        return any(self._wanted.which(p) for p in pieces) and not any(self._unless.which(p) for p in pieces)


def _unknown(prefix: str, reason: str) -> tuple[Fact, ...]:
    names = (f"{prefix}.{spec.name}" for spec in _SPECS)
    return tuple(Fact(name, Unknown(reason, name)) for name in names)


_ready = lexicons.kept(_Ready)
