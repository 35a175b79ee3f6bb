"""The how-to on CI's verdict, played with a script in the place of `gh`."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from cli_pages import DOCS, GIT, play
from patience import PATIENCE

from exitgate.core.gate.asking import answers_now
from exitgate.core.gate.settings import policy_of
from exitgate.core.policy.compile import load_policy
from exitgate.core.probes import trust
from exitgate.core.state.request import Request

#: How long it took; not said of less than a twentieth of a second.
TIME = r", \d\.\d s"
PAGE = "how-to/use-ci-verdict.md"
TEXT = (DOCS / PAGE).read_text(encoding="utf-8")
PRINTED = re.findall(r"^\| `(\[.*?\])`", TEXT, re.M)
SETTINGS = [
    block
    for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.S)
    if "probes:" in block and "{json: -}" in block
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which `gh` and `glab` print what is in the file `printed`."""
    folder, programs = tmp_path / "project", tmp_path / "bin"
    for one in (folder, programs):
        one.mkdir()
    for name in ("gh", "glab"):
        (programs / name).write_text('#!/bin/sh\ncat printed\nexit "$(cat status)"\n')
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(programs), os.environ["PATH"])))
    monkeypatch.setenv("GH_TOKEN", "t")
    (folder / "status").write_text("0")
    monkeypatch.chdir(folder)
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "one"]):
        subprocess.run([*GIT, *words], check=True, timeout=PATIENCE)
    return folder


def allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(trust.VARIABLE, trust.digest_of(trust.covered(policy_of(Request()))))


def asked(project: Path, printed: str, status: int = 0) -> tuple[str, bool | None]:
    (project / "printed").write_text(printed)
    (project / "status").write_text(str(status))
    answer = answers_now(Request(), policy_of(Request()), ["ci"])["ci"]
    return answer.text("status", ""), answer.flag("passed")


def test_the_page(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    printed = iter((PRINTED[1], PRINTED[3]))
    (project / ".bb3").mkdir()
    (project / ".bb3" / "config.yaml").write_text(SETTINGS[0])
    allow(monkeypatch)
    (project / "printed").write_text(next(printed))
    for one in play(PAGE, project, monkeypatch, capsys):
        assert re.sub(TIME, "", one.out) == re.sub(TIME, "", one.said)
        (project / "printed").write_text(next(printed, ""))


def test_what_the_table_says(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".bb3").mkdir()
    (project / ".bb3" / "config.yaml").write_text(SETTINGS[0])
    allow(monkeypatch)
    assert [asked(project, one) for one in PRINTED] == [
        ("answered", True), ("answered", False), ("answered", False), ("broken", None),
    ]  # fmt: skip
    assert asked(project, "gh: not found", 1) == ("broken", None)
    assert asked(project, '[{"conclusion": "success", "status": "completed"}', 0) == ("broken", None)
    (project / ".bb3" / "config.yaml").write_text(SETTINGS[1])
    allow(monkeypatch)
    assert asked(project, '{"status": "success"}') == ("answered", True)
    assert asked(project, '{"status": "running"}') == ("answered", False)


def test_what_it_shows_is_valid(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / ".bb3").mkdir()
    for block in re.findall(r"```yaml\n(.*?)```", TEXT, re.S):
        if "rules:" in block:
            path = project / "ours.yaml"
            path.write_text(f"policy: ours\nformat: 1\nversion: 1.0.0\nextends: recommended@^2.1\n{block}")
            assert load_policy(str(path)).name == "ours"
        else:
            (project / ".bb3" / "config.yaml").write_text(block.replace("[pushed, ci]", "[pushed]"))
            assert policy_of(Request()).layers.get("probes")
