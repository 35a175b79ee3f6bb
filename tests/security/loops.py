"""A loop under test: its files, and the program asked about them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from exitgate.cli.main import main

HEAD = "policy: p\nformat: 1\nversion: 1.0.0\n"


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def all(self) -> str:
        return self.out + self.err


class Loop:
    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        return path

    def policy(self, text: str) -> Path:
        """Write `policy.yaml`: the head, then `text`."""
        return self.write("policy.yaml", HEAD + text)

    def run(self, *words: str) -> Ran:
        """Run the program in this process, in the loop's folder."""
        os.chdir(self.root)
        self._capsys.readouterr()
        code = main(words)
        out, err = self._capsys.readouterr()
        return Ran(code, out, err)

    @property
    def ledger(self) -> str:
        return (self.root / ".ralph/exitgate/ledger.jsonl").read_bytes().decode("ascii")

    def kept(self) -> str:
        """Return everything that was written into the project, beside what the test wrote."""
        state = self.root / ".ralph"
        texts = [p.read_bytes().decode("utf-8", "replace") for p in state.rglob("*") if p.is_file()]
        return "\n".join(texts)
