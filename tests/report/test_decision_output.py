"""What a check prints as JSON has the members of the struct that its schema is made from, in their order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from msgspec import UNSET, Struct, UnsetType, convert, to_builtins
from msgspec.structs import fields

from exitgate.core.gate.check import check
from exitgate.core.gate.decision import CheckResult
from exitgate.core.model.decision import Alternative, Decision, Pending, Step, Warned
from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.value import Unknown
from exitgate.core.state.request import Request
from exitgate.report.decision.output import DecisionOutput
from exitgate.report.decision.plain import printed

WHY = Unknown("no plan", "tasks.done", 1, float("inf"))
PIECE = Evidence("plan", 1, 1, 0, 3, "[x]", "done", "quoted")
FULL = Decision(
    "EXIT", "wait", "later", "wait", "not yet", "after_iteration", False, True,
    (Alternative("other", "EXIT", "stuck", "stuck", True, ()),), (Warned("mind", "rule"), Warned("a remark")),
    ("shadow",), (Step("wait", True), Step("other", WHY, (WHY,), (Pending("3 times", 1, 3, True),))),
    "advice", "escalation", 1.5, (Alternative("third", "CONTINUE", None, "otherwise", False, ("a",)),),
)  # fmt: skip
FACTS = (
    Fact("a", ("x", (1, 2.5)), tuple([PIECE] * 30), tuple([PIECE] * 30), "note"),
    Fact("b", WHY),
    Fact("c", True),
)


def _checked(place: Path) -> CheckResult:
    (place / "plan.md").write_text("- [x] one\n- [ ] two\n", encoding="utf-8")
    texts = {"response": "I am not sure.", "plan": "- [x] one\n- [ ] two\n"}
    return check(Request(root=str(place), policy="bb3", texts=texts))


def _same(plain: dict[str, Any]) -> None:
    """The struct takes it as it is, and gives the same text."""
    text = json.dumps(plain)
    found = convert(json.loads(text), DecisionOutput)
    assert json.dumps(to_builtins(found)) == text


def test_a_check_prints_the_struct(tmp_path: Path) -> None:
    _same(printed(_checked(tmp_path)))


def test_every_member_of_the_struct_is_printed(tmp_path: Path) -> None:
    checked = _checked(tmp_path)
    parts = {name: getattr(checked, name) for name in CheckResult.__slots__}
    facts = {fact.name: fact for fact in FACTS}
    plain = printed(CheckResult(**{**parts, "decision": FULL, "facts": facts}))
    _same(plain)
    found = convert(json.loads(json.dumps(plain)), DecisionOutput)
    assert _unset(found, "") - _set(found, "") == set(), "no example has it"


def _parts(found: object, before: str) -> list[tuple[str, Any]]:
    if isinstance(found, Struct):
        return [
            (f"{type(found).__name__}.{one.name}", getattr(found, one.name)) for one in fields(type(found))
        ]
    if isinstance(found, tuple):
        return [(before, one) for one in found]
    return [(before, one) for one in found.values()] if isinstance(found, Mapping) else []


def _set(found: object, before: str) -> set[str]:
    inner = [(name, one) for name, one in _parts(found, before) if one is not UNSET]
    below = [_set(one, name) for name, one in inner]
    return {name for name, _ in inner}.union(*below)


def _unset(found: object, before: str) -> set[str]:
    """Members of the structs in a value that are not there."""
    inner = _parts(found, before)
    return {name for name, one in inner if one is UNSET}.union(*(_unset(one, name) for name, one in inner))


def test_members_that_are_there_at_times_may_be_left_out() -> None:
    optional = [one.name for one in fields(DecisionOutput) if UnsetType in get_args(one.type)]
    assert optional == ["if_readable"]
