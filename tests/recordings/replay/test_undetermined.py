"""What formats never tell, and the rules that cannot become true for that."""

from __future__ import annotations

import pytest
from cases import each, some
from compiled import shipped_policy

from exitgate.analysis.space.domains import UNKNOWN
from exitgate.analysis.space.samples import Sampler
from exitgate.core.engine.program import Program
from exitgate.core.model import capabilities
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.recorded_probes import with_results
from exitgate.recordings.registry import READERS, load
from exitgate.recordings.replay.undetermined import Reachable, always_unknown, missing, undetermined

POLICY = """
policy: many
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
  moved: {extract: progress, signals: [git.content]}
  some: {extract: progress, signals: [git.content, tasks.done]}
conditions:
  done: tasks.percent >= 90
rules:
  - {id: plain, when: git.changed, exit: stuck}
  - {id: both, when: git.changed and output.length > 3, exit: stuck}
  - {id: either, when: git.changed or output.length > 3, exit: stuck}
  - {id: guarded, when: (git.changed or else true) or output.length > 3, warn: true}
  - {id: open, when: git.changed is unknown, warn: true}
  - {id: known, when: git.changed is known, warn: true}
  - {id: row, when: (git.changed) for 3 consecutive iterations, exit: stuck}
  - {id: named, when: "@done", exit: complete}
  - {id: moves, when: (not moved.made) for 2 consecutive iterations, exit: stuck}
  - {id: unmoved, when: tasks.done unchanged for 2 iterations, exit: stuck}
  - {id: dear, when: run.cost > 5 USD, exit: exhausted}
  - {id: long, when: clock.elapsed > 2h, exit: exhausted}
  - {id: lasts, when: (output.length > 3) for 45m, exit: stuck}
  - {id: lately, when: "count(output.length > 3, last 45m) >= 1", exit: stuck}
  - {id: many, when: run.iterations > 50, exit: exhausted}
otherwise: continue
"""


@pytest.fixture
def many(tmp_path):
    path = tmp_path / "many.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return load_policy(str(path))


def closed(policy, given):
    reachable = Reachable(policy, always_unknown(policy, frozenset(given)))
    return [rule.id for rule in policy.rules if True not in reachable.truths(rule.when)]


def test_rules_that_cannot_become_true(many) -> None:
    told = {capabilities.RESPONSE, capabilities.COST, capabilities.TIMES, capabilities.PLAN}
    assert closed(many, told) == ["plain", "both", "known", "row", "moves"]
    assert closed(many, told | {capabilities.GIT}) == []
    assert closed(many, {*told} - {capabilities.PLAN} | {capabilities.GIT}) == ["named", "unmoved"]
    assert closed(many, {*told} - {capabilities.COST, capabilities.TIMES} | {capabilities.GIT}) == [
        "dear",
        "long",
        "lasts",
    ]


def test_readers_that_lack_the_same_are_told_together(many) -> None:
    groups = missing(many, ("gemini-contents", "claude-session", "claude-session-steps"))
    together = {one.readers: one.facts for one in groups}
    assert ("claude-session", "claude-session-steps") in together
    assert "git.content" in together["claude-session", "claude-session-steps"]
    lines = undetermined("ours", many, ("claude-session",))
    assert len(lines) == 1
    assert lines[0].startswith("ours: transcripts of `claude-session` never record `git.")
    assert lines[0].endswith("stay undetermined or false there")


def test_a_ledger_tells_facts_themselves(many) -> None:
    assert missing(many, ("exitgate-ledger",)) == ()


def test_what_a_probe_says_can_be_known_from_calls_and_from_results_that_are_given() -> None:
    policy = load_policy("recommended", settings={"verify": "[tests]"})
    assert "verified.passed" in always_unknown(policy, frozenset())
    assert "verified.passed" not in always_unknown(policy, frozenset({capabilities.TOOL_CALLS}))
    given = with_results(policy, [JsonObject(probe="tests", passed=True)])
    assert "verified.passed" not in always_unknown(given, frozenset())


def test_a_stand_in_is_as_good_as_told() -> None:
    policy = load_policy("bb3")
    assert "circuit.state" in policy.unreadable
    assert "circuit_open" not in closed(policy, ())


#: One policy in three with each reader, another third with the next.
PAIRS = [(name, reader) for reader in [*READERS[:3], *READERS[3::9]] for name in shipped.policies()]


@each(("name", "reader"), some(PAIRS, len(PAIRS) // 3))
def test_what_is_said_to_be_impossible_never_happens(name, reader) -> None:
    policy = shipped_policy(name)
    program = Program(policy)
    unknown = always_unknown(policy, load(reader).GIVES)
    rules = {rule.id: rule for rule in policy.rules}
    for id in closed(policy, load(reader).GIVES)[::3]:
        for run in Sampler(policy, 7).runs(rules[id].when, 25):
            records = program.complete_all([{**values, **dict.fromkeys(unknown, UNKNOWN)} for values in run])
            truths = {step.rule: step.truth for step in program.trace(records, rules[id].stage)}
            assert truths[id] is not True, (id, run)
