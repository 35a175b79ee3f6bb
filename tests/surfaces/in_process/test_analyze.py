"""`exitgate.analyze`: the interface's arrays in, its result object out, nothing kept."""

from __future__ import annotations

from pathlib import Path

import pytest

import exitgate

PAGE = (Path(__file__).parents[3] / "docs/how-to/use-from-python.md").read_text(encoding="utf-8")
FAULT = "ValueError: the table has no column `due`"
KEYS = ["shouldExit", "exitReason", "confidence", "completionSignal", "stuckSignal", "workSummary"]


def test_a_finished_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = exitgate.analyze(
        "Moved the parser out of the importer. All tests passing: 31 passed. No remaining issues.",
        {
            "iteration": 2,
            "max_iterations": 9,
            "previous_responses": ["Read the importer."],
            "error_history": [],
        },
    )
    assert list(found) == KEYS
    assert (found["shouldExit"], found["completionSignal"]["detected"]) == (True, True)
    assert list(tmp_path.iterdir()) == []


def test_the_same_error_again_and_again() -> None:
    context = {"previousResponses": ["One.", "Two.", "Three."], "errorHistory": [FAULT] * 3}
    found = exitgate.analyze(f"Ran it once more:\n{FAULT}", context)
    assert found["stuckSignal"]["errorFrequency"] != {}
    assert len(found["stuckSignal"]["repeatedPatterns"]) == 1
    assert found["stuckSignal"]["detected"]


def test_words_of_the_task_are_no_signal() -> None:
    task = "Reply `all tests passing, no remaining issues` when you are done."
    found = exitgate.analyze(f"The task says: {task}", {"task_description": task})
    assert not found["completionSignal"]["detected"]


def test_it_has_no_memory() -> None:
    first = exitgate.analyze("Half of it works.", {"previous_responses": ["Began."]})
    exitgate.analyze("All tests passing. No remaining issues.")
    assert exitgate.analyze("Half of it works.", {"previous_responses": ["Began."]}) == first


def test_a_budget_of_iterations_counts() -> None:
    found = exitgate.analyze("Moved one file.", {"iteration": 7, "max_iterations": 7})
    assert (found["shouldExit"], found["exitReason"]) == (True, "iterations_used_up")


@pytest.mark.parametrize("policy", ["bb3", "ralph", "doyaken", "loop-detection", "recommended"])
def test_any_policy_answers(policy: str) -> None:
    found = exitgate.analyze("Moved one file.", {"previous_responses": ["Read it."]}, policy=policy)
    assert list(found) == KEYS


@pytest.mark.parametrize(
    "context", [{"previous": []}, {"iteration": "3"}, {"error_history": "x"}, {"iteration": -1}]
)
def test_a_context_that_is_none(context: dict[str, object]) -> None:
    with pytest.raises(exitgate.ExitgateError) as caught:
        exitgate.analyze("Moved one file.", context)
    assert caught.value.exit_code == 64


def test_the_example_of_the_page() -> None:
    example = PAGE.partition("<!-- analyze -->\n```python\n")[2].partition("```")[0]
    assert example
    names: dict[str, object] = {}
    exec(compile(example, "use-from-python.md", "exec"), names)
    assert names["reason"] == "done_signals"
