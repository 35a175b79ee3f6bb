"""Compiled policies through JSON and back, without yaml or lark."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each

from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.serialized import STORED, policy_from, text_of

FULL = """\
policy: full
format: 1
version: 1.0.0
parameters:
  flag: {type: bool, default: true}
  wait: {type: duration, default: 90m, min: 1m, max: 1d}
  budget: {type: money, currency: USD, default: 5 USD}
  mood: {type: enum, members: [good, bad], default: Good}
  words: {type: list, default: [one, two]}
  many: {type: count, default: 7}
facts:
  tasks: {extract: checklist, unreadable: {done: 0}}
  tests: {extract: tests, from: tool_results, unreadable: {names: [a, "b, c"]}}
  score: {points: [{when: tasks.done > 3, add: 10}], range: [0, 100]}
  share: {formula: 100 * tasks.done / tasks.total, type: percent}
conditions: {late: clock.elapsed > $wait}
rules:
  - id: late
    when: "@late or (run.cost > $budget and $flag)"
    exit: exhausted
    because: "{clock.elapsed} of {$wait}"
    advice: "hurry: {share or else 'no plan'}"
    escalation: "{score} {history(share, last 3)} {history(tasks.done, last $many)}"
    mode: shadow #x
  - {id: low, when: "share < 3%", warn: true, stage: before_iteration}
undetermined: {exit_after: 4}
invariants: [{id: i, given: nothing is known, never: exit}]
"""


@each("name", [*shipped.policies(), "full"])
def test_round_trip(name: str, tmp_path: Path) -> None:
    reference = name
    if name == "full":
        reference = str(tmp_path / "full.yaml")
        Path(reference).write_text(FULL, encoding="utf-8")
    policy = load_policy(reference)
    again = policy_from(text_of(policy))
    assert again == policy
    assert again.values() == policy.values()


def test_values_of_every_type(tmp_path: Path) -> None:
    (tmp_path / "full.yaml").write_text(FULL, encoding="utf-8")
    policy = load_policy("full.yaml", base=str(tmp_path))
    assert policy.values() == {
        "flag": True,
        "wait": 5400,
        "budget": 5,
        "mood": "GOOD",
        "words": ("one", "two"),
        "many": 7,
    }
    assert policy.lookback == 6  # a message lists the last seven
    assert load_policy("full.yaml", base=str(tmp_path), settings={"many": "2"}).lookback == 2
    assert (policy.parameters["wait"].low, policy.parameters["wait"].high) == (60, 86400)
    changed = load_policy("full.yaml", base=str(tmp_path), settings={
        "flag": "false", "wait": "1h30m", "budget": "2.50 USD", "mood": "bad", "words": "[x, y z]",
    })  # fmt: skip
    assert changed.values() == {
        "flag": False,
        "wait": 5400,
        "budget": 2.5,
        "mood": "BAD",
        "words": ("x", "y z"),
        "many": 7,
    }


def test_another_form_is_refused() -> None:
    text = text_of(load_policy("bb3"))
    with pytest.raises(ValueError, match=f"form {STORED - 1}"):
        policy_from(text.replace(b'"stored":%d' % STORED, b'"stored":%d' % (STORED - 1)))


BANNED = ["yaml", "lark", "jsonschema", "simpleeval", "dataclasses", "typing", "logging", "pathlib", "enum"]
CODE = """
import json, sys
from exitgate.core.policy.serialized import policy_from
policy_from(open(sys.argv[1], "rb").read())
print(json.dumps(sorted(set(sys.modules))))
"""


def test_reading_needs_neither_yaml_nor_lark(tmp_path: Path) -> None:
    stored = tmp_path / "p.json"
    stored.write_bytes(text_of(load_policy(shipped.policies()[0])))
    command = [sys.executable, "-S", "-c", CODE, str(stored)]
    source = {"PYTHONPATH": str(Path(shipped.__file__).parents[3])}
    done = subprocess.run(command, capture_output=True, text=True, env=source, check=True)
    bare = [sys.executable, "-S", "-c", "import json, sys; print(json.dumps(sorted(set(sys.modules))))"]
    plain = subprocess.run(bare, capture_output=True, text=True, check=True)
    added = set(json.loads(done.stdout)) - set(json.loads(plain.stdout))
    assert "exitgate.core.policy.serialized" in added
    assert added & set(BANNED) == set()
