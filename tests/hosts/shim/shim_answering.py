"""The program answered by this very process: a bash with many rows starts no process for each step."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from patience import PATIENCE

from exitgate.cli.main import main
from exitgate.core.gate import settings
from exitgate.core.gate import settings as recall_room
from exitgate.core.policy import serialized

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.settings.files import SettingsRequest

END = "\x1d"
#: Policies that were read or written already.
KNOWN: dict[object, object] = {}
#: Stands in the place of `exitgate`: words, variables and standard input go to descriptor 3, what comes back
#: from 4 is the exit code and what is printed. Each part ends with a NUL.
FUNCTION = r"""
answering() {
    local name code out err input=''
    if [[ "$*" == *questions ]]; then IFS= read -r -d '' input || true; fi
    {
        printf '%s\0' "$@" $'\x1d' "$input"
        while IFS= read -r name; do printf '%s\0' "$name=${!name}"; done < <(compgen -e)
        printf '%s\0' $'\x1d'
    } >&3
    IFS= read -r -d '' code <&4
    IFS= read -r -d '' out <&4
    IFS= read -r -d '' err <&4
    printf '%s' "$err" >&2
    printf '%s' "$out"
    return "$code"
}
EXITGATE=answering
"""


def bash_answered(folder: Path, script: str, variables: dict[str, str], now: float | None = None) -> str:
    """Run a script in `folder`, answer its steps (at the instant `now`), and return what it printed."""
    (there, requests), (replies, back) = os.pipe(), os.pipe()
    printed = folder / f"printed-{os.getpid()}"
    moved = f"exec 3>&{requests} 4<&{replies}\n"
    with printed.open("wb") as out, _as_if(folder, variables), _policies_once(), _at(now):
        child = subprocess.Popen(
            ["bash", "-c", moved + FUNCTION + script], cwd=folder, env=variables, stdout=out,
            stderr=subprocess.PIPE, pass_fds=(requests, replies),
        )  # fmt: skip
        os.close(requests)
        os.close(replies)
        with open(there, "rb") as asked, open(back, "wb") as answers:
            for words, given, environment in _requests(asked):
                answers.write("".join(f"{part}\0" for part in _answer(words, given, environment)).encode())
                answers.flush()
        _, trouble = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, trouble.decode()
    return printed.read_text("utf-8", "replace")


def _requests(asked: io.BufferedReader) -> Iterator[tuple[list[str], str, dict[str, str]]]:
    """Yield words, standard input and variables of each step until bash ends."""
    parts = _parts(asked)
    for first in parts:
        words = [first]
        for part in parts:
            if part == END:
                break
            words.append(part)
        given = next(parts)
        variables = {}
        for part in parts:
            if part == END:
                break
            name, _, value = part.partition("=")
            variables[name] = value
        yield words, given, variables


def _parts(asked: io.BufferedReader) -> Iterator[str]:
    rest = b""
    while piece := asked.read1(1 << 16):
        *whole, rest = (rest + piece).split(b"\0")
        for part in whole:
            yield part.decode("utf-8", "surrogateescape")


def _answer(words: list[str], given: str, environment: dict[str, str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _stdin(given):
            code = main(words)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return code, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def _stdin(text: str) -> Iterator[None]:
    before, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def _policies_once() -> Iterator[None]:
    """
    Have policies read and written as JSON once each: most of what a step costs, and not looked at here.

    For all modules: a project's settings are the same for each that plays in it.
    """
    known = KNOWN

    def recalled(asked: SettingsRequest) -> object:
        key = (os.getcwd(), asked.policy, asked.root, *sorted(asked.settings.items()))
        if key not in known:
            known[key] = recall(asked)
        return known[key]

    def plain(policy: CompiledPolicy) -> bytes:
        if policy.digest not in known:
            known[policy.digest] = written(policy)
        return known[policy.digest]

    recall, written = recall_room.recall_settled, serialized.text_of
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recall_room, "recall_settled", recalled)
        patch.setattr(settings, "recall_settled", recalled)
        patch.setattr(serialized, "text_of", plain)
        yield


@contextlib.contextmanager
def _at(now: float | None) -> Iterator[None]:
    """Have the clock stand at an instant."""
    with pytest.MonkeyPatch.context() as patch:
        if now is not None:
            patch.setattr(time, "time", lambda: now)
        yield


@contextlib.contextmanager
def _as_if(folder: Path, variables: dict[str, str]) -> Iterator[None]:
    """Stand in `folder` with these variables."""
    place, before = os.getcwd(), dict(os.environ)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    try:
        yield
    finally:
        os.chdir(place)
        os.environ.clear()
        os.environ.update(before)
