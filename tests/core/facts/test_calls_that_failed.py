"""What a command that failed says of tests and checks counts, whatever the command is called."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import resolved
from hypothesis import given, settings
from hypothesis import strategies as st
from runner_outputs import BY_COMMAND, SUMMARIES

from exitgate.core.facts import registry
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("test-runners"))
#: Ways of telling how a run went that show both counts; a fraction or a broken line may be anything.
TOLD = sorted(SUMMARIES.keys() - {"fractions", "wrapped"})
#: Lines that start a project's own tests, in ways that no list of runners can name.
OWN = (
    "./orchard.sh", "./out/debug/plum", "bash tools/nightly", "make orchard", "npm run orchard", "just plums",
    "cd orchard && ./go", "bin/orchard --all", "node scripts/orchard.js", "task plums", "ORCHARD=1 ./plum -v",
    "docker exec orchard ./plum", "ssh orchard ./plum", "bash -lc './orchard.sh --deep'", "python3 plum.py",
    "rake plums", "./gradlew plums", "nix run .#plum", "xvfb-run ./plum",
)  # fmt: skip
#: Lines that show what is there, and end with a status all the same.
SHOWS = (
    "cat plum.log", "tail -50 out/plum.log", "grep -rn failed out | head", "cd out && cat plum.log",
    "git diff HEAD~1", "gh run view 8 --log-failed", "kubectl logs plum-0", "bash -lc 'cat plum.log'",
    "sed -n 1,40p plum.log; ls", "PLUM=1", "rg failed", "docker compose logs plum",
    "journalctl -u plum | grep failed",
)  # fmt: skip
#: Commands that build, check or commit.
CHECKS = (
    "docker build -t plum .", "docker compose build plum", "terraform validate", "helm lint charts/plum",
    "ninja -C out", "cmake -S . -B out", "xcodebuild -scheme Plum build", "npx webpack", "npx svelte-check",
    "black --check src", "pre-commit run -a", "nix build", "cabal build", "vendor/bin/phpstan analyse",
    "make validate", "npm run compile", "just lint", "task check-types", "./gradlew :plum:lint", "gcc plum.c",
    "shellcheck bin/plum", "python -m compileall src", "buf lint", "git commit -m plum", "mkdocs build",
    "cd plum && yarn build:prod", "bash -lc 'npm run typecheck'", "cargo fmt --check",
    "git -C plum commit -am x",
)  # fmt: skip


def call(command: str, result: str, status: int = 0) -> dict:
    return {"tool": "Bash", "input": {"command": command}, "result": result, "exit_status": status}


def read(*calls: dict, response: str = "All done.") -> dict[str, object]:
    sources = {
        "response": Source("response", response),
        "tool_calls": Source("tool_calls", record={"calls": list(calls)}),
    }
    found = registry.load("tests").extract("tests", "response", OPTIONS, Iteration(1, "t#1", 0.0, sources))
    return {f.name[6:]: None if isinstance(f.value, Unknown) else f.value for f in found}


def fails(*calls: dict) -> bool:
    """Return whether tests are known to fail, as policies ask it."""
    found = read(*calls)
    failed = found["failed"]
    return bool(failed) or (found["passing"] is False and failed is None)


@settings(max_examples=150, deadline=None)
@given(
    command=st.sampled_from(OWN),
    runner=st.sampled_from(TOLD),
    passed=st.integers(1, 300),
    failed=st.integers(1, 40),
    status=st.integers(1, 255),
    noise=st.sampled_from(("", "npm warn deprecated plum@1\n", "\x1b[31mred\x1b[0m\n")),
)
def test_a_failing_summary_of_a_command_that_failed_counts(
    command: str, runner: str, passed: int, failed: int, status: int, noise: str
) -> None:
    red = call(command, noise + SUMMARIES[runner](passed, failed), status)
    green = call(command, noise + SUMMARIES[runner](passed + failed, 0))
    assert fails(red)
    assert fails(green, red)
    assert not fails(red, green)
    assert not fails(red, call(command, "done"))
    assert fails(red, call(f"{command} | cut -c 1-9", "done"))


@each("command", SHOWS)
def test_what_only_shows_a_summary_runs_nothing(command: str) -> None:
    for made in SUMMARIES.values():
        assert not fails(call(command, made(5, 2), 1))


def test_a_command_that_failed_without_a_word_of_tests_says_nothing_of_them() -> None:
    for command in OWN:
        assert not fails(call(command, "cannot open plum.conf", 1))


@each("command", BY_COMMAND)
@each("by_itself", [True, False])
def test_a_runner_of_any_language_is_read(command: str, by_itself: bool) -> None:
    red, green = BY_COMMAND[command]
    name = command if by_itself else "make test"
    assert fails(call(name, red, 1))
    assert fails(call(name, red))
    assert not fails(call(name, red, 1), call(name, green))
    found = read(call(name, green))
    assert (found["passing"], found["witness"], found["failed"]) == (True, True, 0)


@each("command", BY_COMMAND)
def test_a_run_that_ends_with_a_status_fails_whatever_it_prints(command: str) -> None:
    assert fails(call(command, "killed", 137))
    assert not read(call(command, BY_COMMAND[command][1], 1))["passing"]


@each("command", CHECKS)
def test_a_check_counts_as_it_last_came_out(command: str) -> None:
    def failing(*calls: dict) -> object:
        return read(*calls, response="All done. 12 passed in 0.20s")["checks_failing"]

    red, green = call(command, "it broke", 2), call(command, "fine")
    assert failing(red) is True
    assert failing(red, green) is False
    assert failing(green, red) is True
    assert failing(red, call("ls", "plum.c")) is True
    assert read(red, response="All done. 12 passed in 0.20s")["witness"] is False


def test_another_check_that_passes_takes_nothing_back() -> None:
    red = call("docker build .", "it broke", 1)
    for other in ("npm run build", "terraform validate", "make lint", "git commit -m x"):
        assert read(red, call(other, "fine"))["checks_failing"] is True


@pytest.mark.parametrize("mark", [" 2>&1 | tail -5", " || true", "; echo plum"])
def test_a_status_that_the_line_hides_does_not_hide_what_was_printed(mark: str) -> None:
    assert read(call("make compile" + mark, "plum.c:4:2: error: no such plum"))["checks_failing"] is True
    assert read(call("make compile" + mark, "cc -o plum plum.c"))["checks_failing"] is False


@pytest.mark.parametrize(
    ("result", "failing"),
    [
        ("nothing to commit, working tree clean", False),
        ("no changes added to commit (use \"git add\")", False),
        ("[main 4c1d2e3] plum\n 1 file changed\nerror: failed to push some refs", False),
        ("husky - pre-commit script failed (code 1)", True),
        ("fatal: unable to auto-detect email address", True),
        ("error: gpg failed to sign the data", True),
        ("fatal: Unable to create '.git/index.lock': File exists.", True),
    ],
)  # fmt: skip
def test_a_commit_that_was_not_made_fails(result: str, failing: bool) -> None:
    assert read(call("git add -A && git commit -m plum && git push", result, 1))["checks_failing"] is failing


def test_names_of_files_in_prose_start_no_runner() -> None:
    for text in ("prove it", "I wrote ./ci.sh and bin/verify.", "Robot tests and busted hopes."):
        assert read(response=text)["ran"] is False


#: How the consoles of agents' programs head what a command printed: of a run that failed, of one that passed.
HEADS = {
    "codex": (
        "exec\n/bin/bash -lc '{}' in /srv/plum exited 101 in 4.1s:",
        "exec\n/bin/bash -lc '{}' in /srv/plum succeeded in 3.9s:",
    ),
    "codex in two lines": (
        "exec\nzsh -lc '{}' in ~/plum\n exited 1 in 12ms:",
        "exec\nzsh -lc '{}' in ~/plum\n succeeded in 9ms:",
    ),
    "codex with times": (
        "[2025-08-01T12:00:00] exec bash -lc '{0}' in /a\n[2025-08-01T12:00] bash -lc '{0}' exited 1 in 4s:",
        "[2025-08-01T12:01:00] exec bash -lc '{0}' in /a\n[2025-08-01T12:01] bash -lc '{0}' succeeded in 4s:",
    ),
    "prompt": ("$ {}", "$ {}"),
    "claude": ("● Bash({})\n  ⎿  Exit code 1", "● Bash({})\n  ⎿  "),
    "goose": ("─── shell | developer ───\ncommand: {}", "─── shell | developer ───\ncommand: {}"),
}


@each("head", HEADS)
@each(
    ("command", "runner"),
    [
        ("cargo test", "cargo"),
        ("mvn test", "maven"),
        ("dotnet test", "dotnet"),
        ("gradle test", "gradle"),
        ("npx jest", "jest"),
    ],
)
def test_each_command_of_a_console_is_a_run_of_its_own(head: str, command: str, runner: str) -> None:
    red, green = (one.format(command) for one in HEADS[head])
    before, after = SUMMARIES[runner](23, 1), SUMMARIES[runner](24, 0)
    console = f"{red}\n{before}\n\ncodex\nThe plums were sour.\n{green}\n{after}\n\ncodex\nPlanted.\n"
    found = read(response=console)
    assert (found["failed"], found["passing"]) == (0, True)
    console = f"{green}\n{after}\n\ncodex\nAgain.\n{red}\n{before}\n\ncodex\nPlanted.\n"
    found = read(response=console)
    assert (found["failed"], found["passing"]) == (1, False)


@pytest.mark.parametrize(
    "shell", ["/bin/bash -lc '{}'", 'bash -c "{}"', "/usr/bin/zsh -lc '{}'", "sh -c '{}'"]
)
def test_a_shell_in_between_changes_nothing(shell: str) -> None:
    for command, (red, green) in BY_COMMAND.items():
        if "'" not in command and '"' not in command:
            assert fails(call(shell.format(command), red, 1))
            assert read(call(shell.format(command), green))["witness"] is True
    for command in CHECKS:
        if "'" not in command:
            assert read(call(shell.format(command), "it broke", 1))["checks_failing"] is True
