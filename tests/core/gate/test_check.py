"""A whole check on files: defaults, stages, history from check to check, trouble that records nothing."""

import json

import pytest

from exitgate.core.gate.check import check
from exitgate.core.gate.notes import digest_of
from exitgate.core.ledger import read
from exitgate.core.ledger.decisions import decision_of_line, facts_of_line
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.discover import STATE_DIR
from exitgate.core.state.request import Request

POLICY = """
policy: small
format: 1
version: 1.0.0
parameters:
  enough: {type: percent, default: 80, min: 1, doc: Share of ticked tasks that ends the run.}
  loops: {type: count, default: 3, min: 1, doc: Iterations without a newly ticked task.}
  most: {type: count, default: 50, min: 1, doc: Iterations of a run.}
facts:
  tasks: {extract: checklist, from: plan}
circuit: {from: breaker.json}
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: "breaker: {circuit.reason}"}
  - {id: done, when: tasks.percent >= $enough, exit: complete, because: "{tasks.done} of {tasks.total}"}
  - {id: stuck, when: tasks.done unchanged for $loops iterations, exit: stuck, because: no task finished}
  - {id: terse, when: output.length < 3, warn: true, because: "only {output.length} characters"}
  - {id: died, when: run.failed, exit: failed, stage: after_failure, because: the agent failed}
  - {id: budget, when: run.iterations >= $most, exit: exhausted, stage: before_iteration}
otherwise: continue
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "small.yaml").write_text(POLICY)
    return tmp_path


def plan(place, done, total=5):
    lines = [f"- [{'x' if n < done else ' '}] task {n}" for n in range(total)]
    (place / ".ralph" / "@fix_plan.md").write_text("\n".join(lines))


def respond(place, text):
    (place / ".ralph" / "last-response.md").write_text(text)


def ask(**more):
    more.setdefault("policy", "small.yaml")
    return check(Request(**more))


def recorded(kind="decision"):
    return [line for line in read.lines(STATE_DIR) if line["kind"] == kind]


def messages(checked):
    return [w.message for w in checked.decision.warnings]


def test_one_decision_from_default_paths(place):
    plan(place, 4)
    respond(place, "I ticked another one.")
    checked = ask()
    assert (checked.decision.rule, checked.decision.message) == ("done", "4 of 5")
    assert checked.facts["tasks.done"].evidence[0].source == "plan"
    assert (checked.iteration.run, checked.iteration.number) == ("default#1", 1)
    (line,) = recorded()
    assert line == checked.line
    assert decision_of_line(line) == checked.decision
    assert facts_of_line(line)["tasks.percent"].value == 80
    assert line["policy"]["digest"] == checked.policy.digest


def test_history_goes_from_check_to_check_and_the_run_ends(place):
    plan(place, 1)
    for number in range(1, 5):
        respond(place, f"still at it, {number}")
        checked = ask()
        assert checked.iteration.number == number
    assert (checked.decision.rule, checked.decision.exit_class) == ("stuck", "stuck")
    assert [p.have for p in decision_of_line(recorded()[2]).steps[2].pending] == [2]
    respond(place, "again")
    assert (ask().iteration.run, ask().iteration.number) == ("default#2", 2)


def test_records_of_another_run_are_never_read(place):
    plan(place, 1)
    for number in range(6):
        respond(place, f"turn {number}")
        checked = ask(run="a" if number % 2 else "b")
        assert checked.decision.verdict == "CONTINUE"
    assert [line["run"] for line in recorded()] == ["b#1", "a#1"] * 3


def test_without_response_and_iteration_only_before_iteration_is_asked(place):
    plan(place, 5)
    checked = ask()
    assert (checked.decision.verdict, checked.decision.stage) == ("CONTINUE", "before_iteration")
    assert (checked.iteration.number, [s.rule for s in checked.decision.steps]) == (0, ["budget"])
    respond(place, "ready")
    assert (ask().iteration.number, recorded()[-1]["decision"]["rule"]) == (1, "done")


def test_budget_is_asked_before_the_next_iteration(place):
    plan(place, 1)
    respond(place, "one")
    assert ask(settings={"most": "2"}).decision.verdict == "CONTINUE"
    respond(place, "two")
    decision = ask(settings={"most": "2"}).decision
    assert (decision.rule, decision.exit_class, decision.stage) == (
        "budget", "exhausted", "before_iteration",
    )  # fmt: skip


def test_a_failed_agent_is_asked_about_its_failure(place):
    plan(place, 5)
    respond(place, "one")
    assert ask(agent_exit=1).decision.exit_class == "failed"
    assert ask(agent_exit=0).decision.exit_class == "complete"
    assert ask(agent_exit=1, stage="after_iteration").decision.exit_class == "complete"


def test_the_breaker_is_read_where_the_policy_says(place):
    plan(place, 5)
    respond(place, "one")
    (place / "breaker.json").write_text(json.dumps({"state": "OPEN", "reason": "no progress"}))
    assert ask().decision.message == "breaker: no progress"
    (place / "other.json").write_text(json.dumps({"state": "CLOSED"}))
    assert ask(sources={"circuit": "other.json"}).decision.rule == "done"


def test_a_missing_breaker_leaves_the_decision_tentative(place):
    plan(place, 4)
    respond(place, "one")
    decision = ask().decision
    assert not decision.firm
    assert [a.rule for a in decision.alternatives] == ["open"]
    assert "breaker.json" in decision.steps[0].unknowns[0].reason


def test_looking_records_nothing(place):
    plan(place, 4)
    respond(place, "one")
    checked = ask(record=False)
    assert (checked.decision.rule, checked.line) == ("done", None)
    assert not (place / STATE_DIR).exists()
    ask()
    before = (place / STATE_DIR / "ledger.jsonl").read_bytes()
    assert ask(record=False).iteration.run == "default#2"
    assert (place / STATE_DIR / "ledger.jsonl").read_bytes() == before


def test_an_empty_response_warns_and_does_not_exit(place):
    plan(place, 1)
    respond(place, " \n")
    checked = ask()
    assert checked.decision.verdict == "CONTINUE"
    assert any("is empty" in m for m in messages(checked))
    assert "only 2 characters" in messages(checked)


def test_an_unchanged_response_is_told_as_stale(place):
    plan(place, 1)
    respond(place, "the same")
    assert not any("unchanged" in m for m in messages(ask()))
    assert recorded()[0]["sources"]["response"]["digest"] == digest_of("the same")
    assert any("unchanged since iteration 1 of `default#1`" in m for m in messages(ask()))


@pytest.mark.parametrize(
    ("request_", "code", "exit_code"),
    [
        ({"response": "nowhere.md"}, "EP820", 66),
        ({"plan": "nowhere.md"}, "EP820", 66),
        ({"response": ".ralph"}, "EP821", 74),
        ({"facts": {"task.done": "1"}}, "EP840", 64),
        ({"facts": {"tasks.done": "x"}}, "EP841", 64),
        ({"sources": {"respond": "x"}}, "EP812", 64),
        ({"sources": {"clock": "x"}}, "EP812", 64),
        ({"run": "a\nb"}, "EP813", 64),
    ],
)
def test_trouble_is_told_and_records_nothing(place, request_, code, exit_code):
    plan(place, 4)
    respond(place, "one")
    with pytest.raises(ExitgateError) as caught:
        ask(**request_)
    assert [d.code for d in caught.value.diagnostics] == [code]
    assert caught.value.exit_code == exit_code
    assert recorded() == []
    assert recorded("run_start") == []


def test_a_broken_policy_is_65_with_everything_told_and_no_ledger(place):
    (place / "bad.yaml").write_text(
        POLICY.replace("tasks.percent >=", "task.percent =").replace("OPEN", "OPN")
    )
    with pytest.raises(ExitgateError) as caught:
        ask(policy="bad.yaml")
    assert caught.value.exit_code == 65
    assert len(caught.value.diagnostics) >= 2
    assert not (place / STATE_DIR).exists()


def test_given_facts_take_the_place_of_what_is_read(place):
    plan(place, 0)
    respond(place, "one")
    checked = ask(facts={"tasks.percent": "90%", "circuit.state": "CLOSED"})
    assert (checked.decision.rule, checked.decision.firm) == ("done", True)
    assert checked.facts["tasks.percent"].note == "given on the command line"


def test_a_run_begins_with_iteration_0_when_nothing_was_before(place):
    plan(place, 2)
    ask(time=1000.0)
    (start,) = recorded("run_start")
    assert facts_of_line(start)["tasks.done"].value == 2
    respond(place, "one")
    ask(time=1060.0)
    totals = {"iterations": 1, "started_at": 1000.0, "elapsed": 60.0, "plan": ".ralph/@fix_plan.md"}
    assert recorded()[-1]["totals"] == totals


def test_a_run_expires_after_a_day(place):
    plan(place, 1)
    respond(place, "one")
    ask(time=1000.0)
    respond(place, "two")
    checked = ask(time=1000.0 + 86401)
    assert (checked.iteration.run, checked.iteration.number) == ("default#2", 1)
    assert any("`default#1` expired" in m for m in messages(checked))
    assert [line["run"] for line in recorded("expired")] == ["default#1"]


def test_named_by_the_environment(place, monkeypatch):
    monkeypatch.setenv("EXITGATE_RUN", "nightly")
    plan(place, 1)
    respond(place, "one")
    assert ask().iteration.run == "nightly#1"
    assert ask(run="mine").iteration.run == "mine#1"


BLIND = POLICY + "undetermined: {exit_after: 3}\n"


def test_a_loop_whose_agent_never_says_anything_ends(place):
    (place / "small.yaml").write_text(BLIND)
    decisions = [ask().decision for _ in range(4)]
    assert [d.verdict for d in decisions] == ["CONTINUE", "CONTINUE", "CONTINUE", "EXIT"]
    assert decisions[3].exit_class == "undetermined"
    assert [line["iteration"] for line in recorded() if line["kind"] == "decision"] == [0, 1, 2, 3]
    said = [w.message for w in decisions[2].warnings]
    assert any("nothing from the agent could be read: no response at" in one for one in said)
    assert not any("could be read" in w.message for w in decisions[0].warnings)


def test_one_known_fact_starts_the_count_of_blind_decisions_again(place):
    (place / "small.yaml").write_text(BLIND)
    plan(place, 1)
    respond(place, "one")
    assert not ask().decision.blind
    (place / ".ralph" / "@fix_plan.md").unlink()
    (place / ".ralph" / "last-response.md").unlink()
    assert [ask().decision.verdict for _ in range(3)] == ["CONTINUE", "CONTINUE", "EXIT"]
    assert recorded()[-1]["iteration"] == 4


def test_git_is_compared_with_the_check_before(place):
    import subprocess

    (place / "small.yaml").write_text(
        POLICY.replace(
            "  - {id: terse", "  - {id: moved, when: git.files_changed > 0, warn: true}\n  - {id: terse"
        )
    )
    for words in (["init", "-q"], ["add", "small.yaml"],
                  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "start"]):  # fmt: skip
        subprocess.run(["git", *words], cwd=place, check=True)
    plan(place, 1)
    ask()
    (place / "made.txt").write_text("new")
    respond(place, "one")
    checked = ask()
    assert checked.facts["git.files_changed"].value == 1, "the new file, neither the response nor the ledger"
    respond(place, "one")
    assert ask().facts["git.files_changed"].value == 0


def test_remarks_on_reading_become_warnings(place):
    plan(place, 1)
    (place / ".ralph" / "last-response.md").write_bytes(b"ok \xff\xfe\xfd \0")
    assert [m for m in messages(ask()) if m.startswith("response: ")] == [
        "response: 3 bytes were not UTF-8",
        "response: holds 1 NUL character",
    ]


def test_a_clock_that_stands_before_the_last_line_is_told(place):
    plan(place, 1)
    respond(place, "one")
    ask(time=1_800_000_000.0)
    respond(place, "two")
    warned = [one.message for one in ask(time=1_800_000_000.0 - 5400).decision.warnings]
    assert "the clock is 1.5h behind the last line of `default#1`" in warned
    respond(place, "three")
    assert not [w for w in ask(time=1_800_000_010.0).decision.warnings if "clock" in w.message]
