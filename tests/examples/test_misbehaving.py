"""The agents that misbehave: under each policy they end where their tables say."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import EVERY
from compiled import COMPILED
from patience import PATIENCE

from exitgate.cli.main import main

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "misbehaving"
NAMES = sorted(folder.name for folder in EXAMPLES.iterdir() if folder.is_dir())
BASH = shutil.which("bash") or "bash"
GIT = ("git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
#: Turns after which a run is cut off: one that ends, as in the script, and one that nothing ends.
MOST, ENDLESS = 10, 4
ALWAYS = ("grep-loop", "recommended")


#: Where the program `exitgate` of this Python is.
BIN = Path(sys.executable).parent


def script(
    *words: str, env: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BASH, *words], check=False, capture_output=True, text=True, timeout=PATIENCE, env=env, cwd=cwd
    )


def unkind_git(folder: Path) -> Path:
    """Return settings of git under which nobody can commit without being asked something."""
    hook = folder / "hooks" / "pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    said = f"[core]\nhooksPath = {hook.parent}\nautocrlf = true\n[commit]\ngpgsign = true\n"
    (folder / "git").write_text(said + "[user]\nuseConfigOnly = true\n", encoding="utf-8")
    return folder / "git"


class Row(NamedTuple):
    """A row of a table: whether the run ends as it should, the policy, turn and class, the result."""

    right: bool
    policy: str
    turn: str
    kind: str
    told: str


def rows(name: str) -> list[Row]:
    found = []
    for line in (EXAMPLES / name / "table.txt").read_text(encoding="utf-8").splitlines():
        policy, turn = line[2:28].strip().replace(" ", ":"), line[29:33].strip()
        if turn == "-":
            # What comes of it depends on when the loop is cut off, and here that is earlier.
            found.append(Row(False, policy, turn, line[34:42].strip(), ""))
        elif turn.isdigit():
            found.append(Row(line[0] == "+", policy, turn, line[34:42].strip(), line[43:]))
    return found


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment of its own whose cache of compiled policies all runs share."""
    home = str(tmp_path_factory.mktemp("home"))
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    homes = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"), home)
    return {**kept, **homes, "EXITGATE_CACHE_DIR": COMPILED, "NO_COLOR": "1"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all projects are, one after the other: a policy is compiled for a folder."""
    return tmp_path_factory.mktemp("projects")


class Place:
    """The project of one agent, made anew for each run."""

    def __init__(self, name: str, folder: Path) -> None:
        self.agent = EXAMPLES / name / "agent.sh"
        self.told = EXAMPLES / name / "told.sh"
        self.begun = folder / "begun" / name
        self.now = folder / "now"
        shutil.copytree(EXAMPLES / name / "project", self.begun)
        for words in (["init", "-q", "--template="], ["add", "."], ["commit", "-q", "-m", "start"]):
            subprocess.run([*GIT, *words], cwd=self.begun, check=True, capture_output=True, timeout=PATIENCE)

    def play(self, policy: str, most: int) -> Row:
        """Run the agent under a policy, at most `most` turns."""
        shutil.rmtree(self.now, ignore_errors=True)
        shutil.copytree(self.begun, self.now)
        os.chdir(self.now)
        if policy == "grep-loop":
            turn, kind = self._searched(most)
        else:
            turn, kind = self._run(policy, most)
        if kind == "goes-on":
            return Row(False, policy, "-", "no stop", "")
        words = 'source "$0" && source "$1" "$2" "$3"'
        said = script("-c", words, str(EXAMPLES / "agent_parts.sh"), str(self.told), str(turn), kind)
        return Row(said.returncode == 0, policy, str(turn), kind, said.stdout.strip())

    def _searched(self, most: int) -> tuple[int, str]:
        kind, turn = script(str(EXAMPLES / "grep_loop.sh"), str(self.agent), str(most)).stdout.split()
        return int(turn), kind

    def _run(self, named: str, most: int) -> tuple[int, str]:
        policy, _, profile = named.partition(":")
        if profile:
            (self.now / ".bb3").mkdir()
            (self.now / ".bb3/config.yaml").write_text(f"project: {{type: {profile}}}\n", encoding="utf-8")
        words = [
            "run",
            "--policy",
            policy,
            "--max-iterations",
            str(most),
            "--max-wait",
            "0",
            "--format",
            "json",
        ]
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main([*words, "--", BASH, str(EXAMPLES / "turn.sh"), str(self.agent), named])
        end = json.loads(out.getvalue().splitlines()[-1])
        cut = end["class"] == "exhausted" and end["iterations"] == most
        return end["iterations"], "goes-on" if cut else end["class"]


@pytest.mark.parametrize("name", NAMES)
def test_each_policy_ends_the_agent_where_the_table_says(
    name: str, folder: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in [*os.environ]:
        monkeypatch.delenv(variable)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.chdir(folder)
    place = Place(name, folder)
    # Some always, of the others each in one of the examples; the soak and `run.sh --check` play all of them.
    wanted = [
        row
        for at, row in enumerate(rows(name))
        if EVERY or row.policy in ALWAYS or at % len(NAMES) == NAMES.index(name)
    ]
    assert len(wanted) >= 3
    assert [place.play(row.policy, ENDLESS if row.turn == "-" else MOST) for row in wanted] == wanted


def test_recommended_is_right_about_all_of_them_and_the_loops_of_today_about_few() -> None:
    every = [row for name in NAMES for row in rows(name)]
    right = {
        policy: sum(row.right for row in every if row.policy == policy)
        for policy in {row.policy for row in every}
    }
    assert len(NAMES) == 6
    assert all(len(rows(name)) == 12 for name in NAMES)
    assert right.pop("recommended") == 6
    assert max(right.values()) <= 4
    assert {"complete", "no stop"} <= {row.kind for row in every if not row.right}


@pytest.mark.parametrize("name", NAMES)
def test_the_rules_that_catch_it_are_there(name: str) -> None:
    text = " ".join((EXAMPLES / name / "README.md").read_text(encoding="utf-8").split())
    named = re.findall(r"`(\w+)` of `([\w-]+)`", text)
    assert named
    for rule, policy in named:
        rules = (ROOT / "policies" / policy / "policy.yaml").read_text(encoding="utf-8")
        assert f"id: {rule}\n" in rules or f"id: {rule}," in rules, (rule, policy)


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_is_explained(name: str) -> None:
    text = (EXAMPLES / name / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {name}\n")
    assert "**Cost**" in text
    assert "**Caught by**" in text
    assert f"[{name}]({name}/README.md)" in (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert max(len(line) for line in text.splitlines()) <= 80


def test_the_script_prints_the_rows_and_leaves_nothing(tmp_path: Path, environment: dict[str, str]) -> None:
    inside = {**environment, "TMPDIR": str(tmp_path), "PATH": f"{BIN}:{os.environ['PATH']}"}
    # Another loop, a user's own git and an odd shell around it.
    inside |= {"EXITGATE_RUN": "outer", "EXITGATE_ADVICE": "go on", "EXITGATE_PRESET": "nowhere.yaml"}
    inside |= {
        "GIT_AUTHOR_DATE": "never",
        "GIT_DIR": "/nowhere",
        "GIT_CONFIG_GLOBAL": str(unkind_git(tmp_path)),
    }
    inside |= {"CDPATH": str(EXAMPLES.parent), "SHELLOPTS": "nounset", "LC_ALL": "tr_TR.UTF-8"}
    del inside["XDG_CACHE_HOME"]
    del inside["HOME"]
    words = ["--table", "hits-the-usage-limit", "grep-loop", "ralph-claude-code:as_it_is"]
    ran = script("misbehaving/run.sh", *words, env=inside, cwd=EXAMPLES.parent)
    told = [line for line in ran.stderr.splitlines() if "setlocale" not in line]
    assert (ran.returncode, told) == (0, [])
    table = (EXAMPLES / "hits-the-usage-limit" / "table.txt").read_text(encoding="utf-8").splitlines()
    assert ran.stdout.splitlines() == table[2:4]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["git", "hooks"]


@pytest.mark.parametrize("policy", ["ralph-claude-code:as_it_is", "ralph"])
def test_a_turn_answers_as_the_loop_asks_and_knows_what_the_loop_tells(policy: str, tmp_path: Path) -> None:
    agent = tmp_path / "agent.sh"
    agent.write_text('printf \'a "b" \\\\\\nc: %s\' "${EXITGATE_ADVICE-none}"\n', encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "EXITGATE_ADVICE": "go on"}
    ran = script(str(EXAMPLES / "turn.sh"), str(agent), policy, env=environment)
    told = ran.stdout if policy == "ralph" else json.loads(ran.stdout)["result"]
    assert told == 'a "b" \\\nc: ' + ("go on" if policy == "ralph" else "none")


@pytest.mark.parametrize("name", NAMES)
def test_what_an_agent_says_fits_a_page(name: str, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / name / "project", tmp_path, dirs_exist_ok=True)
    (tmp_path / ".git").mkdir()
    turns = 'for turn in 1 2 3; do EXITGATE_ITERATION=$turn bash "$0"; done'
    ran = script("-c", turns, str(EXAMPLES / name / "agent.sh"), cwd=tmp_path)
    assert ran.stderr == ""
    assert len(ran.stdout.splitlines()) >= 20
    assert max(len(line) for line in ran.stdout.splitlines()) <= 76


def test_the_script_needs_exitgate_and_a_name_that_is_there(environment: dict[str, str]) -> None:
    bare = script(str(EXAMPLES / "run.sh"), env={"PATH": "/usr/bin:/bin"})
    assert bare.returncode == 69
    assert "make demo" in bare.stderr
    inside = {**environment, "PATH": f"{BIN}:{os.environ['PATH']}"}
    for words in (
        ["says-nothing"],
        ["../loop"],
        ["--table"],
        ["--table", "x", "bb3"],
        ["--table", "says-blocked"],
    ):
        wrong = script(str(EXAMPLES / "run.sh"), *words, env=inside)
        assert (wrong.returncode, wrong.stdout) == (64, "")
        assert "NAME is one of: asks-permission claims-done-early" in wrong.stderr
    asked = script(str(EXAMPLES / "run.sh"), "--help", env={"PATH": "/usr/bin:/bin"})
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "run.sh NAME         one of them, with what the agent says" in asked.stdout
