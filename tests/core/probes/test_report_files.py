"""The file that a command is to write: which one counts, what is removed, how long reading it may take."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from cases import each
from defined import PATHS, probe, shell, told

from exitgate.core.probes import asking
from exitgate.core.probes.answer import ANSWERED, BROKEN, LATE
from exitgate.core.probes.asking import ask
from exitgate.core.probes.figures import Figures, LateReportError
from exitgate.core.probes.reports import registry

if TYPE_CHECKING:
    from pathlib import Path

GOOD = '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>'


@each(("status", "how", "passed"), [(0, LATE, None), (1, ANSWERED, False)])
def test_reading_a_report_comes_out_of_the_time_of_its_probe(
    status: int, how: str, passed: bool | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []
    clock = SimpleNamespace(time=time.time, time_ns=time.time_ns, monotonic=lambda: 1000.0)

    def parse(_: bytes, until: float) -> Figures:
        given.append(until)
        raise LateReportError("no time")

    monkeypatch.setattr(registry, "parser_of", lambda _: parse)
    monkeypatch.setattr(asking, "time", clock)
    asked = probe(shell=f"echo x; exit {status}", reads={"tap": "-"}, timeout=500)
    found = ask(asked, str(tmp_path), PATHS, seconds=400)
    assert told(found) == (how, passed)
    assert "no time" in found.reason
    ask(asked, str(tmp_path), PATHS, seconds=600)
    assert given == [1400, 1500]


# A report counts if it is a regular file of the project that was written now.


def old(path: Path) -> None:
    path.write_text(GOOD)
    before = time.time() - 3600
    os.utime(path, (before, before))


@each(
    ("line", "said"),
    [
        ("true", "did not write"),
        ("cp -p kept report", "before the command ran"),
        ("ln kept report", "before the command ran"),
        ("mv kept report", "before the command ran"),
        ("ln -s kept report", "not a regular file"),
        ("ln -s /etc/hostname report", "not a regular file"),
        ("mkfifo report", "not a regular file"),
        ("mkdir report", "not a regular file"),
        ("truncate -s 20000000 report", "cannot be read"),
        ("cp kept report; chmod 0 report; touch -t 200001010000 report", "before the command ran"),
        ("cp bomb report", "entities"),
        ("cp outside report", "entities"),
        ("cp deep report", "deep"),
        ("cp binary report", "not XML"),
        (": > report", "not XML"),
    ],
)
def test_no_other_file_counts_as_a_report(line: str, said: str, tmp_path: Path) -> None:
    old(tmp_path / "kept")
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    (tmp_path / "bomb").write_text(
        f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><testsuite><testcase name="&l9;"/></testsuite>'
    )
    (tmp_path / "outside").write_text(
        '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&e;"/></testsuite>'
    )
    (tmp_path / "deep").write_text("<a>" * 5000)
    (tmp_path / "binary").write_bytes(bytes(range(256)) * 1000)
    found = shell(line, tmp_path, reads={"junit": "report"})
    assert told(found) == (BROKEN, None)
    assert said in found.reason
    assert told(shell(f"{line}; exit 1", tmp_path, reads={"junit": "report"}))[1] is not True


def test_an_old_report_is_removed_before_the_command_runs(tmp_path: Path) -> None:
    (tmp_path / "report").write_text(GOOD)
    assert told(shell("true", tmp_path, reads={"junit": "report"})) == (BROKEN, None)
    assert not (tmp_path / "report").exists()
    (tmp_path / "target").write_text("kept")
    (tmp_path / "report").symlink_to("target")
    assert told(shell("true", tmp_path, reads={"junit": "report"})) == (BROKEN, None)
    assert (tmp_path / "target").read_text() == "kept"
    (tmp_path / "report").mkdir()
    found = shell("touch ran", tmp_path, reads={"junit": "report"})
    assert told(found) == (BROKEN, None)
    assert "cannot be removed" in found.reason
    assert not (tmp_path / "ran").exists()


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@each(
    ("report", "said"),
    [
        ("package.json", "git tracks `package.json`"),
        ("way/package.json", "git tracks"),  # reached through a link
        ("sub/kept.json", "git tracks"),
        (".git/config", "keeps it"),
        ("inside/config", "keeps it"),
        (".bb3/config.yaml", "keeps it"),
        (".bb3", "keeps it"),
        ("state/ledger.jsonl", "keeps it"),
        ("plan.md", "keeps it"),
        ("sub/plan.md", ""),
        ("statement.json", ""),
    ],
)
def test_what_is_no_report_is_not_removed(report: str, said: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for name in ("sub", "state", ".bb3"):
        (tmp_path / name).mkdir()
    (tmp_path / "way").symlink_to(".")
    (tmp_path / "inside").symlink_to(".git")
    for name in ("package.json", "sub/kept.json"):
        (tmp_path / name).write_text("1")
        git(tmp_path, "add", name)
    for name in ("plan.md", "sub/plan.md", "state/ledger.jsonl", ".bb3/config.yaml", "statement.json"):
        (tmp_path / name).write_text("1")
    guarded = [str(tmp_path / "state"), str(tmp_path / "plan.md")]
    asked = probe(shell="touch ran; echo 1 > statement.json; echo 1 > sub/plan.md", reads={"json": report})
    found = ask(asked, str(tmp_path), PATHS, guarded=guarded)
    assert (tmp_path / report).exists()
    assert (tmp_path / "ran").exists() is (not said)
    assert told(found) == ((BROKEN, None) if said else (ANSWERED, True))
    assert said in found.reason


def test_nothing_outside_is_removed_or_read_through_a_folder_that_leads_there(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (outside / "junit.xml").write_text(GOOD)
    (project / "build").symlink_to(outside)
    found = shell("touch ran", project, reads={"junit": "build/junit.xml"})
    assert told(found) == (BROKEN, None)
    assert "leads out of the project" in found.reason
    assert (outside / "junit.xml").exists()
    assert not (project / "ran").exists()
    (project / "build").unlink()
    later = shell(
        f"ln -s {outside} build; touch build/junit.xml", project, reads={"junit": "build/junit.xml"}
    )
    assert told(later) == (BROKEN, None)
    assert "leads out of the project" in later.reason


def test_a_link_within_the_project_is_followed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "build").symlink_to("out")
    (tmp_path / "made").write_text(GOOD)
    found = shell("cp made build/junit.xml", tmp_path, reads={"junit": "build/junit.xml"})
    assert told(found) == (ANSWERED, True)
    assert stat.S_ISREG(os.lstat(tmp_path / "out" / "junit.xml").st_mode)
