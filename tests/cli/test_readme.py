"""README's commands, played from top to bottom in a fresh folder."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from cases import EVERY
from cli_program import Ran, run
from compiled import COMPILED
from patience import PATIENCE

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.S | re.M)
#: For the checkout, and played elsewhere: `tests/core/gate/test_loop_in_readme.py` plays the loop.
ELSEWHERE = ("make demo", "make test", "s=0; while exitgate check ")
#: Codes by which a command says what it found, by how it begins; any other command ends with 0.
FOUND = {
    "exitgate prove bb3-faithful": 69,
    "exitgate diff bb3-faithful bb3": 69,
}
#: A second of work or more each, and played by pages of their own: only with `--every-case`.
DEAR = (
    "exitgate diff ", "exitgate tune ", "exitgate compare ", "exitgate report ", "exitgate score ",
    "exitgate transcripts ", "exitgate dry-run ", "exitgate install ", "exitgate label ",
    "exitgate prompt ",
)  # fmt: skip
#: What would wait for a person or for a run that goes on, and how it is asked instead.
WAITING = {"exitgate watch ": "--once"}
AGENT = """#!/bin/sh
cat >/dev/null
if [ -e once ]; then sed 's/\\[ \\]/[x]/' plan.md > next && mv next plan.md; else touch once; fi
echo '{"type": "result", "is_error": false, "result": "Some parts are built."}'
"""


class Line(NamedTuple):
    """A command of a page with the output that is shown below it."""

    command: str
    shown: list[str]


def lines() -> list[Line]:
    """Return the commands of README in their order."""
    found: list[Line] = []
    for kind, text in FENCE.findall(README):
        if kind == "bash":
            found += [Line(re.sub(r"\s{2,}#.*", "", line), []) for line in text.splitlines()]
        elif kind == "console":
            for line in text.splitlines():
                if line.startswith("$ "):
                    found.append(Line(re.sub(r"\s{2,}#.*", "", line[2:]), []))
                else:
                    found[-1].shown.append(line)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what README says that its reader has: a loop, recordings, agents."""
    place, home, programs = tmp_path / "fresh", tmp_path / "home", tmp_path / "bin"
    for one in (place / ".ralph", home / ".claude" / "projects", programs):
        one.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", place], check=True, timeout=PATIENCE)
    for number in ("01", "02"):
        if number == "02":
            assert run("check", "--policy", "bb3", cwd=place).code == 0
        example = ROOT / "examples" / "loop" / "iterations" / number
        shutil.copy(example / "response.md", place / ".ralph" / "last-response.md")
        shutil.copy(example / "response.md", place / "response.md")
        shutil.copy(example / "plan.md", place / "plan.md")
    recorded = ROOT / "examples" / "transcripts"
    for to in (place / "examples" / "transcripts", place / "runs"):
        shutil.copytree(recorded, to)
    shutil.copy(recorded / "labels.yaml", place / "labels.yaml")
    (place / "PROMPT.md").write_text("Build the next part.\n", encoding="utf-8")
    (place / "result.json").write_text('{"type": "result", "result": "One part is built."}', encoding="utf-8")
    (place / ".ralphrc").write_text("MAX_CALLS_PER_HOUR=50\n", encoding="utf-8")
    for path, text in {programs / "claude": AGENT, place / "tell-me.sh": "#!/bin/sh\n"}.items():
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    program = f'#!/bin/sh\nexec "{sys.executable}" -m exitgate "$@"\n'
    (programs / "exitgate").write_text(program, encoding="utf-8")
    (programs / "exitgate").chmod(0o755)
    return place


def played(command: str, place: Path) -> Ran:
    """Run a command in this process where it is exitgate alone, else by bash."""
    environment = {
        "HOME": str(place.parent / "home"),
        "PATH": f"{place.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
    }
    words = shlex.split(command.replace("~", environment["HOME"]))
    if words[0] == "exitgate" and words[-2] == ">>":
        ran = run(*words[1:-2], cwd=place, **environment)
        (place / words[-1]).write_text(ran.out, encoding="utf-8")
        return ran
    if words[0] == "exitgate":
        return run(*words[1:], cwd=place, **environment)
    done = subprocess.run(
        ["bash", "-c", command], cwd=place, capture_output=True, text=True, check=False, timeout=PATIENCE,
        env={**os.environ, **environment, "EXITGATE_CACHE_DIR": COMPILED},
    )  # fmt: skip
    return Ran(done.returncode, done.stdout, done.stderr)


def in_order(shown: list[str], printed: str) -> list[str]:
    """Return the shown lines that are not printed, in their order, one below the other; `…` is any number."""
    left, missing = printed.splitlines(), []
    for line in shown:
        if not line.strip("… "):
            continue
        if line in left:
            left = left[left.index(line) + 1 :]
        else:
            missing.append(line)
    return missing


def test_every_command_does_what_is_said(folder: Path) -> None:
    policy = next(text for kind, text in FENCE.findall(README) if "# my-loop.yaml" in text)
    (folder / "my-loop.yaml").write_text(policy, encoding="utf-8")
    wrong, count = [], 0
    for command, shown in lines():
        dear = command.startswith(DEAR) and not EVERY
        if command.startswith(ELSEWHERE) or dear:
            continue
        asked = next(
            (f"{command} {more}" for way, more in WAITING.items() if command.startswith(way)), command
        )
        ran = played(asked, folder)
        count += 1
        code = next((code for way, code in FOUND.items() if command.startswith(way)), 0)
        if ran.code != code or "error[" in ran.err or (missing := in_order(shown, ran.out)):
            wrong.append(f"$ {command}\n[{ran.code}] {missing}\n{ran.out}{ran.err}")
    assert wrong == [], "\n".join(wrong)
    assert count >= 28


def test_the_settings_that_are_shown_fit(folder: Path) -> None:
    settings = next(text for kind, text in FENCE.findall(README) if text.startswith("exit_decision:"))
    (folder / ".bb3").mkdir()
    (folder / ".bb3" / "config.yaml").write_text(settings, encoding="utf-8")
    ran = run("config", cwd=folder, HOME=str(folder.parent / "home"))
    assert (ran.code, ran.err) == (0, "")
    assert "\nmin_completion " in ran.out


def test_the_program_that_is_shown_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    program = next(text for kind, text in FENCE.findall(README) if kind == "python")
    names: dict[str, object] = {"said": "One part is built."}
    exec(program, names)
    assert getattr(names["decision"], "verdict", "") == "CONTINUE"
