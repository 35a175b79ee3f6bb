"""
What a change costs a check: whole processes of two trees in alternating pairs, medians of their ratios.

    python benchmarks/pairs.py OTHER/.venv/bin/exitgate [--rounds 60] [--policy recommended] [--cold]
    python benchmarks/pairs.py OTHER/.venv/bin/exitgate --lines 100000 --words 'history --run long'

Runs `exitgate check --policy POLICY -` of this Python's environment (A) and of the other one (B), each in
a project of its own: a repository, a plan, a ledger of fifty lines that is put back before each run, the
response on standard input. `--cold` switches the cache of compiled policies off. Prints user and system
seconds, the time that passed, and B over A. Byte code is written first in both trees. `./gitted.yaml` and
`./plain.yaml` are policies of the project (`process/project.py`): one asks git, one reads words only.

With `--lines` the words are run in the same project over one long ledger (`scale/ledgers.py`), which is
not put back; `{n}` in them is the number of the round.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "process"))

from project import Project  # noqa: E402

DECIDED = (0, 2, *range(10, 19))
COMPILE = "import compileall, exitgate; compileall.compile_dir(exitgate.__path__[0], quiet=2)"
LEDGER = (
    "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); import ledgers; "
    "ledgers.write(Path(sys.argv[2]), int(sys.argv[3]))"
)


class Side:
    """One tree: its program, and a project of its own."""

    def __init__(self, program: str, folder: Path, words: list[str], cold: bool, lines: int) -> None:
        folder.mkdir()
        python = str(Path(program).with_name("python"))
        subprocess.run([python, "-c", COMPILE], check=True)
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"HOME": str(folder), "XDG_CACHE_HOME": str(folder), "XDG_STATE_HOME": str(folder)}
        self.project = Project(folder / "project", program, environment)
        self.environment = {**environment, **({"EXITGATE_CACHE_DIR": ""} if cold else {})}
        self.words = [program, *words]
        self.long = lines > 0
        if self.long:
            subprocess.run(
                [python, "-c", LEDGER, HERE / "scale", folder, str(lines)], check=True, env=environment
            )
            self.words += ["--state-dir", str(folder / "state")]
        self.spent: list[tuple[float, float]] = []

    def run(self, turn: int) -> tuple[float, float]:
        """Start it, wait for its end, and return its user and system seconds, and those that passed."""
        if not self.long:
            self.project.restore()
        words = [word.replace("{n}", str(turn)) for word in self.words]
        os.chdir(self.project.folder)
        streams = [
            (os.POSIX_SPAWN_OPEN, 0, "response-10.md", os.O_RDONLY, 0),
            *((os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (1, 2)),
        ]
        begun = time.perf_counter()
        process = os.posix_spawn(words[0], words, self.environment, file_actions=streams)
        _, status, usage = os.wait4(process, 0)
        passed = time.perf_counter() - begun
        if os.waitstatus_to_exitcode(status) not in DECIDED:
            raise SystemExit(f"`{' '.join(words)}` ended with {os.waitstatus_to_exitcode(status)}")
        return usage.ru_utime + usage.ru_stime, passed


def main() -> None:
    """Print both medians and their ratios."""
    parser = argparse.ArgumentParser(description="what a change costs a check")
    parser.add_argument("other", help="the other tree's `exitgate`")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--policy", default="recommended")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--lines", type=int, default=0)
    parser.add_argument("--words")
    asked = parser.parse_args()
    words = asked.words.split() if asked.words else ["check", "--policy", asked.policy, "-"]
    programs = (str(Path(sys.executable).with_name("exitgate")), os.path.abspath(asked.other))
    with tempfile.TemporaryDirectory() as folder:
        sides = [
            Side(one, Path(folder) / name, words, asked.cold, asked.lines)
            for one, name in zip(programs, "ab", strict=True)
        ]
        for side in sides:
            side.run(0)
        for turn in range(1, asked.rounds + 1):
            for side in sides if turn % 2 else reversed(sides):
                side.spent.append(side.run(turn))
    for at, name in ((0, "user+sys"), (1, "passed")):
        first, second = ([spent[at] for spent in side.spent] for side in sides)
        ratio = median(b / a for a, b in zip(first, second, strict=True))
        print(f"{name}: A {median(first) * 1000:.1f} ms, B {median(second) * 1000:.1f} ms, B/A {ratio:.3f}")


if __name__ == "__main__":
    main()
