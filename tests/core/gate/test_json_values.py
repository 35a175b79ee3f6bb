"""Values of JSON files in checks, tests and dry runs: within the project, of now, with their place."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.observe import files as files_module
from exitgate.core.observe import json as observer
from exitgate.core.observe import json_file
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay
from exitgate.recordings.recorded_input import sources_of
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.testing.cases.load import load_suite
from exitgate.testing.runner import run_case

POLICY = """\
policy: covered
format: 1
version: 1.0.0
facts:
  coverage: {extract: json, file: build/coverage.json, at: /totals/percent, type: percent, max_age: 1h}
  build: {extract: json, from: report, file: build/ci.json, at: /result, type: enum, members: [passed]}
  tries: {extract: json, from: report, file: build/ci.json, at: /tries, type: count, unreadable: {value: 1}}
rules:
  - id: covered
    when: coverage >= 80% and build is PASSED and tries < 3
    exit: complete
    because: "{coverage} after {tries}"
  - {id: falling, when: coverage declined by 10% over last 1, exit: review}
"""
TESTS = """\
format: 1
tests:
  - name: covered
    sources: {coverage: {totals: {percent: 91}}, report: '{"result": "passed", "tries": 2}'}
    expect: {rule: covered, facts: {coverage: 91, coverage.age: 0s, build: passed}}
  - name: not JSON
    sources: {coverage: '{"totals": }', report: {result: passed}}
    expect: {verdict: CONTINUE, facts: {coverage: unknown, tries: 1}}
  - {name: by hand, facts: {coverage: 80, build: passed, tries: 0}, expect: {rule: covered}}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "build").mkdir()
    (tmp_path / "policy.yaml").write_text(POLICY)
    (tmp_path / "response.md").write_text("working")
    write(tmp_path, 91)
    return tmp_path


def write(project: Path, percent: float, result: str = "passed", tries: int = 1) -> None:
    (project / "build" / "coverage.json").write_text(f'{{"totals":\n  {{"percent": {percent}}}}}')
    (project / "build" / "ci.json").write_text(json.dumps({"result": result, "tries": tries}))


def request(project: Path, **more: object) -> Request:
    return Request(
        response=str(project / "response.md"),
        policy=str(project / "policy.yaml"),
        root=str(project),
        state_dir=str(project / "state"),
        **more,  # type: ignore[arg-type]
    )


def value(project: Path, name: str = "coverage") -> object:
    return check(request(project, record=False)).facts[name].value


def why(project: Path, name: str = "coverage") -> str:
    found = value(project, name)
    assert isinstance(found, Unknown), found
    return found.reason


def test_values_decide_with_their_place_as_evidence(project: Path) -> None:
    checked = check(request(project))
    assert (checked.decision.rule, checked.decision.message) == ("covered", "91% after 1")
    (seen,) = checked.facts["coverage"].evidence
    assert (seen.source, seen.line, seen.column, seen.excerpt) == ("coverage", 2, 15, "91")
    assert [one.difference for one in replay(str(project / "state"))] == [""]


def test_history_reads_them(project: Path) -> None:
    for number, percent in enumerate((60, 50)):
        write(project, percent)
        (project / "response.md").write_text(f"working {number}")
        checked = check(request(project))
    assert checked.decision.rule == "falling"


def test_a_file_that_is_missing_broken_or_of_another_shape_is_unknown(project: Path) -> None:
    file = project / "build" / "coverage.json"
    file.write_text('{"totals": {"percent": "91"}}')
    assert why(project).endswith("coverage.json:1:24 at `/totals/percent` is a text, not a number")
    file.write_text('{"totals": {"percent": 91}')
    assert why(project).endswith("coverage.json:1:27 is not JSON")
    file.write_text('{"totals": {}}')
    assert why(project).endswith("coverage.json has nothing at `/totals/percent`")
    file.unlink()
    assert why(project) == f"no coverage at `{file}`"
    assert isinstance(value(project, "coverage.age"), Unknown)


def test_what_stands_in_for_unknown_does_so_with_a_remark(project: Path) -> None:
    (project / "build" / "ci.json").write_text('{"result": "passed"}')
    decision = check(request(project, record=False)).decision
    assert decision.rule == "covered"
    assert any("tries" in one.message for one in decision.warnings)


def test_a_file_that_is_too_old_is_unknown_and_its_age_is_known(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files_module, "_TICK", 20_000_000)
    file = project / "build" / "coverage.json"
    then = file.stat().st_mtime - 7200
    os.utime(file, (then, then))
    assert "was written 2h ago, more than 1h" in why(project)
    age = value(project, "coverage.age")
    assert isinstance(age, float)
    assert 7200 <= age < 7300


@pytest.mark.parametrize("planted", ["link", "folder link", "pipe", "folder", "large"])
def test_nothing_outside_the_project_and_nothing_endless_is_read(
    project: Path, planted: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "coverage.json").write_text('{"totals": {"percent": 99}}')
    file = project / "build" / "coverage.json"
    file.unlink()
    if planted == "link":
        file.symlink_to(outside / "coverage.json")
    elif planted == "folder link":
        (project / "build").rename(project / "old")
        (project / "build").symlink_to(outside)
    elif planted == "pipe":
        os.mkfifo(file)
    elif planted == "folder":
        file.mkdir()
    else:
        monkeypatch.setattr(json_file, "SIZE_LIMIT", 1000)
        file.write_text(" " * 1001 + "1")
    assert why(project)
    found = observer.read("coverage", JsonObject({"file": "build/coverage.json"}), str(project))
    assert (found.text, found.absent) == (None, False)
    assert found.warnings


def test_two_entries_may_read_one_file(project: Path) -> None:
    assert set(check(request(project, record=False)).iteration.sources) >= {"report", "coverage"}


def test_cases_give_them_as_sources_or_as_facts(project: Path) -> None:
    suite = load_suite(TESTS, "tests.yaml", str(project))
    assert [run_case(case, suite.program(case)).failures for case in suite.cases] == [(), (), ()]


def test_a_dry_run_has_them_where_the_recording_has_the_file(project: Path) -> None:
    text = (project / "policy.yaml").read_text().replace(", max_age: 1h", "")
    (project / "policy.yaml").write_text(text)
    lines = [
        {"iteration": 1, "response": "a"},
        {"iteration": 2, "response": "b"},
    ]
    (project / "turns.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = dry_run([str(project / "turns.jsonl")], [str(project / "policy.yaml")])
    assert [row.rule for row in run.results[0].rows] == [None, None]
    policy = load_policy(str(project / "policy.yaml"))
    shown = _Recorded({"build/coverage.json": '{"totals": {"percent": 85}}'})
    sources = sources_of(shown, policy)  # type: ignore[arg-type]
    assert sources["coverage"].text == '{"totals": {"percent": 85}}'
    assert sources["report"].reason == "the transcript does not show `build/ci.json`"


class _Recorded:
    """A recorded iteration that shows files and nothing else."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.record: dict[str, object] = {}
        self.not_known: dict[str, str] = {}
        self.provenance = self
        self.file = "t.jsonl"

    def __getattr__(self, name: str) -> None:
        return None
