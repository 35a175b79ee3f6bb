"""
One meaning, one exit code, for every command and every argument that names a file.

Not there: 66. There, and it cannot be read: 74. Read, and what it holds is wrong: 65. A command line that is
wrong: 64.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each, some
from cli_policy import POLICY
from cli_program import Ran, run

#: Command lines with `{}` in the place of a file that holds YAML, or of recorded runs.
STRICT = (
    "check a.md -p ./{}", "explain a.md -p ./{}", "facts a.md -p ./{}", "config -p ./{}", "prompt ./{}",
    "policies show ./{}", "schema config -p ./{}", "init -p ./{}", "new-run -p ./{}", "run -p ./{} -- true",
    "validate {}", "lint {}", "fmt {}", "ci {}", "test {}", "mutate {}", "release-check {}",
    "prove ./{}", "diff ./{} bb3", "diff bb3 ./{}", "diff {} {}", "dry-run runs -p ./{}",
    "report runs -p ./{}",
    "compare bb3 ./{} --runs runs", "tune runs -p ./{} --parameter min_confidence=50..90:5",
    "label runs -p ./{}", "calibrate runs -p ./{} -l labels.yaml --fact run.iterations",
    "dry-run {}", "transcripts {}", "report {}", "label {}", "compare bb3 ralph --runs {}",
    "diff bb3 bb3 --runs {}",
    "score {} -l labels.yaml", "calibrate {} -l labels.yaml --fact run.iterations",
    "score runs -l {}", "report runs -l {}", "dry-run runs --expect {}",
    "tune runs -l {} --parameter min_confidence=50..90:5", "calibrate runs -l {} --fact run.iterations",
    "calibrate runs --outcomes {} --run-column a --outcome-column b --fact run.iterations",
    "import bb3 {}",
)  # fmt: skip
#: Command lines with `{}` in the place of any text.
FREE = (
    "check {}", "check a.md {}", "check --task {} a.md", "check --source stories={} a.md", "explain ./{}",
    "facts {}", "facts --task {} a.md", "run --prompt {} -- true", "run --plan {} -- true",
    "new-run --plan {}", "new-run --task {}", "import ralphrc {}",
)  # fmt: skip
#: In the place of `{}`: not there, not readable, not as wanted.
#: Command lines without a path, in a folder without policies, tests or recorded runs.
BARE = ("validate", "ci", "test", "mutate", "release-check", "transcripts", "watch --once")
GONE, CIRCLE, WRONG = "gone.yaml", "circle.yaml", "wrong.yaml"
LABELS = "labels:\n  - {run: one, stop: 1}\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    (folder / CIRCLE).symlink_to(CIRCLE)
    (folder / WRONG).write_bytes(b"policy: [\xff\n")
    (folder / "a.md").write_text("Hello.\n", "utf-8")
    (folder / "policy.yaml").write_text(POLICY, "utf-8")
    (folder / "labels.yaml").write_text(LABELS, "utf-8")
    (folder / "runs").mkdir()
    (folder / "runs" / "one.json").write_text(
        '{"type": "result", "result": "Done.", "session_id": "one"}', "utf-8"
    )
    return folder


def ran(line: str, file: str, place: Path) -> Ran:
    return run(*line.replace("{}", file).split(), cwd=place, HOME=str(place))


@each("line", (*STRICT, *FREE))
def test_what_is_named_and_not_there_is_66(line: str, place: Path) -> None:
    answer = ran(line, GONE, place)
    assert answer.code == 66, answer
    assert GONE in answer.out + answer.err


@each("line", (*STRICT, *FREE))
def test_what_is_there_and_cannot_be_read_is_74(line: str, place: Path) -> None:
    answer = ran(line, CIRCLE, place)
    assert answer.code == 74, answer
    assert CIRCLE in answer.out + answer.err


@each("line", some(STRICT, 24))
def test_what_holds_something_else_is_65(line: str, place: Path) -> None:
    answer = ran(line, WRONG, place)
    assert answer.code == 65, answer
    assert WRONG in answer.out + answer.err


@each("line", (*STRICT, *FREE))
def test_a_wrong_command_line_is_64(line: str, place: Path) -> None:
    command, _, rest = line.partition(" -- ")
    answer = ran(f"{command} --no-such-option" + (f" -- {rest}" if rest else ""), GONE, place)
    assert answer.code == 64, answer


@each(
    "line",
    ["check -p no-such-policy", "config -p no-such-policy", "policies show no-such-policy", "prove no-such"],
)
def test_a_name_of_nothing_is_66(line: str, place: Path) -> None:
    assert ran(line, "", place).code == 66


@each("line", BARE)
def test_a_folder_that_holds_nothing_is_66(line: str, tmp_path: Path) -> None:
    answer = run(*line.split(), cwd=tmp_path, HOME=str(tmp_path))
    assert answer.code == 66, answer


@each("line", ["history", "state", "ledger verify", "replay", "watch --once", "circuit status"])
def test_a_file_in_place_of_the_state_directory_is_74(line: str, place: Path) -> None:
    answer = run(*line.split(), "--state-dir", "a.md", cwd=place)
    assert answer.code == 74, answer


@each("line", ["test policy.yaml --coverage --fail-under 0.8", "mutate policy.yaml --fail-under .8"])
def test_a_fraction_for_a_percentage_never_passes_for_one(line: str, place: Path) -> None:
    (place / "tests.yaml").write_text(
        "format: 1\ntests:\n  - {name: a, facts: {tasks.percent: 50}, expect: {verdict: CONTINUE}}\n", "utf-8"
    )
    answer = run(*line.split(), cwd=place, HOME=str(place))
    assert (answer.code, "is less than one percent" in answer.err) == (64, True), answer


def test_a_file_of_tests_is_one_even_if_it_says_nothing_of_tests(tmp_path: Path) -> None:
    (tmp_path / "tests.yaml").write_text("policy: p\ncases: []\n", "utf-8")
    answer = run("validate", "tests.yaml", cwd=tmp_path)
    assert (answer.code, "`tests` is missing" in answer.out, "`rules`" in answer.out) == (65, True, False)


def test_history_of_a_run_that_there_is_not(place: Path) -> None:
    run("check", "a.md", "-p", "./policy.yaml", cwd=place)
    assert "no decisions of a run `other` yet" in run("history", "--run", "other", cwd=place).err
