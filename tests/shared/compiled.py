"""Compiled policies, shared by all tests that are not about compiling: most of what a first check costs."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.testing.cases.case import Suite

#: For `EXITGATE_CACHE_DIR`. An entry counts only while everything that it was made of is as it was.
COMPILED = str(Path(__file__).parents[2] / "build" / "compiled")


@cache
def shipped_policy(name: str) -> CompiledPolicy:
    """Return a shipped policy without settings, compiled once in a process."""
    from exitgate.core.policy.compile import load_policy

    return load_policy(name)


@cache
def shipped_suite(name: str) -> Suite:
    """Return the cases of a shipped policy, which is compiled under settings of those cases that are run."""
    from exitgate.core.policy.shipped import path
    from exitgate.testing.cases.load import read_suite

    file = Path(path(name)).with_name("tests.yaml")
    return read_suite(file.read_text(encoding="utf-8"), "tests.yaml", str(file.parent))


def compile_for(folder: Path, environment: Mapping[str, str], policy: str | None = None) -> None:
    """Compile here what processes in `folder` will check by: they find it, and load nothing that compiles."""
    from exitgate.core.gate.settings import policy_of
    from exitgate.core.state.request import Request

    assert current_thread() is main_thread(), "the environment is that of all threads"
    before, place = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    try:
        policy_of(Request(policy=policy))
    finally:
        os.environ.clear()
        os.environ.update(before)
        os.chdir(place)
