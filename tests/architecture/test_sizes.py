"""The code stays small: files, functions and names keep to the budget of the design."""

from __future__ import annotations

import ast
import itertools
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "exitgate").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
BENCHMARKS = sorted(p for p in (ROOT / "benchmarks").rglob("*.py") if ".venv" not in p.parts)

MEDIAN, LONGEST, LONGEST_FUNCTION = 120, 400, 60
BANNED = {
    "manager", "helper", "helpers", "util", "utils", "handler", "processor", "base", "common",
    "data", "info", "misc",
}  # fmt: skip


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_median_file_is_short() -> None:
    assert statistics.median(lines(p) for p in SOURCES) <= MEDIAN


@pytest.mark.parametrize("path", SOURCES + TESTS + BENCHMARKS, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_file_is_long(path: Path) -> None:
    assert lines(path) <= LONGEST


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_functions_fit_a_screen(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = {f.name: (f.end_lineno or 0) - f.lineno + 1 for f in functions}
    assert {n: k for n, k in long.items() if k > LONGEST_FUNCTION and n != "__init__"} == {}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_names_say_something(path: Path) -> None:
    words = set(path.stem.split("_"))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            words |= {w.lower() for w in _camel(node.name)}
    assert not words & BANNED


def _camel(name: str) -> list[str]:
    cut = [i for i, letter in enumerate(name) if letter.isupper()] + [len(name)]
    return [name[a:b] for a, b in itertools.pairwise(cut)]
