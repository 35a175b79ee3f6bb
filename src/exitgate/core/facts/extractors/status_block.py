"""`status_block`: what the agent says of itself in a block of ``KEY: value`` lines."""

from __future__ import annotations

from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.status import (
    options as options_module,
)
from exitgate.core.facts.status import (
    reading as reading_module,
)
from exitgate.core.facts.status.blocks import NAME_LIMIT, keys_alone, too_many
from exitgate.core.facts.status.fields import EMPTY, TEMPLATE, UNREAD
from exitgate.core.facts.status.reading import judged, last_message, of_earlier, readings_of
from exitgate.core.facts.text.text import EVIDENCE_LIMIT, evidence, ready
from exitgate.core.model.fact import Evidence, Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, NUMBER, PERCENT, TEXT, Type, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.facts.status.fields import Field, Reading, Wanted
    from exitgate.core.facts.status.options import Form
    from exitgate.core.facts.status.reading import Judged
    from exitgate.core.facts.text.text import Text
    from exitgate.core.model.fact import Evidence, Iteration
    from exitgate.core.model.json_object import JsonObject


NAME = "status_block"
SOURCE = "output"
#: A status that replaces a block is read from this source.
RECORD = "result"

OPTIONS = options_module.OPTIONS

_TYPES = {"bool": BOOL, "count": COUNT, "number": NUMBER, "percent": PERCENT, "text": TEXT}
_SPECS = (
    FactSpec("present", BOOL, "Whether a block, or a record instead of it, counts."),
    FactSpec("count", COUNT, "How many blocks count; the last one is read.", low=0),
    FactSpec("contradictory", BOOL, "Whether it contradicts itself."),
    FactSpec(
        "unread",
        Type("list", item=TEXT),
        "`KEY: words` of fields with a value that the policy does not know.",
    ),
    FactSpec("outside", Type("list", item=TEXT), "Lines with the key of a flag if no block counts."),
)
_UNKNOWN = "without a block, without the field, or if its value cannot be read"


def specs(options: JsonObject) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix: five of the block, and one for each field."""
    return (*_SPECS, *(_spec(fact, entry) for fact, entry in options_module.entries_of(options).items()))


def faults(options: JsonObject) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """Yield what is wrong with options that fit their schema: path, message, help."""
    from exitgate.core.facts.status.faults import faults as found

    return found(options)


def _spec(fact: str, entry: JsonObject) -> FactSpec:
    kind = str(entry.get("type", "text"))
    doc = str(entry.get("doc") or f"The block's value of `{options_module.wanted(fact, entry).key}`.")
    if kind == "enum":
        return FactSpec(fact, Type("enum", options_module.members(entry)), doc, _UNKNOWN)
    low = 0 if kind in ("count", "percent") else None
    return FactSpec(fact, _TYPES.get(kind, TEXT), doc, _UNKNOWN, low, 100 if kind == "percent" else None)


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """Return the facts of the last block that counts, else of the record's fields; see `specs`."""
    ready_form = _ready(options)
    form, given = ready_form.form, iteration.source(source)
    found: tuple[Judged, ...] = ()
    text = None
    if given.text is not None:
        text = ready(given.text)
        task = iteration.source("task").text
        found = judged(text, form, ready_form.wordings, task, ready_form.guards)
        if found and (ready_form.guards is None or "continued" in ready_form.guards):
            found = of_earlier(found, last_message(iteration, source, ready_form.wordings))
    counting = [j for j in found if j.guard is None]
    if counting and text is not None:
        return _from_text(prefix, source, form, text, found, counting[-1], len(counting))
    record = _from_record(prefix, form, iteration, _refused(source, text, found))
    if record is not None:
        return record
    if text is None:
        return tuple(_unknown(f"{prefix}.{s.name}", given.reason) for s in specs(options))
    templates = [j for j in found if j.guard == "template"]
    return _from_text(prefix, source, form, text, found, templates[-1] if templates else None, 0)


