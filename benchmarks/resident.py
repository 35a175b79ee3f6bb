"""
What a check costs that a resident process decides, over `python -c pass`: ratios of processor time.

    python benchmarks/resident.py [--rounds N]

The command is measured as users start it, with the processes of git that it starts; what the resident process
and its copies spend on it meanwhile is a column of its own. The floor is Python looking for a module by `-m`,
and git's own processes. Prints Markdown; the exit code is 1 when an asked ratio is missed.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "process"))

from process import DECIDED, GIT, MODULE, PASS  # noqa: E402
from project import Project  # noqa: E402
from turns import Run, middle, race, ratio  # noqa: E402

FLOOR = "floor: `python -I -m` of an empty module"
OWN = "`recommended` in its own process, `python -I -m exitgate`"
RESIDENT = "`recommended` with a resident process, `python -I -m exitgate`"
SCRIPT = "the same, pip's script"
NO_GIT = "the same without a repository, `python -I -m exitgate`"
#: Name -> (asked, goal), at most.
GOALS = {RESIDENT: (1.8, 1.5)}
_TICK = 1 / os.sysconf("SC_CLK_TCK")


class Asking(Run):
    """A command that asks the resident process; `served` has the seconds that one spent each time."""

    def __init__(self, server: int, *given: object, **more: object) -> None:
        super().__init__(*given, **more)  # type: ignore[arg-type]
        self._server = server
        self.served: list[float] = []

    def cpu(self) -> float:
        """Do as `Run`, and wait until the resident process has no copy at work."""
        self.before()
        before, self.before = self.before, lambda: None
        spent = self._spent()
        own = super().cpu()
        self.before = before
        while Path(f"/proc/{self._server}/task/{self._server}/children").read_text():
            pass
        self.served.append(self._spent() - spent)
        return own

    def _spent(self) -> float:
        fields = Path(f"/proc/{self._server}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) * _TICK


def listening(program: list[str], environment: dict[str, str], said: Path) -> int:
    """Start a resident process that is not a child of this one, which waits for all; return its number."""
    said.touch()
    line = f"{shlex.join([*program, 'serve'])} >{shlex.quote(str(said))} 2>&1 &"
    subprocess.run(["/bin/sh", "-c", line], env=environment, check=True)
    while not said.read_text().endswith("\n"):
        pass
    return int(said.read_text().split()[1])


def raced(
    project: Project, program: list[str], empty: list[str], server: int, rounds: int
) -> tuple[dict[str, list[float]], list[Asking]]:
    """Return the seconds of each contender, and those of them that ask the resident process."""
    environment, here = project.environment, Path.cwd()
    os.chdir(project.folder)
    script = project.check("recommended")
    words = [*program, *script[1:]]
    asking = [
        Asking(server, RESIDENT, words, project.restore, DECIDED, environment),
        Asking(server, SCRIPT, script, project.restore, DECIDED, environment),
        Asking(server, NO_GIT, words, project.without_git, DECIDED, environment),
    ]
    contenders = [
        Run(PASS, [program[0], "-c", "pass"], environment=environment),
        Run(FLOOR, [program[0], "-I", *empty], environment=environment),
        Run(GIT, ["/bin/sh", "-c", project.questions()], project.restore, environment=environment),
        Run(OWN, words, project.restore, DECIDED, {**environment, "EXITGATE_SERVE": "off"}),
        *asking,
    ]
    spent = race(contenders, rounds)
    os.chdir(here)
    return spent, asking


def table(rounds: int) -> tuple[list[str], list[str]]:
    """Return the lines of the table and the goals that were missed."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name).resolve()
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EXITGATE"))}
        environment |= {"EXITGATE_CACHE_DIR": str(folder / "cache"), "XDG_RUNTIME_DIR": str(folder)}
        python = sys.executable
        project = Project(folder / "project", str(Path(python).with_name("exitgate")), environment)
        (folder / "nothing.py").touch()
        empty = ["-c", f"import sys; sys.path.insert(0, {str(folder)!r}); import runpy; import nothing"]
        server = listening([python, *MODULE], environment, folder / "said")
        try:
            spent, asking = raced(project, [python, *MODULE], empty, server, rounds)
        finally:
            os.kill(server, signal.SIGTERM)
    served = {one.name: median(one.served) for one in asking}
    lines = [
        "| process | CPU | x `python -c pass` | resident process | asked | goal |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    missed = []
    for name in spent:
        found = ratio(spent, name, PASS)
        asked, goal = GOALS.get(name, ("", ""))
        beside = f"{served[name] * 1e3:.0f} ms" if name in served else ""
        lines.append(
            f"| {name} | {middle(spent, name) * 1e3:.1f} ms | {found:.2f} | {beside} | {asked} | {goal} |"
        )
        if asked and found > float(asked):
            missed.append(f"{name}: {found:.2f}, asked {asked}, goal {goal}")
    return lines, missed


def main() -> int:
    parser = argparse.ArgumentParser(description="the cost of a check that a resident process decides")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each contender (15)")
    compileall.compile_dir(HERE.parent / "src", quiet=2)
    lines, missed = table(parser.parse_args().rounds)
    print("\n".join(lines))
    if missed:
        print("\nMissed:\n" + "\n".join(f"- {line}" for line in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
