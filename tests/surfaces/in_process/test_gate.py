"""What a gate decides, iteration after iteration, and what it asks of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example
from hypothesis import given as drawn
from hypothesis import strategies as st

from exitgate import Decision, ExitgateError, Gate, Iteration
from exitgate.core.ledger import read
from exitgate.core.model.value import TEXT, Type
from exitgate.core.policy.values import from_text
from exitgate.surfaces.in_process.iteration import written

OPEN, DONE = "- [x] a\n- [ ] b\n", "- [x] a\n- [x] b\n"
LEDGER = ".ralph/exitgate"


def lines(place: Path) -> list[dict[str, object]]:
    return [line for line in read.lines(str(place / LEDGER)) if line["kind"] == "decision"]


def outcomes(gate: Gate, *iterations: Iteration | str) -> list[str]:
    return [gate.check(one).outcome for one in iterations]


def test_a_text_is_what_the_agent_said(place: Path) -> None:
    with_text = Gate("small.yaml", run="text").check("going on")
    with_noun = Gate("small.yaml", run="noun").check(Iteration("going on"))
    assert with_text == with_noun
    assert isinstance(with_text, Decision)
    first, second = lines(place)
    assert first["sources"] == second["sources"]


def test_history_is_read_over_iterations_and_an_exit_ends_the_run(place: Path) -> None:
    gate = Gate("small.yaml")
    turn = Iteration("going on", plan=OPEN)
    assert outcomes(gate, *[turn] * 5) == ["otherwise", "otherwise", "otherwise", "same", "otherwise"]
    assert [line["run"] for line in lines(place)] == ["default#1"] * 4 + ["default#2"]
    assert [line["iteration"] for line in lines(place)] == [1, 2, 3, 4, 1]


def test_the_ledger_is_the_history_of_another_gate_too(place: Path) -> None:
    turn = Iteration("going on", plan=OPEN)
    assert [Gate("small.yaml").check(turn).outcome for _ in range(4)][-1] == "same"


def test_runs_of_other_names_are_other_runs(place: Path) -> None:
    turn = Iteration("going on", plan=OPEN)
    for _ in range(3):
        assert {Gate("small.yaml", run=name).check(turn).outcome for name in "ab"} == {"otherwise"}
    assert Gate("small.yaml", run="a").check(turn).exit_class == "stuck"


def test_reset_ends_the_run(place: Path) -> None:
    gate = Gate("small.yaml")
    assert gate.reset() is False
    turn = Iteration("going on", plan=OPEN)
    outcomes(gate, turn, turn, turn)
    assert gate.reset() is True
    assert outcomes(gate, turn) == ["otherwise"]
    assert lines(place)[-1]["run"] == "default#2"


def test_budgets_are_asked_before_the_first_iteration_and_behind_each(place: Path) -> None:
    gate = Gate("small.yaml", settings={"budget": 2})
    assert gate.before().go_on
    first, second = gate.check("one"), gate.check("two")
    assert first.go_on and second.is_exit
    assert (second.exit_class, second.stage) == ("exhausted", "before_iteration")


def test_an_iteration_without_a_response_is_one_all_the_same(place: Path) -> None:
    gate = Gate("small.yaml")
    assert outcomes(gate, *[Iteration(plan=OPEN)] * 4)[-1] == "same"
    assert [line["iteration"] for line in lines(place)] == [1, 2, 3, 4]
    assert Gate("small.yaml", run="facts").check(Iteration(facts={"tasks.complete": True})).outcome == "done"


def test_a_response_that_another_loop_left_is_not_taken_for_this_one(place: Path) -> None:
    (place / ".ralph").mkdir()
    (place / ".ralph/last-response.md").write_text("EXIT_SIGNAL: true\n")
    gate = Gate("small.yaml")
    assert gate.check(Iteration(plan=OPEN)).go_on
    sources = lines(place)[0]["sources"]
    assert isinstance(sources, dict)
    assert sources["response"] == {"path": None, "reason": "no response was given"}


def test_what_the_agent_says_keeps_counting_when_it_says_it_again_in_a_new_run(place: Path) -> None:
    gate = Gate("small.yaml", settings={"budget": 1})
    assert gate.check(Iteration("the same", plan=DONE)).outcome == "done"
    assert gate.check(Iteration("the same", plan=DONE)).outcome == "done"


def test_a_failure_asks_the_rules_of_failures(place: Path) -> None:
    gate = Gate("small.yaml")
    assert gate.check(Iteration(plan=DONE, exit_status=-9)).exit_class is None
    assert gate.check(Iteration(plan=DONE, exit_status=1)).exit_class == "failed"
    assert gate.check(Iteration("done", plan=DONE, exit_status=0)).exit_class == "complete"


def test_cost_and_tokens_add_up(place: Path) -> None:
    gate = Gate("small.yaml")
    assert gate.check(Iteration("a", cost=3, tokens=10)).go_on
    assert gate.check(Iteration("b", cost=2.5, tokens=5)).outcome == "dear"
    totals = lines(place)[-1]["totals"]
    assert isinstance(totals, dict)
    assert totals["tokens"] == 15


def test_a_path_is_read_at_each_check(place: Path) -> None:
    plan = place / "todo.md"
    turn = Iteration("going on", plan=plan)
    gate = Gate("small.yaml")
    with pytest.raises(ExitgateError, match=r"todo\.md") as missing:
        gate.check(turn)
    assert missing.value.exit_code == 66
    assert not (place / LEDGER / "ledger.jsonl").exists() or lines(place) == []
    plan.write_text(OPEN)
    assert gate.check(turn).go_on
    plan.write_text(DONE)
    assert gate.check(turn).message == "2 of 2"


def test_the_plan_of_the_project_is_looked_for_where_none_is_given(place: Path, tmp_path: Path) -> None:
    (place / "fix_plan.md").write_text(DONE)
    assert Gate("small.yaml").check("going on").outcome == "done"
    policy = place / "small.yaml"
    os.chdir(tmp_path)
    assert Gate(policy, root=place, run="elsewhere").check("going on").outcome == "done"
    assert lines(place)[-1]["run"] == "elsewhere#1"


def test_a_gate_stays_where_it_was_made(place: Path, tmp_path: Path) -> None:
    gate = Gate("small.yaml", state_dir="state")
    os.chdir(tmp_path)
    gate.check("going on")
    assert (place / "state/ledger.jsonl").exists()
    assert not (tmp_path / "state").exists()


def test_results_of_tools_may_be_given_whatever_the_policy_reads(place: Path) -> None:
    assert Gate("small.yaml").check(Iteration("a", tool_results="exit 0", task="do it")).go_on
    with pytest.raises(ExitgateError, match="EP812"):
        Gate("small.yaml").check(Iteration("a", sources={"plna": DONE}))
    assert len(lines(place)) == 1


def test_a_gate_that_only_looks_keeps_nothing(place: Path) -> None:
    gate = Gate("small.yaml", record=False)
    turn = Iteration("going on", plan=OPEN)
    assert outcomes(gate, *[turn] * 5) == ["otherwise"] * 5
    assert not (place / ".ralph").exists()
    assert gate.last is not None and gate.explain().startswith("CONTINUE")


def test_a_decision_is_asked_and_not_taken_for_a_truth(place: Path) -> None:
    decision = Gate("small.yaml").check("going on")
    assert (decision.go_on, decision.is_exit) == (True, False)
    with pytest.raises(TypeError, match="go_on"):
        bool(decision)


def test_gates_for_other_runs_share_policy_and_folder(place: Path) -> None:
    first = Gate("small.yaml", settings={"same": 2}, run="first")
    second = first.for_run("second")
    (place / "small.yaml").unlink()
    turn = Iteration("going on", plan=OPEN)
    assert [outcomes(gate, turn, turn) for gate in (first, second)] == [["otherwise"] * 2] * 2
    assert (second.check(turn).outcome, second.check(turn).outcome) == ("same", "otherwise")
    assert first.check(turn).outcome == "same"
    assert [line["run"] for line in lines(place)][-3:] == ["second#1", "second#2", "first#1"]
    with pytest.raises(ExitgateError, match="EP813"):
        first.for_run("")


def test_the_environment_names_a_run_when_the_gate_is_made(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EXITGATE_RUN", "night")
    gate = Gate("small.yaml")
    monkeypatch.setenv("EXITGATE_RUN", "day")
    gate.check("going on")
    assert [line["run"] for line in lines(place)] == ["night#1"]


GIVEN = """
policy: gated
format: 1
version: 1.0.0
given: {approved: {type: bool}, left: {type: count, range: [0, 9]}}
rules: [{id: go, when: approved and left > 3, exit: complete}]
"""


def test_a_check_takes_facts_beside_the_iteration_and_they_count_before_its_own(place: Path) -> None:
    (place / "gated.yaml").write_text(GIVEN)
    gate = Gate("gated.yaml")
    assert gate.check("said").outcome == "otherwise"
    assert gate.check("said", facts={"approved": True, "left": 4}).outcome == "go"
    own = Iteration("said", facts={"approved": True, "left": 4})
    assert gate.check(own, facts={"left": 3}).outcome == "otherwise"
    assert gate.check(own, facts={"left": None}).alternatives[0].outcome == "go"
    assert gate.check(own).outcome == "go"
    with pytest.raises(ExitgateError) as caught:
        gate.check("said", facts={"left": 10})
    assert caught.value.exit_code == 64
    assert "above its range" in caught.value.diagnostics[0].message


LISTED = """
policy: listed
format: 1
version: 1.0.0
given: {names: {type: list, item: text}, sizes: {type: list, item: number}}
parameters: {wanted: {type: list, default: [b]}}
rules:
  - {id: named, when: 'names contains "a, b"', exit: complete, because: named}
  - {id: sized, when: any of sizes where (item > 2), exit: review, because: sized}
  - {id: wanted, when: '$wanted contains "x"', exit: stuck, because: wanted}
