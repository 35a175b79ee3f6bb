"""What agents say when they ask, cannot go on, have nothing to do, are done, or just report."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
import yaml
from cases import each, some
from fact_reading import facts, resolved

FOLDER = Path(__file__).parent / "agent_words"
TABLES = sorted(FOLDER.rglob("*.yaml"))
SIGNALS = {"blocked": "blocked", "idle": "no-work"}
LEXICONS = {name: resolved(name) for name in (*SIGNALS.values(), "questions", "completion")}
#: Least share, in percent, of the texts of a kind that are seen; `completion` has claims of one task, too.
LEAST = {"questions": 80, "blocked": 90, "idle": 75, "completion": 60}


def says(kind: str, text: str) -> bool:
    """Return whether a text is seen as one of a kind."""
    if kind in SIGNALS:
        return _phrases(SIGNALS[kind], text)["x.found"].value is True
    if kind == "questions":
        return facts("questions", {"lexicon": LEXICONS["questions"]}, response=text)["x.asked"].value is True
    claims = _phrases("completion", text)
    return bool(claims["x.signals"].value >= 2 or claims["x.strongest"].value >= 2)


def _phrases(name: str, text: str) -> dict:
    return facts("phrases", {"lexicon": LEXICONS[name]}, response=text)


def texts(path: Path, kind: str) -> list[str]:
    table = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [line.replace("⏎", "\n") for line in table.get(kind, "").strip().splitlines()]


@each("path", TABLES, ids=lambda p: str(p.relative_to(FOLDER)))
def test_a_part_that_is_done_is_no_claim_of_all(path: Path) -> None:
    wrong = [text for text in texts(path, "partial") if says("completion", text)]
    assert not wrong


@each("path", TABLES, ids=lambda p: str(p.relative_to(FOLDER)))
def test_a_report_of_work_says_none_of_these(path: Path) -> None:
    wrong = [text for text in texts(path, "progress") if any(says(kind, text) for kind in LEAST)]
    assert len(wrong) <= 1, wrong  # one known gap each in English and Japanese


@each("kind", LEAST)
@each("path", TABLES, ids=lambda p: str(p.relative_to(FOLDER)))
def test_most_of_a_kind_are_seen(path: Path, kind: str) -> None:
    missed = [text for text in texts(path, kind) if not says(kind, text)]
    assert 100 * len(missed) <= (100 - LEAST[kind]) * len(texts(path, kind)), missed


JOINED = (" and ", ", and ", ", but ", ", so ", "; ", " — ", ". ")
FIRST = (
    "The cache is not warm", "Nothing failed", "The mailer is almost ready", "2 of 3 hosts answered",
    "Users can log in", "None of them was slow", "No error came up",
)  # fmt: skip
SECOND = {
    "all tasks are complete": "completion", "there is nothing left to do": "idle",
    "the project is complete": "completion", "there is no work left": "idle",
}  # fmt: skip
#: Every two of the three stand together in every third.
CLAUSES = list(product(FIRST, JOINED, SECOND))


@each(("first", "joined", "second"), some(CLAUSES, len(CLAUSES) // 3))
def test_a_guard_word_concerns_the_clause_it_stands_in(first: str, joined: str, second: str) -> None:
    text = first + joined + (second if joined != ". " else second.capitalize()) + "."
    assert says(SECOND[second], text)


@pytest.mark.parametrize(
    "text",
    ["Not all tasks are complete.", "The project is not complete and the docs are thin.",
     "I doubt that the docs are right and the project is complete.",
     "I don't think the docs are right and the project is complete.",
     "I have not tested and completed all tasks.", "Almost all tasks are complete.",
     "If the docs are right and all tasks are complete, stop.",
     "I will write the docs and all tasks are complete."],
)  # fmt: skip
def test_and_still_refuses_in_its_own(text: str) -> None:
    assert not says("completion", text)


PARTS = (
    "QU-07", "#31", "task 4", "sprint 9", "epic C", "milestone 2", "the boom module", "`boom.py`",
    "the lexer",
)  # fmt: skip
OF_A_PART = (
    "All tasks for {p} are done.", "All tasks are complete for {p}.", "Everything is done in {p}.",
    "All work is finished for {p}.", "Everything for {p} is complete.",
)  # fmt: skip


@each("part", PARTS)
@each("claim", OF_A_PART)
def test_a_claim_on_a_part_is_none_on_the_whole(claim: str, part: str) -> None:
    found = _phrases("completion", claim.format(p=part))
    assert found["x.strongest"].value < 2


@each("whole", ["the project", "the plan", "this repository", "the release", "the whole app"])
@each("claim", OF_A_PART)
def test_a_claim_on_the_whole_counts(claim: str, whole: str) -> None:
    found = _phrases("completion", claim.format(p=whole))
    assert found["x.strongest"].value >= 1


@pytest.mark.parametrize(
    "claim",
    ["QU-07: all tasks are done.", "All tasks are done (QU-07).", "Epic B: everything is done.",
     "The project is finished as far as the boom goes.", "Все задачи QU-07 выполнены.",  # noqa: RUF001
     "Alle Aufgaben von QU-07 sind erledigt.", "Todas las tareas de QU-07 están completas.",
     "QU-07的所有任务都已完成。", "QU-07のすべてのタスクが完了しました。"],
)  # fmt: skip
def test_an_id_makes_it_a_part_in_any_language(claim: str) -> None:
    found = _phrases("completion", claim)
    assert not found["x.found"].value or found["x.strongest"].value < 2
