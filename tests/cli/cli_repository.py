"""A repository with policies, for commands that ask git; and the program run in this very process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from patience import PATIENCE

from exitgate.cli.main import main

POLICY = """\
policy: ours
format: 1
version: 1.2.0   # of the policy
title: Ours
extends: ./lib/base.yaml@^1
rules:
  - {id: words_too, when: words.found, exit: complete, because: they said so}
"""
BASE = """\
policy: base
format: 1
version: 1.0.0
parameters: {goal: {type: percent, default: 80, doc: Enough.}}
facts:
  tasks: {extract: checklist, from: plan}
  words: {extract: phrases, from: response, lexicon: ./own.yaml}
rules:
  - {id: enough, when: tasks.percent >= $goal, exit: complete, because: "{tasks.percent}"}
"""
LEXICON = """\
lexicon: own
format: 1
title: Ours
entries:
  - {id: finished, words: [finished], examples: [we are finished]}
"""


class Repository:
    """A repository in a folder, with one commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        for path, text in {"policy.yaml": POLICY, "lib/base.yaml": BASE, "lib/own.yaml": LEXICON}.items():
            self.write(path, text)
        self.commit()

    def git(self, *words: str) -> str:
        """Run git."""
        settings = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(
            ["git", *settings, *words], cwd=self.folder, check=True, capture_output=True, timeout=PATIENCE
        )
        return done.stdout.decode()

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def change(self, path: str, old: str, new: str) -> None:
        """Replace a piece of a file, which must be there."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def commit(self, tag: str = "") -> None:
        """Commit all there is, and tag it."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a commit")
        if tag:
            self.git("tag", tag)


class Program:
    """The program in this process, in a folder."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        """Run `exitgate WORDS`; return exit code, stdout and stderr."""
        code = main(words)
        out, err = self._capsys.readouterr()
        return code, out, err
