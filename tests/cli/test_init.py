"""`exitgate init`: shown first, written when agreed to, never over something that exists."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from cases import each, some
from cli_golden import same
from cli_policy import write
from cli_program import Ran, run, run_apart
from cli_terminal import run_on_terminal
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.cli.commands.init import installed_from, settings_lines
from exitgate.core.model.value import Type
from exitgate.core.policy import shipped
from exitgate.core.policy.values import from_yaml

FROM = ("--install-from", "git+https://example.org/team/exitgate@v0.1.0")
FILES = (".bb3/config.yaml", ".bb3/config.schema.json", ".github/workflows/exitgate.yml")


def init(folder: Path, *words: str, **environment: str) -> Ran:
    return run("init", *words, cwd=folder, HOME=str(folder / "home"), **environment)


def there(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


def test_without_a_terminal_it_only_shows(tmp_path: Path) -> None:
    write(tmp_path)
    before = there(tmp_path)
    ran = run_apart("init", "-p", "policy.yaml", *FROM, cwd=tmp_path, HOME=str(tmp_path / "home"))
    assert ran.code == 0
    assert ran.err == "nothing was written; `exitgate init --yes` writes it\n"
    same("init.diff", ran.out)
    assert there(tmp_path) == before


def test_what_is_shown_is_what_is_written(tmp_path: Path) -> None:
    shown = init(tmp_path, "-p", "bb3", *FROM).out
    ran = init(tmp_path, "-p", "bb3", *FROM, "--yes")
    assert ran.code == 0
    assert ran.out == shown + "\n" + "".join(f"wrote {path}\n" for path in FILES)
    assert there(tmp_path) == sorted(FILES)
    for path in (FILES[0], FILES[2]):
        text = (tmp_path / path).read_text(encoding="utf-8")
        assert "".join(f"+{line}\n" for line in text.splitlines()) in shown


def test_what_exists_stays(tmp_path: Path) -> None:
    (tmp_path / ".bb3").mkdir()
    mine = tmp_path / ".bb3" / "config.yaml"
    mine.write_text("exit_decision: {min_completion: 91}\n", encoding="utf-8")
    dangling = tmp_path / ".bb3" / "config.schema.json"
    dangling.symlink_to("nowhere")
    ran = init(tmp_path, *FROM, "--yes")
    assert ran.code == 0
    assert ran.err == "".join(f"{path} exists and is left unchanged\n" for path in FILES[:2])
    assert mine.read_text(encoding="utf-8") == "exit_decision: {min_completion: 91}\n"
    assert not (tmp_path / ".bb3" / "nowhere").exists()
    assert init(tmp_path, "--yes").err.endswith("nothing to write\n")


@pytest.mark.parametrize(
    ("typed", "writes"), [("y\n", True), ("Yes\n", True), ("n\n", False), ("\n", False), ("\x04", False)]
)
def test_a_terminal_is_asked(typed: str, writes: bool, tmp_path: Path) -> None:
    write(tmp_path)
    before = there(tmp_path)
    words = ("init", "-p", "policy.yaml", *FROM)
    ran = run_on_terminal(*words, cwd=tmp_path, typed=typed, NO_COLOR="1", HOME=str(tmp_path / "home"))
    assert ran.code == 0
    assert "+exit_decision:" in ran.out
    assert "write these 3 files? [y/N] " in ran.out
    assert ("wrote .bb3/config.yaml" in ran.out) == writes
    assert there(tmp_path) == sorted([*before, *(FILES if writes else ())])


def test_it_writes_to_the_root_of_the_repository(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    write(below)
    ran = init(below, "-p", "./policy.yaml", "--yes")
    assert "wrote ../../.bb3/config.yaml\n" in ran.out
    assert 'policy: "../a/b/policy.yaml"' in (tmp_path / FILES[0]).read_text(encoding="utf-8")
    assert run("config", cwd=below, HOME=str(tmp_path / "home")).out.startswith("small 1.0.0\n")


@pytest.mark.parametrize("name", some(shipped.policies(), 4))
def test_every_comment_is_a_setting_that_fits(name: str, tmp_path: Path) -> None:
    """With the marks taken away, each parameter is set to its default: nothing changes, all is valid."""
    init(tmp_path, "-p", name, "--yes")
    path = tmp_path / FILES[0]
    before = json.loads(run("policies", "show", name, "--format", "json", cwd=tmp_path).out)
    parameters = {p["name"] for p in before["parameters"]}
    lines = [
        line.replace("  # ", "  ", 1) if line.strip("# ").split(":")[0] in parameters else line
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    section = yaml.safe_load(path.read_text(encoding="utf-8"))["exit_decision"]
    assert set(section) == {"policy", *parameters}
    ran = run("config", "--format", "json", cwd=tmp_path, HOME=str(tmp_path / "home"))
    assert (ran.code, ran.err) == (0, "")
    import jsonschema

    schema = json.loads((tmp_path / FILES[1]).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    held_to = jsonschema.Draft202012Validator(schema)
    held_to.validate({"exit_decision": section})
    wrong = {"exit_decision": {"policy": name, "no_such_knob": 1}}
    assert list(held_to.iter_errors(wrong))


def test_the_schema_is_the_one_of_the_command(tmp_path: Path) -> None:
    init(tmp_path, "-p", "bb3", "--yes")
    ran = run("schema", "config", cwd=tmp_path, HOME=str(tmp_path / "home"))
    assert ran.out == (tmp_path / FILES[1]).read_text(encoding="utf-8")


def test_the_workflow_is_one_whose_commands_pass(tmp_path: Path) -> None:
    init(tmp_path, "-p", "bb3", *FROM, "--yes")
    run("policies", "eject", "bb3", "policies/ours", cwd=tmp_path)
    workflow = yaml.safe_load((tmp_path / FILES[2]).read_text(encoding="utf-8"))
    steps = [step["run"] for step in workflow["jobs"]["policies"]["steps"] if "run" in step]
    commands = [step.split() for step in steps if step.startswith("exitgate ")]
    assert len(commands) == 2
    for program, *words in commands:
        assert program == "exitgate"
        assert run(*words, cwd=tmp_path, HOME=str(tmp_path / "home")).code == 0
    (tmp_path / FILES[0]).write_text("exit_decision: {no_such_knob: 1}\n", encoding="utf-8")
    assert run(*commands[0][1:], cwd=tmp_path, HOME=str(tmp_path / "home")).code == 65


@each(
    ("given", "installs"),
    [
        ("git+https://example.org/a/exitgate@v1", "git+https://example.org/a/exitgate@v1"),
        ("https://example.org/a/exitgate.git", "git+https://example.org/a/exitgate.git"),
        ("git@example.org:a/exitgate.git@v1", "git+ssh://git@example.org/a/exitgate.git@v1"),
        ("https://example.org/exitgate-0.1.0.whl", "https://example.org/exitgate-0.1.0.whl"),
        ("file:///srv/exitgate-0.1.0.whl", "file:///srv/exitgate-0.1.0.whl"),
    ],
)
def test_an_address_is_written_as_pip_takes_it(given: str, installs: str, tmp_path: Path) -> None:
    ran = init(tmp_path, "--install-from", given, "--yes")
    workflow = yaml.safe_load((tmp_path / FILES[2]).read_text(encoding="utf-8"))
    assert workflow["env"]["EXITGATE"] == installs
    pinned = "@v1" in given or given.endswith(".whl")
    assert ("the workflow installs what is newest" in ran.err) != pinned


@each(
    "given",
    [
        "exitgate", "exitgate==0.1.0", "-e", "--index-url=https://example.org", "./exitgate.whl", "",
        "http://example.org/a", "git+http://example.org/a", "https://", "https://example.org", "https://[",
        "https://token@example.org/a", "https://me:token@example.org/a", "ssh://git:token@example.org/a",
        "https://example.org/${{ secrets.A }}", "https://example.org/a b", "https://example.org/a\nb: c",
    ],
)  # fmt: skip
def test_what_is_not_an_address_of_ones_own_is_64(given: str, tmp_path: Path) -> None:
    ran = init(tmp_path, f"--install-from={given}", "--yes")
    assert (ran.code, ran.out, there(tmp_path)) == (64, "", [])
    assert "token@" not in ran.err


@each(
    ("record", "address"),
    [
        (None, None),
        ('{"url": "file:///home/me/exitgate", "dir_info": {"editable": true}}', None),
        ('{"url": "https://example.org/e", "vcs_info": {"vcs": "git", "commit_id": "ab12"}}',
         "git+https://example.org/e@ab12"),
        ('{"url": "https://me:token@example.org/e", "vcs_info": {"vcs": "git", "commit_id": "ab12"}}', None),
        ('{"url": "https://example.org/e", "vcs_info": {"vcs": "hg", "commit_id": "ab12"}}', None),
        ('{"url": "https://example.org/exitgate.whl", "archive_info": {}}', "https://example.org/exitgate.whl"),
        ("[]", None),
        ("{", None),
    ],
)  # fmt: skip
def test_without_an_address_it_is_the_one_installed_from_or_there_is_no_workflow(
    record: str | None, address: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = SimpleNamespace(read_text=lambda _: record)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: installed)
    assert installed_from() == address
    ran = init(tmp_path, "--yes")
    assert ran.code == 0
    assert (tmp_path / FILES[2]).exists() == (address is not None)
    assert ran.err.startswith("no workflow for GitHub: say where") == (address is None)


def test_a_place_that_cannot_be_written_is_73(tmp_path: Path) -> None:
    (tmp_path / ".bb3").write_text("a file", encoding="utf-8")
    ran = init(tmp_path, "--yes")
    assert ran.code == 73
    assert "cannot write `.bb3/config.yaml`" in ran.err


def test_an_unknown_policy_is_66(tmp_path: Path) -> None:
    ran = init(tmp_path, "-p", "bb33", "--yes")
    assert (ran.code, ran.out) == (66, "")
    assert there(tmp_path) == []


numbers = st.one_of(st.integers(0, 10**6), st.floats(0, 10**6, allow_nan=False).map(lambda x: round(x, 3)))


@given(kind=st.sampled_from(["count", "number", "duration", "money", "percent"]), number=numbers)
@settings(max_examples=200, deadline=None)
def test_a_written_value_reads_back(kind: str, number: float) -> None:
    type_ = Type(kind, currency="USD") if kind == "money" else Type(kind)
    value = int(number) if kind == "count" else min(number, 100) if kind == "percent" else number
    text = settings_lines(value, type_)
    assert from_yaml(type_, yaml.safe_load(text) if kind in {"count", "number"} else text, text) == value


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_a_written_text_reads_back(text: str) -> None:
    assert yaml.safe_load(settings_lines(text, Type("text"))) == text
    items = Type("list", item=Type("text"))
    assert yaml.safe_load(settings_lines((text, "x, y"), items)) == [text, "x, y"]
