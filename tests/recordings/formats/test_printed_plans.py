"""The list of tasks that a loop prints before each agent is no part of what the agent said."""

from __future__ import annotations

from pathlib import Path

import pytest
from shapes_expected import runs_in

ITEMS = ("rigging", "rudder", "paint")
SAID = (
    "The rigging is up. Two are left.",
    "The rudder turns. One is left.",
    "The paint is dry; all is done.",
)


def plan(ticked: int) -> str:
    return "".join(f"- [{'x' if nth < ticked else ' '}] {item}\n" for nth, item in enumerate(ITEMS))


def responses(folder: Path, before: str, behind: str, *, first: int = 0) -> list[str | None]:
    path = folder / "out.log"
    path.write_text(
        "".join(
            f"=== Iteration {nth} of 9 ===\n{before}{plan(nth - 1 + first)}{behind}{said}\n\n"
            for nth, said in enumerate(SAID, 1)
        ),
        "utf-8",
    )
    (run,), _ = runs_in(path)
    return [one.response for one in run.iterations]


@pytest.mark.parametrize("before", ["--- TASKS.md ---\n", "--- plan ---\n", "### backlog.md ###\n"])
@pytest.mark.parametrize("behind", ["--- agent ---\n", "\n--- claude output ---\n"])
def test_below_a_heading(tmp_path: Path, before: str, behind: str) -> None:
    assert responses(tmp_path, before, behind) == list(SAID)


@pytest.mark.parametrize("before", ["", "Tasks:\n", "Open work\n"])
def test_at_the_head_of_every_iteration(tmp_path: Path, before: str) -> None:
    assert responses(tmp_path, before, "\n") == list(SAID)


@pytest.mark.parametrize("first", [1])
def test_a_list_in_which_the_agent_ticked_is_its_own(tmp_path: Path, first: int) -> None:
    found = responses(tmp_path, "Tasks:\n", "\n", first=first)
    assert [one is not None and one.startswith("Tasks:") for one in found] == [True] * 3


def test_a_file_named_by_an_agent_is_its_own_where_the_loop_names_no_agent(tmp_path: Path) -> None:
    found = responses(tmp_path, "--- TASKS.md ---\n", "", first=1)
    assert [
        one is not None and one.endswith(said) and "[x]" in one for one, said in zip(found, SAID, strict=True)
    ]
