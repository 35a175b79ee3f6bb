"""The built wheel alone, in an empty environment: every shipped policy, a workflow, the first ten minutes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterable
from email import message_from_bytes
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from patience import PATIENCE

ROOT = Path(__file__).parents[2]
PIP = (sys.executable, "-m", "pip")
SHIPPED = sorted(p.parent.name for p in (ROOT / "policies").glob("*/policy.yaml"))


#: What pip may ask of an index here: nothing.
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_QUIET": "1", "PIP_NO_COMPILE": "1"}
#: Actions of GitHub's whose work is done before the first command: a clone, a Python.
PREPARED = ("actions/checkout@", "actions/setup-python@")


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    given = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    ran = subprocess.run(
        [str(c) for c in command], cwd=cwd, capture_output=True, text=True, check=False,
        env=given | environment, timeout=PATIENCE,
    )  # fmt: skip
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def required(wanted: Iterable[str], found: dict[str, Distribution]) -> dict[str, Distribution]:
    """Add the distributions that requirements name, without extras, and what these require in turn."""
    for one in map(Requirement, wanted):
        if one.name not in found and (one.marker is None or one.marker.evaluate({"extra": ""})):
            found[one.name] = distribution(one.name)
            assert one.specifier.contains(found[one.name].version, prereleases=True), one
            required(found[one.name].requires or (), found)
    return found


def link(there: Distribution, packages: Path) -> None:
    """Put what this environment has of a distribution into the folder of another."""
    for top in {file.parts[0] for file in there.files or () if file.parts[0] not in ("..", "__pycache__")}:
        if not (packages / top).exists():
            (packages / top).symlink_to(Path(str(there.locate_file(top))))


def environment(folder: Path, names: Iterable[str]) -> Path:
    """Make a virtual environment with what the wheel requires, and not the wheel; return its programs."""
    venv.create(folder, with_pip=False)
    base = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=base))
    for there in required(names, {}).values():
        link(there, packages)
    return folder / "bin"


class GitHub:
    """
    Runs the commands of a workflow's only job as GitHub does: each by `bash -e`, in a fresh clone.

    Args:
        project: The repository.
        clone: Where it is cloned to.
        path: Folders of programs.
    """

    def __init__(self, project: Path, clone: Path, *path: Path) -> None:
        run("git", "clone", "-q", project, clone, cwd=project)
        self.clone = clone
        self.path = os.pathsep.join([*map(str, path), "/usr/bin", "/bin"])

    def steps(self, workflow: str) -> dict[str, int]:
        """Return command -> exit code, up to the first that fails."""
        whole = yaml.safe_load((self.clone / workflow).read_text(encoding="utf-8"))
        (job,) = whole["jobs"].values()
        ended: dict[str, int] = {}
        for step in job["steps"]:
            if "uses" in step:
                assert step["uses"].startswith(PREPARED)
                continue
            if not self._asked(step.get("if")):
                continue
            given = {**whole.get("env", {}), **job.get("env", {}), **step.get("env", {})}
            ran = subprocess.run(
                ["bash", "-e", "-c", step["run"]], cwd=self.clone, check=False, timeout=PATIENCE,
                env={"PATH": self.path, "HOME": str(self.clone.parent), "CI": "true", **OFFLINE, **given},
            )  # fmt: skip
            ended[step["run"]] = ran.returncode
            if ran.returncode:
                break
        return ended

    def _asked(self, condition: str | None) -> bool:
        if condition is None:
            return True
        named = re.fullmatch(r"hashFiles\('([^']+)'\) != ''", condition)
        assert named is not None, condition
        return any(self.clone.glob(named[1]))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT, cwd=folder)
    return next(folder.glob("exitgate-*.whl"))


@pytest.fixture(scope="module")
def needed(wheel: Path) -> list[str]:
    """What the wheel requires."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name)).get_all("Requires-Dist", [])


