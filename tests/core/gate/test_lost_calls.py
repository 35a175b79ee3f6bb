"""A call that was lost: no fact that lists calls is known, in a check and in a dry run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.model.value import Unknown
from exitgate.core.state.request import Request
from exitgate.recordings.replay.dry_run import dry_run

RULE = """\
policy: p
format: 1
version: 1.0.0
title: Nothing is deleted
facts: {tools: {extract: tools}}
rules:
  - id: clean
    when: not (any of tools.commands where (item contains "rm -rf")) and length(tools.written) >= 0
      and length(tools.denied) >= 0
    exit: complete
otherwise: continue
"""
LOG = "claude_output_2031-01-01_10-00-00.log"
LISTS = ("tools.commands", "tools.written", "tools.denied")
DELETES = {"command": "rm -rf /", "description": "tidy"}


def use(id: str | None, given: object, **more: object) -> dict[str, object]:
    block = {"type": "tool_use", "id": id, "name": "Bash", "input": given}
    message = {"role": "assistant", "content": [block]}
    return {"type": "assistant", "session_id": "s", "message": message, **more}


def back(id: str) -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": id, "content": "so", "is_error": False}
    return {"type": "user", "session_id": "s", "message": {"role": "user", "content": [block]}}


def stream(*between: object) -> list[str]:
    told = (
        {"type": "system", "subtype": "init", "session_id": "s"},
        use("t1", {"command": "ls"}),
        back("t1"),
        *between,
        use("t9", {"command": "make"}),
        back("t9"),
        {
            "type": "result", "subtype": "success", "is_error": False, "result": "Done.", "session_id": "s",
            "permission_denials": [],
        },
    )  # fmt: skip
    return [one if isinstance(one, str) else json.dumps(one) for one in told]


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(RULE, encoding="utf-8")
    return tmp_path


def both(loop: Path, lines: list[str]) -> list[tuple[str, list[object]]]:
    """Return the verdict and the three lists, of a check and of a dry run."""
    (loop / LOG).write_text("\n".join(lines) + "\n", encoding="utf-8")
    checked = check(Request(response=LOG, policy="./p.yaml", record=False))
    (result,) = dry_run([LOG], ["./p.yaml"], keep=True).results
    (one,) = result.decided
    return [
        (checked.decision.verdict, [checked.facts[name].value for name in LISTS]),
        (one.decision.verdict, [one.facts[name].value for name in LISTS]),
    ]


WHOLE = json.dumps(use("t2", DELETES))
LOST = {
    "torn": (WHOLE[:-1],),
    "in two": (WHOLE[:120], WHOLE[120:]),
    "without its head": (WHOLE[100:],),
    "a byte": (WHOLE.replace('"command"', '"command'),),
    "one id": (use("t1", DELETES),),
    "text": (use("t2", "rm -rf /"),),
    "null": (use("t2", None),),
    "list": (use("t2", ["rm -rf /"]),),
    "no text": (use("t2", {"command": {"argv": "rm -rf /"}}),),
    "a result alone": (back("t2"),),
    "long": (use("t2", {"command": "true; " * 700 + "rm -rf /"}),),
    "a sub-agent": (use("t2", DELETES, parent_tool_use_id="t1"),),
}


@pytest.mark.parametrize("how", LOST)
def test_a_lost_call_makes_lists_unknown(loop: Path, how: str) -> None:
    for verdict, lists in both(loop, stream(*LOST[how])):
        assert verdict == "CONTINUE", how
        assert isinstance(lists[0], Unknown), how
        assert lists[0].reason, how
        if how not in ("no text", "long"):
            assert all(isinstance(one, Unknown) for one in lists), how


@pytest.mark.parametrize("at", range(3, len(WHOLE), 17))
def test_a_line_torn_anywhere(loop: Path, at: int) -> None:
    """What is left of the line is in the list, or the list is unknown."""
    for _, (commands, *_) in both(loop, stream(WHOLE[:at], WHOLE[at:])):
        assert isinstance(commands, Unknown) or "rm -rf /" in commands  # type: ignore[operator]


def test_what_loses_no_call_leaves_them_known(loop: Path) -> None:
    for between in ((), ("Warning: no terminal",), (use("t1", {"command": "ls"}),)):
        for verdict, lists in both(loop, stream(*between)):
            assert (verdict, lists) == ("EXIT", [("ls", "make"), (), ()]), between


def test_the_input_of_a_call_may_come_in_steps(loop: Path) -> None:
    for _, (commands, *_) in both(loop, stream(use("t2", {}), use("t2", DELETES), use("t2", {}))):
        assert commands == ("ls", "rm -rf /", "make")
