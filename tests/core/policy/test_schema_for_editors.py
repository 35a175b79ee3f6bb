"""An editor that knows only the JSON Schema complains about what the loader refuses for its shape."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from jsonschema import Draft202012Validator

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.yaml.document import load_yaml

HEAD = "policy: p\nformat: 1\nversion: 1.0.0\nfacts: {tasks: {extract: checklist}}\n"
RULE = "rules: [{{id: a, when: tasks.done > 3, {}}}]\n"
WITH = "rules: []\n"

#: What stands behind the head, and the code that the loader refuses it with.
WRONG = [
    ("title: neither rules nor a policy to extend\n", "EP202"),
    ("rules: [{id: a, when: tasks.done > 3}]\n", "EP209"),
    ("rules: [{id: a, exit: complete}]\n", "EP202"),
    (RULE.format("exit: complete, warn: true"), "EP209"),
    (RULE.format("exit: complete, continue: true, warn: true"), "EP209"),
    ("extends: bb3@^2\nrules: [{id: stagnation, exit: stuck, warn: true}]\n", "EP209"),
    (RULE.format("exit: review, on_silence: exit"), "EP457"),
    (RULE.format("warn: true, on_silence: exit, why: so"), "EP209"),
    (RULE.format("warn: true, until: next week"), "EP477"),
    (RULE.format("disabled: true"), "EP457"),
    (RULE.format("disabled: true, why: so, exit: complete"), "EP209"),
    (WITH + "invariants: [{id: i, given: tasks.done > 3}]\n", "EP202"),
    (WITH + "invariants: [{id: i, given: tasks.done > 3, always: exit, never: exit}]\n", "EP209"),
    (WITH + "parameters: {kind: {type: enum, default: ONE}}\n", "EP202"),
    (WITH + "parameters: {limit: {type: money, default: 5 USD}}\n", "EP202"),
    (WITH + "parameters: {limit: {type: count}}\n", "EP202"),
    (WITH + "parameters: {limit: {default: 3}}\n", "EP202"),
]

RIGHT = [
    RULE.format("warn: true, until: 2027-03-01"),
    RULE.format("exit: review, on_silence: exit, why: so"),
    WITH + "invariants: [{id: i, given: tasks.done > 3, always: exit}]\n",
    WITH + "parameters: {kind: {type: enum, default: ONE, members: [ONE, OTHER]}}\n",
    "extends: bb3@^2\nrules: [{id: stagnation, disabled: true, why: so}]\n",
    'extends: bb3@^2\nrules: [{id: stagnation, because: "too little"}]\n',
    "extends: bb3@^2\nrules: [{id: stagnation, mode: shadow}]\n",
    "extends: bb3@^2\nparameters: {min_confidence: {default: 60}}\n",
]


def complaints(text: str) -> list[str]:
    plain = load_yaml(text, "p.yaml").root.plain()
    return [error.message for error in Draft202012Validator(shipped.schema("policy")).iter_errors(plain)]


@each(("text", "code"), WRONG)
def test_editor_and_loader_refuse_it(text: str, code: str, tmp_path: Path) -> None:
    assert complaints(HEAD + text)
    (tmp_path / "p.yaml").write_text(HEAD + text)
    with pytest.raises(ExitgateError) as caught:
        load_policy("./p.yaml", base=str(tmp_path))
    assert {found.code for found in caught.value.diagnostics} == {code}


@pytest.mark.parametrize("text", RIGHT)
def test_neither_minds(text: str, tmp_path: Path) -> None:
    head = HEAD.replace("facts: {tasks: {extract: checklist}}\n", "") if "extends" in text else HEAD
    assert complaints(head + text) == []
    (tmp_path / "p.yaml").write_text(head + text)
    load_policy("./p.yaml", base=str(tmp_path))


@each("name", shipped.policies())
def test_shipped_policies_are_right_for_editors(name: str) -> None:
    assert complaints(Path(shipped.path(name)).read_text(encoding="utf-8")) == []
