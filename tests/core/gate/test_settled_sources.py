"""`sources:` of the settings say where a check looks; what is named on the command line goes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.request import Request

SETTINGS = """\
exit_decision:
  policy: bb3
  sources: {plan: [notes/later.md, notes/plan.md], response: out/said.md, circuit: out/breaker.json}
  views: {exit_state: {path: out/state.json}, decision_log: {disabled: true}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        ".bb3/config.yaml": SETTINGS,
        "notes/plan.md": "- [x] one\n- [ ] two\n- [ ] three\n",
        "out/said.md": "I am confident that it holds.",
        ".ralph/last-response.md": "Not sure.",
        "fix_plan.md": "- [x] all\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_files_are_where_the_settings_say(project: Path) -> None:
    found = check(Request())
    assert found.facts["tasks.total"].value == 3
    assert found.facts["confidence"].value == 90
    assert (project / "out/state.json").exists()
    assert not (project / ".ralph/logs").exists()
    (project / "out/breaker.json").write_text(
        '{"state": "OPEN", "reason": "by the other one"}', encoding="utf-8"
    )
    stopped = check(Request()).decision
    assert (stopped.exit_class, stopped.rule) == ("halted", "circuit_open")


def test_the_command_line_goes_first(project: Path) -> None:
    assert check(Request(plan="fix_plan.md")).facts["tasks.total"].value == 1


def test_a_link_leads_nowhere_else(project: Path) -> None:
    outside = project.parent / f"{project.name}-secret.md"
    outside.write_text("- [x] secret\n", encoding="utf-8")
    (project / "notes/plan.md").unlink()
    (project / "notes/plan.md").symlink_to(outside)
    with pytest.raises(ExitgateError) as caught:
        check(Request())
    assert caught.value.exit_code == 74
    assert "leads out of the project" in str(caught.value)
