"""A shadowed rule is found in a policy of many rules as in one of few, and the reason is the true one."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_examples import DEFAULT

from exitgate.analysis.lint import run
from exitgate.analysis.lint.loader import open_subject
from exitgate.analysis.space.slices import MANY

#: An earlier condition, a later one that is true only where it is, and whether many rules read the same fact.
SHADOWED = [
    ("tasks.done unchanged for 3 iterations", "tasks.done unchanged for 5 iterations"),
    ("a", "(a) for 3 consecutive iterations"),
    ("a", "a and b"),
    ("k > 50", "k > 60"),
    ("a is known", "not a"),
    ("tasks.percent >= 50%", "tasks.done >= 3 and tasks.total <= 4"),
]
#: Rules that read one fact, or two facts that others read, too.
FILLERS = ("k is {n}", "k is {n} and m is {m}")


def policy(rules: list[str], stage: str = "after_iteration") -> str:
    text = (
        "policy: x\nformat: 1\nversion: 1.0.0\ntitle: x\ngiven:\n  k: {type: count, doc: d}\n"
        "  m: {type: count, doc: d}\n  a: {type: bool, doc: d}\n  b: {type: bool, doc: d}\n"
        "facts:\n  tasks: {extract: checklist, from: plan}\nrules:\n"
    )
    lines = [
        f"  - {{id: r{n}, when: '{when}', exit: stuck, stage: {stage}, because: x}}"
        for n, when in enumerate(rules)
    ]
    return text + "\n".join(lines) + "\notherwise: continue\n"


def found(folder: Path, text: str) -> list[str]:
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    subject = open_subject(str(folder / "policy.yaml"), DEFAULT).subject
    assert subject is not None
    return [one.finding.message for one in run.lint(subject, run.chosen(("shadowed-rule",), (), "note"))]


@pytest.mark.parametrize("filler", FILLERS)
@pytest.mark.parametrize(("first", "second"), SHADOWED)
def test_fillers_hide_no_shadowed_rule(first: str, second: str, filler: str, tmp_path: Path) -> None:
    told = ["rule `r1` never decides: `r0` before it is true whenever it is"]
    for count in (1, MANY + 2):
        rules = [first, second, *(filler.format(n=n - 100, m=n % 7) for n in range(200, 200 + count))]
        if first == "k > 50":
            rules = [*rules[:2], *(f"m is {n}" for n in range(count))]
        assert found(tmp_path, policy(rules)) == told, count


@pytest.mark.parametrize(
    ("when", "stage", "why"),
    [
        ("run.agent_exit > 0", "after_iteration", "it is true only where the agent failed, and a check"),
        ("run.failed is false", "after_failure", "it is never true where the agent failed; only then a"),
    ],
)
def test_a_rule_behind_none_is_not_said_to_be_behind_some(
    when: str, stage: str, why: str, tmp_path: Path
) -> None:
    [told] = found(tmp_path, policy([when], stage))
    assert told.startswith(f"rule `r0` never decides: {why}")
