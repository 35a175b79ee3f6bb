"""A value that YAML ends at a comma, and an expression in a message: what is said, and that it helps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import each

from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.policy.compile import load_policy

HEAD = """\
policy: p
format: 1
version: 1.0.0
title: P
facts: {tasks: {extract: checklist, from: plan}MORE}
rules:
"""
CUT = (
    "when: max(tasks.done, 3) > 2",
    "when: max(tasks.done, min(tasks.total, 3)) > 2",
    "when: count(tasks.complete, last 3) >= 2",
    "when: percentile(tasks.done, 95, last 5) > 3",
    "when: max(tasks.done, 3, 3, tasks.total) > 2",
    "when: max(tasks.done, tasks.done, 1.5) > 2",
    "because: done (a, 95, true, b) as asked, 7, or more",
    "because: all done, with nothing left",
    "because: done, all of it, and more",
    "advice: don't stop, go on",
)
SLOTS = ("max(tasks.done, 3)", "tasks.done + 1", "tasks.done > 3", "sum(tasks.done, last 5)", "-tasks.done")


def told(text: str, folder: Path) -> tuple[Diagnostic, ...]:
    """What is wrong with a policy."""
    path = folder / "p.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        load_policy(str(path))
    except ExitgateError as error:
        return tuple(error.diagnostics)
    return ()


@each("cut", CUT)
def test_a_comma_in_braces_is_told_and_quotes_help(cut: str, tmp_path: Path) -> None:
    rule = {"when": "when: tasks.complete", "exit": "exit: complete", "because": "because: done"}
    rule[cut.partition(":")[0]] = cut
    text = HEAD.replace("MORE", "") + "  - {id: a, " + ", ".join(rule.values()) + "}\n"
    (found,) = told(text, tmp_path)
    assert found.code == ("EP114" if cut.startswith("when") else "EP201")
    assert found.place is not None
    assert str(found.place).endswith(f":7:{text.splitlines()[6].index(', ' + cut.split(', ')[1]) + 3}")
    (right,) = re.findall(r"in quotes: `(.*)`$", found.help)
    assert told(text.replace(cut, right), tmp_path) == ()


@each(
    "cut",
    [
        "rules: [{id: a, when: {all: [tasks.complete, max(tasks.done, 3, 3) > 2]}, continue: true}]",
        "rules: [{id: a, when: {not: max(tasks.done, 3) > 2}, continue: true, because: x}]",
        "conditions: {a: percentile(tasks.done, 95, last 5) > 2, b: tasks.complete}\nrules: []",
        "circuit: {open: [{id: x, when: tasks.stalled}], close: max(tasks.done, 5) > 3}\nrules: []",
        'rules: [{id: a, when: max(tasks.done, (3 + 4) * 2, length("it\'s, (so")) > 2, continue: true}]',
    ],
)
def test_a_comma_in_parentheses_is_told_wherever_a_condition_is(cut: str, tmp_path: Path) -> None:
    head = HEAD.replace("MORE", "").removesuffix("rules:\n")
    (found,) = (one for one in told(head + cut, tmp_path) if one.code != "EP401")
    assert found.code == "EP114"
    (right,) = re.findall(r"in quotes: `(.*)`$", found.help)
    bare = right.replace("''", "'").replace("'", "", 1)[:-1]
    assert bare in cut
    assert [one.code for one in told(head + cut.replace(bare, right), tmp_path) if one.code != "EP401"] == []


def test_a_key_without_a_value_elsewhere_is_an_unknown_key(tmp_path: Path) -> None:
    text = HEAD.replace("MORE", "") + '  - {id: a, when: "tasks.complete", exit: complete, becuase: }\n'
    assert [(one.code, one.help) for one in told(text, tmp_path)] == [("EP201", "did you mean `because`?")]


@each("slot", SLOTS)
def test_an_expression_in_a_message_becomes_a_fact(slot: str, tmp_path: Path) -> None:
    text = HEAD + f'  - {{id: a, when: tasks.complete, exit: complete, because: "so {{{slot}}}"}}\n'
    (found,) = told(text.replace("MORE", ""), tmp_path)
    assert (found.code, found.message) == ("EP462", f"a message names facts; `{slot}` is an expression")
    declared, written = re.findall(r"declare `(.*)` under `facts:`, and write `\{(.*)\}` here", found.help)[0]
    assert (
        told(text.replace("MORE", f", {declared}").replace(f"{{{slot}}}", f"{{{written}}}"), tmp_path) == ()
    )


@pytest.mark.parametrize(("slot", "kind"), [("@done", "a condition"), ("70%", "a value")])
def test_what_else_is_in_braces(slot: str, kind: str, tmp_path: Path) -> None:
    text = HEAD + f'  - {{id: a, when: tasks.complete, exit: complete, because: "so {{{slot}}}"}}\n'
    (found,) = told(text.replace("MORE", ""), tmp_path)
    assert found.message == f"a message names facts; `{slot}` is {kind}"