@pytest.fixture(scope="module")
def workflow(wheel: Path, needed: list[str]) -> tuple[dict[str, int], Path]:
    """Run the workflow of `init`; return each command with its exit code, and the folder of programs."""
    folder = wheel.parent
    programs = environment(folder / "env", needed)
    pip, project = folder / "pip" / "pip", folder / "project"
    pip.parent.mkdir()
    pip.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m pip --python "{programs}/python" "$@"\n', encoding="utf-8"
    )
    pip.chmod(0o755)
    project.mkdir()
    run("git", "init", "-q", cwd=project)
    here = (sys.executable, "-m", "exitgate")
    run(*here, "new", "policy", "ours", "--in", "policies", cwd=project)
    words = ("-p", "./policies/ours/policy.yaml", "--yes", "--install-from", wheel.as_uri())
    run(*here, "init", *words, cwd=project)
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    run("git", "add", "-A", cwd=project)
    run("git", *identity, "commit", "-qm", "settings of exitgate", cwd=project)
    github = GitHub(project, folder / "clone", pip.parent, programs)
    return github.steps(".github/workflows/exitgate.yml"), programs


@pytest.fixture(scope="module")
def installed(workflow: tuple[dict[str, int], Path]) -> Path:
    """The folder of the programs of an environment that the wheel alone was installed into."""
    return workflow[1]


@pytest.fixture(scope="module")
def compiled(wheel: Path) -> dict[str, str]:
    """A place of its own for compiled policies: the first to ask compiles."""
    return {"EXITGATE_CACHE_DIR": str(wheel.parent / "compiled")}


def test_policies_and_schemas_come_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "from exitgate.core.policy import shipped; print(shipped.path('bb3'), *shipped.policies())"
    where, *names = run(installed / "python", "-I", "-c", code, cwd=tmp_path).split()
    assert "site-packages" in where
    assert names == SHIPPED


def test_the_studio_s_page_is_in_the_wheel_as_it_is_here(wheel: Path) -> None:
    web = ROOT / "src/exitgate/surfaces/studio/web"
    with zipfile.ZipFile(wheel) as archive:
        for path in (one for one in web.rglob("*") if one.is_file()):
            packed = archive.read(f"exitgate/surfaces/studio/web/{path.relative_to(web).as_posix()}")
            assert packed == path.read_bytes(), path


#: Asks each policy in turn, in one process.
ASK = """
import sys
from exitgate.cli.main import main
for policy in sys.argv[1:]:
    print(policy, main(["check", "answer.md", "plan.md", "--run", policy, "--policy", policy]))
"""


def test_every_shipped_policy_decides(installed: Path, compiled: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("- [x] parser\n- [ ] printer\n", encoding="utf-8")
    (tmp_path / "answer.md").write_text("I am confident the parser is right.\n", encoding="utf-8")
    out = run(installed / "python", "-I", "-c", ASK, *SHIPPED, cwd=tmp_path, **compiled)
    codes = [f"{policy} 0" for policy in SHIPPED]
    assert [line for line in out.splitlines() if line in codes] == codes
    assert out.count("CONTINUE") == len(SHIPPED)


def test_the_program_says_what_it_can(installed: Path, tmp_path: Path) -> None:
    assert "policies" in run(installed / "exitgate", "--help", cwd=tmp_path)


def test_the_workflow_of_init_runs_as_github_runs_it(workflow: tuple[dict[str, int], Path]) -> None:
    assert workflow[0] == {
        'pip install "$EXITGATE"': 0,
        "exitgate config": 0,
        "exitgate validate policies --format github": 0,
    }


def test_the_first_ten_minutes_go_as_they_are_shown(
    installed: Path, compiled: dict[str, str], tmp_path: Path
) -> None:
    """The path has exitgate and what a bare system has; the text beside the script is what it prints."""
    shown = ROOT / "examples" / "first-ten-minutes.txt"
    inside = {"TMPDIR": str(tmp_path), "PATH": f"{installed}:/usr/bin:/bin", "HOME": "/dev/null", **compiled}
    # A loop around it, another repository, settings of the user's.
    inside |= {
        "EXITGATE_RUN": "outer",
        "EXITGATE_PRESET": "nowhere.yaml",
        "GIT_DIR": "/nowhere",
        "CDPATH": "/",
    }
    ran = subprocess.run(
        ["bash", ROOT / "examples" / "first-ten-minutes.sh"], cwd=tmp_path, env=inside, capture_output=True,
        text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    printed = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", "2026-12-01 09:00:00", ran.stdout)
    if os.environ.get("EXITGATE_GOLDEN") == "write":
        shown.write_text(printed, encoding="utf-8")
    assert printed == shown.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == []
    for answer in re.findall(r"^(?:CONTINUE|EXIT) .*\n(?:(?![\n=$ \[]|CONTINUE|EXIT).+\n)*", printed, re.M):
        lines = answer.splitlines()
        assert len(lines) <= 3 + lines[-1].startswith("warning: ")
