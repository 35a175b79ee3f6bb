"""`--timings`: where the time went, beside an answer that is the same without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_program import run

from exitgate.core.engine.program import Program
from exitgate.core.gate.timed import EXTRACTOR, RULE, STAGE, TimedProgram, Timings
from exitgate.core.policy.compile import load_policy
from exitgate.report.terminal import Style
from exitgate.report.timings import SHOWN, timings_text

STAGES = ["load", "observe", "extract", "decide", "record"]
TRANSCRIPTS = Path(__file__).parents[1] / "recordings"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "plan.md").write_text("- [x] one\n- [ ] two\n")
    (tmp_path / "response.md").write_text("Going on. Error: no such file\n")
    return tmp_path


@pytest.mark.parametrize("more", [(), ("--format", "json"), ("-q",)])
def test_a_check_says_the_same_with_timings(project: Path, more: tuple[str, ...]) -> None:
    words = ("check", "response.md", "plan.md", "-p", "bb3", "--no-record", *more)
    plain, timed = run(*words, cwd=project), run(*words, "--timings", cwd=project)
    assert plain.err == ""
    assert timed.err
    if "json" not in more:
        assert (timed.code, timed.out) == (plain.code, plain.out)
        return
    one, other = json.loads(plain.out), json.loads(timed.out)
    assert {"verdict", "rule", "firm"} <= one.keys(), one.keys()
    moving = {key for key in one if one[key] != other[key]}
    assert moving <= {"at", "time", "facts"}, moving


def test_every_stage_extractor_and_rule_of_a_check(project: Path) -> None:
    ran = run("check", "response.md", "plan.md", "-p", "bb3", "--format", "json", "--timings", cwd=project)
    found = json.loads(ran.err)
    assert found["schema"] == "exitgate/timings@1"
    assert sorted(one["name"] for one in found["stages"]) == sorted(STAGES)
    policy = load_policy("bb3")
    asked = {one["name"] for one in found["rules"]}
    assert asked == {rule.id for rule in policy.rules if rule.stage != "after_failure"}
    assert "errors (error_lines)" in {one["name"] for one in found["extractors"]}
    every = [one for rows in (found["stages"], found["extractors"], found["rules"]) for one in rows]
    assert all(one["seconds"] >= 0 and one["times"] >= 1 for one in every)
    extract = next(one["seconds"] for one in found["stages"] if one["name"] == "extract")
    assert sum(one["seconds"] for one in found["extractors"]) <= extract
    lines = run("history", cwd=project).out
    assert "iteration 1" in lines or "default#1" in lines


def test_the_table(project: Path) -> None:
    ran = run("check", "response.md", "plan.md", "-p", "recommended", "--timings", cwd=project)
    lines = ran.err.splitlines()
    assert lines[0].split() == ["timings", "ms", "times", "share"]
    assert [line for line in lines if not line.startswith(" ")][1:] == ["stages", "extractors", "rules"]
    assert [line.split()[0] for line in lines[2:7]] == ["load", "observe", "extract", "decide", "record"]
    assert sum(line.startswith("  and ") for line in lines) == 2


def test_a_dry_run_says_the_same_with_timings(tmp_path: Path) -> None:
    transcript = next(iter(sorted(TRANSCRIPTS.rglob("*.jsonl"))))
    words = ("dry-run", str(transcript), "-p", "bb3", "-p", "guardrails", "--no-cache")
    plain = run(*words, cwd=tmp_path)
    timed = run(*words, "--timings", cwd=tmp_path)
    assert (timed.code, timed.out) == (plain.code, plain.out)
    assert timed.err.startswith(plain.err)
    form = run(*words, "--timings", "--format", "json", cwd=tmp_path)
    found = json.loads(form.err[form.err.index("{\n") :])
    assert {one["name"] for one in found["stages"]} == {"extract", "decide", "read"}
    assert found["rules"]
    assert found["extractors"]


def test_a_timed_program_decides_the_same() -> None:
    timings, policy = Timings(), load_policy("bb3")
    timed, plain = TimedProgram(policy, timings), Program(policy)
    records: list[dict[str, object]] = []
    for done in (0, 1, 1, 1, 1, 1, 2):
        records.append({"tasks.done": done, "tasks.total": 4, "errors.count": done, "confidence": 80})
        for stage in ("after_iteration", "before_iteration"):
            one, other = timed.decide(records, stage), plain.decide(records, stage)
            assert (one.verdict, one.rule, one.firm, one.steps) == (
                other.verdict,
                other.rule,
                other.firm,
                other.steps,
            )
    assert {name for name, _, _ in timings.rows(RULE)} <= {rule.id for rule in policy.rules}
    assert max(times for _, times, _ in timings.rows(RULE)) == 7


def test_the_costliest_come_first_and_the_rest_is_summed_up() -> None:
    timings = Timings()
    timings.add(STAGE, "load", 0.5)
    timings.add(STAGE, "decide", 0.25)
    timings.add(STAGE, "load", 0.25)
    for number in range(SHOWN + 2):
        timings.add(EXTRACTOR, f"e{number:02}", number / 1000)
    lines = timings_text(timings, Style()).splitlines()
    assert lines[2].split() == ["load", "750.000", "2", "75%"]
    assert lines[3].split() == ["decide", "250.000", "1", "25%"]
    assert lines[5].split()[:2] == ["e11", "11.000"]
    assert lines[-1] == "  and 2 more: 1.000 ms"
