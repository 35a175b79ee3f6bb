"""Lines with attributes have the names that checks write, and read whatever else a line may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ledger_examples import NOW, POLICY, full
from msgspec import Struct, ValidationError, convert
from msgspec.structs import fields

from exitgate.core.engine.breaker import BreakerState
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.line import RESET, breaker_for, end_for, line_for, start_for
from exitgate.core.ledger.read import lines
from exitgate.core.ledger.typed import LedgerLine, LineSource, LineTotals, LineWarning, typed
from exitgate.core.model.decision import Alternative, Decision, Pending, Step, Warned
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy

MOVED = {"moved": {"from": "CLOSED", "to": "OPEN", "why": "by hand"}}
BREAKER = BreakerState("OPEN", "by hand", NOW, NOW, 1.0, True, True, 3).to_plain() | MOVED
DECISION = Decision(
    "EXIT", "wait", "later", "wait", "not yet", "after_iteration", False, True,
    (Alternative("other", "EXIT", "stuck", "stuck", True, ("a",)),), (Warned("mind", "rule"), Warned("x")),
    ("shadow",), (Step("wait", True), Step("other", Unknown("no plan", "tasks.done"),
    (Unknown("no plan", "tasks.done"),), (Pending("3 times", 1, 3, True),))), "advice", "escalation",
    NOW + 60, (Alternative("third", "CONTINUE", None, "otherwise", True, ("tasks.done",)),),
)  # fmt: skip
TOTALS = {"iterations": 1, "started_at": NOW, "elapsed": 60.0, "cost": 0.5, "tokens": 7}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Lines of every kind, as they come out of a ledger, with every member that a check may write."""
    place = str(tmp_path_factory.mktemp("state"))
    layered = CompiledPolicy(
        **{name: getattr(POLICY, name) for name in CompiledPolicy.__slots__ if name != "layers"},
        layers={"read": [["user", "config.toml", "ab"]]},
    )
    sources = (
        Source("response", "text", None, "r.md", digest="cd", written="now"),
        Source("task", reason="no task was given"),
    )
    with Ledger(place) as ledger:
        ledger.append(
            start_for("a#1", NOW, layered, baseline=JsonObject({"head": "ab"}), reason="new", sources=sources)
        )
        days = [{"zone": "UTC", "cost": 1.0}]
        ledger.append(
            line_for(
                "a#1",
                1,
                NOW,
                layered,
                (),
                DECISION,
                totals=TOTALS,
                breaker=BREAKER,
                sources=sources,
                baseline=JsonObject({"head": "ab"}),
                turn="t",
                retry_at=NOW + 60,
                days=days,
                began="ab" * 16,
            )
        )
        ledger.append(full("b#1"))
        ledger.append(breaker_for("(breaker)", 0, NOW, BREAKER, "by hand"))
        ledger.append(end_for("a#1", NOW, RESET, "asked for"))
    return list(lines(place))


def test_every_member_that_is_written_has_an_attribute_of_its_type(written: list[dict[str, Any]]) -> None:
    for line in written:
        convert(line, LedgerLine)  # strict: raises for any member of another type
        assert list(_without(line, LedgerLine, "")) == []


def test_every_attribute_is_a_member_that_is_written(written: list[dict[str, Any]]) -> None:
    there = {path for line in written for path in _paths(line, "")}
    assert sorted(_declared(LedgerLine, "") - there) == []


def test_the_line_itself_is_there_as_it_was_read(written: list[dict[str, Any]]) -> None:
    for line in written:
        assert typed(line).plain is line


damaged = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(data=st.data(), value=damaged)
def test_a_damaged_member_is_as_if_it_were_absent(
    written: list[dict[str, Any]], data: st.DataObject, value: object
) -> None:
    line = data.draw(st.sampled_from(written))
    before = typed(line)
    part: Any = data.draw(st.sampled_from([before, *([before.decision] if before.decision else [])]))
    field = data.draw(st.sampled_from([one for one in fields(type(part)) if one.name != "plain"]))
    changed = {**(line if part is before else line["decision"]), field.encode_name: value}
    found: Any = typed(changed if part is before else {**line, "decision": changed})
    found = found if part is before else found.decision
    for other in fields(type(part)):
        if other.name not in (field.name, "plain"):
            assert getattr(found, other.name) == getattr(part, other.name)
    try:
        expected = convert(value, field.type)
    except ValidationError:
        if _struct_in(field.type) is None and not isinstance(value, list | dict):
            assert getattr(found, field.name) == field.default
    else:
        assert repr(getattr(found, field.name)) == repr(expected)


def test_what_is_whole_of_a_list_is_read() -> None:
    plain = {
        "\ud800": 1,
        "warnings": [1, {"message": "mind", "rule": 5}, None, {"rule": "r"}],
        "alternatives": {},
    }
    decided = typed({"decision": plain, "sources": {"task": 1, "plan": {"path": 2, "length": 3}}})
    assert decided.decided.warnings == (LineWarning(None, "mind"), LineWarning("r", ""))
    assert decided.decided.alternatives is None
    assert decided.sources == {"plan": LineSource(None, length=3)}
    assert typed({"policy": [], "totals": "x", "decision": 0}).plain["policy"] == []


def _field(kind: type[Struct], name: str) -> Any:
    return next((one for one in fields(kind) if one.encode_name == name), None)


def _struct_in(kind: Any) -> type[Struct] | None:
    """The struct that a field holds: alone, in a tuple, or by name."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        return kind
    return next((found for one in get_args(kind) if (found := _struct_in(one)) is not None), None)


def _paths(plain: Mapping[str, Any], before: str) -> Iterator[str]:
    """Names of members, those within others behind a dot."""
    for name, value in plain.items():
        yield f"{before}{name}"
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Mapping):
                yield from _paths(inner, f"{before}{name}.")


def _declared(kind: type[Struct], before: str) -> set[str]:
    found: set[str] = set()
    for field in fields(kind):
        if field.name == "plain":
            continue
        found.add(f"{before}{field.encode_name}")
        inner = _struct_in(field.type)
        below = "sources.response" if field.name == "sources" else field.encode_name
        if inner is not None:
            found |= {
                one for one in _declared(inner, f"{before}{below}.") if one != "sources.response.reason"
            }
    return found


def _without(plain: Mapping[str, Any], kind: type[Struct], before: str) -> Iterator[str]:
    """Members that are written and have no attribute; totals hold the memory of checks, too."""
    for name, value in plain.items():
        field = _field(kind, name)
        if field is None:
            if kind is not LineTotals:
                yield f"{before}{name}"
            continue
        inner = _struct_in(field.type)
        held = list(value.values()) if field.name == "sources" and value else value
        for one in held if isinstance(held, list) else [held]:
            if inner is not None and isinstance(one, Mapping):
                yield from _without(one, inner, f"{before}{name}.")
