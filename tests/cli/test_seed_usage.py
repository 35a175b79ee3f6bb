"""The commands, files and settings of the BB3 document, end to end: what its scripts did, `exitgate` does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_program import Ran
from cli_program import run as run_program
from compiled import COMPILED

ROOT = Path(__file__).parents[2]

#: The document's override per project, letter by letter.
OVERRIDE = """\
exit_decision:
  min_confidence: 80      # Stricter for critical features
  min_completion: 90
  stagnation_loops: 2
"""
RESPONSE, PLAN = ".ralph/last-response.md", ".ralph/@fix_plan.md"
BB3 = pytest.mark.parametrize("policy", ["bb3", "bb3-faithful"])
EACH = pytest.mark.parametrize("policy", ["bb3", "bb3-faithful", "recommended"])


class Project:
    """A project folder with its own settings and nobody else's."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / ".ralph").mkdir(parents=True)
        (root / ".git").mkdir()

    def run(self, *words: str, **environment: str) -> Ran:
        home = str(self.root.parent)
        quiet = {"HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "EXITGATE_CACHE_DIR": COMPILED}
        return run_program(*words, cwd=self.root, **{**quiet, "EXITGATE_PRESET": "", **environment})

    def say(self, response: str, done: int, total: int) -> None:
        (self.root / RESPONSE).write_text(response, encoding="utf-8")
        plan = "".join(f"- [x] task {n}\n" if n < done else f"- [ ] task {n}\n" for n in range(total))
        (self.root / PLAN).write_text(plan, encoding="utf-8")

    def override(self) -> None:
        (self.root / ".bb3").mkdir()
        (self.root / ".bb3" / "config.yaml").write_text(OVERRIDE, encoding="utf-8")

    def check(self, policy: str, *words: str) -> dict[str, object]:
        ran = self.run("check", RESPONSE, PLAN, "--policy", policy, "--format", "json", *words)
        answer: dict[str, object] = json.loads(ran.out)
        return {"exit_code": ran.code, "err": ran.err} | answer

    def exit_state(self) -> dict[str, object]:
        found: dict[str, object] = json.loads((self.root / ".ralph" / "exit-state.json").read_text("utf-8"))
        return found


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project")


@EACH
def test_check_state_history_and_reset(project: Project, policy: str) -> None:
    project.say("I am confident this is correct. Task 1 done.", 1, 3)
    assert project.run("check", RESPONSE, PLAN, "--policy", policy).out.startswith("CONTINUE · ")
    state = project.run("state")
    assert (state.code, state.err) == (0, "")
    assert "last decision    CONTINUE\n" in state.out
    project.say("All of them are done, I am confident.", 3, 3)
    assert project.run("check", RESPONSE, PLAN, "--policy", policy, "-q").code == 10
    history = project.run("history")
    assert [line.split()[5] for line in history.out.splitlines()[1:]] == ["CONTINUE", "EXIT"]
    assert project.run("reset", "--reason", "another plan").code == 0
    project.say("One of the next is done, I am confident.", 1, 4)
    begun = project.check(policy)
    assert (begun["verdict"], begun["iteration"]) == ("CONTINUE", 1)


@EACH
def test_a_confident_agent_goes_on_and_a_finished_plan_ends_the_loop(project: Project, policy: str) -> None:
    project.say("I am confident this is correct. Task 1 done.", 1, 3)
    assert project.check(policy)["verdict"] == "CONTINUE"
    project.say("All tasks are now complete.", 5, 5)
    ended = project.check(policy)
    assert (ended["class"], ended["exit_code"]) == ("complete", 10)


@BB3
def test_the_override_moves_what_bb3_decides(project: Project, policy: str) -> None:
    def outcomes() -> list[object]:
        found = []
        for response, done in (
            ("I am confident, task 17 is done.", 17),  # 85%: enough by default, not by the override
            ("I am confident, though it might be slow, maybe.", 17),  # nothing ticked, once
            ("I am confident, still at it.", 17),  # nothing ticked, twice
        ):
            project.say(response, done, 20)
            found.append(project.check(policy)["outcome"])
        return found

    assert outcomes()[0] == "high_completion"
    project.run("reset")
    project.override()
    assert outcomes() == [
        "otherwise",
        "low_confidence",
        "otherwise",
    ]


@BB3
def test_the_override_stops_a_stagnant_run_an_iteration_sooner(project: Project, policy: str) -> None:
    def stops() -> int:
        for number in range(1, 6):
            project.say(f"I am confident in step {number}.", 1, 3)
            if project.check(policy)["rule"] == "stagnation":
                return number
        return 0

    assert stops() == 4
    project.override()
    assert stops() == 3


def test_the_override_works_as_it_stands_with_recommended(project: Project) -> None:
    project.override()
    shown = json.loads(project.run("config", "--policy", "recommended", "--format", "json").out)
    values = {one["name"]: one["value"] for one in shown["settings"] if one["layer"] == "project"}
    assert values == {"min_confidence": 80, "min_completion": 90, "stagnation_loops": 2}
    project.say("<promise>COMPLETE</promise>\n", 17, 20)
    first = project.check("recommended")
    assert (first["verdict"], first["err"]) == ("CONTINUE", "")
    project.say("Still there.\n<promise>COMPLETE</promise>\n", 18, 20)
    assert (project.check("recommended")["class"]) == "complete"


def test_the_override_stops_a_stagnant_run_of_recommended_sooner(project: Project) -> None:
    def stops() -> int:
        for number in range(1, 9):
            texts = ("Looked at the parser.", "Read the index.", "Compared both.", "Thought about rows.")
            project.say(f"{texts[number % 4]} Step {number} of the search took a while.", 1, 3)
            if project.check("recommended")["verdict"] == "EXIT":
                return number
        return 0

    without = stops()
    project.override()
    assert 0 < stops() < without


@BB3
def test_the_state_file_has_what_the_document_tracks(project: Project, policy: str) -> None:
    project.say("I am confident. Task 1 done.", 1, 4)
    project.check(policy)
    project.say("It is certainly on track.\nerror: cannot open the socket\n", 2, 4)
    project.check(policy)
    state = project.exit_state()
    assert state["confidence_history"] == [90, 90]
    assert state["completion_history"] == [25, 50]
    assert state["error_history"] == [0, 1]
    assert (state["total_decisions"], state["continue_count"], state["exit_count"]) == (2, 2, 0)
    assert (state["last_decision"], state["decision_reason"]) == ("CONTINUE", "otherwise")
    project.say("All tasks are now complete.", 4, 4)
    project.check(policy)
    state = project.exit_state()
    assert (state["total_decisions"], state["continue_count"], state["exit_count"]) == (3, 2, 1)


@BB3
def test_the_decision_log_has_a_line_for_each_decision_with_its_facts_and_reason(
    project: Project, policy: str
) -> None:
    project.say("I am confident. Task 1 done.", 1, 4)
    project.check(policy)
    project.say("All tasks are now complete.", 4, 4)
    project.check(policy)
    ignored, log = sorted((project.root / ".ralph" / "logs").iterdir())
    assert ignored.name == ".gitignore"
    assert log.name.startswith("exit-decisions_")
    entries = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    decided = [entry for entry in entries if entry["event"] == "decision"]
    assert [entry["decision"]["verdict"] for entry in decided] == ["CONTINUE", "EXIT"]
    assert [entry["facts"]["tasks.done"]["v"] for entry in decided] == [1, 4]
    assert {entry["level"] for entry in decided} == {"info"}
    assert all(entry["timestamp"].endswith("Z") for entry in decided)
    assert "100%" in decided[1]["decision"]["message"] or "4 of 4" in decided[1]["decision"]["message"]


@BB3
def test_an_open_breaker_file_ends_the_loop_with_its_trigger(project: Project, policy: str) -> None:
    record = {"state": "OPEN", "trigger_reason": "no progress in 5 loops"}
    (project.root / ".ralph" / "circuit-state.json").write_text(json.dumps(record), encoding="utf-8")
    project.say("I am confident. All tasks are now complete.", 5, 5)
    found = project.check(policy)
    assert (found["verdict"], found["class"], found["exit_code"]) == ("EXIT", "halted", 13)
    assert found["message"] == "Circuit breaker is OPEN: no progress in 5 loops"
    assert project.run("circuit", "status", "--policy", policy).out.startswith(
        "OPEN · no progress in 5 loops\n"
    )


@BB3
def test_what_an_analysis_finds_can_be_had_as_json(project: Project, policy: str) -> None:
    project.say("I am confident. Task 1 done.\nerror: cannot open the socket\n", 2, 4)
    ran = project.run("facts", RESPONSE, PLAN, "--policy", policy, "--format", "json")
    text = json.dumps(json.loads(ran.out))
    assert ran.code == 0
    assert all(f'"{name}"' in text for name in ("tasks.percent", "confidence", "errors.count"))


def test_confidence_is_not_learned_and_other_thresholds_can_be_tried_on_what_was_recorded(
    project: Project,
) -> None:
    """Calibration is not there; `replay` shows what another threshold would have decided."""
    for number, text in enumerate(("I am confident.", "It is likely right.", "I am confident again."), 1):
        project.say(f"{text} Step {number}.", number, 9)
        project.check("bb3", "--set", "min_confidence=50")
    same = project.run("replay")
    other = project.run("replay", "--policy", "bb3", "--set", "min_confidence=80")
    assert same.code == 0
    assert "low_confidence" in other.out
    assert project.run("calibrate").code == 64
    assert project.exit_state()["confidence_history"] == [90, 60, 90]


def test_what_the_scripts_did_stands_in_the_readme_of_the_policy() -> None:
    text = (ROOT / "policies" / "bb3" / "README.md").read_text(encoding="utf-8")
    for verb in ("check", "state", "history", "reset"):
        assert f"`exit_decision_engine.sh {verb}" in text
        assert f"`exitgate {verb}" in text
    for verb in ("status", "track"):
        assert f"`circuit-breaker.sh {verb}" in text
        assert f"`exitgate circuit {verb}" in text
