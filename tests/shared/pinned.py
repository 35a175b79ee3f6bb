"""A project with a lock file, and a store that has what it pins, without anything fetched."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from exitgate.core.policy.locked import store
from exitgate.core.policy.locked.lock_file import Locked, text_of
from exitgate.core.system.folders import LOCK_FILE

STRICT = """\
policy: strict
format: 1
version: 1.0.0
title: As strict as can be
parameters:
  goal: {type: percent, default: 90, min: 1, doc: Share that is enough.}
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - {id: done, when: tasks.percent >= $goal, exit: complete, because: "{tasks.percent} is enough"}
"""
PRESET = "exit_decision:\n  policy: strict.yaml\n  goal: 95\n"
SOURCE = "pypi:acme-policies"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {"strict.yaml": STRICT, "preset.yaml": PRESET, "LICENSE": "do as you like\n"}


def own_store(folder: Path, patch: pytest.MonkeyPatch) -> Path:
    """Have the store of the user in a folder of its own; return it."""
    patch.setenv("XDG_DATA_HOME", str(folder / "kept"))
    return folder / "kept/exitgate/policies"


def kept(files: Mapping[str, str] = FILES, source: str = SOURCE, version: str = "2.1.0") -> Locked:
    """Put files into the store, and return how they are pinned."""
    digest = store.keep({name: text.encode() for name, text in files.items()}, os.environ)
    if source.startswith("git+"):
        return Locked(source, digest, commit=COMMIT)
    wheel = f"acme_policies-{version}-py3-none-any.whl"
    return Locked(source, digest, version=version, wheel=wheel, sha256="a" * 64)


def project(folder: Path, entries: Iterable[Locked], settings: str = "") -> Path:
    """Make a project with a lock file and with settings, if there are any; return it."""
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    (folder / ".bb3").mkdir(exist_ok=True)
    (folder / LOCK_FILE).write_text(text_of((), entries), encoding="utf-8")
    if settings:
        (folder / ".bb3/config.yaml").write_text(settings, encoding="utf-8")
    return folder