"""


def test_a_list_fact_takes_a_list(place: Path) -> None:
    (place / "listed.yaml").write_text(LISTED)
    gate = Gate("listed.yaml", record=False)
    assert gate.check("said", facts={"names": ["x", "a, b"], "sizes": []}).outcome == "named"
    assert gate.check("said", facts={"names": [], "sizes": (1, 2.5)}).outcome == "sized"
    assert gate.check(Iteration("said", facts={"names": ["a"], "sizes": [1]})).outcome == "otherwise"
    wanted = Gate("listed.yaml", settings={"wanted": ["x"]}, record=False)
    assert wanted.check("said", facts={"names": [], "sizes": []}).outcome == "wanted"
    with pytest.raises(ExitgateError, match="not a list"):
        gate.check("said", facts={"names": "["})
    with pytest.raises(ExitgateError, match="`many` is not a number"):
        gate.check("said", facts={"sizes": ["many"]})


@drawn(st.lists(st.text(max_size=4), max_size=4))
@example(
    ['"', "\\", "a: b", "# c", "\n", "\x85", "\u2028", "\ufeff", "\U0001f600", "- x", "*a", "\x00", "\x7f"]
)
def test_the_items_of_a_list_arrive_as_they_are(items: list[str]) -> None:
    found = from_text(Type("list", item=TEXT), written("names", items))
    assert found == tuple(item.strip() for item in items)
