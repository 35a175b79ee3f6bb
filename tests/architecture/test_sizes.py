"""The code stays small: files, functions and names keep to the budget of the design."""

from __future__ import annotations

import ast
import itertools
import statistics
from pathlib import Path

from cases import each

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "exitgate").rglob("*.py"))
#: What lies in the package itself: folders and files.
PACKAGES = sorted(p for p in (ROOT / "src" / "exitgate").iterdir() if p.is_dir() or p.suffix == ".py")
TESTS = sorted((ROOT / "tests").rglob("*.py"))
BENCHMARKS = sorted(p for p in (ROOT / "benchmarks").rglob("*.py") if ".venv" not in p.parts)

MEDIAN, LONGEST, LONGEST_FUNCTION = 200, 450, 60
BANNED = {
    "manager", "helper", "helpers", "util", "utils", "handler", "processor", "base", "common",
    "data", "info", "misc",
}  # fmt: skip


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_median_file_is_short() -> None:
    assert statistics.median(lines(p) for p in SOURCES) <= MEDIAN


def test_no_file_is_long() -> None:
    counts = {str(path.relative_to(ROOT)): lines(path) for path in SOURCES + TESTS + BENCHMARKS}
    assert {path: count for path, count in counts.items() if count > LONGEST} == {}


@each("package", PACKAGES, ids=lambda package: package.name)
def test_functions_fit_a_screen_and_names_say_something(package: Path) -> None:
    long, banned = {}, {}
    for path in sorted(package.rglob("*.py")) if package.is_dir() else [package]:
        place = str(path.relative_to(ROOT))
        words = set(path.stem.split("_"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "__init__":
                count = (node.end_lineno or 0) - node.lineno + 1
                if count > LONGEST_FUNCTION:
                    long[f"{place}:{node.name}"] = count
            elif isinstance(node, ast.ClassDef):
                words |= {w.lower() for w in _camel(node.name)}
        if words & BANNED:
            banned[place] = words & BANNED
    assert (long, banned) == ({}, {})


def _camel(name: str) -> list[str]:
    cut = [i for i, letter in enumerate(name) if letter.isupper()] + [len(name)]
    return [name[a:b] for a, b in itertools.pairwise(cut)]
