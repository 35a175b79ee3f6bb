"""Where names are declared and used, across files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases import each
from pinned import SOURCE, kept, own_store, project
from workspace import BASE, CHILD, cursor, page

from exitgate.core.policy import shipped
from exitgate.surfaces.lsp.document import Document, DocumentCache
from exitgate.surfaces.lsp.references import definitions, names_in, references
from exitgate.surfaces.lsp.workspace import Workspace


def targets(root: Path, name: str, around: str, **others: str) -> list[str]:
    here = page(root, name, None, **others)
    found = []
    for use in definitions(here, cursor(here.text, around)):
        other = here.beside(use.path)
        assert other is not None
        line = other.text[use.at.start :].partition("\n")[0]
        found.append(f"{os.path.relpath(use.path, os.path.realpath(root))}: {line[:20]}")
    return found


@pytest.mark.parametrize(
    ("name", "around", "wanted"),
    [
        ("base/policy.yaml", "tasks.percent >= $go│al", ["base/policy.yaml: goal: {type: percent"[:38]]),
        ("base/policy.yaml", "not (errors.co│unt", ["base/policy.yaml: errors: {extract: er"]),
        ("base/policy.yaml", '"@fini│shed and', ["base/policy.yaml: finished: {when: tas"]),
        ("base/policy.yaml", "{list: la│ter}", ["base/policy.yaml: later: [Later, Somed"]),
        ("base/policy.yaml", "./wo│rds.yaml", ["base/words.yaml: lexicon: words"]),
        ("child/policy.yaml", "and @fini│shed", ["base/policy.yaml: finished: {when: tas"]),
        ("child/policy.yaml", "  lo│ops: {default",
         ["child/policy.yaml: loops: {default: 4}", "base/policy.yaml: loops: {type: count"]),
        ("child/policy.yaml", "before: sti│ll", ["base/policy.yaml: still"]),
        ("child/policy.yaml", "../base/pol│icy.yaml", ["base/policy.yaml: policy: base"]),
        ("child/policy.yaml", "{tasks.op│en}", ["base/policy.yaml: tasks: {extract: che"]),
        ("base/tests.yaml", "rule: eno│ugh, outcome", ["base/policy.yaml: enough"]),
        ("base/tests.yaml", "facts: {tasks.per│cent", ["base/policy.yaml: tasks: {extract: che"]),
        ("base/tests.yaml", "set: {go│al", ["base/policy.yaml: goal: {type: percent"]),
        ("base/tests.yaml", "[name, $go│al,", ["base/policy.yaml: goal: {type: percent"]),
        (".bb3/config.yaml", "  go│al: 90", ["base/policy.yaml: goal: {type: percent"]),
        (".bb3/config.yaml", "    sti│ll:", ["base/policy.yaml: still"]),
        (".bb3/config.yaml", "../base/pol│icy.yaml", ["base/policy.yaml: policy: base"]),
        ("base/policy.yaml", "circuit.sta│te is", []),
        ("base/policy.yaml", "vers│ion:", []),
    ],
)  # fmt: skip
def test_definitions(name: str, around: str, wanted: list[str], root: Path) -> None:
    found = targets(root, name, around)
    assert [one[: len(w)] for one, w in zip(found, wanted, strict=True)] == wanted


def test_a_shipped_parent_is_found(root: Path) -> None:
    text = "policy: x\nformat: 1\nversion: 1.0.0\nextends: bb3@^2\nrules:\n"
    text += "  - {id: a, before: stagnation, when: tasks.done > $max_errors, warn: true}\n"
    here = page(root, "child/policy.yaml", text)
    for around in ("ext│ends: bb3", "before: stag│nation", "tasks.do│ne", "$max_er│rors"):
        found = definitions(here, cursor(text, around))
        assert [use.path for use in found] == ([] if "ends" in around else [shipped.path("bb3")])
    assert [use.path for use in definitions(here, cursor(text, "b│b3@"))] == [shipped.path("bb3")]


def test_a_broken_text_still_leads_to_definitions(root: Path) -> None:
    text = CHILD + "  - id: broken 'one\n    when: [\n"
    here = page(root, "child/policy.yaml", text)
    assert len(definitions(here, cursor(text, "and @fini│shed"))) == 1


def found_uses(root: Path, kind: str, name: str, **others: str) -> dict[str, int]:
    here = page(root, "base/policy.yaml", None, **others)
    count: dict[str, int] = {}
    for use in references(kind, name, here.path, here):
        other = here.beside(use.path)
        assert other is not None
        assert other.text[use.at.start : use.at.end] == name
        short = os.path.relpath(use.path, os.path.realpath(root))
        count[short] = count.get(short, 0) + 1
    return count


def test_uses_in_every_file_that_is_about_the_policy(root: Path) -> None:
    assert found_uses(root, "parameter", "goal") == {
        "base/policy.yaml": 3, "base/tests.yaml": 2, ".bb3/config.yaml": 1,
    }  # fmt: skip
    assert found_uses(root, "entry", "tasks") == {
        "base/policy.yaml": 7, "base/tests.yaml": 4, "child/policy.yaml": 2,
    }  # fmt: skip
    assert found_uses(root, "condition", "finished") == {"base/policy.yaml": 2, "child/policy.yaml": 1}
    assert found_uses(root, "rule", "still") == {
        "base/policy.yaml": 1, ".bb3/config.yaml": 1, "child/policy.yaml": 1,
    }  # fmt: skip


def test_unsaved_texts_are_searched_as_they_are_shown(root: Path) -> None:
    changed = {"child/policy.yaml": CHILD.replace("@finished", "tasks.percent > $goal")}
    assert found_uses(root, "parameter", "goal", **changed)["child/policy.yaml"] == 1
    assert "child/policy.yaml" not in found_uses(root, "condition", "finished", **changed)


def test_a_policy_of_the_same_names_is_not_searched(root: Path) -> None:
    alone = BASE.replace("policy: base", "policy: alone")
    (root / "alone").mkdir()
    (root / "alone" / "policy.yaml").write_text(alone)
    (root / "alone" / "words.yaml").write_text((root / "base" / "words.yaml").read_text())
    assert "alone/policy.yaml" not in found_uses(root, "parameter", "goal")


@each("name", shipped.policies())
def test_every_name_in_a_shipped_policy_is_one_that_the_loader_knows(name: str) -> None:
    path = shipped.path(name)
    here = Document(path, Path(path).read_text(encoding="utf-8"), Workspace({}), DocumentCache())
    known = here.known()
    assert known is not None
    names = {
        "fact": known.facts, "parameter": known.parameters, "condition": known.conditions,
        "rule": known.rules, "entry": known.prefixes(), "list": known.section("lists"),
    }  # fmt: skip
    found = [use for use in names_in(here) if use.kind in names and use.name != "true"]
    assert len(found) > 20
    assert [use for use in found if use.name not in names[use.kind]] == []
    assert all(here.text[use.start : use.end] == use.name for use in found)


def test_a_parent_from_elsewhere_is_found_in_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = own_store(tmp_path, monkeypatch)
    entry = kept()
    here = project(tmp_path / "p", [entry])
    text = f"policy: x\nformat: 1\nversion: 1.0.0\nextends: {SOURCE}@^2/strict\nrules:\n"
    text += "  - {id: mine, before: done, when: tasks.percent >= $goal, exit: review}\n"
    wanted = str(store / f"sha256-{entry.digest}/strict.yaml")
    for around, first in (
        ("before: do│ne", "done, when"),
        ("$go│al", "goal: {type"),
        ("tasks.per│cent", "tasks: {"),
        ("@^2/str│ict", "policy: strict"),
    ):
        one = page(here, "x.yaml", text)
        (found,) = definitions(one, cursor(one.text, around))
        other = one.beside(found.path)
        assert other is not None
        assert found.path == wanted
        assert other.text[found.at.start :].startswith(first)
