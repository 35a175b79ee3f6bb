"""Expectations: read from files and from words, held against stops."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_loops import loop, policy

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.result import DryRun
from exitgate.recordings.scoring.expectations import check, expectations, parse_expectation, wanted_text
from exitgate.recordings.scoring.labels import Label


@pytest.mark.parametrize(
    ("text", "label", "words"),
    [
        ("a=complete@7", Label("a", 7, 7, classes=("complete",)), "complete at 7"),
        ("a=@7", Label("a", 7, 7), "any class at 7"),
        ("a=@4-6", Label("a", 4, 6), "any class at 4-6"),
        ("a=stuck", Label("a", 1, None, classes=("stuck",)), "stuck"),
        ("a=never", Label("a", None, None, never=True), "never"),
        ("dir/x=y.log#2=idle@1", Label("dir/x=y.log#2", 1, 1, classes=("idle",)), "idle at 1"),
    ],
)
def test_words(text: str, label: Label, words: str) -> None:
    assert parse_expectation(text) == label
    assert wanted_text(label) == words


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("=complete", "names no run"),
        ("a=done@7", "`done` is not a class of EXIT"),
        ("a=", "is not an iteration"),
        ("a=@0", "`0` is not an iteration"),
        ("a=@x", "`x` is not an iteration"),
        ("a=@٣", "`٣` is not an iteration"),
        ("a=@6-4", "`6-4` is not a range"),
        ("a=@6-", "`6-` is not a range"),
        ("a=complete@99999999999", "is not an iteration"),
    ],
)
def test_words_that_cannot_be_read(text: str, why: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        parse_expectation(text)
    assert why in caught.value.diagnostics[0].message
    assert (caught.value.diagnostics[0].code, caught.value.exit_code) == ("EP860", 64)


def test_everything_wrong_at_once(tmp_path: Path) -> None:
    (tmp_path / "labels.yaml").write_text("labels:\n  - {run: a, stop: x}\n", encoding="utf-8")
    given = ["a=done", str(tmp_path / "labels.yaml"), str(tmp_path / "gone.yaml")]
    with pytest.raises(ExitgateError) as caught:
        expectations(given)
    assert [one.code for one in caught.value.diagnostics] == ["EP860", "EP872", "EP874"]
    assert caught.value.exit_code == 66


@pytest.fixture
def found(tmp_path: Path) -> DryRun:
    loop(tmp_path / "runs", "one", ["unsure", "likely", "certain", "unsure"])
    loop(tmp_path / "runs", "two", ["unsure", "unsure"])
    return dry_run([str(tmp_path / "runs")], [policy(tmp_path)])


@pytest.mark.parametrize(
    ("wanted", "differing"),
    [
        (["one=complete@3", "two=never"], []),
        (["one=@2-3"], []),
        (["one=complete"], []),
        (["one=stuck@3"], ["one"]),
        (["one=complete@4"], ["one"]),
        (["one=never", "two=complete"], ["one", "two"]),
    ],
)
def test_stops_against_expectations(found: DryRun, wanted: list[str], differing: list[str]) -> None:
    checked = check(found, expectations(wanted))
    assert checked.count == len(wanted)
    assert [one.run for one in checked.differences] == differing


def test_what_a_difference_says(found: DryRun) -> None:
    first, second = check(found, expectations(["one=never", "two=complete@1"])).differences
    assert (first.expected, first.found) == ("never", "complete at 3 (sure)")
    assert (second.expected, second.found) == ("complete at 1", "never stops")


def test_a_file_of_labels(found: DryRun, tmp_path: Path) -> None:
    text = "labels:\n  - {run: one, stop: 3, class: [complete, idle]}\n  - {run: two, stop: never}\n"
    (tmp_path / "labels.yaml").write_text(text, encoding="utf-8")
    checked = check(found, expectations([str(tmp_path / "labels.yaml"), "one=complete"][:1]))
    assert (checked.count, checked.differences) == (2, ())


def test_runs_that_are_not_there(found: DryRun) -> None:
    with pytest.raises(ExitgateError) as caught:
        check(found, expectations(["onee=never", "two=@5"]))
    first, second = caught.value.diagnostics
    assert (first.code, first.help) == ("EP870", "did you mean `one`?")
    assert second.code == "EP872"


def test_an_interrupted_dry_run_is_held_against_what_it_found(found: DryRun) -> None:
    part = DryRun(found.results[:1], interrupted=True)
    checked = check(part, expectations(["one=complete@3", "two=complete@1"]))
    assert (checked.count, checked.differences) == (1, ())
