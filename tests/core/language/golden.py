"""
Golden tables of what people read about a wrong condition.

A block is the condition and, for each problem, carets under its place, code and message, and the
help; blocks are parted by an empty line. ``python tests/core/language/golden.py NAME`` writes a table
anew from its conditions, for review.
"""

from __future__ import annotations

import sys
from pathlib import Path

from exitgate.core.language.checker.context import Scope
from exitgate.core.language.functions import FUNCTIONS
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.advice import understood
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, SIGNATURE, TEXT, Type

FOLDER = Path(__file__).parent
STATE = Type("enum", members=("CLOSED", "HALF_OPEN", "OPEN"))
TYPES = {
    "tasks.done": COUNT,
    "tasks.total": COUNT,
    "tasks.percent": PERCENT,
    "confidence": PERCENT,
    "score": NUMBER,
    "progress.made": BOOL,
    "status.exit_signal": BOOL,
    "status.summary": TEXT,
    "status.work_type": Type("enum", members=("TESTING", "DOCUMENTATION", "IMPLEMENTATION")),
    "questions.found": Type("list", item=TEXT),
    "circuit.state": STATE,
    "clock.elapsed": DURATION,
    "run.cost": Type("money", currency="USD"),
    "errors.signature": SIGNATURE,
}
PARAMETERS = {
    "min_confidence": PERCENT,
    "stagnation_loops": COUNT,
    "factor": NUMBER,
    "patience": DURATION,
    "states": Type("list", item=STATE),
}
PLAN_DONE = Node("compare", (">=", Node("fact", ("tasks.done",)), Node("fact", ("tasks.total",))))
SCOPE = Scope(
    {name: FactSpec(name, kind, "") for name, kind in TYPES.items()}, PARAMETERS, {"plan_done": PLAN_DONE}
)


def told(text: str, checked: bool) -> str:
    """Return the block for a condition: it alone where nothing is wrong."""
    lines = [text]
    try:
        if checked:
            understood(text, SCOPE)
        else:
            parse(text)
    except LanguageError as error:
        for problem in error.problems:
            carets = "^" * max(1, problem.end - problem.start)
            lines.append(f"{' ' * problem.start}{carets} {problem.code} {problem.message}")
            if problem.help:
                lines.append(f"{' ' * problem.start}help: {problem.help}")
    return "\n".join(lines).replace(", ".join(sorted(FUNCTIONS)), "{all functions}")


def blocks(name: str) -> list[str]:
    """Return the blocks of a table."""
    return (FOLDER / name).read_text(encoding="utf-8").strip("\n").split("\n\n")


if __name__ == "__main__":
    for table in sys.argv[1:]:
        checked = table.startswith("check")
        written = [told(block.split("\n")[0], checked) for block in blocks(table)]
        (FOLDER / table).write_text("\n\n".join(written) + "\n", encoding="utf-8")
