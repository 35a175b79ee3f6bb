"""`probe`: what one probe said, a command or a judge that the settings define."""

from __future__ import annotations

from exitgate.core.facts import json_pointer
from exitgate.core.facts.extractors.json import OPTIONS as OF_JSON
from exitgate.core.facts.extractors.json import Misfit, type_of, typed
from exitgate.core.facts.extractors.json import faults as faults_of_type
from exitgate.core.model.fact import Evidence, Fact, FactSpec
from exitgate.core.model.json_object import object_or_none
from exitgate.core.model.value import BOOL, COUNT, DURATION, NOT_ASKED, PERCENT, TEXT, Type, Unknown, micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.model.fact import Iteration
    from exitgate.core.model.json_object import JsonObject

NAME = "probe"
SOURCE = "probes"
#: Nothing is looked at unless a policy names a fact of it.
ONLY_IF_NAMED = True
#: When it is asked: where it would change the decision, or in every iteration, so that history can read it.
WHEN_NEEDED, EVERY_ITERATION = "when_needed", "every_iteration"
ASKED: dict[str, object] = {
    "description": "When it is asked: only where the answer would change the decision, or in every iteration."
    " Only then history forms, the breaker and progress can read it.",
    "enum": [WHEN_NEEDED, EVERY_ITERATION],
    "default": WHEN_NEEDED,
    "examples": [EVERY_ITERATION],
}
OPTIONS: dict[str, object] = {
    "name": {
        "description": "The probe, by its name under `probes:` of the settings.",
        "type": "string",
        "pattern": "^[a-z][a-z0-9_]*$",
        "maxLength": 60,
        "examples": ["tests"],
    },
    "asked": ASKED,
    "at": OF_JSON["at"]
    | {  # type: ignore[operator]
        "description": "For `value`: where it is in the JSON document, as a JSON Pointer (RFC 6901).",
        "examples": ["/conclusion"],
    },
    "type": OF_JSON["type"]
    | {"description": "For `value`: what it has to be. A value of another type is unknown."},  # type: ignore[operator]
    "members": OF_JSON["members"],
    "range": OF_JSON["range"],
}

_UNANSWERED = "if it was refused, came to no end in time or is broken"
_REPORT = f"without a report that speaks of it; {_UNANSWERED}"
_TEXTS = Type("list", item=TEXT)
#: Facts that need no evidence: numbers of the whole, and what a command says itself.
_FIGURES = {"exit_status": 0, "total": 0, "skipped": 0, "coverage": 0, "duration": 0}


def _spec(name: str, type: Type, doc: str, unknown: str, low: float | None = None) -> FactSpec:
    return FactSpec(name, type, doc, unknown, low=low, read=False)


_SPECS = (
    _spec("passed", BOOL, "Whether it agrees: exit status 0 and no failure, or a judge's yes.", _UNANSWERED),
    _spec("exit_status", COUNT, "Exit status of its command.", f"for a judge; {_UNANSWERED}", 0),
    _spec("total", COUNT, "Results in its report, skipped ones included.", _REPORT, 0),
    _spec("failed", COUNT, "How many of them failed.", _REPORT, 0),
    _spec("skipped", COUNT, "How many of them were not run.", _REPORT, 0),
    _spec("failing", _TEXTS, "Names of those that failed, the first twenty.", _REPORT),
    _spec("coverage", PERCENT, "Share of the lines that were run.", _REPORT),
    _spec("duration", DURATION, "How long it took.", _UNANSWERED, 0),
    _spec("met", BOOL, "What a judge says.", f"for a command; {_UNANSWERED}"),
    _spec("reason", TEXT, "Why a judge says so.", f"for a command; {_UNANSWERED}"),
)  # fmt: skip


