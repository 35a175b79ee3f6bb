"""What exitgate writes into a project is left out of git, however it is asked: an agent adds all there is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each
from compiled import COMPILED
from patience import PATIENCE

from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.gitignore import leave_out, leave_out_files, repository_of

PROGRAM = f"#!{sys.executable}\nfrom exitgate.cli.main import main\nraise SystemExit(main())\n"
POLICY = """policy: p
format: 1
version: 1.0.0
facts:
  same: {extract: similarity, from: response}
  tasks: {extract: checklist, from: plan}
views: {exit_state: {}, decision_log: {}, session: {}, confidence_log: {}}
rules: []
"""
SHIM = """
set -uo pipefail
eval "$("$EXITGATE" shim ralph)"
RALPH_DIR=".ralph"
EXIT_SIGNALS_FILE=".ralph/.exit_signals"; RESPONSE_ANALYSIS_FILE=".ralph/.response_analysis"
mkdir -p .ralph/logs
for loop_count in 1 2; do
    init_circuit_breaker
    should_halt_execution >/dev/null
    should_exit_gracefully >/dev/null
    echo "Read the module $loop_count." > ".ralph/logs/claude_output_$loop_count.log"
    analyze_response ".ralph/logs/claude_output_$loop_count.log" "$loop_count" && update_exit_signals
    record_loop_result "$loop_count" 1 false 100
    git add -A
