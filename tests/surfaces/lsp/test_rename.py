"""Names changed everywhere, or not at all, with the reason."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from workspace import BASE, FILES, cursor, page

from exitgate.analysis.edits import apply
from exitgate.core.model.diagnostic import ERROR
from exitgate.core.policy.compile import load_policy
from exitgate.surfaces.lsp.diagnostics import diagnose
from exitgate.surfaces.lsp.references import Refused, renamable, rename
from exitgate.testing.cases.load import load_file


def renamed(root: Path, name: str, around: str, new: str) -> dict[str, str]:
    """Rename, write the files, and return the texts that changed."""
    here = page(root, name)
    at = cursor(here.text, around)
    start, end = renamable(here, at)
    assert start <= at <= end
    changed = {}
    for path, edits in rename(here, at, new).edits.items():
        file = Path(path)
        file.write_text(apply(file.read_text(encoding="utf-8"), edits), encoding="utf-8")
        changed[os.path.relpath(path, os.path.realpath(root))] = file.read_text(encoding="utf-8")
    for other in FILES:
        beside = page(root, other)
        assert not [
            d for d in diagnose(beside.kind, beside.path, beside.text, beside.desk) if d.severity == ERROR
        ]
    return changed


@pytest.mark.parametrize(
    ("name", "around", "old", "new", "files"),
    [
        ("base/policy.yaml", "tasks.percent >= $go│al", "goal", "target", 3),
        ("base/policy.yaml", "  lo│ops: {type", "loops", "standing", 2),
        ("base/policy.yaml", "  tas│ks: {extract", "tasks", "plan.items", 3),
        ("base/policy.yaml", "not (err│ors.count", "errors", "failures", 2),
        ("base/policy.yaml", '"@fini│shed and', "finished", "through", 2),
        ("base/policy.yaml", "  - id: eno│ugh", "enough", "plan-done", 2),
        ("base/policy.yaml", "  - id: bro│ken", "broken", "open_breaker", 1),
        ("base/policy.yaml", "{list: la│ter}", "later", "optional", 1),
        ("base/tests.yaml", "set: {go│al", "goal", "target", 3),
        (".bb3/config.yaml", "    sti│ll:", "still", "standstill", 3),
    ],
)
def test_every_file_follows(name: str, around: str, old: str, new: str, files: int, root: Path) -> None:
    before = {file: (root / file).read_text() for file in FILES}
    rules = [rule.id for rule in load_policy(str(root / "base/policy.yaml")).rules]
    changed = renamed(root, name, around, new)
    assert len(changed) == files
    for file, text in changed.items():
        assert text.count(new) > before[file].count(new)
    after = load_policy(str(root / "base/policy.yaml"))
    assert [rule.id for rule in after.rules] == [new if rule == old else rule for rule in rules]
    suite = load_file(str(root / "base/tests.yaml"))
    assert len(suite.cases) == 3


def test_words_that_only_look_alike_stay(root: Path) -> None:
    text = renamed(root, "base/policy.yaml", "  - id: sti│ll", "standstill")["base/policy.yaml"]
    assert "doc: Iterations of standing still." in text
    text = renamed(root, "base/policy.yaml", "  go│al: {type", "later")["base/policy.yaml"]
    assert "  later: [Later, Someday]" in text


REFUSED = [
    ("child/policy.yaml", "and @fini│shed", "x", "declared in `../base/policy.yaml`; rename it there"),
    ("child/policy.yaml", "  lo│ops: {default", "x", "declared in `../base/policy.yaml`; rename it there"),
    ("child/policy.yaml", "before: sti│ll", "x", "rename it there"),
    ("base/policy.yaml", "circ│uit.state is", "x", "always there"),
    ("base/policy.yaml", "errors.co│unt > 3", "x", "`errors.count` is given by the extractor"),
    ("base/policy.yaml", "extract: check│list", "x", "not a name that a policy declares"),
    ("base/policy.yaml", "ver│sion:", "x", "no name of a fact"),
    ("base/policy.yaml", "  go│al: {type", "Goal", "not a valid name"),
    ("base/policy.yaml", "  go│al: {type", "go-al", "not a valid name"),
    ("base/policy.yaml", "  go│al: {type", "", "not a valid name"),
    ("base/policy.yaml", "  go│al: {type", "loops", "`$loops` already exists"),
    ("base/policy.yaml", "  go│al: {type", "mode", "key of a project's settings"),
    ("base/policy.yaml", "  tas│ks: {extract", "clock", "always there"),
    ("base/policy.yaml", "  tas│ks: {extract", "between", "word of the language"),
    ("base/policy.yaml", "  - id: sti│ll", "enough", "`enough` already exists"),
]


@pytest.mark.parametrize(("name", "around", "new", "reason"), REFUSED)
def test_what_cannot_be_renamed_says_why(name: str, around: str, new: str, reason: str, root: Path) -> None:
    here = page(root, name)
    with pytest.raises(Refused, match=re.escape(reason)):
        rename(here, cursor(here.text, around), new)


def test_a_locked_rule_of_a_parent_is_called_so(root: Path) -> None:
    text = (root / "child/policy.yaml").read_text().replace("before: still", "after: broken")
    here = page(root, "child/policy.yaml", text)
    with pytest.raises(Refused, match=r"`broken` is a locked rule in"):
        renamable(here, cursor(text, "after: bro│ken"))


def test_names_of_a_shipped_policy_stay(root: Path) -> None:
    text = "exit_decision:\n  policy: bb3\n  min_completion: 90\n"
    here = page(root, ".bb3/config.yaml", text)
    with pytest.raises(Refused, match="does not belong to the workspace"):
        renamable(here, cursor(text, "min_com│pletion"))


def test_an_entry_that_is_the_name_of_its_source_takes_it_along(root: Path) -> None:
    policy = BASE.replace(
        "  moved:", "  stories: {extract: json_file, file: prd.json, items: list, value: ok}\n  moved:"
    )
    policy = policy.replace("circuit.state is OPEN", "stories.open is known and circuit.state is OPEN")
    tests = 'format: 1\ntests:\n  - name: a\n    sources: {stories: "{}"}\n    expect: {verdict: CONTINUE}\n'
    (root / "base/policy.yaml").write_text(policy)
    (root / "base/tests.yaml").write_text(tests)
    changed = renamed(root, "base/policy.yaml", "  stor│ies: {extract", "tales")
    assert 'sources: {tales: "{}"}' in changed["base/tests.yaml"]
    assert "tales.open is known" in changed["base/policy.yaml"]


def test_a_broken_file_elsewhere_does_not_forbid_it(root: Path) -> None:
    (root / "child/policy.yaml").write_text("policy: child\nextends: ../base/policy.yaml\nrules: 'x\n")
    here = page(root, "base/policy.yaml")
    assert rename(here, cursor(BASE, "  go│al: {type"), "target").edits
