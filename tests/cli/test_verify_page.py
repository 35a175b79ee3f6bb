"""The how-to on probes: its files are written, its commands run, and they print what it says."""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import cli_pages
import pytest
from cli_pages import DOCS, play

import exitgate.cli.commands.trust as command
from exitgate.core.policy.compile import load_policy
from exitgate.core.probes import asking, trust

PAGE = "how-to/verify-with-probes.md"
#: What differs from machine to machine: paths, and how long something took.
DIFFERENT = (
    (re.compile(r"[^\s`]*/state/exitgate/"), "/state/exitgate/"),
    (re.compile(r"\d+\.\d s$", re.M), "0.0 s"),
)


class Screen(io.StringIO):
    """A terminal; what is written there is printed."""

    def isatty(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        return sys.stderr.write(text)


def alike(text: str, root: Path | str) -> str:
    text = text.replace(str(root), "ROOT")
    for pattern, instead in DIFFERENT:
        text = pattern.sub(instead, text)
    return re.sub(r"trust/[0-9a-f]{32}", "trust/NAME", text)


def test_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in trust.AGENTS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home" / "state"))
    monkeypatch.setenv("PATH", os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"])))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(asking, "USUAL", (*asking.USUAL, "PYTEST_DISABLE_PLUGIN_AUTOLOAD"))
    monkeypatch.setattr(cli_pages, "BLOCK", re.compile(r"```(yaml|python|console)\n(.*?)```", re.S))
    person = SimpleNamespace(stdin=Screen("allow\n"), stderr=Screen())
    monkeypatch.setattr(command, "sys", person)
    project = tmp_path / "shop"
    project.mkdir()
    codes = []
    for one in play(PAGE, project, monkeypatch, capsys):
        said = one.said.replace("commands: allow\n", "commands: ")
        assert alike(one.err + one.out, project) == alike(said, "/home/ann/shop"), one.command
        codes.append(one.code)
    assert codes == [69, 0, 69, 0, 10]


@pytest.mark.parametrize(("page", "count"), [(PAGE, 3), ("explanation/what-an-agent-can-fake.md", 1)])
def test_what_it_shows_of_policies_extends_one(page: str, count: int, tmp_path: Path) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"```yaml\n(.*?)```", text, re.S) if "\nrules:" in block]
    assert len(blocks) == count
    for block in blocks:
        path = tmp_path / "ours.yaml"
        path.write_text(f"policy: ours\nformat: 1\nversion: 1.0.0\nextends: recommended@^2.1\n{block}")
        assert load_policy(str(path)).name == "ours"
