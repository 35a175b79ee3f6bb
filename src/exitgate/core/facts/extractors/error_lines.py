"""`error_lines`: the lines of a source that report an error."""

from __future__ import annotations

from exitgate.core.facts.errors.scan import patterns as patterns_of
from exitgate.core.facts.errors.scan import signature as signature_of
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, Text, evidence
from exitgate.core.facts.text.text import ready as ready_text
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, SIGNATURE, TEXT, Type, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.errors.scan import Reported
    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "error_lines"
SOURCE = "response"
#: What is looked at beside it, where `tool_results` asks for it.
CALLS = "tool_calls"
OPTIONS: dict[str, object] = {
    "lexicon": {
        "description": "Name or path of the lexicon whose patterns match lines that report errors.",
        "type": "string",
        "default": "errors",
        "examples": ["errors"],
    },
    "words": {
        "description": "Instead of a lexicon: count these words, in any position and case.",
        "type": "array",
        "minItems": 1,
        "items": {"type": "string", "minLength": 1},
        "examples": [["error", "failed"]],
    },
    "count": {
        "description": "With `words`: count the `lines` that contain one, all `occurrences`, or how many "
        "of the words are `present`.",
        "enum": ["lines", "occurrences", "present"],
        "default": "occurrences",
        "examples": ["lines"],
    },
    "whole": {
        "description": "With `words`: whole words only; false also finds them inside longer words.",
        "type": "boolean",
        "default": False,
        "examples": [True],
    },
    "tool_results": {
        "description": "With a lexicon: also count errors printed by commands of the agent that "
        "failed and did not succeed later in the iteration. An error that the source repeats counts once; "
        "`signature` and `patterns` are those of the source.",
        "type": "boolean",
        "default": False,
        "examples": [True],
    },
    "shows": {
        "description": "With `tool_results`: programs that show the content of files; their output "
        "does not count.",
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "examples": [["cat", "grep"]],
    },
}

_SPECS = (
    FactSpec("count", COUNT, "How many lines report an error (with `words`: as `count` says).", low=0),
    FactSpec("present", BOOL, "Whether any does."),
    FactSpec("kinds", Type("list", item=TEXT), "The kinds of errors, sorted (with `words`: the words)."),
    FactSpec(
        "signature",
        SIGNATURE,
        "Equal for equal sets of errors: their patterns, joined.",
        "no line reports an error",
    ),
    FactSpec(
        "patterns",
        Type("list", item=SIGNATURE),
        f"Each error's line, normalised, without the noise that the lexicon names "
        f"(positions, times, addresses); distinct, sorted, of the first {EVIDENCE_LIMIT} lines.",
    ),
)


def specs(_options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix."""
    return _SPECS


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the facts on the errors in `source`; all unknown when it is missing."""
    found = iteration.source(source)
    if found.text is None:
        return tuple(Fact(f"{prefix}.{s.name}", Unknown(found.reason, f"{prefix}.{s.name}")) for s in _SPECS)
    text = ready_text(found.text)
    if "words" in options:
        from exitgate.core.facts.errors import scan

        counted = scan.search_words(text, options.texts("words"), options.flag("whole", False))
        count = scan.count(text, counted, str(options.get("count", "occurrences")))
    else:
        from exitgate.core.facts.errors import scan
        from exitgate.core.facts.lexicons import search

        counted = scan.search(text, options, search.task_of(iteration))
        count = sum(r.guard is None for r in counted)
        if options.flag("tool_results"):
            facts = _facts(prefix, source, text, options, counted, count)
            return _beside(prefix, facts, _printed(iteration, options), text, counted)
    return _facts(prefix, source, text, options, counted, count)


def _printed(iteration: Iteration, options: JsonObject) -> tuple[Text, tuple[Reported, ...]] | None:
    """Return what failing commands printed and the errors in it; None without any."""
    told = iteration.calls()
    if not told:
        return None
    from exitgate.core.facts.errors import scan
    from exitgate.core.facts.turn.calls import failed_output

    printed = failed_output(told, options.texts("shows"))
    if not printed:
        return None
    text = Text(printed)
    found = tuple(r for r in scan.search(text, options, None) if r.guard is None)
    return (text, found) if found else None


def _beside(
    prefix: str,
    facts: tuple[Fact, ...],
    printed: tuple[Text, tuple[Reported, ...]] | None,
    text: Text,
    reported: tuple[Reported, ...],
) -> tuple[Fact, ...]:
    """Return the facts with the errors that commands printed, which lead: one in both counts once."""
    if printed is None:
        return facts
    other, found = printed
    lines = {other.folded[r.start : r.end].strip() for r in found}
    again = sum(r.guard is None and text.folded[r.start : r.end].strip() in lines for r in reported)
    shown = tuple(evidence(CALLS, other, r.start, r.end, r.kind) for r in found[:EVIDENCE_LIMIT])
    count, present, kinds, *rest = facts
    assert isinstance(count.value, int)
    assert isinstance(kinds.value, tuple)
    both = (*shown, *count.evidence)[:EVIDENCE_LIMIT]
    total = count.value - again + len(found)
    return (
        Fact(f"{prefix}.count", total, both, count.rejected, count.note),
        Fact(f"{prefix}.present", True, both[:1], present.rejected),
        Fact(f"{prefix}.kinds", tuple(sorted({*kinds.value, *(r.kind for r in found)})), both),
        *rest,
    )


def _facts(
    prefix: str,
    source: str,
    text: Text,
    options: JsonObject,
    reported: tuple[Reported, ...],
    count: int,
) -> tuple[Fact, ...]:
    counting = [r for r in reported if r.guard is None]
    refused = [r for r in reported if r.guard is not None]
    shown = tuple(evidence(source, text, r.start, r.end, r.kind) for r in counting[:EVIDENCE_LIMIT])
    rejected = tuple(
        evidence(source, text, r.start, r.end, r.kind, r.guard) for r in refused[:EVIDENCE_LIMIT]
    )
    note = (
        f"the first {EVIDENCE_LIMIT} of {len(counting)} are shown" if len(counting) > EVIDENCE_LIMIT else ""
    )
    name = f"{prefix}.signature"
    signature: object = Unknown("no line reports an error", name)
    patterns: tuple[str, ...] = ()
    if counting:
        from exitgate.core.facts.errors import scan

        noise = None if "words" in options else scan.noise_of(options)
        signature = signature_of(patterns_of(text, counting, noise))
        patterns = patterns_of(text, counting[:EVIDENCE_LIMIT], noise)
    return (
        Fact(f"{prefix}.count", count, shown, rejected, note),
        Fact(f"{prefix}.present", count > 0, shown[:1], rejected),
        Fact(f"{prefix}.kinds", tuple(sorted({r.kind for r in counting})), shown),
        Fact(name, signature, shown),
        Fact(f"{prefix}.patterns", patterns, shown),
    )
