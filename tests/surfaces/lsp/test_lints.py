"""Which lints are left to the command line while somebody types."""

from __future__ import annotations

import ast
from pathlib import Path

from steps import Steps
from workspace import BASE, page

from exitgate.analysis.lint import registry
from exitgate.core.policy.remembered import REMEMBERED
from exitgate.surfaces.lsp.diagnostics import DEEP, lints

WALKS = ("exitgate.analysis.walk.queries", "exitgate.analysis.walk", "exitgate.analysis.lint.queries")


def test_every_lint_that_asks_for_all_inputs_is_left_out() -> None:
    asking = set()
    for id_ in registry.IDS:
        tree = ast.parse(Path(str(registry.load(id_).__file__)).read_text(encoding="utf-8"))  # type: ignore[attr-defined]
        modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        if any(module.startswith(WALKS) for module in modules):
            asking.add(id_)
    assert asking == DEEP


def test_findings_are_those_of_the_text_that_is_shown(root: Path) -> None:
    def ids(text: str) -> set[str]:
        return {one.lint for one in lints(page(root, "base/policy.yaml", text), "2027-03-01")}

    assert "missing-because" not in ids(BASE)
    assert "missing-because" in ids(BASE.replace("because: no task was finished", "advice: go on"))
    assert ids(BASE.replace("$goal,", "$gaol,")) == set()
    assert ids("a: [") == set()


def test_files_that_have_no_folder_yet_have_no_findings(root: Path) -> None:
    assert lints(page(root, "not/there/policy.yaml", BASE), "2027-03-01") == ()


def test_they_take_a_moment_only(root: Path) -> None:
    here = page(root, "base/policy.yaml")
    REMEMBERED.forget()  # else the limit could be reached between the two looks
    lints(here, "2027-03-01")
    with Steps(most=100_000):
        lints(here, "2027-03-01")
