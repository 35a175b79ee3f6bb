"""Where layers are looked for, and where they are not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from platformdirs import user_config_dir

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.settings.files import SettingsRequest, user_file
from exitgate.core.settings.load import load_settled
from exitgate.core.system import folders
from exitgate.core.system.folders import folders_up

CONFIG = "exit_decision: {max_errors: 7}\n"


def write(path: Path, text: str = CONFIG) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def max_errors(root: Path, **environment: str) -> object:
    asked = SettingsRequest("bb3", None, {}, str(root), {"HOME": "/nonexistent", **environment})
    return load_settled(asked).policy.parameters["max_errors"].value


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "/home/someone"},
        {"HOME": "/home/someone", "XDG_CONFIG_HOME": "/elsewhere/conf"},
        {"HOME": "/home/someone", "XDG_CONFIG_HOME": ""},
    ],
)
def test_the_user_file_is_where_platformdirs_has_it(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    wanted = os.path.join(user_config_dir("exitgate", appauthor=False), "config.yaml")
    assert user_file(environment) == wanted


def test_a_relative_folder_does_not_count() -> None:
    """As the XDG specification says, and platformdirs of late."""
    found = user_file({"HOME": "/home/someone", "XDG_CONFIG_HOME": "relative"})
    assert found == "/home/someone/.config/exitgate/config.yaml"


def test_without_a_repository_only_the_folder_itself_counts(tmp_path: Path) -> None:
    write(tmp_path / ".bb3/config.yaml")
    below = tmp_path / "below"
    below.mkdir()
    assert max_errors(below) == 5
    assert max_errors(tmp_path) == 7


def test_the_search_ends_at_the_root_of_the_repository(tmp_path: Path) -> None:
    write(tmp_path / ".bb3/config.yaml")
    (tmp_path / ".git").mkdir()
    inner = tmp_path / "inner"
    (inner / "src").mkdir(parents=True)
    assert max_errors(inner / "src") == 7
    (inner / ".git").write_text("gitdir: ../somewhere\n", encoding="utf-8")  # a worktree or submodule
    assert max_errors(inner / "src") == 5


def test_a_home_folder_under_version_control_is_not_everybodys_project(tmp_path: Path) -> None:
    write(tmp_path / ".bb3/config.yaml")
    (tmp_path / ".git").mkdir()
    project = tmp_path / "code" / "tool"
    project.mkdir(parents=True)
    assert max_errors(project, HOME=str(tmp_path)) == 5
    assert max_errors(tmp_path, HOME=str(tmp_path)) == 7
    assert max_errors(project, HOME=str(tmp_path / "other")) == 7


def test_a_folder_of_somebody_else_is_not_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / ".bb3/config.yaml")
    (tmp_path / ".git").mkdir()
    project = tmp_path / "mine"
    project.mkdir()
    owner = folders._owner
    monkeypatch.setattr(folders, "_owner", lambda f: 4711 if f == str(tmp_path) else owner(f))
    assert folders_up(str(project), {"HOME": "/nonexistent"}) == (str(project),)
    assert max_errors(project) == 5


def test_a_link_to_the_folder_is_followed_first(tmp_path: Path) -> None:
    write(tmp_path / "real/.bb3/config.yaml")
    (tmp_path / "real/.git").mkdir()
    (tmp_path / "real/src").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real/src")
    assert max_errors(tmp_path / "link") == 7


def test_a_link_out_of_the_repository_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "secret", "password: hunter2\n")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".bb3").mkdir()
    (project / ".bb3/config.yaml").symlink_to("../../secret")
    with pytest.raises(ExitgateError, match="a link out of") as caught:
        max_errors(project)
    assert "hunter2" not in repr(caught.value.diagnostics)


def test_a_link_within_the_repository_is_followed(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / "settings.yaml")
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").symlink_to("../settings.yaml")
    assert max_errors(tmp_path) == 7


def test_a_link_that_leads_nowhere_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").symlink_to("none.yaml")
    with pytest.raises(ExitgateError, match="a broken link"):
        max_errors(tmp_path)


def test_a_fifo_is_refused_and_not_opened(tmp_path: Path) -> None:
    (tmp_path / ".bb3").mkdir()
    os.mkfifo(tmp_path / ".bb3/config.yaml")
    with pytest.raises(ExitgateError, match="it is a pipe"):
        max_errors(tmp_path)


def test_a_circle_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").symlink_to("config.yaml")
    with pytest.raises(ExitgateError):
        max_errors(tmp_path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"exit_decision: \x00", b"\xf0\x9f", b"a: " + b"[" * 9999])
def test_bytes_of_any_kind_are_diagnostics(content: bytes, tmp_path: Path) -> None:
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").write_bytes(content)
    with pytest.raises(ExitgateError) as caught:
        max_errors(tmp_path)
    assert caught.value.exit_code == 65


def test_looking_for_layers_imports_nothing_heavy() -> None:
    code = (
        "import sys; from exitgate.core.settings import files; import exitgate.core.gate.settings; "
        "files.texts(files.SettingsRequest('bb3')); "
        "heavy = {'yaml', 'jsonschema', 'lark', 'platformdirs', 'typing', 'pathlib', 'dataclasses'}; "
        "print(heavy & set(sys.modules))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"
