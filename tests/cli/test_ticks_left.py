"""How many more open tasks complete a run, as `check` says it: exactly so many do, and one less does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import each
from cli_program import run

NEXT = re.compile(r"complete when (?:the |)(?:(last|\d+) |)(?:of the (\d+) |)open task")


def plan(done: int, open_: int) -> str:
    return "# Plan\n" + "".join(f"- [{'x' if n < done else ' '}] task {n}\n" for n in range(done + open_))


def said(args: list[str]) -> tuple[int, int | None]:
    ran = run("check", "response.md", "plan.md", "--no-record", *args)
    found = NEXT.search(ran.out)
    number = None if found is None else 1 if found[1] == "last" else int(found[1])
    return ran.code, number


@each(
    ("policy", "settings", "done", "open_"),
    [
        ("bb3", [], 2, 4), ("bb3", [], 0, 10), ("bb3", ["--set", "min_completion=50"], 1, 7),
        ("bb3", ["--set", "min_completion=100"], 1, 3), ("recommended", [], 1, 4),
        ("recommended", ["--set", "min_completion=60"], 1, 4),
    ],
)  # fmt: skip
def test_so_many_and_not_one_less(
    policy: str, settings: list[str], done: int, open_: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "response.md").write_text("I am confident. The parser reads files now; I changed src/a.py.\n")
    (tmp_path / "plan.md").write_text(plan(done, open_))
    args = ["--policy", policy, *settings]
    code, number = said(args)
    assert code == 0 and number is not None
    (tmp_path / "plan.md").write_text(plan(done + number, open_ - number))
    assert said(args)[0] == 10
    (tmp_path / "plan.md").write_text(plan(done + number - 1, open_ - number + 1))
    assert said(args)[0] == 0


def test_nothing_is_promised_against_failing_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "response.md").write_text("```\n== 3 failed, 2 passed in 1.0s ==\n```\n3 tests fail.\n")
    (tmp_path / "plan.md").write_text(plan(1, 1))
    before = said([])
    (tmp_path / "plan.md").write_text(plan(2, 0))
    assert (before, said([])[0] == 10) == ((0, None), False)