def _from_text(
    prefix: str,
    source: str,
    form: Form,
    text: Text,
    found: tuple[Judged, ...],
    read: Judged | None,
    count: int,
) -> tuple[Fact, ...]:
    """Return the facts of the block `read`; without one that counts, of a template only what is in."""
    refused = _refused(source, text, found)
    fields = read.block.fields if read is not None else ()
    readings = read.readings if read is not None else ()
    shown = tuple(evidence(source, text, f.start, f.end, f.wanted.key) for f in fields)
    all_said = said(form, fields, readings, shown)
    blocks = [j.block for j in found if j.guard is None][-EVIDENCE_LIMIT:]
    counting = tuple(evidence(source, text, block.start, block.end, "block") for block in blocks)
    name = form.names[0] if form.names else "status"
    where = f"the last `{name}` block" if count else f"no `{name}` block found in the {source}"
    note = f"only the last {NAME_LIMIT} names of blocks were looked at" if too_many(text, form.names) else ""
    outside = (
        ()
        if count or found
        else tuple(
            evidence(source, text, start, end, "outside") for start, end in keys_alone(text, form.known)
        )
    )
    return _facts(prefix, form, all_said, count, counting, refused, where, note, outside)


def _from_record(
    prefix: str, form: Form, iteration: Iteration, refused: tuple[Evidence, ...]
) -> tuple[Fact, ...] | None:
    """Return the facts of the record's fields, or None where it has none of the form's."""
    result = iteration.source(RECORD)
    if result.record is None:
        return None
    from exitgate.core.facts.status.options import fields_of

    fields = fields_of(result, form.known)
    readings = readings_of(fields)
    if not any(r.value is not None for r in readings):
        return None
    shown = tuple(
        Evidence(RECORD, 1, 1, f.start, f.end, f"{f.wanted.key}: {f.raw}", "record") for f in fields
    )
    all_said = said(form, fields, readings, shown)
    return _facts(prefix, form, all_said, 1, shown, refused, "the record")


def _facts(
    prefix: str,
    form: Form,
    all_said: tuple[Said, ...],
    count: int,
    counting: tuple[Evidence, ...],
    refused: tuple[Evidence, ...],
    where: str,
    note: str = "",
    outside: tuple[Evidence, ...] = (),
) -> tuple[Fact, ...]:
    unread = unread_fields(all_said) if count else ()
    shown = tuple(e for s in all_said if s.fault == UNREAD for e in s.shown) if count else ()
    twofold = tuple(e for s in all_said if s.fault == TWICE for e in s.shown)
    contradictory = count > 0 and is_contradictory(form, all_said)
    return (
        Fact(f"{prefix}.present", count > 0, counting, refused),
        Fact(f"{prefix}.count", count, counting, refused, note),
        Fact(f"{prefix}.contradictory", contradictory, twofold),
        Fact(f"{prefix}.unread", unread, shown),
        Fact(f"{prefix}.outside", tuple(e.excerpt.strip() for e in outside), outside),
        *(_field(f"{prefix}.{s.wanted.fact}", s, where, count) for s in all_said),
    )


def _field(name: str, said: Said, where: str, count: int) -> Fact:
    missing = f"no `{said.wanted.key}` in {where}" if count else where
    if not count and said.wanted.unreadable is None:
        return Fact(name, Unknown(missing, name))
    return fact(name, said, missing)


def _refused(source: str, text: Text | None, found: tuple[Judged, ...]) -> tuple[Evidence, ...]:
    if text is None:
        return ()
    refused = [j for j in found if j.guard is not None][-EVIDENCE_LIMIT:]
    return tuple(evidence(source, text, j.block.start, j.block.end, "block", j.guard) for j in refused)


def _unknown(name: str, reason: str) -> Fact:
    return Fact(name, Unknown(reason, name))


class _Ready(Value):
    __slots__ = ("form", "guards", "wordings")

    def __init__(self, options: JsonObject) -> None:
        self.form = options_module.form(options)
        self.wordings = reading_module.examples(options)
        self.guards = lexicons.guard_names(options, "apply")


