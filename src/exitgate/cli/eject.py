"""Copying a shipped policy into a folder of the user's own."""

from __future__ import annotations

import hashlib
import os

from exitgate import __version__
from exitgate.cli.usage import usage_error
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.place import Place
from exitgate.model.spelling import nearest
from exitgate.model.verdict import CANNOT_WRITE
from exitgate.policy import shipped

FILES = ("policy.yaml", "tests.yaml", "README.md")


def eject(name: str, folder: str) -> tuple[str, ...]:
    """
    Copy the files of a shipped policy into `folder` and return the paths written.

    The policy gets a first line that says where it came from, with the digest of the original. Raises
    `ExitgateError`: 64 for an unknown name, 73 when one of the files exists or cannot be written; nothing
    is written when one exists.
    """
    source = os.path.dirname(_path(name))
    found = [file for file in FILES if os.path.isfile(os.path.join(source, file))]
    targets = {file: os.path.join(folder, file) for file in found}
    taken = [path for path in targets.values() if os.path.lexists(path)]
    if taken:
        raise ExitgateError(
            [
                Diagnostic("EP804", "the file exists; nothing was written", Place(p), "name another folder")
                for p in taken
            ],
            CANNOT_WRITE,
        )
    try:
        os.makedirs(folder, exist_ok=True)
        for file, target in targets.items():
            with open(os.path.join(source, file), "rb") as original:
                content = original.read()
            with open(target, "xb") as copy:
                copy.write(_copied(content, name, file))
    except OSError as error:
        problem = Diagnostic(
            "EP805", f"cannot write `{folder}`: {error.strerror}", help="name another folder"
        )
        raise ExitgateError([problem], CANNOT_WRITE) from error
    return tuple(targets.values())


def _path(name: str) -> str:
    try:
        return shipped.path(name)
    except KeyError as error:
        near = nearest(name, shipped.policies())
        advice = f"did you mean `{near}`?" if near else "see `exitgate policies list`"
        raise usage_error(f"no shipped policy `{name}`", advice) from error


def _copied(content: bytes, name: str, file: str) -> bytes:
    """Return what is written: the policy with its origin, the README without links to missing files."""
    if file == "README.md":
        from exitgate.reference.shelf import within

        return within(content.decode(), file).encode()
    return _noted(content, name) if file == "policy.yaml" else content


def _noted(content: bytes, name: str) -> bytes:
    """Return the policy with the note behind its modeline, whose relative path would lead nowhere."""
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    note = f"# Copied from the shipped policy {name} of exitgate {__version__}, blake2b {digest}.\n".encode()
    lines = content.splitlines(keepends=True)
    if lines and lines[0].startswith(b"# yaml-language-server:"):
        lines = lines[1:]
    return note + b"".join(lines)
