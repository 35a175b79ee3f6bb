"""Budgets, failures and interruptions; how the stages of a plain check go together; totals of a run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.gate.decision import CheckResult
from exitgate.core.ledger import read
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.discover import STATE_DIR
from exitgate.core.state.request import Request

POLICY = """
policy: limits
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
  progress: {extract: progress, signals: [tasks.done, git.content]}
rules:
  - {id: finished, when: tasks.open == 0, exit: complete}
  - {id: interrupted, when: run.interrupted, exit: interrupted, stage: after_failure}
  - {id: failing, when: run.failures_in_row >= 3, exit: failed, stage: after_failure}
  - {id: said_no, when: 'run.interrupted', exit: interrupted}
  - {id: iterations, when: run.iterations >= 4, exit: exhausted, stage: before_iteration}
  - {id: time, when: clock.elapsed > 2h, exit: exhausted, stage: before_iteration}
  - {id: cost, when: run.cost > 5 USD, exit: exhausted, stage: before_iteration}
  - {id: tokens, when: run.tokens > 1000, exit: exhausted, stage: before_iteration}
"""

START = 1_800_000_000.0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "limits.yaml").write_text(POLICY)
    plan(tmp_path, 0)
    return tmp_path


def plan(folder: Path, done: int, total: int = 5) -> None:
    text = "\n".join(f"- [{'x' if n < done else ' '}] task {n}" for n in range(total))
    (folder / ".ralph" / "@fix_plan.md").write_text(text)


def respond(folder: Path, text: str) -> None:
    (folder / ".ralph" / "last-response.md").write_text(text)


def ask(at: float = 0.0, **more: object) -> CheckResult:
    return check(Request(policy="limits.yaml", time=START + at, **more))  # type: ignore[arg-type]


def totals() -> dict[str, object]:
    return [line for line in read.lines(STATE_DIR) if line["kind"] == "decision"][-1]["totals"]  # type: ignore[return-value]


def stages(checked: CheckResult) -> list[str]:
    stage_of = {rule.id: rule.stage for rule in checked.policy.rules}
    return list(dict.fromkeys(stage_of[step.rule] for step in checked.decision.steps))


def test_with_neither_a_response_nor_an_iteration_only_the_stage_before_is_asked(folder: Path) -> None:
    plan(folder, 5)
    checked = ask()
    assert (checked.decision.verdict, checked.decision.stage) == ("CONTINUE", "before_iteration")
    assert stages(checked) == ["before_iteration"]
    assert checked.iteration.number == 0


def test_an_exit_after_the_iteration_leaves_the_budgets_unasked(folder: Path) -> None:
    plan(folder, 5)
    respond(folder, "done")
    checked = ask(cost=99.0)
    assert (checked.decision.rule, stages(checked)) == ("finished", ["after_iteration"])


def test_a_budget_wins_over_continue_after_the_iteration(folder: Path) -> None:
    respond(folder, "one")
    checked = ask(cost=5.01)
    assert (checked.decision.rule, checked.decision.exit_class) == ("cost", "exhausted")
    assert stages(checked) == ["after_iteration", "before_iteration"]


def test_a_failed_agent_asks_the_rules_for_failures_and_then_the_budgets(folder: Path) -> None:
    respond(folder, "half")
    plan(folder, 5)
    checked = ask(agent_exit=1, tokens=1001)
    assert (checked.decision.rule, stages(checked)) == ("tokens", ["after_failure", "before_iteration"])


def test_a_named_response_that_is_missing_decides_nothing(folder: Path) -> None:
    with pytest.raises(ExitgateError) as caught:
        ask(response="nowhere.md")
    assert caught.value.exit_code == 66
    assert not any(read.lines(STATE_DIR))


def test_a_named_stage_is_asked_alone(folder: Path) -> None:
    respond(folder, "one")
    plan(folder, 5)
    assert stages(ask(stage="before_iteration")) == ["before_iteration"]


def test_iterations_are_counted_before_the_next(folder: Path) -> None:
    rules = []
    for number in range(4):
        respond(folder, f"round {number}")
        rules.append(ask(number).decision.rule)
    assert rules == [None, None, None, "iterations"]


def test_cost_and_tokens_add_up_and_what_was_not_reported_adds_nothing(folder: Path) -> None:
    for number, (cost, tokens) in enumerate([(1.5, 100), (None, None), (2.0, 300)]):
        respond(folder, f"round {number}")
        checked = ask(number, cost=cost, tokens=tokens)
    assert (checked.facts["run.cost"].value, checked.facts["run.tokens"].value) == (3.5, 400)
    assert (totals()["cost"], totals()["tokens"]) == (3.5, 400)


def test_a_total_given_by_hand_is_the_total_from_then_on(folder: Path) -> None:
    respond(folder, "one")
    ask(facts={"run.cost": "4 USD"})
    respond(folder, "two")
    assert ask(1, cost=0.5).facts["run.cost"].value == 4.5


def test_time_runs_on_and_a_clock_set_back_refills_no_budget(folder: Path) -> None:
    seen = []
    for at in (0, 3600, -86400, -82800):
        respond(folder, f"at {at}")
        checked = ask(at)
        seen.append(checked.facts["clock.elapsed"].value)
        if checked.decision.verdict == "EXIT":
            break
    assert seen == [0, 3600, 3600, 7200]


def test_three_failures_in_a_row_end_the_run_and_a_success_between_starts_again(folder: Path) -> None:
    rules = []
    for number, status in enumerate((1, 1, 0)):
        respond(folder, f"round {number}")
        rules.append(ask(number, agent_exit=status).decision.rule)
    assert rules == [None, None, None]
    assert totals()["failures_in_row"] == 0


def test_failures_without_any_response_are_counted(folder: Path) -> None:
    found = [ask(n, agent_exit=1).decision for n in range(3)]
    assert [one.rule for one in found] == [None, None, "failing"]
    assert found[-1].exit_class == "failed"


@pytest.mark.parametrize("status", [130, 143])
def test_an_interrupted_agent_suspends_the_run_with_its_budgets(folder: Path, status: int) -> None:
    respond(folder, "one")
    ask(cost=1.0)
    respond(folder, "half")
    stopped = ask(1, agent_exit=status, cost=1.0)
    assert (stopped.decision.rule, stopped.decision.exit_class) == ("interrupted", "interrupted")
    respond(folder, "two")
    later = ask(2, cost=1.0)
    assert (later.iteration.run, later.facts["run.cost"].value) == ("default#1", 3.0)
    assert totals()["failures_in_row"] == 0


def test_an_interruption_can_be_given_as_a_fact(folder: Path) -> None:
    respond(folder, "one")
    assert ask(facts={"run.interrupted": "true"}).decision.rule == "said_no"


# --- what progress and git facts rest on ---


def git(*words: str) -> None:
    words = ("-c", "user.name=a", "-c", "user.email=a@b", *words)
    subprocess.run(["git", *words], check=True, capture_output=True)


def test_what_the_loop_writes_is_no_progress_of_the_agent(folder: Path) -> None:
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "start")
    ask()
    made = []
    for number in range(3):
        named = folder / f"response-{number}.md"
        named.write_text(f"round {number}")
        (folder / "prompt.txt").write_text(f"task {number}")
        made.append(ask(number, response=str(named), task="prompt.txt"))
    assert [one.facts["progress.made"].value for one in made] == [False, False, False]


def test_a_file_of_the_agent_is_progress_once(folder: Path) -> None:
    git("init", "-q")
    git("commit", "-qm", "start", "--allow-empty")
    ask()
    made = []
    for number, content in enumerate(("a", "a", "b", "a")):
        (folder / "work.py").write_text(content)
        respond(folder, f"round {number}")
        made.append(ask(number).facts["progress.signals"].value)
    assert made == [("git.content",), (), ("git.content",), ()]
    assert len(totals()["seen"]["git.content"]) == 3  # type: ignore[index]


def test_totals_travel_in_every_line(folder: Path) -> None:
    ask()
    for number in range(2):
        plan(folder, number + 1)
        respond(folder, f"round {number}")
        ask(60 * (number + 1), cost=1.0, tokens=5, agent_exit=0)
    assert totals() == {
        "iterations": 2, "started_at": START, "elapsed": 120.0, "cost": 2.0, "tokens": 10,
        "failures_in_row": 0, "best": {"tasks.done": 2}, "seen": {}, "plan": ".ralph/@fix_plan.md",
    }  # fmt: skip


def test_a_look_before_an_iteration_is_how_the_next_one_begins(folder: Path) -> None:
    ask()
    respond(folder, "one")
    ask(1)
    plan(folder, 2)  # a person ticked it
    before = ask(2, stage="before_iteration")
    assert before.facts["progress.made"].value.reason == "no iteration has ended since the last decision"
    respond(folder, "two")
    assert ask(3).facts["progress.made"].value is False
