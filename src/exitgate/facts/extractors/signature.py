"""`signature`: one short text for what an iteration did or ran into, equal for equal ones."""

from __future__ import annotations

from exitgate.facts import signature_cascade, signature_rows
from exitgate.facts.lexicon import Kept
from exitgate.facts.scan import EVIDENCE_LIMIT, evidence, ready
from exitgate.facts.signature_filters import near
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import SIGNATURE, TEXT
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.facts.scan import Text
    from exitgate.facts.signature_cascade import Found
    from exitgate.model.evidence import Evidence
    from exitgate.model.iteration import Iteration

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
_cascades = Kept(signature_rows.ready)


def specs(_options: Mapping[str, object]) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def faults(options: Mapping[str, object]) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield path, message and help of each pattern or template in `options` that cannot be used."""
    from exitgate.facts import signature_faults

    return signature_faults.faults(options)


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """Return the signature of `source` and its kind, or both unknown: an empty text has no signature."""
    given = iteration.source(source)
    if given.text is None:
        return _unknown(prefix, given.reason)
    if not given.text.strip():
        return _unknown(prefix, f"the {source} is empty")
    text = ready(given.text)
    cascade = _cascades.of(options)
    assert isinstance(cascade, signature_rows.Cascade)
    found, refused = signature_cascade.search(text.original, cascade)
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
    cut = len(text.original) > signature_cascade.HEAD + signature_cascade.TAIL
    note = (
        f"of {len(text.original)} characters, only the first {signature_cascade.HEAD} and the last "
        f"{signature_cascade.TAIL} were looked at"
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
