"""What can be wrong with the options of `status_block` beyond their schema."""

from __future__ import annotations

from exitgate.core.facts.lexicons.patterns import refusal
from exitgate.core.facts.status.fields import TRUTHS, normal
from exitgate.core.facts.status.options import entries_of, form, members
from exitgate.core.facts.status.options import wanted as wanted_of
from exitgate.core.facts.text import structure
from exitgate.core.model.json_object import number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.model.json_object import JsonObject

    #: Path below the entry, message, help.
    Fault = tuple[tuple[str | int, ...], str, str]


def faults(options: JsonObject) -> Iterator[Fault]:
    """Yield what is wrong with `options`, which fit their schema."""
    for name in options.array("name") or [options.get("name")]:
        if name is None:
            yield (), "the block has no name", "add `name: LOOP_STATUS`, the name in its first line"
        elif not normal(str(name)):
            yield ("name",), f"`{name}` has no letter", "name the block as its first line does"
    entries = entries_of(options)
    if not entries:
        yield (), "the block has no fields", "add `fields: {exit_signal: {type: bool}}`"
    owners: dict[str, str] = {}
    for fact, entry in entries.items():
        yield from _field(fact, entry, owners)
    yield from _contradictions(options, entries)


def _field(fact: str, entry: JsonObject, owners: dict[str, str]) -> Iterator[Fault]:
    place = ("fields", fact)
    kind = entry.get("type")
    if kind == "enum" and not entry.get("members"):
        yield place, f"`{fact}` has no members", "add `members: [GOING_ON, DONE]`"
    for key in ("members", "unknown"):
        if key in entry and kind != "enum":
            yield (*place, key), f"a {kind} has no members", f"remove `{key}`, or write `type: enum`"
    wanted = wanted_of(fact, entry)
    for spelling in wanted.normals or ("",):
        if not spelling:
            yield place, f"the key of `{fact}` has no letter", "write the key as in the block"
        elif owners.setdefault(spelling, fact) != fact:
            help = "case, `_`, `-` and blanks make no difference; give one of them another key"
            yield place, f"`{fact}` has the same key as `{owners[spelling]}`", help
    legal = {normal(m): m for m in (TRUTHS if kind == "bool" else map(str, entry.array("members")))}
    for key in ("also", "unless"):
        for member in entry.object(key):
            if normal(member) not in legal:
                help = f"write one of {', '.join(legal.values())}" if legal else f"remove `{key}`"
                yield (*place, key), f"`{member}` is not a value of `{fact}`", help
    yield from _unless((*place, "unless"), entry)
    if wanted.unreadable is not None and not _fits(str(kind), entry, wanted.unreadable):
        help = "write a value that the field can have"
        yield (*place, "unreadable"), f"`{entry['unreadable']}` is not a valid {kind} of `{fact}`", help


def _unless(place: tuple[str | int, ...], entry: JsonObject) -> Iterator[Fault]:
    for value, pattern in entry.object("unless").items():
        why = refusal(str(pattern))
        if why:
            help = "patterns are RE2's: no look-around, no back references"
            yield (*place, value), f"RE2 rejects this pattern: {why}", help


def _contradictions(options: JsonObject, entries: Mapping[str, JsonObject]) -> Iterator[Fault]:
    for number, combined in enumerate(form(options).contradictions):
        for fact, value in combined.items():
            entry = entries.get(fact)
            place = ("contradictions", number)
            if entry is None:
                yield place, f"there is no field `{fact}`", f"write one of {', '.join(map(str, entries))}"
            elif not _fits(str(entry.get("type")), entry, value):
                yield place, f"`{fact}` is never `{value}`", "write a value that the field can have"


def _fits(kind: str, entry: JsonObject, value: object) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "enum":
        return value in members(entry)
    if kind == "text":
        return isinstance(value, str) and bool(value.strip(structure.KEY_MARKS))
    return number_of(value) is not None
