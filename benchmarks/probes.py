"""
What a probe costs a check beyond its own command: processor time in one interleaved run.

    python benchmarks/probes.py [--rounds N]

Each contender is a whole process, `exitgate check` with `recommended` on a claim with a finished plan, in a
repository with some files that changed in the run, children included. The same check completes without
`verify`, and with a probe whose command is `sh -c :`; what that takes, started in the same way, is
subtracted. With the answer on record only the tree is looked at again. The exit code is 1 when the goal is
missed.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "process"))

from turns import Run, middle, race  # noqa: E402

#: Milliseconds of the processor that a probe may add beyond its command.
GOAL = 30.0
#: Changed files of the repository, of five times as many.
CHANGED = (1, 100, 1000)
SETTINGS = "exit_decision:\n  policy: recommended\n"
VERIFY = "  verify: [tests]\n  probes:\n    tests: {command: [sh, -c, ':'], timeout: 10s}\n"
CLAIM = "All tasks are done. The parser reads both forms, and the page describes them.\n"


class Place:
    """A project whose run is about to complete."""

    def __init__(self, folder: Path, environment: dict[str, str], changed: int, *, verify: bool) -> None:
        self.folder = folder
        self.environment = environment
        (folder / ".bb3").mkdir(parents=True)
        (folder / "src").mkdir()
        (folder / ".gitignore").write_text(".ralph/\n")
        (folder / ".bb3" / "config.yaml").write_text(SETTINGS + (VERIFY if verify else ""))
        (folder / "plan.md").write_text("- [x] read both forms\n- [x] describe them\n")
        (folder / "response.md").write_text(CLAIM)
        for number in range(5 * changed):
            (folder / "src" / f"file-{number}.txt").write_text(f"{number}\n" * 20)
        person = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": os.devnull}
        person |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
            subprocess.run(["git", "-C", str(folder), *words], env={**environment, **person}, check=True)
        (folder / ".ralph").mkdir()
        if verify:
            digest = [*self.words[:1], "trust", "--digest"]
            shown = subprocess.run(digest, cwd=folder, env=environment, capture_output=True, check=True)
            self.environment = {**environment, "EXITGATE_TRUST": shown.stdout.decode().strip()}
        begin = [*self.words[:1], "new-run"]
        subprocess.run(begin, cwd=folder, env=environment, capture_output=True, check=True)
        for number in range(changed):
            (folder / "src" / f"file-{number}.txt").write_text("changed in this run\n")
        self.saved = folder.with_name(folder.name + "-saved")
        shutil.copytree(folder / ".ralph", self.saved)

    @property
    def words(self) -> list[str]:
        """The check."""
        program = str(Path(sys.executable).with_name("exitgate"))
        return [program, "check", "response.md", "plan.md", "--format", "json"]

    def restore(self) -> None:
        """Forget what earlier turns recorded, and go there."""
        shutil.rmtree(self.folder / ".ralph")
        shutil.copytree(self.saved, self.folder / ".ralph")
        os.chdir(self.folder)

    def answered(self) -> None:
        """Record an answer, so that later checks take it."""
        self.restore()
        subprocess.run(self.words, env=self.environment, capture_output=True, check=False)
        shutil.rmtree(self.saved)
        shutil.copytree(self.folder / ".ralph", self.saved)


def table(rounds: int) -> tuple[list[str], list[str]]:
    """Return the lines of the table and the goals that were missed."""
    lines = ["| changed files | without `verify` | with a probe | beyond the command | answer on record |"]
    lines.append("|---:|---:|---:|---:|---:|")
    missed = []
    for changed in CHANGED:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EXITGATE"))}
            kept |= {"EXITGATE_CACHE_DIR": str(folder / "cache"), "XDG_STATE_HOME": str(folder / "user")}
            without = Place(folder / "without", kept, changed, verify=False)
            asked = Place(folder / "asked", kept, changed, verify=True)
            recorded = Place(folder / "recorded", kept, changed, verify=True)
            recorded.answered()
            here = Path.cwd()
            spent = race(
                [
                    Run("true", ["/bin/sh", "-c", ":"], environment=kept),
                    *(
                        Run(label, place.words, place.restore, (10,), place.environment)
                        for label, place in (("without", without), ("asked", asked), ("recorded", recorded))
                    ),
                ],
                rounds,
            )
            os.chdir(here)
        took = {label: middle(spent, label) * 1e3 for label in spent}
        beyond = took["asked"] - took["without"] - took["true"]
        again = took["recorded"] - took["without"]
        times = f"{took['without']:.1f} ms | {took['asked']:.1f} ms | {beyond:+.1f} ms | {again:+.1f} ms"
        lines.append(f"| {changed} | {times} |")
        if beyond > GOAL:
            missed.append(f"{changed} changed files: {beyond:.1f} ms beyond the command, goal {GOAL:.0f} ms")
    return lines, missed


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="what a probe costs a check beyond its command")
    parser.add_argument("--rounds", type=int, default=15, help="turns of each contender (15)")
    arguments = parser.parse_args()
    compileall.compile_dir(HERE.parent / "src", quiet=2)
    lines, missed = table(arguments.rounds)
    print("\n".join(lines))
    if missed:
        print("\nGoals missed:\n" + "\n".join(f"- {line}" for line in missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
