"""Every claim of the threat model names a test that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from cases import each

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/explanation/threat-model.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_/]+/test_\w+\.py)(?:::(\w+))?`", PAGE)))


@each(("file", "function"), NAMED)
def test_a_named_test_exists(file: str, function: str) -> None:
    path = ROOT / "tests" / file
    assert path.is_file()
    if function:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_security_test_is_named() -> None:
    named = {file for file, _ in NAMED}
    files = {f"security/{path.name}" for path in Path(__file__).parent.glob("test_*.py")}
    assert files - named - {"security/test_threat_model.py"} == set()


def test_a_row_without_a_test_is_none() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and line.count("|") == 4]
    heads = ("| cannot ", "| claim ", "| who ")
    assert len(rows) >= 20
    assert all("test_" in row for row in rows if not row.startswith(heads))
