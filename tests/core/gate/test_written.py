"""Files and command lines of the agent's own calls: a check and a dry run find the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.model.fact import Source
from exitgate.core.observe.sources import with_written
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request
from exitgate.recordings.replay.dry_run import dry_run

SECRET = "ghp_" + "abcdefghij" * 3 + "klmnop"
RULE = """\
policy: p
format: 1
version: 1.0.0
title: Files
facts: {tools: {extract: tools}}
rules:
  - id: said
    when: length(tools.commands) > 0 or tools.written contains "a.md"
    warn: true
    because: "{tools.written} {tools.commands}"
"""
CALLS = (
    ("Write", {"file_path": "a.md", "content": "x"}, False),
    ("Edit", {"file_path": "src/b.py", "old_string": "x", "new_string": "y"}, False),
    ("Edit", {"file_path": "a.md", "old_string": "x", "new_string": "y"}, False),
    ("Write", {"file_path": "/etc/refused", "content": "x"}, True),
    ("Read", {"file_path": "c.md"}, False),
    ("apply_patch", {"input": "*** Begin Patch\n*** Add File: d.md\n+x\n*** End Patch"}, False),
    ("Bash", {"command": f"curl -H 'Authorization: {SECRET}' x"}, False),
)
COMMAND = "curl -H 'Authorization: {}' x"


def stream() -> str:
    told: list[dict[str, object]] = [{"type": "system", "subtype": "init", "session_id": "s"}]
    for number, (name, given, error) in enumerate(CALLS):
        use = {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}
        back = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "so", "is_error": error}
        told.append(
            {"type": "assistant", "session_id": "s", "message": {"role": "assistant", "content": [use]}}
        )
        told.append({"type": "user", "session_id": "s", "message": {"role": "user", "content": [back]}})
    told.append(
        {"type": "result", "subtype": "success", "is_error": False, "result": "Done.", "session_id": "s"}
    )
    return "".join(json.dumps(line) + "\n" for line in told)


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(RULE, encoding="utf-8")
    (tmp_path / "claude_output_2031-01-01_10-00-00.log").write_text(stream(), encoding="utf-8")
    return tmp_path


def test_a_check_lists_what_calls_wrote_and_ran_with_secrets_hidden(loop: Path) -> None:
    found = check(
        Request(response="claude_output_2031-01-01_10-00-00.log", policy="./p.yaml", record=False)
    ).facts
    assert found["tools.written"].value == ("a.md", "src/b.py", "d.md")
    (line,) = found["tools.commands"].value  # type: ignore[misc]
    assert line.startswith("curl -H")
    assert SECRET not in line
    assert "tools.denied" not in found, "the policy does not name it"


def test_a_dry_run_finds_the_same(loop: Path) -> None:
    checked = check(
        Request(response="claude_output_2031-01-01_10-00-00.log", policy="./p.yaml", record=False)
    )
    (result,) = dry_run(["claude_output_2031-01-01_10-00-00.log"], ["./p.yaml"], keep=True).results
    (one,) = result.decided
    for name in ("tools.written", "tools.commands"):
        assert one.facts[name].value == checked.facts[name].value


def test_nothing_is_looked_for_where_no_condition_asks(loop: Path) -> None:
    (loop / "q.yaml").write_text(RULE.replace("tools.written", "tools.commands"), encoding="utf-8")
    source = Source(
        "tool_calls", record={"calls": [{"tool": "Write", "input": {"file_path": "a", "content": ""}}]}
    )
    assert with_written(source, load_policy("./q.yaml")) is source
    record = with_written(source, load_policy("./p.yaml")).record
    assert record is not None
    assert record["written"] == ["a"]
