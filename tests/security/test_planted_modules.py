"""A module that lies in the folder never runs, however exitgate is started and whatever it starts itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each, some
from patience import PATIENCE
from planted import Clone, Line, lines

from exitgate.cli.main import COMMANDS
from exitgate.core.system import python
from exitgate.core.system.child import found
from exitgate.hosts.shim.bash import shim

LINES = lines()
#: Modules that are looked for by what is installed here, and are not installed.
OPTIONAL = frozenset((
    "annotationlib", "atomicwrites", "fqdn", "isoduration", "org", "regex", "rfc3339_validator",
    "rfc3986_validator", "rfc3987", "rfc3987_syntax", "uri_template", "webcolors",
))  # fmt: skip
#: Modules that start processes: ours, and those about git.
STARTERS = frozenset(("exitgate.core.system.child", "exitgate.core.system.processes"))
#: Ways to start the program, as words before those of a command.
FORMS = {
    "script": ("exitgate",),
    "module": (sys.executable, "-P", "-m", "exitgate"),
    "script of a Python without environment": (sys.executable, "-E", "{bin}/exitgate"),
}
ASKS = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from exitgate.core.system import python
print(json.dumps(python.command("exitgate.x", "main")))
"""
ANALYSED = """
analyze_response r.md 1
update_exit_signals
log_analysis_summary
record_loop_result 1 1 false 60
should_exit_gracefully
should_halt_execution && true
analyze_response r.md 2
detect_output_format r.md
"""


def names() -> frozenset[str]:
    """Return the names of all modules that there are here, and of those that somebody looks for."""
    there = {"sitecustomize", "usercustomize", "exitgate", *sys.stdlib_module_names, *OPTIONAL}
    for place in (Path(one) for one in sys.path if one.endswith("site-packages")):
        there |= {one.name.partition(".")[0] for one in place.iterdir()}
    return frozenset(name for name in there if name.isidentifier())


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return Clone(tmp_path_factory.mktemp("planted"), names())


def test_a_planted_module_runs_where_python_looks_in_the_folder(tmp_path: Path) -> None:
    there = Clone(tmp_path, frozenset(("colorsys", "multiprocessing")))
    there.run(sys.executable, "-c", "import colorsys")
    there.run(sys.executable, "-c", "import multiprocessing")
    assert there.ran() == there.planted


def test_there_is_a_line_for_every_command() -> None:
    assert {line.words.split()[0] for line in LINES} == set(COMMANDS)


def test_no_command_runs_a_planted_module(clone: Clone) -> None:
    noted = clone.drive(LINES)
    codes = zip(LINES, noted.codes, strict=True)
    assert [(line.words, code) for line, code in codes if code not in line.codes] == [], noted.said[-3000:]
    assert str(clone.folder) not in noted.path
    assert noted.starters - STARTERS == set()  # nor does a package that is used start anything
    assert "exitgate.core.system.child" in noted.starters
    if others := noted.tried - clone.planted:  # of every name that is looked for, a module lies there
        clone.plant(others)
        assert clone.drive(LINES).tried <= clone.planted
    assert clone.ran() == set()
    assert clone.textfile.exists()  # telemetry's process was there


PLAIN = [line for line in LINES if line.words.split()[0] in ("check", "hook")]
HEAVY = [line for line in LINES if line.words.startswith("dry-run")]


@each("form, line", [
    *(("script of a Python without environment", line) for line in HEAVY),
    *(("module", line) for line in HEAVY),
    *((form, line) for form in ("script", "module") for line in some(LINES, 2)),
])  # fmt: skip
def test_no_way_to_start_it_runs_a_planted_module(clone: Clone, form: str, line: Line) -> None:
    words = [word.replace("{bin}", str(clone.programs)) for word in FORMS[form]]
    ran = clone.run(*words, *line.words.split(), said=line.said)
    assert ran.returncode != 3, ran.stderr
    assert "Traceback" not in ran.stderr
    assert clone.ran() == set()


def test_the_functions_of_the_shim_run_none(clone: Clone) -> None:
    ran = clone.run("bash", "-c", f"set -u\n{shim('ralph-claude-code')}\nlog_status() {{ :; }}\n{ANALYSED}")
    assert ran.stdout.rstrip().endswith("text"), ran.stderr
    assert (clone.folder / ".ralph/.exitgate_answer").exists()
    assert clone.ran() == set()


def test_what_an_installed_hook_starts_runs_none(clone: Clone) -> None:
    ran = clone.run("sh", "-c", f"exec {' '.join(python.program('hook', 'claude-code'))}", said="{}")
    assert ran.returncode == 0
    assert clone.ran() == set()


def test_the_module_without_a_safe_path_runs_none_once_it_has_begun(tmp_path: Path) -> None:
    # What Python needs to find `exitgate`, it looks for in the folder; nobody can keep it from that but -P.
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty/nothing.py").write_text("import sys; print(*sys.modules)")
    before = subprocess.run(
        [sys.executable, "-m", "nothing"], cwd=tmp_path / "empty", capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in before.stdout.split()}
    there = Clone(tmp_path, names() - loaded - {"exitgate"})
    for line in PLAIN[:1] + HEAVY:
        ran = there.run(sys.executable, "-m", "exitgate", *line.words.split())
        assert ran.returncode == 0, ran.stderr
    assert there.ran() == set()


def test_places_of_modules_are_absolute_and_not_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path.parent / "link").symlink_to(tmp_path)
    monkeypatch.setattr(sys, "path", ["", ".", "lib", str(tmp_path), str(tmp_path.parent / "link"), "/else"])
    own = str(Path(python.__file__).parents[3])
    assert python.places() == ["/else", own]
    monkeypatch.chdir(own)
    assert own in python.places()


def test_a_program_of_ours_is_not_looked_for_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ps").write_text("#!/bin/sh\n")
    (tmp_path / "ps").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for path in ("", ".", f":{tmp_path}/..", "./", ".."):
        monkeypatch.setenv("PATH", path)
        assert found("ps") is None
    monkeypatch.setenv("PATH", f":{tmp_path}")
    assert found("ps") == str(tmp_path / "ps")


@each("switches, wanted", [((), ["-P"]), (("-E",), ["-P", "-E"]), (("-I",), ["-P", "-I", "-E", "-s"])])
def test_switches_of_the_interpreter_are_handed_on(switches: tuple[str, ...], wanted: list[str]) -> None:
    ran = subprocess.run(
        [sys.executable, *switches, "-c", ASKS, json.dumps(sys.path)],
        env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        capture_output=True, text=True, check=True, timeout=PATIENCE,
    )  # fmt: skip
    words = json.loads(ran.stdout)
    assert words[1 : words.index("-c")] == wanted
