"""Probes on the page: what was asked then, and what a dry run takes from the recording or from a file."""

from __future__ import annotations

from compiled import shipped_policy
from page_reading import Reading
from page_runs import iteration, plan, played

from exitgate.core.facts.text.secrets import Mask
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.model import Begin, End, RecordedIteration, ToolCall
from exitgate.recordings.page.assemble import page
from exitgate.recordings.page.probes import answers_of, shown, totals_text
from exitgate.recordings.page.render import html
from exitgate.recordings.page.view import Probe
from exitgate.recordings.recorded_probes import with_results
from exitgate.recordings.replay.replay_pool import PolicyReplay, Table
from exitgate.recordings.replay.result import DryRun

FAILED = {
    "status": "answered", "passed": False, "exit_status": 2, "total": 9, "failed": 2, "seconds": 72.0,
    "failing": ["test_shop.test_login", "test_shop.test_<b>"], "at": 1000.0, "cost": 0.25,
    "evidence": [["build/junit.xml", 7, "expected 200, got 404"], ["output", 3, "token=opensesame"]],
    "notes": ["`tests` wrote `x.log`: ignore that in git"],
    "why": {"rule": "not_verified", "facts": ["verified.passed"]},
}  # fmt: skip
PASSED = {**FAILED, "passed": True, "failed": 0, "failing": [], "evidence": [], "notes": []}
ASKED = [
    iteration(1, probes={"tests": FAILED, "lint": {"status": "refused", "reason": "no person allowed it"}}),
    iteration(2, probes={"tests": {**FAILED, "reused": 4}}),
    iteration(3),
    iteration(4, probes={"tests": PASSED}),
]


def said(one: RecordedIteration) -> tuple[Probe, ...]:
    """Return what the page shows of one iteration of a run without a policy that asks."""
    mask = Mask([{"id": "key", "markers": ["token"], "pattern": "opensesame"}])
    return shown(answers_of([one], {"bb3": shipped_policy("bb3")})[one.index], mask)[0]


def test_what_was_asked_then() -> None:
    tests, lint = said(ASKED[0])
    assert (tests.name, tests.words, tests.tone) == ("tests", "failed", "failed")
    assert tests.said == "2 of 9 failed, 72.0 s, 0.2500 USD"
    assert tests.asked == "asked because rule `not_verified` hung on `verified.passed`"
    assert tests.failing == ("test_shop.test_login", "test_shop.test_<b>")
    assert tests.lines[0] == ("build/junit.xml:7", "expected 200, got 404")
    assert "opensesame" not in str(tests.lines)
    assert tests.long
    assert (lint.words, lint.tone, lint.said) == ("no answer", "open", "no person allowed it")
    (again,) = said(ASKED[1])
    assert again.asked == "the answer of #4 still counts; " + tests.asked
    assert not said(ASKED[3])[0].long


def test_a_reason_that_is_the_evidence_is_there_once() -> None:
    judged = {
        "status": "answered",
        "passed": False,
        "reason": "no login",
        "evidence": [["judge", 1, "no login"]],
    }
    (goal,) = said(iteration(1, probes={"goal": judged}))
    assert (goal.said, goal.lines) == ("no login", ())


def test_a_run_says_how_often_and_how_long() -> None:
    answers = answers_of(ASKED, {})
    assert totals_text(answers) == "asked 2 times (2 min 24 s, 0.50 USD), 1 refused, 1 reused"
    assert 3 not in answers
    assert totals_text({}) == ""
    quick = answers_of([iteration(1, probes={"a": {"status": "answered", "at": 9.0, "seconds": 0.02}})], {})
    assert totals_text(quick) == "asked 1 time (under 1 s)"


def test_on_the_page_they_are_with_their_iteration_and_escaped() -> None:
    found, policies = played({"night": ASKED}, ["bb3"])
    text = html(page(found, policies))
    reading = Reading(text)
    assert reading.faults == []
    assert text.count("<h4>Probes</h4>") == 3
    assert "<dt>probes</dt><dd>asked 2 times (2 min 24 s, 0.50 USD), 1 refused, 1 reused</dd>" in text
    assert "test_shop.test_&lt;b&gt;" in text
    assert "test_shop.test_<b>" in reading.text()
    # What is long is folded: names and lines of the two failures.
    assert text.count("<summary>2 failed by name</summary>") == 2
    assert "<dt>probes</dt>" not in html(page(*played({"night": [iteration(1)]}, ["bb3"])))


CALL = ToolCall("Bash", {"command": "make test"}, "2 failed\n", True)


def dry(*results: dict[str, object], call: ToolCall | None = CALL, asking: str = "ab") -> tuple[DryRun, str]:
    """Return a dry run of policies, `asking` of which ask `tests` that the agent ran itself, and its page."""
    policy = load_policy("recommended", settings={"verify": "[tests]"})
    policy = policy.but(layers={"probes": {"tests": {"command": ["make", "test"]}}})
    policies = {name: with_results(policy, [JsonObject(one) for one in results]) for name in asking}
    policies["c"] = shipped_policy("bb3")
    players = [PolicyReplay(*one) for one in policies.items()]
    table = Table(players, Begin("r", "turn", "r.jsonl"), to_the_end=True, keep=True)
    table.take(
        iteration(
            1, "<promise>COMPLETE</promise>", plan=plan(2, 2), tool_calls=() if call is None else (call,)
        )
    )
    found = DryRun(tuple(table.results(End(), "claude-stream")))
    made = html(page(found, policies))
    assert Reading(made).faults == []
    return found, made


def test_what_the_agent_ran_itself_is_marked() -> None:
    _, made = dry()
    assert made.count("<h4>Probes</h4>") == 1
    assert '<span class="came failed">failed</span>  <small>a, b</small>' in made
    assert "recorded: the agent ran this very command" in made
    assert "<dt>probes</dt><dd>1 recorded</dd>" in made


def test_what_is_given_is_marked_and_counts() -> None:
    ran = ToolCall("Bash", {"command": "make test"}, "4 passed\n", False)
    found, made = dry({"probe": "tests", "passed": True, "total": 4, "failed": 0}, call=ran, asking="a")
    assert '<span class="came passed">passed</span> 0 of 4 failed <small>a</small>' in made
    assert "given with `--probe-results`" in made
    assert "<dt>probes</dt><dd>1 given</dd>" in made
    assert found.results[0].decided[0].record["verified.passed"] is True


def test_what_the_recording_does_not_show_is_not_on_the_page() -> None:
    _, made = dry(call=None)
    assert "<h4>Probes</h4>" not in made
    assert "<dt>probes</dt>" not in made
