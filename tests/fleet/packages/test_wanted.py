"""What a project names: through its settings, its policies, and no file outside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases import each
from cli_program import run
from test_lock_command import project, said
from wheels import Pages, version

from exitgate.core.policy.findings import Findings
from exitgate.core.system.folders import LOCK_FILE
from exitgate.fleet.packages import wanted
from exitgate.fleet.packages.fetched import FetchError
from exitgate.fleet.packages.wanted import Looker, project_of

HEAD = "policy: p\nformat: 1\nversion: 1.0.0\nextends: {}\n"


def found(folder: Path, *also: str) -> list[str]:
    findings = Findings()
    named = Looker(str(folder), findings).named(also)
    findings.raise_errors()
    return sorted(f"{one.remote.source}@{one.remote.wanted}" for one in named)


def test_settings_lead_to_policies_and_to_presets(tmp_path: Path) -> None:
    settings = "exit_decision:\n  policy: ../policies/ours\n  preset: ../shared/preset.yaml\n"
    here = project(tmp_path / "p", settings)
    for name, text in {
        "policies/ours/policy.yaml": HEAD.format("../team.yaml@^1"),
        "policies/team.yaml": HEAD.format("pypi:team@^1/x"),
        "policies/other.yaml": HEAD.format("pypi:other@^1/x"),
        "policies/.hidden/x.yaml": HEAD.format("pypi:hidden@^1/x"),
        "shared/preset.yaml": "exit_decision: {policy: 'git+https://h.org/p@v1#x'}\n",
        "shared/circle.yaml": HEAD.format("circle.yaml"),
    }.items():
        path = here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert found(here) == ["git+https://h.org/p@v1@", "pypi:team@^1"]
    assert found(here, "policies", "shared") == ["git+https://h.org/p@v1@", "pypi:other@^1", "pypi:team@^1"]
    (here / ".bb3/config.yaml").write_text(settings + "  shadow: [pypi:next@^2/x, recommended@^2]\n")
    assert "pypi:next@^2" in found(here)


def test_no_file_outside_the_project_is_read(tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(HEAD.format("pypi:outside@^1/x"), encoding="utf-8")
    here = project(tmp_path / "p", "exit_decision: {policy: ../../outside.yaml, preset: link.yaml}\n")
    (here / ".bb3/link.yaml").symlink_to(tmp_path / "outside.yaml")
    (here / "policies").mkdir()
    (here / "policies/link").symlink_to(tmp_path)
    assert found(here, "policies") == []


def test_the_nearest_project_counts(tmp_path: Path) -> None:
    outer = project(tmp_path / "outer")
    inner = outer / "a/b"
    inner.mkdir(parents=True)
    assert project_of(str(inner), os.environ) == str(outer)
    (outer / "a/.bb3").mkdir()
    (outer / "a/.bb3/policies.lock").write_text("lock: 1\nsources: []\n")
    assert project_of(str(inner), os.environ) == str(outer / "a")
    (inner / ".git").mkdir()
    assert project_of(str(inner), os.environ) == str(inner)


def test_there_is_an_end_to_what_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = project(tmp_path / "p", "exit_decision: {}\n")
    for number in range(9):
        (here / f"{number}.yaml").write_text("a: 1\n")
    assert found(here, ".") == []
    monkeypatch.setattr(wanted, "FILES", 5)
    with pytest.raises(FetchError, match="more than 5 files"):
        found(here, ".")
    monkeypatch.setattr(wanted, "ENTRIES", 3)
    with pytest.raises(FetchError, match="more than 3 entries"):
        found(here, ".")


@each(
    ("settings", "place"),
    [
        ("exit_decision: {policy: 'pypi:acme@^x/y'}\n", "config.yaml:1:25"),
        ("exit_decision:\n  preset: git+http://h.org/p@v1\n", "config.yaml:2:11"),
        ("exit_decision: [\n", "config.yaml:2:1"),
    ],
)
def test_faults_are_at_their_places(pages: Pages, tmp_path: Path, settings: str, place: str) -> None:
    ran = run("policies", "lock", cwd=project(tmp_path / "p", settings))
    assert ran.code == 65
    assert place in said(ran)
    assert pages.asked == []


@each("how", ["a link", "a pipe", "a folder", "another's words"])
def test_a_lock_file_that_is_something_else(pages: Pages, tmp_path: Path, how: str) -> None:
    here = project(tmp_path / "p")
    pages.put(dict([version("2.0.0")]))
    lock, outside = here / LOCK_FILE, tmp_path / "outside"
    outside.write_text("secret: 1\n")
    if how == "a link":
        lock.symlink_to(outside)
    elif how == "a pipe":
        os.mkfifo(lock)
    elif how == "a folder":
        lock.mkdir()
    else:
        lock.write_bytes(b"\xff\0")
    for words in (("policies", "lock"), ("policies", "update"), ("check", "r.md", "plan.md", "--no-record")):
        ran = run(*words, cwd=here)
        assert ran.code in (65, 74)
        assert "policies.lock" in said(ran)
        assert "secret" not in said(ran)
    assert outside.read_text() == "secret: 1\n"


def test_a_folder_that_cannot_be_written(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p")
    pages.put(dict([version("2.0.0")]))
    (here / ".bb3").rename(here / "elsewhere")
    (here / ".bb3").symlink_to(here / "elsewhere")
    ran = run("policies", "lock", cwd=here)
    assert (ran.code, "EP805" in ran.err) == (73, True)
    assert not (here / "elsewhere/policies.lock").exists()
    here = project(tmp_path / "q")
    ran = run("policies", "lock", cwd=here, XDG_DATA_HOME=str(here / "plan.md"))
    assert (ran.code, "cannot be kept" in said(ran)) == (74, True)


def test_the_users_own_settings_pin_nothing(pages: Pages, tmp_path: Path) -> None:
    here = project(tmp_path / "p", "exit_decision: {}\n")
    (tmp_path / "config/exitgate").mkdir(parents=True)
    (tmp_path / "config/exitgate/config.yaml").write_text(
        "exit_decision: {policy: 'pypi:acme-policies@^2/strict'}\n"
    )
    place = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    pages.put(dict([version("2.0.0")]))
    assert (
        run("policies", "lock", cwd=here, **place).out == "the project names no package and no repository\n"
    )
    ran = run("check", "r.md", "plan.md", "--no-record", cwd=here, **place)
    assert (ran.code, "is not pinned" in said(ran)) == (65, True)
