"""One way to decide: `Evaluation` of the engine. Everything else hands it facts or records."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "exitgate"
ENGINE = SOURCE / "core" / "engine"
#: Programs whose single decisions are kept or measured: they are what an evaluation asks.
PROGRAMS = {"recordings/replay/replay_pool.py"}


def test_only_the_engine_decides_by_other_means() -> None:
    others = [
        f"{path.relative_to(SOURCE).as_posix()}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        if ENGINE not in path.parents and path.relative_to(SOURCE).as_posix() not in PROGRAMS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _decides(node)
    ]
    assert not others, f"ask an `Evaluation`, not the program, in {', '.join(others)}"


def _decides(node: ast.AST) -> bool:
    """Return whether a node asks a program for a decision, or imports what asks one for several stages."""
    if isinstance(node, ast.ImportFrom):
        return any(one.name == "decide_stages" for one in node.names)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    subject = node.func.value
    name = getattr(subject, "id", getattr(subject, "attr", ""))
    return node.func.attr == "decide" and name.lower().endswith("program")
