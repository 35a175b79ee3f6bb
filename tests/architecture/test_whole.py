"""What is piped is whole: only `Style.fit` knows whether a line is cut to the width of a terminal."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src/exitgate"
#: Packages whose forms people read; the window of `watch` is drawn on a terminal alone.
PACKAGES = ("cli", "report", "recordings/reports", "surfaces/watch", "hosts")
ALLOWED = {"report/terminal.py", "surfaces/watch/screen.py"}
FILES = [path for package in PACKAGES for path in sorted((SOURCE / package).rglob("*.py"))]


def cuts(tree: ast.AST) -> list[int]:
    """Return the lines of calls of `cut` in functions that know a width or a style."""
    found = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        names = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
        wide = {one.attr for one in ast.walk(function) if isinstance(one, ast.Attribute)}
        if "width" not in wide | names and "style" not in names:
            continue
        calls = (one for one in ast.walk(function) if isinstance(one, ast.Call))
        found += [one.lineno for one in calls if isinstance(one.func, ast.Name) and one.func.id == "cut"]
    return found


def test_no_form_cuts_by_itself_what_a_terminal_has_no_room_for() -> None:
    assert len(FILES) > 100
    found = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in FILES
        if str(path.relative_to(SOURCE)) not in ALLOWED
        for line in cuts(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not found, "cut there with `style.fit`"


@pytest.mark.parametrize(
    ("text", "count"),
    [("def f(style):\n    return cut(a, 4)", 1), ("def f(a):\n    return cut(a, 4)", 0),
     ("def f(a, s):\n    return cut(a, s.width)", 1), ("def f(style):\n    return style.fit(a, 4)", 0)],
)  # fmt: skip
def test_the_test_finds_it(text: str, count: int) -> None:
    assert len(cuts(ast.parse(text))) == count
