"""What a policy that extends another comes to."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

BASE = """\
policy: base
format: 1
version: 1.4.0
title: The base
parameters:
  limit: {type: count, default: 3, min: 1, max: 9, doc: So many.}
  share: {type: percent, default: 80}
lists: {later: [Later, Someday]}
facts:
  tasks: {extract: checklist, optional_sections: {list: later}, marks: {"~": deferred}}
  said: {extract: output, from: response, unreadable: {empty: false}}
  score: {points: [{when: tasks.done > 3, add: 10, because: some}], range: [0, 100]}
conditions: {plan_done: tasks.open == 0}
rules:
  - {id: breaker, when: circuit.state is OPEN, exit: halted, locked: true}
  - {id: done, when: "@plan_done", exit: complete, because: "{tasks.done} {{of}} {$limit}"}
  - {id: stale, when: tasks.done unchanged for $limit iterations, exit: stuck}
profiles: {strict: {limit: 2, share: 90%}}
invariants: [{id: breaker_wins, given: circuit.state is OPEN, always: exit}]
"""
HEAD = "policy: mine\nformat: 1\nversion: 0.1.0\nextends: ./base.yaml@^1.2\n"


def load(tmp_path: Path, text: str, **more: object) -> CompiledPolicy:
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")
    (tmp_path / "mine.yaml").write_text(HEAD + text, encoding="utf-8")
    return load_policy("mine.yaml", base=str(tmp_path), **more)  # type: ignore[arg-type]


def ids(policy: CompiledPolicy) -> list[str]:
    return [rule.id for rule in policy.rules]


def options(policy: CompiledPolicy, prefix: str) -> object:
    """The options a policy writes: the lexicon an extractor reads unasked is not among them."""
    found = next(e.options for e in policy.extractions if e.prefix == prefix)
    return {name: value for name, value in found.items() if name != "lexicon"}


def test_nothing_changed(tmp_path: Path) -> None:
    mine = load(tmp_path, "")
    base = load_policy("./base.yaml", base=str(tmp_path))
    assert (mine.name, mine.version, mine.title) == ("mine", "0.1.0", "The base")
    assert [(r.id, r.text, r.when) for r in mine.rules] == [(r.id, r.text, r.when) for r in base.rules]
    assert mine.facts == base.facts
    assert mine.digest != base.digest
    assert mine.rules[1].because == (("tasks.done",), " {of} ", ("$limit",))
    assert str(mine.rules[1].place) == "base.yaml:16:10"


@each(
    ("rules", "order"),
    [
        ("{id: new, when: said.empty, exit: idle}", "breaker done stale new"),
        ("{id: new, when: said.empty, exit: idle, before: stale}", "breaker done new stale"),
        ("{id: new, when: said.empty, exit: idle, after: breaker}", "breaker new done stale"),
        ("{id: new, when: said.empty, warn: true, before: breaker}", "new breaker done stale"),
        ("{id: new, when: said.empty, exit: idle, before: breaker, mode: shadow}", "new breaker done stale"),
        ("{id: new, when: run.iterations > 9, exit: exhausted, before: breaker, stage: before_iteration}",
         "new breaker done stale"),
        ("{id: done, when: said.empty, exit: idle, replace: true}", "breaker done stale"),
        ("{id: stale, when: said.empty, exit: idle, replace: true, before: done}", "breaker stale done"),
        ("{id: done, disabled: true, why: too early}", "breaker stale"),
        ("{id: a, when: said.empty, warn: true, after: done},{id: b, when: said.empty, exit: idle, after: a}",
         "breaker done a b stale"),
    ],
)  # fmt: skip
def test_rules(tmp_path: Path, rules: str, order: str) -> None:
    assert ids(load(tmp_path, f"rules: [{rules}]\n")) == order.split()


def test_lists_and_options(tmp_path: Path) -> None:
    mine = load(tmp_path, "lists: {later: {append: [Never], remove: [Later]}}\n")
    assert options(mine, "tasks") == {"optional_sections": ["Someday", "Never"], "marks": {"~": "deferred"}}
    mine = load(tmp_path, "facts: {tasks: {marks: {'~': done}, from: task}}\n")
    assert options(mine, "tasks") == {"optional_sections": ["Later", "Someday"], "marks": {"~": "done"}}
    assert mine.extractions[0].source == "task"


def test_facts(tmp_path: Path) -> None:
    mine = load(
        tmp_path, "facts: {score: {points: {append: [{when: said.empty, add: 5}]}, range: [0, 50]}}\n"
    )
    (score,) = mine.derived
    assert [row.add for row in score.rows] == [10, 5]
    assert (score.low, score.high) == (0, 50)
    mine = load(tmp_path, "facts: {score: {formula: tasks.done + $limit}, said: {unreadable: {length: 0}}}\n")
    assert mine.derived[0].rows == ()
    assert mine.unreadable == {"said.empty": False, "said.length": 0}


def test_a_list_that_stands_in_for_a_fact_is_a_value_and_no_list_of_the_policy(tmp_path: Path) -> None:
    tests = "facts: {tests: {extract: tests, from: tool_results, unreadable: {names: [a, b], failed: 0}}}\n"
    assert load(tmp_path, tests).unreadable["tests.names"] == ("a", "b")
    (tmp_path / "above.yaml").write_text(f"{HEAD}{tests}".replace("mine", "above"), encoding="utf-8")
    for changed, names in (("[c]", ("c",)), ("[]", ())):
        text = HEAD.replace("./base.yaml@^1.2", "./above.yaml@^0.1")
        text += f"facts: {{tests: {{unreadable: {{names: {changed}}}}}}}\n"
        (tmp_path / "below.yaml").write_text(text, encoding="utf-8")
        found = load_policy("below.yaml", base=str(tmp_path)).unreadable
        assert (found["tests.names"], found["tests.failed"], found["said.empty"]) == (names, 0, False)


def test_parameters_and_settings(tmp_path: Path) -> None:
    mine = load(tmp_path, "parameters: {limit: {default: 5}}\n")
    assert (mine.parameters["limit"].value, mine.parameters["limit"].high, mine.lookback) == (5, 9, 5)
    mine = load(tmp_path, "profiles: {strict: {limit: 4}}\n", profile="strict")
    assert mine.values() == {"limit": 4, "share": 90}
    mine = load(tmp_path, "", profile="strict", settings={"share": "12.5%"})
    assert mine.values() == {"limit": 2, "share": 12.5}
    assert str(mine.parameters["share"].place) == "<command line>:1:1"
    assert str(mine.parameters["limit"].place) == "base.yaml:18:28"


def test_conditions_and_invariants(tmp_path: Path) -> None:
    mine = load(tmp_path, "conditions: {plan_done: {when: {all: [tasks.open == 0, said.length > 0]}}}\n"
                "invariants: [{id: mine, given: '@plan_done', never: halted}]\n")  # fmt: skip
    assert mine.conditions["plan_done"].op == "and"
    assert [(i.id, i.claim, i.verdict) for i in mine.invariants] == [
        ("breaker_wins", "always", "EXIT"), ("mine", "never", "halted"),
    ]  # fmt: skip


def test_only_what_is_named_is_extracted(tmp_path: Path) -> None:
    assert [e.prefix for e in load(tmp_path, "").extractions] == ["tasks", "said", "circuit"]
    mine = load(
        tmp_path, "otherwise: {continue: true, because: '{clock.elapsed}'}\ncircuit: {from: state.json}\n"
    )
    assert [e.prefix for e in mine.extractions] == ["tasks", "said", "circuit", "clock"]
    assert options(mine, "circuit") == {"path": "state.json"}


def test_the_digest_is_of_what_was_read(tmp_path: Path) -> None:
    one = load(tmp_path, "").digest
    assert load(tmp_path, "").digest == one
    assert load(tmp_path, "# a comment\n").digest != one
    assert load(tmp_path, "", settings={"limit": "4"}).digest != one
    (tmp_path / "other").mkdir()
    assert load(tmp_path / "other", "").digest == one


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"limt": "3"}, "EP468 there is no parameter `limt`"),
        ({"limit": "10"}, "EP469 the value of `limit` is above its `max` 9"),
        ({"limit": "three"}, "EP469 `limit`: `three` is not a count"),
        ({"share": "101"}, "EP469 `share`: `101` is not a percentage"),
        ({"share": "1e999"}, "EP469 `share`: `1e999` is too large"),
    ],
)
def test_bad_settings(tmp_path: Path, settings: dict[str, str], told: str) -> None:
    with pytest.raises(ExitgateError, match=told) as caught:
        load(tmp_path, "", settings=settings)
    assert all(found.help for found in caught.value.diagnostics)


def test_an_unknown_profile(tmp_path: Path) -> None:
    with pytest.raises(ExitgateError, match="EP478") as caught:
        load(tmp_path, "", profile="strickt")
    assert caught.value.diagnostics[0].help == "did you mean `strict`?"


def test_a_comment_close_to_a_condition_is_a_warning(tmp_path: Path) -> None:
    mine = load(tmp_path, "rules:\n  - id: new\n    when: said.empty #and more\n    warn: true\n")
    (found,) = mine.warnings
    assert (found.code, str(found.place), found.severity) == ("EP113", "mine.yaml:7:22", "warning")  # type: ignore[attr-defined]


@each(
    ("change", "key", "value"),
    [
        ("because: Enough", "because", "Enough"),
        ("advice: Go on", "advice", "Go on"),
        ("outcome: all_done", "outcome", "all_done"),
        ("exit: review", "cls", "review"),
        ("when: tasks.open == 0 and tasks.total > 3", "text", "tasks.open == 0 and tasks.total > 3"),
        ("mode: shadow", "mode", "shadow"),
    ],
)
def test_one_key_of_an_inherited_rule(tmp_path: Path, change: str, key: str, value: str) -> None:
    load(tmp_path, "")
    base = load_policy("./base.yaml", base=str(tmp_path)).rules
    mine = load(tmp_path, f"rules: [{{id: done, {change}}}]").rules
    assert [rule.id for rule in mine] == [rule.id for rule in base]
    old, new = base[1], mine[1]
    for name in ("text", "exit", "because", "advice", "outcome", "mode"):
        if hasattr(old, name) and name != key:
            assert getattr(old, name) == getattr(new, name), name
    assert old != new


@each(
    ("rule", "code", "said"),
    [
        ("{id: dnoe, because: text}", "EP202", "did you mean `done`?"),
        ("{id: other, because: text}", "EP202", "inherited rules: `breaker`, `done`, `stale`"),
        ("{id: breaker, because: text}", "EP458", "set parameters instead"),
        ("{id: done, exit: stuck, warn: true}", "EP209", "keep one"),
        ("{id: done, because: '{nosuch}'}", "EP462", ""),
        ("{id: done, replace: true, because: text}", "EP202", "add `when: CONDITION`"),
    ],
)
def test_a_change_that_cannot_be(tmp_path: Path, rule: str, code: str, said: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        load(tmp_path, f"rules: [{rule}]")
    assert caught.value.diagnostics[0].code == code
    assert said in caught.value.diagnostics[0].help
