"""A response that nobody wrote since it was decided on says nothing anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.observe import files
from exitgate.core.state.request import Request

SAID = "Nothing is left to do.\n"
NOW = 1_767_225_600.0


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(files, "_TICK", 20_000_000)
    (tmp_path / ".ralph").mkdir()
    return tmp_path


def write(project: Path, text: str, at: int) -> None:
    place = project / ".ralph/last-response.md"
    place.write_text(text, encoding="utf-8")
    os.utime(place, (at, at))


def ask(project: Path, number: int, **more: object):
    return check(Request(root=str(project), time=NOW + number, **more))  # type: ignore[arg-type]


def test_the_same_words_written_again_count_again(project: Path) -> None:
    verdicts = []
    for number in (1, 2):
        write(project, SAID, 1000 + number)
        verdicts.append(ask(project, number).decision.exit_class)
    assert verdicts == [None, "idle"]


def test_a_file_that_nobody_wrote_adds_nothing_and_is_told(project: Path) -> None:
    write(project, SAID, 1000)
    first, second, third = (ask(project, number).decision for number in (1, 2, 3))
    assert [first.exit_class, second.exit_class] == [None, None]
    assert any("has not been written since iteration 1" in w.message for w in second.warnings)
    assert second.blind and third.exit_class == "undetermined"


def test_a_look_and_a_named_iteration_read_it_as_it_is(project: Path) -> None:
    write(project, SAID, 1000)
    ask(project, 1)
    assert not ask(project, 2, record=False).decision.blind
    assert ask(project, 3, iteration=2).decision.exit_class == "idle"


def test_the_response_of_the_run_before_is_none_of_the_next(project: Path) -> None:
    write(project, "Done.\n<promise>COMPLETE</promise>\n", 1000)
    assert ask(project, 1).decision.exit_class == "complete"
    begun = ask(project, 2)
    assert (begun.decision.verdict, begun.iteration.number) == ("CONTINUE", 0)


def test_a_file_written_a_moment_ago_cannot_be_told_from_one_written_twice(project: Path) -> None:
    place = project / ".ralph/last-response.md"
    place.write_text(SAID, encoding="utf-8")
    later = place.stat().st_mtime + 3600
    os.utime(place, (later, later))
    assert [ask(project, number).decision.exit_class for number in (1, 2)] == [None, "idle"]
