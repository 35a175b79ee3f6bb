"""A log is read the same with what another program writes before each of its lines, and without."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cases import EVERY, each
from shapes_expected import NAMES, SHAPES, copy_of, runs_in

from exitgate.recordings import registry
from exitgate.recordings.formats.loops.console import prefix_of
from exitgate.recordings.location import Location
from exitgate.recordings.model import Run
from exitgate.recordings.probe import probe_of

BEGUN = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)


def at(nth: int) -> datetime:
    return BEGUN + timedelta(seconds=nth)


#: Name -> what stands before the line of that number. No loop writes the first kind; the second it may.
FOREIGN: dict[str, Callable[[int], str]] = {
    "docker -t": lambda n: f"{at(n):%Y-%m-%dT%H:%M:%S}.{n:09d}Z ",
    "actions": lambda n: f"{at(n):%Y-%m-%dT%H:%M:%S}.{n:07d}Z ",
    "gh": lambda n: f"nightly\tThe loop\t{at(n):%Y-%m-%dT%H:%M:%S}.{n:07d}Z ",
    "kubernetes": lambda n: f"{at(n):%Y-%m-%dT%H:%M:%S}.{n:09d}Z stdout F ",
    "compose": lambda _: "worker-2  | ",
    "compose in colour": lambda _: "\x1b[36mworker-2  | \x1b[0m",
    "compose -t": lambda n: f"worker-2  | {at(n):%Y-%m-%dT%H:%M:%S}.{n:09d}Z ",
    "foreman": lambda n: f"{at(n):%H:%M:%S} agent.1  | ",
    "pm2": lambda _: "3|night  | ",
    "journal": lambda n: f"{at(n):%b %d %H:%M:%S} barge night[4711]: ",
    "ts": lambda n: f"{at(n):%b %d %H:%M:%S} ",
    "quotation": lambda _: "> ",
}
LOGGED: dict[str, Callable[[int], str]] = {
    "clock": lambda n: f"{at(n):%H:%M:%S} ",
    "[clock]": lambda n: f"[{at(n):%H:%M:%S}] ",
    "[iso]": lambda n: f"[{at(n):%Y-%m-%dT%H:%M:%SZ}] ",
    "level": lambda n: f"{at(n):%Y-%m-%d %H:%M:%S} INFO ",
}
TEXT = """=== Iteration 1 of 5 ===
The keel is laid.

- [x] ribs
  - [ ] planks
=== Iteration 2 of 5 ===
> a line of a letter
The ribs are bent; 3 planks are missing.

=== Iteration 3 of 5 ===
```
planks: 12
```
Every plank is on, the hull is tight.
"""


def before(body: str, form: Callable[[int], str]) -> str:
    lines = body.split("\n")
    last = [""] if lines[-1] == "" else []
    lines = lines[: len(lines) - len(last)]
    return "\n".join([*(form(nth) + line for nth, line in enumerate(lines)), *last])


def said(runs: list[Run]) -> list[list[tuple[object, ...]]]:
    return [
        [(one.number, one.response, one.output, one.exit_status, one.timed_out) for one in run.iterations]
        for run in runs
    ]


def logs_in(folder: Path) -> list[Path]:
    """Return the logs whose every line is kept as it was written: no bars drawn over, no holes."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in (".log", ".txt"):
            body = path.read_bytes()
            if b"\0" in body or b"\r" in body or b"\n\n" not in body:
                continue
            look = probe_of(Location(str(path)))
            if registry.sniff(look) == "loop-logs":
                found.append(path)
    return found


def with_one_log() -> list[str]:
    return [name for name in NAMES if logs_in(SHAPES / name)]


KINDS = {**FOREIGN, **LOGGED}
LOGS = with_one_log()


def kinds_of(name: str) -> list[str]:
    """Return the kinds that a recording is read with: all in the soak, else three, others for each."""
    kinds, at = list(KINDS), 3 * LOGS.index(name)
    return kinds if EVERY else [kinds[(at + more) % len(kinds)] for more in range(3)]


@each("name", LOGS)
def test_a_recording_with_a_prefix_is_read_as_without_it(tmp_path: Path, name: str) -> None:
    place = copy_of(name, tmp_path)
    for path in logs_in(place):
        body = path.read_text("utf-8", errors="surrogateescape")
        (tmp_path / "alone").mkdir(exist_ok=True)
        alone = tmp_path / "alone" / path.name
        alone.write_text(body, "utf-8", errors="surrogateescape")
        wanted = said(runs_in(alone)[0])
        assert wanted
        for kind in kinds_of(name):
            alone.write_text(before(body, KINDS[kind]), "utf-8", errors="surrogateescape")
            assert said(runs_in(alone)[0]) == wanted, kind
        alone.unlink()


@each("kind", KINDS)
def test_what_stands_before_each_line_is_no_part_of_it(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "out.log"
    path.write_text(TEXT, "utf-8")
    wanted = said(runs_in(path)[0])
    form = KINDS[kind]
    body = before(TEXT, form)
    for text in (body, "\n".join(map(str.rstrip, body.split("\n")))):
        path.write_text(text, "utf-8")
        runs, _ = runs_in(path)
        assert said(runs) == wanted
    if "%Y" in str(form.__code__.co_consts):
        begun = [one.started_at for one in runs[0].iterations]
        assert [None if one is None else int(one) for one in begun] == [
            int(at(nth).timestamp()) for nth in (0, 5, 9)
        ]


@pytest.mark.parametrize(
    "body",
    [
        TEXT,
        "[07:08:09] === Iteration 1 ===\nThe keel is laid.\n\n[07:09:09] === Iteration 2 ===\nRibs.\n",
        "[07:08:09] === Iteration 1 ===\n[07:08:10] exit code 0\n[07:09:09] === Iteration 2 ===\n",
        "| hull | 3 |\n| mast | 4 |\n| sail | 5 |\n| oar | 6 |\n",
        "> said\n> so\nNot so.\nNo.\n> said\n",
        "",
    ],
)
def test_times_of_the_loops_own_lines_and_signs_of_a_text_are_no_prefix(body: str) -> None:
    assert not prefix_of(body.split("\n"))


def test_lines_without_the_prefix_are_left_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "out.log"
    body = before(TEXT, FOREIGN["compose"])
    path.write_text(f"Attaching to worker-2\n{body}", "utf-8")
    (run,), _ = runs_in(path)
    assert run.iterations[-1].response == "```\nplanks: 12\n```\nEvery plank is on, the hull is tight."


def test_an_answer_that_is_a_quotation_stays_one(tmp_path: Path) -> None:
    for nth in range(1, 4):
        (tmp_path / f"iteration-{nth}.log").write_text("> All is done,\n> they wrote.\n> Is it?\n", "utf-8")
    (run,), _ = runs_in(tmp_path)
    assert {one.response for one in run.iterations} == {"> All is done,\n> they wrote.\n> Is it?"}
