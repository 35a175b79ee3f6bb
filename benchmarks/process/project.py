"""A project in the middle of a loop: a response, a plan, a ledger of fifty lines, policies."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

#: Shipped policies that checks are timed with.
POLICIES = ("recommended", "bb3", "bb3-faithful")
LEDGER_LINES = 50
DONE, TASKS = 12, 30
#: Twenty patterns of the kind teams write: identifiers, codes, markers, numbers.
PATTERNS = tuple(rf"\bcode[- ]?{n}\d*: \w+ at line \d+" for n in range(20))
PROSE = (
    "The settings are now read from the file of the project, and both branches of the parser are tested",
    "`src/settings.py` and `tests/test_settings.py` changed; the suite ran in four seconds",
    "What is left of this task is the page that describes the format, which the next turn can write",
    "| file | lines |\n|---|---|\n| settings.py | 48 |",
    "```python\nsettings = read(path)\nassert settings.limit == 3\n```",
)
PATTERN_POLICY = """policy: patterned
format: 1
version: 1.0.0
title: The plain rules and a rule over twenty patterns
extends: ./plain.yaml
facts:
  marks:
    extract: phrases
    from: response
    lexicon: ./marks.yaml
rules:
  - id: marked
    when: marks.count > 40
    exit: review
    because: "{marks.count} marks"
"""
GIT_POLICY = """policy: gitted
format: 1
version: 1.0.0
title: The plain rules and a rule over git
extends: ./plain.yaml
rules:
  - id: much_changed
    when: git.files_changed > 400
    exit: review
    because: "{git.files_changed} files changed"
"""
EDITED_POLICY = """policy: mine
format: 1
version: 1.0.{number}
title: A policy of the project
extends: {name}
rules:
  - id: long_run
    when: run.iterations > {number}
    exit: review
    because: "{{run.iterations}} iterations"
"""


def text_of(size: int) -> str:
    """Return a response of about `size` bytes: prose, lists, code, a table, and a claim of confidence."""
    pieces: list[str] = []
    length = 0
    while length < size - 80:
        sentence = PROSE[len(pieces) % len(PROSE)]
        pieces.append(sentence if sentence[0] in "|`" else f"{sentence} ({len(pieces)}).")
        length += len(pieces[-1]) + 2
    return "\n\n".join([*pieces, "I am confident that this step is done as the task asks."]) + "\n"


def plain() -> str:
    """Return the policy `bb3-faithful` without the views it keeps for other programs: words, no pattern."""
    from exitgate.core.policy.shipped import path

    kept, inside = [], False
    for line in Path(path("bb3-faithful")).read_text(encoding="utf-8").splitlines(keepends=True):
        inside = line.startswith("views:") or (inside and line[:1] in (" ", "\n"))
        kept += [] if inside else [line]
    return "".join(kept).replace("policy: bb3-faithful", "policy: plain", 1)


def lexicon() -> str:
    entries = "\n".join(
        f"  - {{id: mark-{chr(97 + n)}, pattern: '{pattern}', examples: ['code {n}: bad at line 7'], "
        f"counterexamples: [nothing here]}}"
        for n, pattern in enumerate(PATTERNS)
    )
    return f"lexicon: marks\nformat: 1\ntitle: Twenty patterns\nentries:\n{entries}\n"


class Project:
    """A folder with a loop under way; `restore` puts the ledger back to fifty lines, with a new response."""

    def __init__(self, folder: Path, exitgate: str, environment: dict[str, str]) -> None:
        self.folder = folder
        self.exitgate = exitgate
        self.environment = environment
        folder.mkdir()
        (folder / ".ralph").mkdir()
        tasks = (f"- [{'x' if n < DONE else ' '}] step {n} of the plan" for n in range(TASKS))
        (folder / "fix_plan.md").write_text("# Plan\n\n" + "\n".join(tasks) + "\n")
        for name, text in (("patterned", PATTERN_POLICY), ("gitted", GIT_POLICY), ("marks", lexicon())):
            (folder / f"{name}.yaml").write_text(text)
        (folder / "plain.yaml").write_text(plain())
        for name, size in (("10", 10_000), ("100", 100_000)):
            (folder / f"response-{name}.md").write_text(text_of(size))
        shutil.copyfile(folder / "response-10.md", folder / ".ralph" / "last-response.md")
        shutil.copyfile(folder / "fix_plan.md", folder / ".ralph" / "@fix_plan.md")
        self._repository()
        self._state = folder / ".ralph"
        self._saved = folder.with_name(folder.name + "-saved")
        self._edits = 0
        self._fill()
        for policy in ("./plain.yaml", "./patterned.yaml", "./gitted.yaml", *POLICIES):
            # the state directory keeps each policy it was used with, once
            words = self.check(policy)
            subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, check=False)
        shutil.copytree(self._state, self._saved)

    def check(self, policy: str = "bb3", size: str = "10") -> list[str]:
        """Return the command line of a check, to be run in the folder."""
        return [self.exitgate, "check", f"response-{size}.md", "fix_plan.md", "--policy", policy]

    def questions(self) -> str:
        """Return a shell command that starts git for what a check asks it."""
        asked = ("rev-parse --show-toplevel HEAD", "ls-files --stage -z", "diff-index --cached -z HEAD")
        return "; ".join(f"git --no-pager {words} >/dev/null" for words in asked)

    def edit(self, name: str) -> None:
        """Put the ledger back, and change a policy that extends a shipped one."""
        self.restore()
        self._edits += 1
        text = EDITED_POLICY.format(name=name, number=1000 + self._edits)
        (self.folder / f"my-{name}.yaml").write_text(text)

    def decide(self) -> None:
        """Put the ledger back, and decide once more."""
        self.restore()
        words = self.check("recommended")
        subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, check=False)

    def without_git(self) -> None:
        """Put the ledger back, and take the repository away until the next time."""
        self.restore()
        (self.folder / ".git").rename(self.folder / ".git-away")

    def restore(self) -> None:
        """Put the ledger back to its fifty lines, and what is derived from it; the agent answers anew."""
        shutil.rmtree(self._state)
        shutil.copytree(self._saved, self._state)
        if (self.folder / ".git-away").exists():
            (self.folder / ".git-away").rename(self.folder / ".git")
        for response in (*self.folder.glob("response-*.md"), self._state / "last-response.md"):
            response.touch()  # one that was there before counts as stale, and is not read

    def _fill(self) -> None:
        for turn in range(LEDGER_LINES):
            (self.folder / "turn.md").write_text(f"{text_of(2_000)}\nTurn {turn}.\n")
            done = (f"- [{'x' if n < turn % 20 else ' '}] step {n}" for n in range(TASKS))
            (self.folder / "turn-plan.md").write_text("\n".join(done) + "\n")
            words = [self.exitgate, "check", "turn.md", "turn-plan.md", "--policy", "bb3"]
            subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, check=False)
            lines = (self._state / "exitgate" / "ledger.jsonl").read_bytes().count(b"\n")
            if lines >= LEDGER_LINES:
                return
        raise RuntimeError("the ledger does not fill")

    def _repository(self) -> None:
        """Twenty files, one of them changed."""
        for n in range(20):
            (self.folder / f"file-{n}.txt").write_text(f"{n}\n" * 20)
        (self.folder / ".gitignore").write_text(".ralph/\n")
        person = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_CONFIG_GLOBAL": os.devnull}
        person |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "start"]):
            command = ["git", "-C", str(self.folder), *words]
            subprocess.run(command, env={**self.environment, **person}, check=True)
        (self.folder / "file-3.txt").write_text("changed\n")
