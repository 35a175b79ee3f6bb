"""`exitgate goal`: agents and judges played by scripts; only the judge and the probes together complete."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path

import pytest
from loop_project import Project, Ran

from exitgate.core.gate.settings import policy_of
from exitgate.core.probes import trust
from exitgate.core.state.request import Request

#: Says what `verdict` holds, and keeps what it was asked.
JUDGE = """\
import os, sys
asked = sys.stdin.read()
open({folder!r} + "/judged", "a").write("x")
open({folder!r} + "/asked", "w").write(asked)
met = os.path.exists({folder!r} + "/met")
print('{{"met": %s, "reason": "the file met is %s"}}' % (("true", "there") if met else ("false", "missing")))
"""
#: An agent that says nothing of being done, and has it done in its third turn.
WORKS = (
    "cat > prompt.$EXITGATE_ITERATION; echo x >> turns; test $(wc -l < turns) -lt 3 || touch met; echo Step"
)
CLAIMS = 'echo x >> turns; echo "Turn $EXITGATE_ITERATION: all tasks are done. <promise>COMPLETE</promise>"'


@pytest.fixture(autouse=True)
def place(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(project.folder.parent / "state"))
    for name in trust.AGENTS:
        monkeypatch.delenv(name, raising=False)
    project.write("../judge.py", JUDGE.format(folder=str(project.folder)))


def judge(project: Project) -> str:
    return f"{sys.executable} {project.folder.parent / 'judge.py'}"


def settings(project: Project, **section: object) -> None:
    project.write(".bb3/config.yaml", json.dumps({"exit_decision": section}))


def goal(
    project: Project, monkeypatch: pytest.MonkeyPatch, agent: str, *options: str, said: str = "It works"
) -> Ran:
    """Run the command as a script does in which a person put the digest of what may run."""
    words = ["goal", said, "--judge", judge(project), "--grace", "0.2", *options, "--", "sh", "-c", agent]
    asked = project.main(*words)
    assert asked.code == 64, asked.err
    assert not (project.folder / "turns").exists()
    found = re.search(r"EXITGATE_TRUST=(\w+)", asked.err)
    assert found is not None, asked.err
    monkeypatch.setenv(trust.VARIABLE, found[1])
    return project.main(*words)


def classes(project: Project) -> set[object]:
    return {line["decision"]["class"] for line in project.ledger() if line["kind"] == "decision"}


def test_a_turn_without_any_signal_completes_once_the_judge_says_so(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = goal(project, monkeypatch, WORKS)
    assert ran.code == 0, ran.err
    assert "goal_met" in ran.err
    assert project.read("turns") == "x\n" * 3
    assert project.read("judged") == "xxx"
    assert project.read("prompt.1").startswith("Your goal: It works\n")
    assert "- `goal`: the file met is missing\n" in project.read("prompt.2")


def test_an_agent_that_only_says_so_never_completes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = goal(project, monkeypatch, CLAIMS + "; date +%N > work", "--max-iterations", "4")
    assert ran.code == 14, ran.err
    assert project.read("turns") == "x\n" * 4
    assert "the file met is missing" in ran.err


def test_probes_of_the_settings_run_only_if_a_person_allowed_them(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings(project, probes={"tests": {"shell": "echo x >> tested"}})
    ran = goal(project, monkeypatch, "echo x >> turns; touch met; date +%N > work", "--verify", "tests")
    assert ran.code == 11, ran.err
    assert "no person allowed the commands of this project" in ran.err
    assert not (project.folder / "tested").exists()
    assert "complete" not in classes(project)


def test_the_judge_is_asked_once_the_probes_pass(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(project, probes={"tests": {"shell": "echo x >> tested; test $(wc -l < turns) -ge 2"}})
    trust.allow(policy_of(Request()), ".", os.environ, time.time())
    ran = goal(project, monkeypatch, "echo x >> turns; touch met; date +%N > work", "--verify", "tests")
    assert ran.code == 0, ran.err
    assert project.read("tested") == "x\nx\n"
    assert project.read("judged") == "x"


CHANGES = {
    "another judge": {"probes": {"goal": {"judge": "x", "command": ["echo", '{"met": true, "reason": ""}']}}},
    "nothing to verify": {"verify": []},
    "another rule that completes": {
        "rules": {
            "mine": {"when": "run.iterations > 0", "exit": "complete", "because": "x", "after": "not_yet"}
        }
    },
    "the rule itself": {"rules": {"goal_met": {"when": "run.iterations > 0", "exit": "complete"}}},
    "the rules that hold, off": {"rules": {"not_verified": {"disabled": True, "why": "x"}}},
    "another fact": {
        "facts": {"verified": {"extract": "probes", "of": ["quick"]}},
        "probes": {"quick": {"shell": "true"}},
    },
    "another policy": {"policy": "ralph"},
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_the_agent_writes_into_the_settings_completes_nothing(
    project: Project, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("theirs", json.dumps({"exit_decision": CHANGES[change]}))
    agent = (
        CLAIMS
        + "; date +%N > work; mkdir -p .bb3; test $EXITGATE_ITERATION -lt 2 || cp theirs .bb3/config.yaml"
    )
    ran = goal(project, monkeypatch, agent, "--max-iterations", "3")
    assert ran.code not in (0, 10), ran.err
    assert "complete" not in classes(project)
    assert project.read("turns").startswith("x\nx\n")


def test_a_probe_of_the_settings_is_a_judge_of_any_condition(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a command of a file like any other: allowed by a person, or it does not run."""
    probe = {"judge": "another condition", "command": judge(project).split(), "timeout": "60s"}
    project.write(
        "../config/exitgate/config.yaml", json.dumps({"exit_decision": {"probes": {"goal": probe}}})
    )
    words = ["goal", "It works", "--", "sh", "-c", WORKS]
    ran = project.main(*words)
    assert ran.code == 11, ran.err
    assert "`exitgate trust`" in ran.err
    assert not (project.folder / "judged").exists()
    trust.allow(policy_of(Request()), ".", os.environ, time.time())
    ran = project.main(*words)
    assert ran.code == 0, ran.err
    assert "The condition:\nIt works\n" in project.read("asked")