def specs(options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; `value` with the option `at`."""
    if "at" not in options:
        return _SPECS
    doc = f"What is at `{options['at']}` in the JSON document that it reads."
    return (
        *_SPECS,
        _spec("value", type_of(options), doc, f"if nothing of that type is there; {_UNANSWERED}"),
    )


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield place, message and help of what the options cannot be together."""
    if "name" not in options:
        yield (), "`probe` asks no probe", "add `name:` with the name of one"
    yield from faults_of_type(options)
    for key in sorted(options.keys() - {"name", "asked"}) if "at" not in options else ():
        yield (key,), f"`{key}:` is for the value at a pointer", "add `at:`, or remove it"


def pointers(options: JsonObject) -> tuple[str, ...]:
    """Return the JSON pointers that an entry reads."""
    return (str(options["at"]),) if "at" in options else ()


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return what the probe said, from the answers in the source's record."""
    name = str(options.get("name", ""))
    answer, reason = answer_of(iteration, source, name)
    names = [f"{prefix}.{spec.name}" for spec in specs(options)]
    if answer is None:
        return tuple(Fact(fact, Unknown(reason, name)) for fact in names)
    evidence = evidence_of(answer, name)
    return tuple(
        _fact(f"{prefix}.{spec.name}", spec.name, answer, options, evidence) for spec in specs(options)
    )


def answer_of(iteration: Iteration, source: str, name: str) -> tuple[JsonObject | None, str]:
    """Return what a probe said, as `exitgate.core.probes.answer.Answer.to_json`; or None and why."""
    record = iteration.source(source).record
    if record is None:
        return None, f"no probe `{name}` was given"
    answer = object_or_none(record.object("answers").get(name))
    if answer is not None:
        return answer, ""
    if name in record.array("pending"):
        return None, NOT_ASKED
    return None, f"there is no probe `{name}`"


def evidence_of(answer: JsonObject, name: str) -> tuple[Evidence, ...]:
    """Return where a probe says what it says: places in its own files, or lines of its output."""
    found = []
    for piece in answer.array("evidence"):
        path, line, text = piece if isinstance(piece, list | tuple) and len(piece) == 3 else ("", 0, "")
        if isinstance(path, str) and isinstance(line, int) and isinstance(text, str):
            found.append(Evidence(path or name, max(line, 1), 1, 0, 0, text, f"probe {name}"))
    return tuple(found)


def why(answer: JsonObject, name: str) -> str:
    """Return why a probe has no result."""
    return f"probe `{name}`: {answer.text('reason', answer.text('status', 'it gave no answer'))}"


def _fact(
    name: str, field: str, answer: JsonObject, options: JsonObject, evidence: tuple[Evidence, ...]
) -> Fact:
    probe = str(options["name"])
    if field == "value":
        return Fact(name, _value(name, probe, answer, options), evidence)
    value: object = answer.get({"duration": "seconds", "met": "passed"}.get(field, field))
    if field in ("met", "reason") and not answer.flag("judged"):
        return Fact(name, Unknown(f"probe `{probe}` is a command", name))
    if field == "failing":
        value = answer.texts("failing") if "failed" in answer or "failing" in answer else None
    elif field == "duration":
        seconds = answer.number("seconds")
        value = None if seconds is None else micro(seconds)
    if value is None:
        said = answer.text("status") == "answered" and field != "passed"
        reason = f"probe `{probe}` says nothing of it" if said else why(answer, probe)
        return Fact(name, Unknown(reason, name))
    return Fact(name, value, () if field in _FIGURES else evidence)


def _value(name: str, probe: str, answer: JsonObject, options: JsonObject) -> object:
    pointer, values = str(options["at"]), answer.object("values")
    if pointer not in values:
        said = answer.text("status") == "answered"
        reason = f"probe `{probe}` has nothing at `{pointer}`" if said else why(answer, probe)
        return Unknown(reason, name)
    value = typed(json_pointer.Found(values[pointer]), options)
    return (
        Unknown(f"probe `{probe}` at `{pointer}` {value.why}", name) if isinstance(value, Misfit) else value
    )
