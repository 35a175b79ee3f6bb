"""A folder is taken wherever a file is named; where that makes no sense, one line says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from cli_loops import labels_file, some_loops
from cli_policy import POLICY
from cli_program import run

TEAM, SEVERAL, EMPTY = "./policies/team", "./several", "./empty"
#: Commands that take one policy, in the place of `{}`.
ONE_POLICY = (
    "check answer.md plan.md -p {}", "explain answer.md plan.md -p {}", "facts answer.md -p {}",
    "config -p {}", "schema config -p {}", "policies show {}", "prove {} --only rules", "diff {0} {0}",
    "init -p {}", "dry-run runs -p {}", "report runs -p {} -o -",
    "new-run -p {}", "compare {} bb3 --runs runs", "tune runs -l labels -p {} --parameter goal=50..60:10",
)  # fmt: skip


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for folder in ("policies/team", "several", "empty", "labels"):
        (tmp_path / folder).mkdir(parents=True)
    for policy in ("policies/team/policy.yaml", "several/one.yaml", "several/two.yaml"):
        (tmp_path / policy).write_text(POLICY, "utf-8")
    (tmp_path / "answer.md").write_text("Done.\n", "utf-8")
    (tmp_path / "plan.md").write_text("- [x] a\n- [ ] b\n", "utf-8")
    some_loops(tmp_path)
    marks = "{run: one, stop: 3}", "{run: two, stop: 3}", "{run: three, stop: never}"
    labels_file(tmp_path / "labels", *marks)
    (tmp_path / "labels/.ralphrc").write_text("MAX_CALLS_PER_HOUR=10\n", "utf-8")
    return tmp_path


def ran(here: Path, line: str, *words: str) -> tuple[int, str]:
    found = run(*line.format(*words).split(), cwd=here, HOME=str(here))
    return found.code, found.out + found.err


def test_a_folder_is_its_policy(here: Path) -> None:
    for line in ONE_POLICY:
        code, text = ran(here, line, TEAM)
        assert code < 64, (line, text)


def test_a_folder_of_several_policies_lists_them(here: Path) -> None:
    for line in ONE_POLICY:
        code, text = ran(here, line, SEVERAL)
        assert code == 66, (line, text)
        assert "the folder `./several` has 2 policies: `one.yaml`, `two.yaml`" in " ".join(text.split()), text
        assert "name one: `./several/one.yaml`" in " ".join(text.split()), text


def test_a_folder_without_a_policy_is_nothing_to_decide_by(here: Path) -> None:
    for line in ONE_POLICY:
        code, text = ran(here, line, EMPTY)
        assert code == 66, (line, text)
        assert "there is no policy in the folder `./empty`" in " ".join(text.split()), (line, text)


def test_a_folder_named_in_settings_or_extended(here: Path) -> None:
    (here / ".bb3").mkdir()
    (here / ".bb3/config.yaml").write_text("exit_decision:\n  policy: ../policies/team\n", "utf-8")
    assert ran(here, "config")[1].startswith("small 1.0.0")
    (here / "more.yaml").write_text(
        "policy: more\nformat: 1\nversion: 1.0.0\ntitle: More\nextends: ./policies/team\n", "utf-8"
    )
    assert ran(here, "policies show more.yaml")[1].startswith("more 1.0.0")


def test_the_name_of_something_shipped_stays_its_name(here: Path) -> None:
    (here / "bb3").mkdir()
    (here / "bb3/policy.yaml").write_text(POLICY, "utf-8")
    assert ran(here, "policies show bb3")[1].startswith("bb3 ")
    assert ran(here, "policies show ./bb3")[1].startswith("small ")


def test_a_second_policy_in_the_folder_is_seen_by_the_next_check(here: Path) -> None:
    (here / "several/two.yaml").unlink()
    assert ran(here, "check answer.md plan.md -p {}", SEVERAL)[0] == 0
    (here / "several/two.yaml").write_text(POLICY, "utf-8")
    assert ran(here, "check answer.md plan.md -p {}", SEVERAL)[0] == 66


@each(
    "line, wanted",
    [
        ("calibrate runs -l labels --fact run.iterations", 0),
        ("dry-run runs -p bb3 --expect labels", 0),
        ("import ralphrc labels --print", 0),
        ("validate policies", 0), ("fmt policies --check", 0),
        ("transcripts runs", 0), ("dry-run runs -p bb3", 0),
        ("check runs", "is a directory"), ("check answer.md runs", "is a directory"),
        ("check answer.md --task runs", "is a directory"), ("facts runs", "is a directory"),
        ("run --prompt runs -- true", "is a directory"), ("new-run --plan runs", "is a directory"),
        ("score runs -l empty", "`empty/labels.yaml` cannot be read"),
        ("dry-run runs -o empty", "`empty` is a folder"), ("report runs -o empty", "`empty` is a folder"),
        ("ci policies --summary empty", "`empty` is a folder"),
        ("history --state-dir answer.md", "not a directory"),
        ("ledger verify --state-dir answer.md", "not a directory"),
        ("transcripts empty", "no recorded runs in `empty`"),
        ("validate empty", "no YAML file in or below `empty`"),
        ("import ralphrc empty", "empty"), ("policies eject bb3 answer.md", "answer.md"),
    ],
)  # fmt: skip
def test_other_arguments(line: str, wanted: int | str, here: Path) -> None:
    code, text = ran(here, line)
    if isinstance(wanted, int):
        assert code in (wanted, 69), text
    else:
        assert code in (66, 73, 74), (code, text)
        assert wanted in " ".join(text.split()), text
