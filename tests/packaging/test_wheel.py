"""The built wheel alone, in an empty environment, runs every shipped policy."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(p.parent.name for p in (ROOT / "policies").glob("*/policy.yaml"))


def run(*command: str | Path, cwd: Path, codes: tuple[int, ...] = (0,)) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    ran = subprocess.run(
        [str(c) for c in command], cwd=cwd, capture_output=True, text=True, check=False, env=environment
    )
    assert ran.returncode in codes, f"{command}\n{ran.stdout}\n{ran.stderr}"
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


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel, install it with what it requires, and return the folder of its programs."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, ROOT, cwd=folder)
    wheel = next(folder.glob("exitgate-*.whl"))
    venv.create(folder / "env", with_pip=False)
    programs = folder / "env" / "bin"
    run(*pip, "--python", programs / "python", "install", "--no-compile", "--no-deps", wheel, cwd=folder)
    base = {"base": str(folder / "env"), "platbase": str(folder / "env")}
    packages = Path(sysconfig.get_path("purelib", "venv", vars=base))
    own = Distribution.at(next(packages.glob("exitgate-*.dist-info")))
    for there in required(own.requires or (), {}).values():
        link(there, packages)
    return programs


def test_policies_and_schemas_come_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "from exitgate.policy import shipped; print(shipped.path('bb3'), *shipped.policies())"
    where, *names = run(installed / "python", "-I", "-c", code, cwd=tmp_path).split()
    assert "site-packages" in where
    assert names == SHIPPED


#: Asks each policy in turn, in one process.
ASK = """
import sys
from exitgate.cli.main import main
for policy in sys.argv[1:]:
    print(policy, main(["check", "answer.md", "plan.md", "--run", policy, "--policy", policy]))
"""


def test_every_shipped_policy_decides(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("- [x] parser\n- [ ] printer\n", encoding="utf-8")
    (tmp_path / "answer.md").write_text("I am confident the parser is right.\n", encoding="utf-8")
    out = run(installed / "python", "-I", "-c", ASK, *SHIPPED, cwd=tmp_path)
    codes = [f"{policy} 0" for policy in SHIPPED]
    assert [line for line in out.splitlines() if line in codes] == codes
    assert out.count("CONTINUE") == len(SHIPPED)


def test_the_program_says_what_it_can(installed: Path, tmp_path: Path) -> None:
    assert "policies" in run(installed / "exitgate", "--help", cwd=tmp_path)