_ready = lexicons.kept(_Ready)


# Facts of a status: values of its fields, what stands in for one that cannot be read, why one is unknown.

#: A field that is in the block twice and says two things.
TWICE = "twice"


class Said(Value):
    """
    What a status says of one field.

    Args:
        wanted: The field.
        value: Its value, or None.
        fault: Why it has none: ``""`` where the field does not exist at all.
        raw: What was written; of the first and the last where it is twice.
        shown: Evidence of it.
    """

    __slots__ = ("fault", "raw", "shown", "value", "wanted")

    def __init__(
        self, wanted: Wanted, value: object, fault: str, raw: tuple[str, ...], shown: tuple[Evidence, ...]
    ) -> None:
        self.wanted = wanted
        self.value = value
        self.fault = fault
        self.raw = raw
        self.shown = shown


def said(
    form: Form, fields: tuple[Field, ...], readings: tuple[Reading, ...], shown: tuple[Evidence, ...]
) -> tuple[Said, ...]:
    """Return what is said of each field of the form; `readings` and `shown` go with `fields`."""
    pairs: dict[int, list[tuple[Reading, Evidence]]] = {}
    for field, reading, one in zip(fields, readings, shown, strict=True):
        pairs.setdefault(id(field.wanted), []).append((reading, one))
    return tuple(_said(wanted, pairs.get(id(wanted), [])) for wanted in form.fields)


def _said(wanted: Wanted, pairs: list[tuple[Reading, Evidence]]) -> Said:
    if not pairs:
        return Said(wanted, None, "", (), ())
    shown = tuple(e for _, e in pairs)
    filled = [r for r, _ in pairs if r.fault not in (EMPTY, TEMPLATE)]
    if not filled:
        return Said(wanted, None, pairs[-1][0].fault, (pairs[-1][0].raw,), shown)
    last = filled[-1]
    if wanted.kind != "text" and any((r.value, r.fault) != (last.value, last.fault) for r in filled):
        return Said(wanted, None, TWICE, (filled[0].raw, last.raw), shown)
    return Said(wanted, last.value, last.fault, (last.raw,), shown)


def fact(name: str, said: Said, missing: str) -> Fact:
    """
    Return the fact of a field.

    Args:
        name: Its full name.
        said: What is said of it.
        missing: Why it does not exist, for a field that is not.
    """
    if said.value is not None:
        return Fact(name, said.value, said.shown)
    if not said.fault:
        return Fact(name, Unknown(missing, name))
    reason = _reason(said)
    stand_in = said.wanted.unreadable
    if stand_in is None:
        return Fact(name, Unknown(reason, name), said.shown)
    return Fact(name, stand_in, said.shown, note=f"{reason}; treated as `{options_module.written(stand_in)}`")


def _reason(said: Said) -> str:
    key = said.wanted.key
    if said.fault == EMPTY:
        return f"`{key}` is empty"
    if said.fault == TEMPLATE:
        return f"`{key}` is not filled in"
    if said.fault == TWICE:
        return f"`{key}` says both `{said.raw[0]}` and `{said.raw[-1]}`"
    return f"`{key}` says `{said.raw[0]}`, which is not a valid {said.wanted.kind}"


def is_contradictory(form: Form, all_said: tuple[Said, ...]) -> bool:
    """Return whether a field says two things, or values are together that the policy says must not."""
    values: Mapping[str, object] = {s.wanted.fact: s.value for s in all_said if s.value is not None}
    together = any(
        all(name in values and values[name] == value for name, value in combined.items())
        for combined in form.contradictions
    )
    return together or any(s.fault == TWICE for s in all_said)


def unread_fields(all_said: tuple[Said, ...]) -> tuple[str, ...]:
    """Return `KEY: what was written` for each field whose words the policy does not know."""
    return tuple(f"{s.wanted.key}: {raw}" for s in all_said if s.fault == UNREAD for raw in s.raw)
