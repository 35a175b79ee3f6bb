"""`signature`: one short text for what an iteration did or ran into, equal for equal ones."""

from __future__ import annotations

from exitgate.core.facts.errors import signature_rows
from exitgate.core.facts.errors.scan import SIGNATURE_LIMIT
from exitgate.core.facts.errors.signature_rows import near
from exitgate.core.facts.lexicons.lexicon import kept
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, evidence, ready
from exitgate.core.facts.text.words import encodable
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import SIGNATURE, TEXT, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from exitgate.core.facts.errors.signature_rows import Cascade, Part, Row, Settings
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Evidence, Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "signature"
SOURCE = "response"

_PATTERN = {"type": "string", "minLength": 1, "maxLength": 4000}
_TEMPLATE = {"type": "string", "minLength": 1, "maxLength": 400}
_NAME = {"type": "string", "pattern": "^[a-z][a-z0-9_-]*$", "maxLength": 64}
_PART = {
    "type": "object",
    "additionalProperties": False,
    "required": ["each"],
    "properties": {
        "in": {
            "type": "string",
            "description": "Group that is searched; by default the whole text.",
        },
        "each": {**_PATTERN, "description": "RE2 pattern of one item."},
        "as": {**_TEMPLATE, "default": "{0}", "description": "Template of one item."},
        "limit": {"type": "integer", "minimum": 1, "maximum": 50, "default": 10},
        "join": {"type": "string", "maxLength": 10, "default": ","},
        "otherwise": {
            "type": "string",
            "maxLength": 100,
            "description": "Text if there is no item; without it the row then does not match.",
        },
    },
}
OPTIONS: dict[str, object] = {
    "cascade": {
        "description": "Rows in order; the first whose `pattern` (RE2, case ignored, `^` and `$` at every "
        "line) occurs, and whose `unless` does not occur on the same lines, gives the signature by its "
        "`template`. `{0}` is the match, `{1}` and `{name}` are its groups, `parts` name joined lists of "
        "repeated matches. Filters follow after bars: `slug`, `words N`, `basename`, `lower`, `dashes`, "
        "`first N`, `steady`, `or TEXT`, `prefix TEXT`. Rows with `noise` define what `steady` removes "
        "and its replacement, rows with `drop: true` the words that `slug` removes. By default: the entries "
        "of `lexicon`.",
        "type": "array",
        "minItems": 1,
        "maxItems": 100,
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["id"],
            "oneOf": [
                {"required": ["pattern", "template"], "not": {"required": ["words"]}},
                {"required": ["pattern", "noise"], "not": {"required": ["template"]}},
                {"required": ["words", "drop"], "not": {"required": ["pattern"]}},
            ],
            "properties": {
                "id": _NAME,
                "pattern": _PATTERN,
                "unless": _PATTERN,
                "template": _TEMPLATE,
                "parts": {
                    "type": "object",
                    "maxProperties": 10,
                    "propertyNames": _NAME,
                    "additionalProperties": _PART,
                },
                "noise": {"type": "string", "maxLength": 100},
                "drop": {"const": True},
                "words": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
            },
        },
        "examples": [
            [
                {"id": "error", "pattern": "error: (.+)", "template": "error:{1|steady|slug}"},
                {"id": "anything", "pattern": "\\w(?s:.*)", "template": "{0|first 50|lower|dashes}"},
            ]
        ],
    },
    "lexicon": {
        "description": "Name or path of a lexicon whose entries are the rows.",
        "type": "string",
        "examples": ["signatures"],
    },
    "near": {
        "description": "Normalise the signature: case, dropped words, punctuation and the order of items "
        "make no difference.",
        "type": "boolean",
        "default": False,
        "examples": [True],
    },
}

_WHEN = "the text is empty or no row matches it"
_SPECS = (
    FactSpec(
        "", SIGNATURE, "What the iteration did or which error it met, by the first row that matches.", _WHEN
    ),
    FactSpec("kind", TEXT, "The id of that row.", _WHEN),
)
_cascades = kept(signature_rows.ready)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help of each pattern or template in `options` that cannot be used."""
    from exitgate.core.facts.errors import signature_faults

    return signature_faults.faults(options)


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the signature of `source` and its kind, or both unknown: an empty text has no signature."""
    given = iteration.source(source)
    if given.text is None:
        return _unknown(prefix, given.reason)
    if not given.text.strip():
        return _unknown(prefix, f"the {source} is empty")
    text = ready(given.text)
    cascade = _cascades(options)
    found, refused = search(text.original, cascade)
    rejected = tuple(
        evidence(source, text, r.start, max(r.end, r.start + 1), f"row {r.row}", "unless")
        for r in refused[:EVIDENCE_LIMIT]
        if r.start < len(text.original)
    )
    signature = "" if found is None else str(found.text)
    if options.get("near") is True:
        signature = near(signature, cascade.settings.drop)
    if found is None or not signature:
        return _unknown(prefix, f"no row of the cascade matches the {source}", rejected)
    shown = _shown(source, text, found)
    cut = len(text.original) > HEAD + TAIL
    note = (
        f"of {len(text.original)} characters, only the first {HEAD} and the last {TAIL} were looked at"
        if cut
        else ""
    )
    return Fact(prefix, signature, shown, rejected, note), Fact(f"{prefix}.kind", found.row, shown)


