"""The how-to on judges, played with a script in the place of the model's program."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from cli_pages import DOCS, play

from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import trust
from exitgate.core.state.request import Request

#: How long it took; not said of less than a twentieth of a second.
TIME = r", \d\.\d s"
PAGE = "how-to/judge-with-a-small-model.md"
SAID = {"met": False, "reason": "PLAN.md lists GET /orders, and no test calls it"}
ENVELOPE = {
    "type": "result", "subtype": "success", "is_error": False, "result": json.dumps(SAID),
    "total_cost_usd": 0.0021, "session_id": "s", "num_turns": 1,
}  # fmt: skip


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    programs, project = tmp_path / "bin", tmp_path / "project"
    for one in (programs, project, project / ".bb3"):
        one.mkdir()
    (programs / "claude").write_text(
        f"#!/bin/sh\ncat > /dev/null\ncat <<'END'\n{json.dumps(ENVELOPE)}\nEND\n"
    )
    (programs / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(programs), os.environ["PATH"])))
    monkeypatch.chdir(project)
    settings = re.findall(r"```yaml\n(.*?)```", (DOCS / PAGE).read_text(encoding="utf-8"), re.S)[0]
    (project / ".bb3" / "config.yaml").write_text(settings)
    monkeypatch.setenv(trust.VARIABLE, trust.digest_of(trust.covered(policy_of(Request()))))
    found = [
        (re.sub(TIME, "", one.out), re.sub(TIME, "", one.said), one.code)
        for one in play(PAGE, project, monkeypatch, capsys)
    ]
    assert [code for _, _, code in found] == [69]
    assert found[0][0] == found[0][1]
