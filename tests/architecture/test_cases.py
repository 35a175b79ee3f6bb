"""A table of cases that run as one test runs them all, and says of each that failed which it was."""

from __future__ import annotations

import inspect
from pathlib import Path

import cases
import pytest
from cases import SHOWN, each


def test_every_case_runs_and_those_that_fail_are_named() -> None:
    seen: list[int] = []

    @each(("name", "count"), [("a", 1), pytest.param("b", 2, id="second"), ("c", 3)])
    def odd(name: str, count: int) -> None:
        seen.append(count)
        assert count == 3, name

    with pytest.raises(ExceptionGroup, match="of 3 cases of odd") as raised:
        odd()
    assert seen == [1, 2, 3]
    assert [(str(one).splitlines()[0], one.__notes__) for one in raised.value.exceptions] == [
        ("a", ["case: a-1"]),
        ("b", ["case: second"]),
    ]


def test_of_many_failures_some_are_shown() -> None:
    @each("count", range(100), ids=lambda count: f"<{count}>")
    def none(count: int) -> None:
        raise ValueError(count)

    with pytest.raises(ExceptionGroup) as raised:
        none()
    assert [one.__notes__ for one in raised.value.exceptions] == [[f"case: <{n}>"] for n in range(SHOWN)]


def test_fixtures_are_left_to_pytest_and_each_case_has_a_folder(tmp_path: Path) -> None:
    @each("count", [1, 2], ids=["one", "two"])
    def written(tmp_path: Path, count: int, capsys: object) -> None:
        del capsys
        assert not list(tmp_path.iterdir())
        (tmp_path / "file").write_text(str(count))

    assert list(inspect.signature(written).parameters) == ["tmp_path", "capsys"]
    written(tmp_path=tmp_path, capsys=None)
    assert sorted(file.read_text() for file in tmp_path.rglob("file")) == ["1", "2"]


def test_one_case_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(cases, "ASKED", ["wan"])

    @each("name", ["swan", "goose"])
    def birds(name: str) -> None:
        seen.append(name)

    birds()
    assert seen == ["swan"]


def test_what_would_test_nothing_is_refused() -> None:
    with pytest.raises(AssertionError, match="no case at all"):
        each("name", [])
    with pytest.raises(AssertionError, match="cannot be marked"):
        each("name", [pytest.param("a", marks=pytest.mark.skip)])
    with pytest.raises(AssertionError):
        each(("name", "count"), [("a", 1, 2)])
