"""Files of one iteration each whose names say little: numbers, times, a word before or behind."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from loop_folders import folder, read, result
from sessions_on_disk import session

from exitgate.core.model.capabilities import ALL
from exitgate.recordings import registry
from exitgate.recordings.discovery import discover
from exitgate.recordings.formats.loops.file_names import LEAST, is_folder_of_loops, patterned
from exitgate.recordings.model import Run, collect

TEXTS = [f"Hive {n} is painted." for n in range(1, 12)]
FOLDERS = ("out", "logs", ".agent-logs", "output", "run_logs", "iterations", "ralph/logs", "var/agent-output")
NAMES = (
    "{n}.txt", "{n:03}.log", "{n:02}-claude.log", "response_{n}.txt", "output-{n}.md", "run-{n}.log",
    "session{n}.log", "agent.{n}.log", "ralph-{n}-of-11.log", "iter_{n}_2026-02-{n:02}-101500.log",
    "day1-iter-{n}.log", "codex_run_{n:04}.out", "attempt {n}.md", "{n}/output.txt", "run-{n}/claude.log",
    "run_2026-02-03_10-{n:02}-00.log", "2026020310{n:02}00.txt", "2026-02-03T10-{n:02}-30.log",
    "claude-20260203-10{n:02}59.txt",
)  # fmt: skip
WORDED = ("iter_{n}_20260203-10{n:02}00.log", "day1-iter-{n}.log", "ralph-{n}-of-11.log")


def found_in(place: Path) -> list[Run]:
    runs: list[Run] = []
    for found in discover([str(place)]):
        if found.reader is not None:
            runs += collect(registry.load(found.reader).read(found.place, ALL), found.reader)[0]
    return runs


def said(run: Run) -> list[str | None]:
    return [one.response for one in run.iterations]


@each("name", NAMES)
@each("nth", range(2))
def test_files_in_a_folder_of_a_loop_are_one_run(tmp_path: Path, name: str, nth: int) -> None:
    below = FOLDERS[(NAMES.index(name) * 3 + nth * 5) % len(FOLDERS)]
    files = {f"{below}/{name.format(n=n)}": text + "\n" for n, text in enumerate(TEXTS, 1)}
    (run,) = found_in(folder(tmp_path, files))
    assert said(run) == TEXTS


@pytest.mark.parametrize("name", WORDED)
def test_a_word_of_an_iteration_is_enough_in_any_folder(tmp_path: Path, name: str) -> None:
    (run,) = found_in(folder(tmp_path, {name.format(n=n): text for n, text in enumerate(TEXTS, 1)}))
    assert said(run) == TEXTS


def test_days_are_launches(tmp_path: Path) -> None:
    files = {f"logs/day{d}-iter-{n}.log": f"{TEXTS[n]} Day {d}." for d in (1, 2) for n in range(1, 5)}
    assert sorted(map(said, found_in(folder(tmp_path, files)))) == [
        [f"{TEXTS[n]} Day {d}." for n in range(1, 5)] for d in (1, 2)
    ]


@pytest.mark.parametrize("name", ["logs/{n:03}-claude.json", "out/{n}.json"])
def test_results_are_one_run_as_well(tmp_path: Path, name: str) -> None:
    files = {name.format(n=n): result(text, session=f"s-{n}") for n, text in enumerate(TEXTS, 1)}
    (run,) = found_in(folder(tmp_path, files))
    assert said(run) == TEXTS


@pytest.mark.parametrize("longest", [0, 2])
def test_sessions_that_were_asked_more_than_once_are_runs_of_their_own(tmp_path: Path, longest: int) -> None:
    for n in range(4):
        session(tmp_path / "logs", f"agent-{n}", TEXTS[: 3 if n == longest else 1])
    assert sorted(map(len, map(said, found_in(tmp_path)))) == [1, 1, 1, 3]


def test_an_empty_file_is_an_iteration_that_said_nothing(tmp_path: Path) -> None:
    files = {f"out/{n}.txt": text if n != 2 else "" for n, text in enumerate(TEXTS, 1)}
    (run,) = found_in(folder(tmp_path, files))
    assert said(run) == [TEXTS[0], None, *TEXTS[2:]]


APP = "".join(f"2026-02-03 10:00:0{n} INFO request {n} took 3 ms\n" for n in range(9))
LOOP = "".join(f"=== Iteration {n} ===\n{TEXTS[n]}\n" for n in range(1, 4))


@each(
    ("name", "text"),
    [
        ("docs/{n}.txt", "A chapter."), ("src/{n}.txt", "A chapter."), ("book/{n:02}.md", "A chapter."),
        ("{n}.txt", "A page."), ("data/{n}.txt", "A page."), ("docs/output/{n}.txt", "A chapter."),
        ("logs/app-{n}.log", "Listening."), ("logs/server.{n}.log", "Listening."), ("logs/{n}.log", APP),
        ("logs/2026-02-0{n}.log", "A note."), ("output/chapter-{n}.md", "A chapter."),
        ("logs/access_2026-02-03_10-0{n}-00.log", "Listening."), ("out/{n}.json", '{"a": 1}'),
        ("out/{n}.py", "print(1)"), ("out/{n}.txt", '{"a": 1}'), ("logs/run-{n}-stderr.log", "warning: old"),
        ("logs/prompt-{n}.md", "Paint hives."), ("tests/logs/{n}.txt", "A page."),
    ],
)  # fmt: skip
def test_other_files_are_none(tmp_path: Path, name: str, text: str) -> None:
    assert found_in(folder(tmp_path, {name.format(n=n): f"{text}\n" for n in range(1, 7)})) == []


@pytest.mark.parametrize("numbers", [(1, 2), (3, 4, 5), (1, 2, 9), (2, 4, 6), (1, 3, 4)])
def test_numbers_must_rise_from_the_first(tmp_path: Path, numbers: tuple[int, ...]) -> None:
    assert found_in(folder(tmp_path, {f"out/{n}.txt": TEXTS[n] for n in numbers})) == []


def test_logs_that_were_put_aside_are_none(tmp_path: Path) -> None:
    files = {f"logs/agent.{n}.log": TEXTS[n] for n in (1, 2, 3)} | {"logs/agent.log": TEXTS[0]}
    assert found_in(folder(tmp_path, files)) == []


@pytest.mark.parametrize("name", ["logs/run-{n}.log", "out/{n}.txt", "logs/20260203-1000{n:02}.log"])
def test_logs_of_whole_loops_stay_runs_of_their_own(tmp_path: Path, name: str) -> None:
    runs = found_in(folder(tmp_path, {name.format(n=n): LOOP for n in range(1, 5)}))
    assert [len(run.iterations) for run in runs] == [3] * 4


NUMBERED = st.builds(
    lambda before, mark, after, end: (before + mark, after, end),
    st.sampled_from(["", "run", "agent", "claude-output", "iter", "day1-iter"]),
    st.sampled_from(["", "-", "_", "."]),
    st.sampled_from(["", "-claude", "-of-40", "_20260203-101500"]),
    st.sampled_from([".log", ".txt", ".md", ".out"]),
)


@given(NUMBERED, st.integers(0, 1), st.integers(LEAST, 30), st.sampled_from(["", "02", "04"]), st.randoms())
def test_any_series_is_in_the_order_of_its_numbers(
    parts: tuple[str, str, str], first: int, count: int, width: str, chance: random.Random
) -> None:
    before, after, end = parts
    names = [f"{before}{n:{width}}{after}{end}" for n in range(first, first + count)]
    mixed = [*names, "readme.md", "PROMPT.md"]
    chance.shuffle(mixed)
    (series,) = patterned(mixed, kept=True).values()
    assert [one.name for one in series] == names
    assert [one.order for one in series] == [(n,) for n in range(first, first + count)]


@given(st.lists(st.text("ab1-_. 90é٣", max_size=9), max_size=9), st.booleans())
def test_any_names_are_taken_once(names: list[str], kept: bool) -> None:
    taken = [one.name for series in patterned(names, kept=kept).values() for one in series]
    assert len(taken) == len(set(taken)) and set(names).issuperset(taken)


def test_folders_of_loops_are_told_by_their_own_name() -> None:
    assert all(map(is_folder_of_loops, ("out", "/a/.agent-logs/", "C:\\x\\run_logs", "src/app/logs")))
    assert not any(map(is_folder_of_loops, ("docs", "/logs/docs", "book", "docs/output", "outside", "")))


def test_the_folder_itself_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder(tmp_path, {f"out/{n}.txt": text for n, text in enumerate(TEXTS, 1)}) / "out"
    monkeypatch.chdir(place)
    for path in (".", os.path.join("..", "out")):
        (run,) = found_in(Path(path))
        assert said(run) == TEXTS
    json.dumps(read(place)[1])
