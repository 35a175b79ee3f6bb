"""Words, phrases and patterns live in `policies/`, never in Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

FACTS = Path(__file__).parents[2] / "src" / "exitgate" / "core" / "facts"
FILES = sorted(FACTS.rglob("*.py"))
WORD_LIST = 3
SEARCHES = {"find", "rfind", "index", "count", "startswith", "endswith", "split", "partition", "replace"}
COMPILERS = {"compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "Add"}


def _schema_spans(tree: ast.Module) -> list[tuple[int, int]]:
    """Return the line ranges of OPTIONS, specs and __slots__: names for machines, docs for people."""
    named = {"OPTIONS", "__slots__", "__all__"}
    spans = []
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names = {t.id for t in targets if isinstance(t, ast.Name)}
        if isinstance(node, ast.Assign | ast.AnnAssign) and names & named:
            spans.append((node.lineno, node.end_lineno or node.lineno))
    return spans


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isalpha()


def word_lists(source: str) -> Iterator[int]:
    """Yield the lines of literals that hold several lower-case words."""
    tree = ast.parse(source)
    spans = _schema_spans(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.List | ast.Tuple | ast.Set):
            continue
        words = [e for e in node.elts if _is_word(e) and e.value.islower()]  # type: ignore[attr-defined]
        inside = any(a <= node.lineno <= b for a, b in spans)
        if len(words) >= WORD_LIST and not inside:
            yield node.lineno


def searched_words(source: str) -> Iterator[int]:
    """Yield the lines where text is searched for a literal word."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        wanted = node.args[0]
        if node.func.attr in SEARCHES and _is_word(wanted) and len(wanted.value) >= WORD_LIST:  # type: ignore[attr-defined]
            yield node.lineno


def patterns(source: str) -> Iterator[int]:
    """Yield the lines where a literal is handed to a pattern engine."""
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner = node.func.value
        engine = isinstance(owner, ast.Name) and owner.id in {"re", "re2"}
        literal = any(isinstance(a, ast.Constant | ast.JoinedStr) for a in node.args)
        if node.func.attr in COMPILERS and engine and literal:
            yield node.lineno


@pytest.mark.parametrize("search", [word_lists, searched_words, patterns], ids=lambda one: one.__name__)
def test_facts_hold_no_language(search: Callable[[str], Iterator[int]]) -> None:
    files = [path for path in FILES if search is not patterns or path.name != "structural.py"]
    lines = {path.name: list(search(path.read_text(encoding="utf-8"))) for path in files}
    assert {name: found for name, found in lines.items() if found} == {}


def test_the_checks_themselves_find_what_they_look_for() -> None:
    assert list(word_lists('HEDGES = ("maybe", "perhaps", "possibly")')) == [1]
    assert list(word_lists('OPTIONS = {"required": ["maybe", "perhaps", "possibly"]}')) == []
    assert list(searched_words('text.find("done")')) == [1]
    assert list(searched_words('text.find("[ ]")')) == []
    assert list(patterns('re2.compile("all .* done")')) == [1]
    assert list(patterns("re2.compile(pattern)")) == []