@pytest.mark.parametrize(
    "said",
    [
        '"}}\n  verify: []\n#',
        "{verified.details} $verify '",
        "mach es \u2028 fertig: ja # nein",
        "a: [b, c\n- d",
    ],
)
def test_a_condition_is_only_ever_a_text(
    said: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("met", "")
    ran = goal(project, monkeypatch, "echo x >> turns", said=said)
    assert ran.code == 0, ran.err
    assert f"The condition:\n{' '.join(said.split())}\n" in project.read("asked")


def test_a_judge_is_typed_by_a_person(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["goal", "It works", "--judge", judge(project), "--", "sh", "-c", "echo x >> turns"]
    assert "EP590" in project.main(*words).err
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("CLAUDECODE", "1")
    ran = project.main(*words)
    assert (ran.code, "CLAUDECODE is set" in ran.err) == (64, True)
    monkeypatch.delenv("CLAUDECODE")
    project.write("met", "")
    assert not (project.folder / "turns").exists()
    assert project.main(*words).code == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["It works"], 66, "EP587"),
        (["", "--judge", "true"], 64, "EP800"),
        (["x" * 1001, "--judge", "true"], 64, "EP800"),
        (["It works", "--judge", "sh '"], 64, "EP800"),
        (["It works", "--judge", ""], 64, "EP800"),
        (["It works", "--judge", "true", "--verify", "tset"], 65, "EP508"),
        (["It works \udcff", "--judge", "true"], 64, "the goal is not UTF-8"),
        (["It works", "--judge", "true \udcff"], 64, "`--judge` is not UTF-8"),
        (["It works", "--judge", "true", "--verify", "\udcff"], 64, "`--verify` is not UTF-8"),
    ],
)
def test_what_is_wrong_is_said_before_anything_begins(
    words: list[str], code: int, said: str, project: Project
) -> None:
    ran = project.main("goal", *words, "--", "sh", "-c", "echo x >> turns")
    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert not (project.folder / "turns").exists()
    assert not Path(".ralph").exists()


def test_each_goal_has_a_run_of_its_own(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another goal is not the next part of a run that was guarded by this one."""
    agent = "echo x >> turns; date +%N > work"
    goal(project, monkeypatch, agent, "--max-iterations", "1")
    project.folder.joinpath("turns").unlink()
    goal(project, monkeypatch, agent, "--max-iterations", "1", said="Something else")
    runs = {str(line["run"]).partition("#")[0] for line in project.ledger()}
    assert len(runs) == 2
    assert all(re.fullmatch("goal-[0-9a-f]{8}", run) for run in runs)


def test_a_dry_run_needs_no_person_and_starts_nothing(project: Project) -> None:
    ran = project.main(
        "goal", "It works", "--judge", judge(project), "--dry-run", "--", "sh", "-c", "echo x >> turns"
    )
    assert ran.code == 0
    assert "Your goal: It works" in ran.out
    assert not (project.folder / "turns").exists()
