"""A past decision comes back with its policy, facts and history, and the engine decides the same again."""

import pytest

from exitgate.core.engine.program import Program
from exitgate.core.engine.stages import decide_stages
from exitgate.core.gate.check import check
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.discover import STATE_DIR
from exitgate.core.state.policy_snapshots import FOLDER
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.recall import recall

POLICY = """
policy: small
format: 1
version: 1.0.0
parameters:
  loops: {type: count, default: 3, min: 1, doc: Iterations without a newly ticked task.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.complete, exit: complete, because: "{tasks.done} of {tasks.total}"}
  - {id: stuck, when: tasks.done unchanged for $loops iterations, exit: stuck, because: no task finished}
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / "small.yaml").write_text(POLICY)
    (tmp_path / "fix_plan.md").write_text("- [x] one\n- [ ] two\n")
    (tmp_path / "r.md").write_text("working")
    return tmp_path


def ask(**more):
    return check(Request(response="r.md", policy="small.yaml", **more))


def test_the_last_decision_with_history_and_policy(place):
    made = [ask() for _ in range(4)]
    (place / "small.yaml").write_text("gone")
    found = recall(STATE_DIR)
    assert found.decision == made[3].decision
    assert found.decision.rule == "stuck"
    assert found.policy.digest == made[3].policy.digest
    assert [r["tasks.done"] for r in found.records] == [1, 1, 1, 1]
    assert found.facts["tasks.done"] == made[3].facts["tasks.done"]


def test_any_decision_by_number_and_deciding_it_again_gives_the_same(place):
    made = [ask() for _ in range(4)]
    for one in made:
        found = recall(STATE_DIR, one.line["sequence"])
        assert found.decision == one.decision
        assert len(found.records) == one.iteration.number
        again = decide_stages(
            Program(found.policy), found.records, ("after_iteration",), found.decision.warnings
        )
        assert again == one.decision


def test_settings_of_that_time_are_kept(place):
    ask(settings={"loops": "7"})
    assert recall(STATE_DIR).policy.parameters["loops"].value == 7


def test_only_decisions_of_one_run(place):
    first = ask(run="a")
    ask(run="b")
    assert recall(STATE_DIR, name="a").line.sequence == first.line["sequence"]


@pytest.mark.parametrize("which", [{}, {"sequence": 99}, {"name": "other"}])
def test_no_such_decision(place, which):
    if which:
        ask()
    with pytest.raises(ExitgateError) as caught:
        recall(STATE_DIR, **which)
    assert (caught.value.exit_code, caught.value.diagnostics[0].code) == (66, "EP815")


@pytest.mark.parametrize("content", [None, "{}", "not json", "[]"])
def test_a_policy_that_is_lost_or_damaged(place, content):
    digest = ask().policy.digest
    path = place / STATE_DIR / FOLDER / f"{digest}.json"
    path.unlink()
    if content is not None:
        path.write_text(content)
    with pytest.raises(ExitgateError) as caught:
        recall(STATE_DIR)
    assert (caught.value.exit_code, caught.value.diagnostics[0].code) == (74, "EP814")


def test_a_changed_kept_policy_never_decides(place):
    digest = ask().policy.digest
    path = place / STATE_DIR / FOLDER / f"{digest}.json"
    path.write_text(path.read_text().replace('"value":3', '"value":1'))
    assert [ask().decision.verdict for _ in range(2)] == ["CONTINUE", "CONTINUE"]
    assert ask().decision.rule == "stuck"
