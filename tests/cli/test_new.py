"""`exitgate new`: every skeleton works as it is written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from exitgate.cli.main import main
from exitgate.core.policy.yaml.document import load_yaml

ROOT = Path(__file__).parents[2]
SKELETONS = ROOT / "src" / "exitgate" / "reference" / "scaffold"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_policy_validates_passes_its_tests_and_no_lint_objects(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["new", "policy", "night-run", "--in", "policies"]) == 0
    at = os.path.join("policies", "night-run")
    assert capsys.readouterr().out == (
        f"wrote {at}/policy.yaml\nwrote {at}/tests.yaml\nwrote {at}/README.md\n"
        f"wrote {at}/policy.schema.json\nwrote {at}/tests.schema.json\n"
        f"next:\n  exitgate test {at}\n  exitgate lint {at}\n"
        f"  exitgate check --policy {at}/policy.yaml --no-record\n"
    )
    assert main(["validate", at]) == 0
    assert main(["test", at]) == 0
    capsys.readouterr()
    assert main(["lint", at, "--fail-level", "note"]) == 0
    assert capsys.readouterr() == ("", "1 file linted, nothing found\n")
    assert main(["fmt", "--check", at + "/policy.yaml"]) == 0
    text = (folder / at / "policy.yaml").read_text(encoding="utf-8")
    assert load_yaml(text, "policy.yaml").root.fields["policy"].text == "night-run"
    assert "<<" not in text + (folder / at / "README.md").read_text(encoding="utf-8")


def test_nothing_is_overwritten_and_nothing_half_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a").mkdir()
    (folder / "a" / "README.md").write_text("mine", encoding="utf-8")
    assert main(["new", "policy", "a"]) == 73
    err = capsys.readouterr().err
    assert "error[EP804]: the file exists; nothing was written" in err
    assert sorted(p.name for p in (folder / "a").iterdir()) == ["README.md"]
    assert (folder / "a" / "README.md").read_text(encoding="utf-8") == "mine"


def test_a_folder_that_cannot_be_made_is_73(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "file").write_text("", encoding="utf-8")
    assert main(["new", "policy", "a", "--in", "file"]) == 73
    assert "error[EP805]: cannot write `file/a/policy.yaml`" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["Ü", "A", "a--b", "1a", "../a", "a b", "-", "class", "a/b", "a.b"])
@pytest.mark.usefixtures("folder")
def test_a_name_that_cannot_be_one_is_64(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "policy", "--", name]) == 64
    assert "EP525" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["lint", "extractor", "form", "host"])
@pytest.mark.usefixtures("folder")
def test_pieces_of_exitgate_want_its_checkout(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", kind, "x"]) == 64
    assert "EP526" in capsys.readouterr().err


def tree(folder: Path) -> None:
    """Make what a checkout of exitgate has that skeletons and their tests need."""
    shutil.copytree(ROOT / "src", folder / "src")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in ("policies", "schemas"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("conftest.py", "lint_examples.py"):
        (folder / "tests" / "analysis" / "lint").mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / "analysis" / "lint" / name, folder / "tests" / "analysis" / "lint")
    (folder / "tests" / "hosts" / "hook").mkdir(parents=True)
    for name in ("conftest.py", "hosts_calls.py"):
        shutil.copy(ROOT / "tests" / "hosts" / "hook" / name, folder / "tests" / "hosts" / "hook")
    (folder / "tests" / "core" / "language").mkdir(parents=True)
    for name in ("conftest.py", "golden.py"):
        shutil.copy(ROOT / "tests" / "core" / "language" / name, folder / "tests" / "core" / "language")
    shutil.copytree(ROOT / "tests" / "shared", folder / "tests" / "shared")


def registered(told: str) -> int:
    """Add each line that a skeleton asks for to its table; return how many there are."""
    found = re.findall(r"add `(.+)` to (\w+) in (\S+)$", told, re.M)
    for line, table, path in found:
        text = Path(path).read_text(encoding="utf-8")
        new = f"{'  ' if path.endswith('.yaml') else '    '}{line}"
        text, count = re.subn(rf"(?m)^{table}\b.*[({{:]$", lambda at, new=new: f"{at[0]}\n{new}", text)
        assert count == 1, (table, path)
        Path(path).write_text(text, encoding="utf-8")
    return len(found)


def ran(*words: str, **environment: str) -> None:
    """Run a program of this environment; it must succeed."""
    command = [str(Path(sys.executable).with_name(words[0])), *words[1:]]
    given = {**os.environ, **environment}
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_python_skeletons_pass_their_tests_and_the_style_of_this_repository(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree(folder)
    for kind, name in (
        ("lint", "rule-of-ours"),
        ("extractor", "todo_lines"),
        ("reader", "acme-log"),
        ("host", "acme-code"),
    ):
        assert main(["new", kind, name]) == 0
        told = capsys.readouterr().out
        assert f'add `"{name}"' in told
        assert ("protocol.py" if kind == "host" else "registry.py") in told
    assert main(["new", "form", "opposite"]) == 0
    assert registered(capsys.readouterr().out) == 3
    (folder / "elsewhere").mkdir()
    assert main(["new", "reader", "acme-bot", "--in", "elsewhere"]) == 0
    package = folder / "elsewhere" / "acme-bot"
    project = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["entry-points"]["exitgate.readers"] == {"acme-bot": "acme_bot_reader"}
    stems = ("rule_of_ours", "todo_lines", "acme_log", "acme_code", "acme_bot_reader", "test_opposite")
    written = [str(path) for stem in stems for path in folder.rglob(f"*{stem}.py")]
    assert len(written) == 11
    own = [path for path in written if str(package) in path]
    ran("ruff", "check", "--no-cache", *(path for path in written if path not in own))
    ran("ruff", "check", "--no-cache", "--ignore", "D103,I001", *own)  # exitgate is not first party there
    ran("ruff", "format", "--check", "--no-cache", *written)
    tests = [path for path in written if Path(path).name.startswith("test_")]
    where = os.pathsep.join((str(folder / "src"), str(package), str(folder / "tests" / "shared")))
    bare = {"PYTHONPATH": where, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ran("pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, *tests, **bare)


def test_every_skeleton_is_used() -> None:
    from exitgate.cli.commands.new import _FILES

    found = {(path.parent.name, path.name) for path in SKELETONS.rglob("*") if path.is_file()}
    assert found == {(kind, name) for kind, files in _FILES.items() for name in files}