def _shown(source: str, text: Text, found: Found) -> tuple[Evidence, ...]:
    start = found.start
    while start < found.end and text.original[start].isspace():
        start += 1
    return (evidence(source, text, start, found.end, f"row {found.row}"),) if start < found.end else ()


def _unknown(prefix: str, reason: str, rejected: tuple[Evidence, ...] = ()) -> tuple[Fact, ...]:
    return (
        Fact(prefix, Unknown(reason, prefix), (), rejected),
        Fact(f"{prefix}.kind", Unknown(reason, f"{prefix}.kind")),
    )


# The signature of a text: that of the first row of a cascade that matches.

#: Of a text longer than both together, its beginning and its end are looked at, in characters.
HEAD, TAIL = 48_000, 16_000
#: So many matches of a row may be refused by its `unless` before the row is given up.
TRIES = 20
#: Longest captured text that a template sees, in characters.
CAPTURED = 20_000


class Found(Value):
    """
    A signature and its origin.

    `text` is the signature, `row` the id of its row, `start` and `end` the span of the row's match;
    the `text` of a match that `unless` refused is None.
    """

    __slots__ = ("end", "row", "start", "text")

    def __init__(self, row: str, start: int, end: int, text: str | None = None) -> None:
        self.row = row
        self.start = start
        self.end = end
        self.text = text


def search(text: str, cascade: Cascade) -> tuple[Found | None, tuple[Found, ...]]:
    """
    Return the signature of `text`, None where no row matches, and the matches that were refused.

    Linear in `text`: each row searches it a bounded number of times.
    """
    seen = encodable(text.replace("\r\n", " \n") if "\r" in text else text)
    windows = _windows(seen)
    refused: list[Found] = []
    for row in cascade.occurring("\n".join(window for _, window in windows)):
        for match, offset in _matches(row, windows, refused):
            signature = _signature(row, match, windows, cascade.settings)
            if signature is not None:
                return Found(row.id, offset + match.start(), offset + match.end(), signature), tuple(refused)
    return None, tuple(refused)


def _windows(text: str) -> tuple[tuple[int, str], ...]:
    if len(text) <= HEAD + TAIL:
        return ((0, text),)
    return (0, text[:HEAD]), (len(text) - TAIL, text[-TAIL:])


def _matches(
    row: Row, windows: tuple[tuple[int, str], ...], refused: list[Found]
) -> Iterator[tuple[Any, int]]:
    """Yield the first match of a row in each window that is not refused, and the window's offset."""
    for offset, window in windows:
        at = 0
        for _ in range(TRIES):
            match = row.pattern.search(window, at)
            if match is None:
                break
            if row.refusal is None or row.refusal.search(_lines_of(window, match)) is None:
                yield match, offset
                break
            refused.append(Found(row.id, offset + match.start(), offset + match.end()))
            at = match.end() + (match.end() == match.start())
            if at > len(window):
                break


def _lines_of(window: str, match: Any) -> str:
    """Return the lines on which the match lies."""
    end = window.find("\n", match.end())
    return window[window.rfind("\n", 0, match.start()) + 1 : len(window) if end < 0 else end]


def _signature(row: Row, match: Any, windows: tuple[tuple[int, str], ...], settings: Settings) -> str | None:
    """Return what the row's template makes of a match; None where a part or everything is missing."""
    listed: dict[str, str] = {}
    replaced = False
    for name, part in row.parts.items():
        places = [w for _, w in windows] if part.inside is None else [_group(match, part.inside)]
        items = _items(part, places, settings)
        if not items and part.otherwise is None:
            return None
        replaced = replaced or not items
        listed[name] = part.join.join(items) if items else str(part.otherwise)

    def value(name: str) -> str:
        return listed[name] if name in listed else _group(match, name)

    text, any = signature_rows.render(row.template, value, settings)
    if not any and not replaced and signature_rows.names(row.template):
        return None
    return _shortened(text) or None


def _items(part: Part, places: list[str], settings: Settings) -> list[str]:
    items: list[str] = []
    for place in places:
        at = 0
        while len(items) < part.limit and at <= len(place):
            match = part.pattern.search(place, at)
            if match is None:
                break
            found, any = signature_rows.render(part.shown, _groups(match), settings)
            if any:
                items.append(found)
            at = match.end() + (match.end() == match.start())
    return items


def _groups(match: Any) -> Any:
    return lambda name: _group(match, name)


def _group(match: Any, name: str) -> str:
    """Return a captured group by number or name; empty where it took no part or there are none."""
    try:
        found = match.group(int(name) if name.isascii() and name.isdigit() else name)
    except (IndexError, KeyError):
        return ""
    return str(found or "")[:CAPTURED]


def _shortened(text: str) -> str:
    """Return a long signature cut and ended with the CRC-32 of the whole."""
    if len(text) <= SIGNATURE_LIMIT:
        return text
    from binascii import crc32

    return f"{text[: SIGNATURE_LIMIT - 9]}~{crc32(text.encode('utf-8', 'replace')):08x}"