done
"""
#: Written by the loops themselves, or by the test.
OF_OTHERS = {"policy.yaml", "fix_plan.md", "r.md", "prompt.md", "events.jsonl"}


def environment(folder: Path) -> dict[str, str]:
    program = folder / "exitgate"
    if not program.exists():
        program.write_text(PROGRAM)
        program.chmod(0o755)
    return {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HOME": str(folder),
        "EXITGATE_CACHE_DIR": COMPILED,
        "EXITGATE": str(program),
    }


def asked(project: Path, *words: str, stdin: bytes = b"") -> bytes:
    ran = subprocess.run(
        words, cwd=project, env=environment(project.parent), input=stdin, capture_output=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.returncode in (0, 2) or 10 <= ran.returncode < 20, ran.stderr.decode()
    return ran.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    asked(folder, "git", "init", "-q")
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "fix_plan.md").write_text("- [ ] one\n")
    (folder / "r.md").write_text("Read the module.\n")
    (folder / "prompt.md").write_text("Go on.\n")
    return folder


def staged(project: Path) -> set[str]:
    asked(project, "git", "add", "-A")
    return set(os.fsdecode(asked(project, "git", "ls-files", "-z")).split("\0")) - {""}


def test_nothing_that_a_check_writes_is_added(project: Path) -> None:
    for _ in range(2):
        asked(project, "exitgate", "check", "r.md", "--policy", "./policy.yaml")
        assert staged(project) <= OF_OTHERS
    written = {path.name for path in project.rglob("*")}
    assert {"exit-state.json", ".ralph-session.json", "confidence.log", "ledger.jsonl", "earlier"} <= written
    assert any(name.startswith("exit-decisions_") for name in written)
    lines = (project / ".git/info/exclude").read_text().splitlines()
    assert len(lines) == len(set(lines))


def test_files_of_an_older_version_are_left_out_when_a_run_begins(project: Path) -> None:
    asked(project, "exitgate", "check", "r.md", "--policy", "./policy.yaml")
    (project / ".ralph/exitgate/.gitignore").unlink()
    (project / ".git/info/exclude").unlink()
    asked(project, "exitgate", "reset")
    asked(project, "exitgate", "check", "r.md", "--policy", "./policy.yaml")
    assert staged(project) <= OF_OTHERS


def test_nothing_that_the_other_commands_write_is_added(project: Path) -> None:
    for words in (("new-run",), ("circuit", "trip", "--reason", "x"), ("reset",)):
        asked(project, "exitgate", *words)
        assert staged(project) <= OF_OTHERS, words


def test_nothing_that_a_loop_writes_is_added(project: Path) -> None:
    run = ("run", "--policy", "./policy.yaml", "--max-iterations", "2", "--", "sh", "-c", "git add -A")
    asked(project, "exitgate", *run)
    assert (project / ".ralph/exitgate/runs").is_dir()
    assert staged(project) <= OF_OTHERS


def test_nothing_that_a_hook_writes_is_added(project: Path) -> None:
    (project / "events.jsonl").write_text("")
    payload = {
        "hook_event_name": "Stop", "session_id": "s1", "cwd": str(project), "stop_hook_active": False,
        "last_assistant_message": "Read the module.",
        "transcript_path": str(project / "events.jsonl"),
    }  # fmt: skip
    words = ("exitgate", "hook", "claude-code", "--policy", "./policy.yaml")
    ran = subprocess.run(
        words, cwd=project, env={**environment(project.parent), "EXITGATE_LOOP": "1"},
        input=json.dumps(payload).encode(), capture_output=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert ran.returncode == 0
    assert (project / ".ralph/exitgate").is_dir(), ran
    assert staged(project) <= OF_OTHERS


def test_nothing_that_the_functions_of_the_shim_write_is_added(project: Path) -> None:
    asked(project, "bash", "-c", SHIM)
    assert (project / ".ralph/.exitgate_answer").exists()
    found = staged(project) - OF_OTHERS
    assert {name for name in found if not name.startswith(".ralph/logs/claude_output_")} == set()


def test_a_folder_that_holds_files_of_others_keeps_them_in_git(project: Path) -> None:
    asked(project, "exitgate", "check", "r.md", "--policy", "./policy.yaml", "--state-dir", ".")
    found = staged(project)
    assert {"policy.yaml", "fix_plan.md", "r.md"} <= found
    assert found <= OF_OTHERS
    assert not (project / ".gitignore").exists()


def test_worktrees_and_repositories_inside_have_their_own(project: Path, tmp_path: Path) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    staged(project)
    asked(project, "git", *identity, "commit", "-qm", "x")
    asked(project, "git", "worktree", "add", "-q", "../tree")
    asked(tmp_path, "git", "clone", "-q", "project", "other")
    allowed = ("-c", "protocol.file.allow=always")
    asked(project, "git", *allowed, "submodule", "--quiet", "add", "../other", "inner")
    for place in (tmp_path / "tree", project / "inner"):
        asked(place, "exitgate", "check", "r.md", "--policy", "./policy.yaml")
        assert (place / ".ralph/exit-state.json").exists()
        assert staged(place) <= OF_OTHERS


def test_names_are_taken_as_they_are_written(project: Path) -> None:
    names = ["a b", "#a", "!a", "a*", "[a]", "a\\b", "a ", "\udcff", "plain"]
    for name in (*names, "ab", "aXb"):
        (project / name).write_text("x")
    for _ in range(2):
        leave_out_files(str(project / name) for name in names if name != "a*")
    assert staged(project) - OF_OTHERS == {"a*", "ab", "aXb"}


def test_a_line_without_its_end_stays_one(project: Path) -> None:
    exclude = project / ".git/info/exclude"
    exclude.write_text("mine")
    leave_out(str(project), ["x"])
    assert exclude.read_text() == "mine\n/x\n"


def planted_link(project: Path, victim: Path) -> None:
    (project / ".git/info/exclude").unlink()
    (project / ".git/info/exclude").symlink_to(victim / ".git/info/exclude")


def planted_folder(project: Path, victim: Path) -> None:
    (project / ".git/info/exclude").unlink()
    (project / ".git/info").rmdir()
    (project / ".git/info").symlink_to(victim / ".git/info")


def planted_hard_link(project: Path, victim: Path) -> None:
    (project / ".git/info/exclude").unlink()
    os.link(victim / ".git/info/exclude", project / ".git/info/exclude")


def planted_pipe(project: Path, victim: Path) -> None:
    (project / ".git/info/exclude").unlink()
    os.mkfifo(project / ".git/info/exclude")


def moved_away(project: Path) -> None:
    (project / ".git").rename(project.parent / "away")


def planted_repository_link(project: Path, victim: Path) -> None:
    moved_away(project)
    (project / ".git").symlink_to(victim / ".git")


def planted_pointer(project: Path, victim: Path) -> None:
    moved_away(project)
    (project / ".git").write_text(f"gitdir: {victim / '.git'}\n")


def planted_worktree(project: Path, victim: Path) -> None:
    moved_away(project)
    folder = project / "git"
    folder.mkdir()
    (folder / "gitdir").write_text(f"{project / '.git'}\n")
    (folder / "commondir").write_text(f"{victim / '.git'}\n")
    (project / ".git").write_text(f"gitdir: {folder}\n")


def planted_common(project: Path, victim: Path) -> None:
    (project / ".git/commondir").write_text(f"{victim / '.git'}\n")


def read_only(project: Path, victim: Path) -> None:
    (project / ".git/info/exclude").chmod(0o400)


@each(
    "plant",
    [
        planted_link, planted_folder, planted_hard_link, planted_pipe, planted_repository_link,
        planted_pointer, planted_worktree, planted_common, read_only,
    ],
)  # fmt: skip
def test_no_other_repository_is_written_to(plant, tmp_path: Path) -> None:
    for name in ("project", "victim"):
        (tmp_path / name).mkdir()
        asked(tmp_path / name, "git", "init", "-q")
    project, victim = tmp_path / "project", tmp_path / "victim"
    before = (victim / ".git/info/exclude").read_bytes()
    plant(project, victim)
    leave_out_files([str(project / "x")])
    with Ledger(str(project / "state")):
        pass
    assert (victim / ".git/info/exclude").read_bytes() == before


def test_a_repository_that_is_made_later_leaves_them_out_too(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "fix_plan.md").write_text("- [ ] one\n")
    words = ("exitgate", "check", "--policy", "bb3")
    for _ in range(2):
        asked(project, *words)
    assert {path.name for path in (project / ".ralph").iterdir()} >= {"exit-state.json", "logs", "exitgate"}
    asked(project, "git", "init", "-q")
    assert staged(project) == {"fix_plan.md"}


def test_a_list_of_others_beside_them_stays_as_it_is(tmp_path: Path) -> None:
    folder, inside = tmp_path / ".ralph", tmp_path / ".ralph" / "logs"
    inside.mkdir(parents=True)
    leave_out_files([str(folder / "a b"), str(inside / "day_*.log"), str(folder / "c")])
    assert (folder / ".gitignore").read_bytes().splitlines()[1:] == [b"/.gitignore", b"/a\\ b", b"/c"]
    assert (inside / ".gitignore").read_bytes().splitlines()[1:] == [b"/.gitignore", b"/day_*.log"]
    (folder / ".gitignore").write_text("mine\n")
    (inside / ".gitignore").unlink()
    (inside / ".gitignore").symlink_to(folder / ".gitignore")
    leave_out_files([str(folder / "d"), str(inside / "e")])
    assert (folder / ".gitignore").read_text() == "mine\n"


def test_without_a_repository_nothing_is_done(tmp_path: Path) -> None:
    assert repository_of(str(tmp_path)) is None
    leave_out_files([str(tmp_path / "x")])
    assert list(tmp_path.iterdir()) == []
