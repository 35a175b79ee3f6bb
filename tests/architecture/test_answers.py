"""Answers of the analysis are made by the functions of `analysis/results/answer.py` and in no other way."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path

import pytest

from exitgate.analysis.results import answer as answers
from exitgate.analysis.results.answer import (
    PROVED,
    REFUTED,
    STATUSES,
    UNDECIDED,
    Answer,
    proved,
    refuted,
    together,
    undecided,
)

SOURCE = Path(__file__).parents[2] / "src" / "exitgate"
OWN = Path(answers.__file__)


def lines_that_make_one(tree: ast.Module) -> list[int]:
    """Return where `Answer` is called or is the base of another class."""
    found = []
    for node in ast.walk(tree):
        used = (
            [node.func]
            if isinstance(node, ast.Call)
            else node.bases
            if isinstance(node, ast.ClassDef)
            else []
        )
        if "Answer" in {getattr(one, "attr", getattr(one, "id", "")) for one in used}:
            found.append(node.lineno)  # type: ignore[attr-defined]
    return found


def imports_answer(tree: ast.Module) -> bool:
    """Return whether `Answer` is the one of the analysis, and not what a command prints."""
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module
        in (
            "exitgate.analysis.results.answer",
            "exitgate.analysis.walk.queries",
            "exitgate.analysis.solver.queries",
        )
        and "Answer" in {name.name for name in node.names}
        for node in ast.walk(tree)
    )


def test_nothing_else_constructs_one() -> None:
    found = []
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path == OWN or "Answer" not in text:
            continue
        tree = ast.parse(text)
        if imports_answer(tree):
            found += [f"{path.relative_to(SOURCE)}:{line}" for line in lines_that_make_one(tree)]
    assert not found, f"made outside of analysis/results/answer.py: {found}"


def test_there_are_three_and_no_mixture() -> None:
    for status, run, why in product((*STATUSES, "held"), (None, ({},)), ("", "no time")):
        fits = (status, run is not None, bool(why)) in {
            (PROVED, False, False), (REFUTED, True, False), (UNDECIDED, False, True),
        }  # fmt: skip
        if fits:
            assert Answer(status, run, why, 0, "after_iteration", ()).status == status
        else:
            with pytest.raises(ValueError, match="not an answer"):
                Answer(status, run, why, 0, "after_iteration", ())


@pytest.mark.parametrize("one", [proved(1), refuted(({},), 1), undecided("no time", 1)])
def test_an_answer_stays_what_it_is(one: Answer) -> None:
    for part in ({"status": PROVED}, {"why": "so"}):
        with pytest.raises(ValueError, match="stays what it is"):
            one.but(**part)
    assert one.but(points=2).status == one.status
    if one.status != REFUTED:
        with pytest.raises(ValueError, match="stays what it is"):
            one.but(run=({},))


def test_several_are_as_sure_as_the_least_sure_of_them() -> None:
    for some in product((proved(1), refuted(({},), 2), undecided("no time", 3)), repeat=3):
        found = {one.status for one in some}
        wanted = REFUTED if REFUTED in found else UNDECIDED if UNDECIDED in found else PROVED
        assert together(some).status == wanted
    assert together(()) == proved()
