"""What the studio reads without a path: the project, and sessions of agents only where the person agreed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exitgate.cli.commands.studio import COMMAND
from exitgate.surfaces.studio.inputs import Inputs


def held(home: Path, name: str, folder: Path) -> str:
    path = home / ".claude" / "projects" / "p" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"type": "user", "cwd": str(folder)}) + "\n", encoding="utf-8")
    return str(path)


def test_sessions_of_this_project_are_read_once_the_person_agreed(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    own = held(home, "own", project)
    held(home, "other", tmp_path / "other")
    environment = {"HOME": str(home)}
    assert Inputs((), str(project), False, environment).paths() == (str(project),)
    inputs = Inputs((), str(project), True, environment)
    assert inputs.paths() == (str(project), own)
    later = held(home, "later", project)
    assert set(inputs.paths()) == {str(project), own, later}
    assert Inputs(("runs",), str(project), True, environment).paths()[0] == "runs"


def test_a_session_that_does_not_say_where_is_shown_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "home/.codex/sessions/1/2/3").mkdir(parents=True)
    (tmp_path / "home/.codex/sessions/1/2/3/rollout-1.jsonl").write_text("{}\n")
    inputs = Inputs((), str(tmp_path / "p"), True, {"HOME": str(tmp_path / "home")})
    assert len(inputs.paths()) == 2
    assert "1 session without the folder" in inputs.notes[0]


def test_in_the_home_folder_no_session_is_come_upon_by_the_way(tmp_path: Path) -> None:
    held(tmp_path, "own", tmp_path)
    inputs = Inputs((), str(tmp_path), False, {"HOME": str(tmp_path)})
    assert inputs.paths() == ()
    state = tmp_path / ".ralph" / "exitgate"
    (state / "runs").mkdir(parents=True)
    assert inputs.paths() == (str(state), str(state / "runs"))


@pytest.mark.parametrize("words", [("--sessions",), ("--no-sessions",)])
def test_the_command_has_both_options(words: tuple[str, ...]) -> None:
    assert any(words[0] in option.flags for option in COMMAND.options)
