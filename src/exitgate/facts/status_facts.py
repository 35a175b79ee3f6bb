"""Facts of a status: values of its fields, what stands in for one that cannot be read, why one is unknown."""

from __future__ import annotations

from exitgate.facts.status_values import EMPTY, TEMPLATE, UNREAD
from exitgate.model.evidence import Fact
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.facts.status_fields import Field
    from exitgate.facts.status_options import Form
    from exitgate.facts.status_values import Reading, Wanted
    from exitgate.model.evidence import Evidence

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
    for field, reading, evidence in zip(fields, readings, shown, strict=True):
        pairs.setdefault(id(field.wanted), []).append((reading, evidence))
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
    return Fact(name, stand_in, said.shown, note=f"{reason}; treated as `{_written(stand_in)}`")


def _reason(said: Said) -> str:
    key = said.wanted.key
    if said.fault == EMPTY:
        return f"`{key}` is empty"
    if said.fault == TEMPLATE:
        return f"`{key}` is not filled in"
    if said.fault == TWICE:
        return f"`{key}` says both `{said.raw[0]}` and `{said.raw[-1]}`"
    return f"`{key}` says `{said.raw[0]}`, which is not a valid {said.wanted.kind}"


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def contradictory(form: Form, all_said: tuple[Said, ...]) -> bool:
    """Return whether a field says two things, or values are together that the policy says must not."""
    values: Mapping[str, object] = {s.wanted.fact: s.value for s in all_said if s.value is not None}
    together = any(
        all(name in values and values[name] == value for name, value in combined.items())
        for combined in form.contradictions
    )
    return together or any(s.fault == TWICE for s in all_said)


def unread(all_said: tuple[Said, ...]) -> tuple[str, ...]:
    """Return `KEY: what was written` for each field whose words the policy does not know."""
    return tuple(f"{s.wanted.key}: {raw}" for s in all_said if s.fault == UNREAD for raw in s.raw)
