"""A page that a message names is there for somebody who only installed the package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from exitgate.cli.main import COMMANDS
from exitgate.reference.index import known_ids, text_of, within

SOURCE = Path(__file__).parents[2] / "src/exitgate"
#: A file of the documentation: no wheel holds these folders.
PAGE = re.compile(r"\b(?:docs|how-to|explanation|tutorials|decisions|reference)/[a-z0-9./-]*\.md\b")
#: A page that is asked of the program: an id, or a placeholder for one.
ASKED = re.compile(r"`exitgate explain ([A-Za-z][\w.-]*)`")
PLACEHOLDERS = {"ID", "CODE", "EXTRACTOR", "N"}
#: What makes the pages and schemas, for the checkout.
OF_THE_CHECKOUT = (
    "reference/",
    "reference/diagnostics.py",
    "reference/diagnostics.py",
    "report/policy/lint.py",
    "cli/commands/new.py",
)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts of a module that are not docstrings, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {id(n.body[0].value) for n in ast.walk(tree) if isinstance(n, documented) and n.body
            and isinstance(n.body[0], ast.Expr)}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


@cache
def every_text() -> list[tuple[str, str]]:
    """Return each text that may name a page or a command, with its place."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = str(path.relative_to(SOURCE))
        raw = path.read_text(encoding="utf-8")
        if not name.startswith(OF_THE_CHECKOUT) and (".md" in raw or "`exitgate " in raw):
            found += [(f"{name}:{line}", text) for line, text in texts(path)]
    return found


def named(pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    return [(place, hit) for place, text in every_text() for hit in pattern.findall(text)]


def test_no_message_names_a_file_of_the_documentation() -> None:
    assert not named(PAGE)
    assert PAGE.search("see `docs/how-to/telemetry.md`")


def test_every_id_that_a_message_tells_to_explain_has_a_page() -> None:
    found = named(ASKED)
    assert found
    assert [one for one in found if one[1] not in PLACEHOLDERS and one[1] not in known_ids()] == []


def test_no_page_that_is_printed_leads_out_of_the_shipped_ones() -> None:
    entries = {one.page: one for some in known_ids().values() for one in some if not one.heading}
    assert len(entries) > 300
    for page, entry in entries.items():
        assert "](../../" not in within(text_of(entry), page).replace("](../../reference/", ""), page
    assert within("[a](../../how-to/a.md) [b](../b.md)", "diagnostics/E.md") == "a [b](../b.md)"


def test_every_command_that_a_message_names_is_one() -> None:
    found = named(re.compile(r"`exitgate ([a-z][a-z-]*)[ `]"))
    assert len(found) > 50
    assert [one for one in found if one[1] not in (*COMMANDS, "help")] == []
