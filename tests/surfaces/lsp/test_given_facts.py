"""Given facts in the editor: offered, explained, found and renamed like any other."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspace import cursor, cut, page

from exitgate.surfaces.lsp.completion.complete import complete
from exitgate.surfaces.lsp.hover import hover
from exitgate.surfaces.lsp.references import definitions, rename
from exitgate.surfaces.lsp.symbols import FACT, symbols

POLICY = """\
policy: base
format: 1
version: 1.2.0
given:
  deploy.approved: {type: bool, doc: A person has approved.}
  stage: {type: enum, members: [DEV, PROD], unreadable: DEV}
rules:
  - id: go
    when: deploy.approved and stage is PROD
    exit: complete
    because: "{stage}"
"""
NAME = "base/policy.yaml"


@pytest.mark.parametrize(
    ("marked", "wanted"),
    [
        (POLICY.replace("when: deploy", "when: de│ploy"), "deploy.approved"),
        (POLICY.replace("  stage: {type: enum", "  stage: {type: │enum"), "percent"),
        (POLICY.replace("  stage: {", "  more: {│}\n  stage: {"), "range"),
        (POLICY.replace("given:\n", "giv│\n"), "given"),
    ],
)
def test_offered(root: Path, marked: str, wanted: str) -> None:
    text, at = cut(marked)
    assert wanted in {item.label for item in complete(page(root, NAME, text), at).items}


def test_explained(root: Path) -> None:
    here = page(root, NAME, POLICY)
    found = hover(here, cursor(POLICY, "when: deploy.ap│proved"))
    assert found is not None
    assert "deploy.approved: bool" in found.text
    assert "A person has approved." in found.text
    assert "`--fact deploy.approved=VALUE`" in found.text


def test_found_and_outlined(root: Path) -> None:
    here = page(root, NAME, POLICY)
    (use,) = definitions(here, cursor(POLICY, "when: deploy.ap│proved"))
    assert POLICY[use.at.start : use.at.end] == "deploy.approved"
    assert use.at.start == POLICY.index("deploy.approved")
    (section,) = [one for one in symbols(here) if one.name == "given"]
    assert [(one.name, one.kind, one.detail) for one in section.below] == [
        ("deploy.approved", FACT, "bool"), ("stage", FACT, "enum"),
    ]  # fmt: skip


def test_renamed_where_it_is_declared_and_used(root: Path) -> None:
    (root / NAME).write_text(POLICY)
    here = page(root, NAME, POLICY)
    edits = rename(here, cursor(POLICY, "and sta│ge is"), "phase").edits
    changed = {path: len(some) for path, some in edits.items() if path.endswith(NAME)}
    assert list(changed.values()) == [3]
