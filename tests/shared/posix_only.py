"""What the library of Python has on POSIX and not on Windows, as the stubs that come with mypy say."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import mypy

STUBS = Path(mypy.__file__).parent / "typeshed/stdlib"
#: Modules whose names are looked at one by one.
PARTLY = {"os": "os/__init__.pyi", "signal": "signal.pyi", "select": "select.pyi", "time": "time.pyi"}
#: Modules that are there on Windows as files, and that nothing there can use.
USELESS = frozenset(("pty", "tty", "termios", "curses", "pipes"))
#: The oldest Python that exitgate runs on.
VERSION = (3, 11)


@functools.cache
def modules() -> frozenset[str]:
    """Return the modules that Windows does not have."""
    whole = {path.stem for path in STUBS.glob("*.pyi") if _is_for_others(path.read_text(encoding="utf-8"))}
    return frozenset(whole | USELESS)


@functools.cache
def names(module: str) -> frozenset[str]:
    """Return the names of a module of `PARTLY` that Windows does not have."""
    body = ast.parse((STUBS / PARTLY[module]).read_text(encoding="utf-8")).body
    return frozenset(set(_defined(body, windows=False)) - set(_defined(body, windows=True)))


def _is_for_others(text: str) -> bool:
    """Return whether all that a stub defines is below ``if sys.platform != "win32":``."""
    body = [
        one for one in ast.parse(text).body if not isinstance(one, ast.Import | ast.ImportFrom | ast.Expr)
    ]
    return len(body) == 1 and isinstance(body[0], ast.If) and _holds(body[0].test, windows=True) is False


def _defined(body: list[ast.stmt], *, windows: bool) -> Iterator[str]:
    for one in body:
        if isinstance(one, ast.If):
            holds = _holds(one.test, windows)
            yield from _defined(one.body, windows=windows) if holds is not False else ()
            yield from _defined(one.orelse, windows=windows) if holds is not True else ()
        elif isinstance(one, ast.FunctionDef | ast.ClassDef):
            yield one.name
        elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id
        elif isinstance(one, ast.Assign):
            yield from (target.id for target in one.targets if isinstance(target, ast.Name))
        elif isinstance(one, ast.ImportFrom):
            yield from (name.asname or name.name for name in one.names)


def _holds(test: ast.expr, windows: bool) -> bool | None:
    """Return whether a condition of a stub holds on the platform; None where it asks for something else."""
    if isinstance(test, ast.BoolOp):
        parts = [_holds(part, windows) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        return decisive if decisive in parts else None if None in parts else not decisive
    if not isinstance(test, ast.Compare) or ast.unparse(test.left) not in (
        "sys.platform",
        "sys.version_info",
    ):
        return None
    asked = ast.literal_eval(test.comparators[0])
    if isinstance(asked, tuple):
        return (asked <= VERSION) is isinstance(test.ops[0], ast.GtE)
    same = asked == ("win32" if windows else "linux")
    return same if isinstance(test.ops[0], ast.Eq) else not same
