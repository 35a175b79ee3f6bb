"""Files that a policy names for its facts: found, kept within the project, named, bounded."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts import records
from exitgate.core.gate.check import check
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe import artifacts, files, json_file, task_file
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request

POLICY = """\
policy: own
format: 1
version: 1.0.0
title: Files of the project
facts:
{facts}
rules:
  - {{id: stop, when: {when}, exit: complete, because: done}}
otherwise: continue
"""
FACTS = """\
  stories: {extract: json_file, file: prd.json, items: userStories, value: passes}
  bugs: {extract: json_file, file: bugs.json}
  doing: {extract: task_file, open: "doing/*.md", done: "done/*.md"}
  built: {extract: artifacts, files: ["dist/*.html"], contains: ["</html>"]}
"""
ONE = "  f: {extract: json_file, from: p, file: x.json}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("doing", "done", "dist"):
        (tmp_path / name).mkdir()
    (tmp_path / "doing" / "a.md").write_text("a")
    (tmp_path / "prd.json").write_text('{"userStories": [{"passes": true}]}')
    (tmp_path / "bugs.json").write_text("[false]")
    (tmp_path / "dist" / "i.html").write_text("<html></html>")
    (tmp_path / "policy.yaml").write_text(
        POLICY.format(facts=FACTS, when="stories.complete and bugs.complete")
    )
    (tmp_path / "response.md").write_text("working")
    return tmp_path


def request(project: Path, **more: object) -> Request:
    return Request(
        response=str(project / "response.md"),
        policy=str(project / "policy.yaml"),
        root=str(project),
        **more,  # type: ignore[arg-type]
    )


def value(project: Path, name: str, **more: object) -> object:
    return check(request(project, record=False, **more)).facts[name].value


def diagnostics(tmp_path: Path, facts: str, when: str = "f.present") -> list[str]:
    path = tmp_path / "broken.yaml"
    path.write_text(POLICY.format(facts=facts, when=when))
    try:
        load_policy(str(path))
    except ExitgateError as error:
        return [f"{d.code} {d.message}" for d in error.diagnostics]
    return []


def test_entries_of_one_extractor_read_files_of_their_own(project: Path) -> None:
    checked = check(request(project))
    assert [checked.facts[f"{n}.complete"].value for n in ("stories", "bugs")] == [True, False]
    assert checked.facts["built.all"].value is True
    assert checked.facts["doing.open"].value == 1


def test_a_task_file_that_moved_between_two_checks(project: Path) -> None:
    check(request(project))
    (project / "doing" / "a.md").rename(project / "done" / "a.md")
    (project / "response.md").write_text("moved it")
    second = check(request(project))
    assert second.facts["doing.moved_files"].value == ("a.md",)
    (project / "response.md").write_text("looked at it")
    third = check(request(project))
    assert (third.facts["doing.moved"].value, third.facts["doing.done"].value) == (False, True)


def test_a_source_given_by_name_takes_the_place_of_the_file(project: Path) -> None:
    other = project / "other.json"
    other.write_text('{"userStories": [{"passes": false}]}')
    assert value(project, "stories.complete", sources={"stories": str(other)}) is False
    other.write_text('{"open": [], "done": ["done/a.md"]}')
    assert value(project, "doing.done", sources={"doing": str(other)}) is True


def test_files_that_are_not_there(project: Path) -> None:
    (project / "prd.json").unlink()
    assert value(project, "stories.present") is False
    (project / "dist" / "i.html").write_text("<html>")
    assert value(project, "built.missing") == ("dist/*.html",)


def test_a_link_out_of_the_project_is_not_followed(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.json").write_text("[true]")
    (outside / "s.html").write_text("</html>")
    root = str(project)
    (project / "bugs.json").unlink()
    (project / "bugs.json").symlink_to(outside / "secret.json")
    (project / "dist" / "i.html").unlink()
    (project / "dist" / "i.html").symlink_to(outside / "s.html")
    (project / "far").symlink_to(outside)
    found = json_file.read("bugs", JsonObject({"file": "bugs.json"}), root)
    assert (found.text, found.absent) == (None, False)
    assert found.warnings == ("`bugs.json` leads out of the project and was not read",)
    assert json_file.read("b", JsonObject({"file": "../x.json"}), root).text is None
    built = artifacts.read("built", JsonObject({"files": ["dist/*.html", "far/*.html", "../*.html"]}), root)
    assert built.record == {"found": {"dist/*.html": [], "far/*.html": [], "../*.html": []}}
    assert len(built.warnings) == 2
    assert task_file.read("t", JsonObject({"open": "far/*", "done": "done/*"}), root).record == {
        "open": [],
        "done": [],
    }


def test_a_pipe_is_neither_waited_for_nor_read(project: Path) -> None:
    (project / "prd.json").unlink()
    os.mkfifo(project / "prd.json")
    os.mkfifo(project / "dist" / "p.html")
    found = json_file.read("stories", JsonObject({"file": "prd.json"}), str(project))
    assert (found.text, found.absent) == (None, False)
    assert "pipe" in found.warnings[0]
    assert artifacts.read("b", JsonObject({"files": ["dist/p.html"]}), str(project)).record == {
        "found": {"dist/p.html": []}
    }


def test_what_is_too_large_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_file, "SIZE_LIMIT", 5)
    monkeypatch.setattr(artifacts, "SIZE_LIMIT", 5)
    assert json_file.read("stories", JsonObject({"file": "prd.json"}), str(project)).warnings
    built = artifacts.read("built", JsonObject({"files": ["dist/*"], "contains": ["</html>"]}), str(project))
    assert built.record is not None
    (row,) = built.record["found"]["dist/*"]  # type: ignore[index]
    assert (row["size"], row["lacks"]) == (13, ["</html>"])
    assert built.warnings == ("the content of `dist/i.html` was not read",)


def test_a_folder_of_many_files_is_cut_and_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FILE_LIMIT", 3)
    for number in range(5):
        (project / "doing" / f"t{number}.md").write_text("")
    found = task_file.read("t", JsonObject({"open": "doing/*.md"}), str(project))
    assert found.record == {"open": [f"doing/{n}.md" for n in ("a", "t0", "t1")], "done": []}
    assert found.warnings == ("only the first 3 files for `doing/*.md` were read",)
    monkeypatch.setattr(files, "ENTRY_LIMIT", 2)
    assert any(
        "only 2 folder entries were read" in w
        for w in task_file.read("t", JsonObject({"open": "doing/*"}), str(project)).warnings
    )


def test_folders_that_are_not_there(project: Path) -> None:
    found = task_file.read("t", JsonObject({"open": "no/*.md", "done": "nor/*.md"}), str(project))
    assert (found.record, found.absent, found.reason) == (None, True, "no folder `no` or `nor`")


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        ("  f: {extract: json_file}", ["EP202 `f` does not name its files"]),
        ("  f: {extract: json_file, from: plan}", []),
        ("  f: {extract: json_file, file: ../x.json}", ["EP444 `../x.json` leads out of the project"]),
        ("  f: {extract: json_file, file: /etc/x.json}", ["EP444 `/etc/x.json` leads out of the project"]),
        ("  f: {extract: artifacts, files: [../x]}", ["EP444 `../x` leads out of the project"]),
        (
            "  f: {extract: json_file, from: plan, file: x.json}",
            ["EP475 `plan` is the name of a built-in source"],
        ),
        (
            f"{ONE}\n  g: {{extract: json_file, from: p, file: y.json}}",
            ["EP475 source `p` means other files in an entry above"],
        ),
        (
            f"{ONE}\n  g: {{extract: json_file, from: p, file: x.json}}",
            [],
        ),
    ],
)
def test_what_a_policy_may_name(tmp_path: Path, facts: str, wanted: list[str]) -> None:
    assert diagnostics(tmp_path, facts) == wanted


def test_an_entry_called_like_a_source_is_told(tmp_path: Path) -> None:
    found = diagnostics(tmp_path, "  task: {extract: task_file, open: 'a/*.md'}", "task.done")
    assert found == ["EP475 `task` is the name of a built-in source"]


@each(
    ("name", "pattern", "fits"),
    [
        ("a.md", "*.md", True),
        ("a.md", "?.md", True),
        ("ab.md", "?.md", False),
        (".md", "*.md", False),
        (".a.md", ".*.md", True),
        ("a", "**", True),
        ("a*b", "a*b", True),
        ("aXbYb", "a*b", True),
        ("aXbY", "a*b", False),
        ("[x].md", "[x].md", True),
        ("A.md", "a.md", False),
    ],
)
def test_names_and_patterns(name: str, pattern: str, fits: bool) -> None:
    assert records.fits(name, pattern) is fits


@settings(max_examples=100, deadline=None)
@given(name=st.text("ab*?", min_size=1, max_size=12), pattern=st.text("ab*?", max_size=10))
def test_names_fit_as_the_standard_library_says(name: str, pattern: str) -> None:
    from fnmatch import fnmatchcase

    assert records.fits(name, pattern) is fnmatchcase(name, pattern)


def test_the_records_are_plain_json(project: Path) -> None:
    found = task_file.read(
        "t", JsonObject({"open": ["doing/*.md", "*.json"], "done": "done/*"}), str(project)
    )
    assert json.loads(found.text or "") == found.record
    assert found.record == {"open": ["bugs.json", "doing/a.md", "prd.json"], "done": []}
