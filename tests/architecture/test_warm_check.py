"""A warm `exitgate check` as users run it: what it loads, and that it starts no other process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BANNED = (
    "yaml", "jsonschema", "lark", "simpleeval", "structlog", "click", "rich", "markdown_it", "dataclasses",
    "typing", "logging", "subprocess", "pathlib", "argparse", "enum", "re", "json", "hashlib", "datetime",
    "importlib", "collections", "functools", "tempfile", "random", "glob", "inspect", "warnings",
)  # fmt: skip
#: What google-re2 itself loads; only where a pattern is tried.
OF_RE2 = {"collections", "functools"}
#: The script that pip writes, with a last look at what was loaded and started in the end.
SCRIPT = """
import sys
at_start = set(sys.modules)
started = []
sys.addaudithook(lambda event, _: event in {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.exec",
                                            "os.spawn", "os.system"} and started.append(event))
from exitgate.cli.main import main
import os
def look(code):
    names = {name.partition(".")[0] for name in set(sys.modules) - at_start}
    print("loaded", *sorted(names), "started", *started, file=sys.stderr, flush=True)
    leave(code)
leave, os._exit = os._exit, look
sys.argv[0] = sys.argv[0].removesuffix(".exe")
look(main())
"""
RESPONSE = "Parser and tests are changed; I am confident that this step is done.\n\n" * 140


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / ".ralph").mkdir()
    tasks = "\n".join(f"- [{'x' if n < 12 else ' '}] step {n}" for n in range(30))
    (tmp_path / "fix_plan.md").write_text(f"# Plan\n\n{tasks}\n")
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path


def check(project: Path, policy: str, more: str = "") -> tuple[set[str], list[str]]:
    """Return the modules a check of a response that was written anew loads, and the processes it starts."""
    (project / ".ralph" / "last-response.md").write_text(RESPONSE + more)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EXITGATE", "COV"))}
    environment["EXITGATE_CACHE_DIR"] = str(project / "cache")
    environment["EXITGATE_HEAD_DIR"] = str(project / "heads")
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    # -S: what site loads is not ours
    words = [sys.executable, "-S", "script.py", "check", "--policy", policy]
    ran = subprocess.run(words, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("CONTINUE"), ran.stdout
    loaded, _, started = ran.stderr.rpartition("loaded ")[2].partition(" started")
    return set(loaded.split()), started.split()


def test_a_warm_check_loads_nothing_heavy(project: Path) -> None:
    cold, _ = check(project, "bb3-faithful")
    assert {"yaml", "lark"} <= cold  # the probe sees what is there
    for _ in range(2):  # with history too
        loaded, started = check(project, "bb3-faithful")
    assert loaded & set(BANNED) == set()
    assert "re2" not in loaded
    assert "exitgate" in loaded
    assert started == []


def test_patterns_load_re2_and_nothing_else(project: Path) -> None:
    check(project, "bb3")
    loaded, started = check(project, "bb3")
    assert "re2" not in loaded  # no line has what a pattern needs
    loaded, started = check(project, "bb3", "error: no column of this name\n")
    assert loaded & set(BANNED) <= OF_RE2
    assert "re2" in loaded
    assert started == []


def test_git_is_asked_where_a_fact_wants_it(project: Path) -> None:
    policy = (
        "policy: gitted\nformat: 1\nversion: 1.0.0\ntitle: Asks git\n"
        "rules:\n  - {id: many, when: git.uncommitted > 400, exit: review, because: many}\n"
    )
    (project / "gitted.yaml").write_text(policy)
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    check(project, "./gitted.yaml")
    loaded, started = check(project, "./gitted.yaml")
    assert started
    assert loaded & {"yaml", "lark", "jsonschema", "click", "json"} == set()
