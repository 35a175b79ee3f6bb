"""Compiled policies, shared by all tests that are not about compiling: most of what a first check costs."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exitgate.policy.compiled import CompiledPolicy

#: For `EXITGATE_CACHE_DIR`. An entry counts only while everything that it was made of is as it was.
COMPILED = str(Path(__file__).parents[2] / "build" / "compiled")


@cache
def shipped_policy(name: str) -> CompiledPolicy:
    """Return a shipped policy without settings, compiled once in a process."""
    from exitgate.policy.compile import load_policy

    return load_policy(name)
