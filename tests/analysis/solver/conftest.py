"""Puts this folder, and the one with the random policies, on the path; conditions and policies for tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

HEAD = """\
policy: small
format: 1
version: 1.0.0
title: Small
"""


@pytest.fixture
def load(tmp_path: Path) -> Callable[[str], CompiledPolicy]:
    """Return a function from the body of a policy to the policy."""

    def made(body: str) -> CompiledPolicy:
        path = tmp_path / "policy.yaml"
        path.write_text(HEAD + body)
        return load_policy(str(path))

    return made


@pytest.fixture
def condition() -> Callable[[CompiledPolicy, str], Node]:
    """Return a function from a policy and a text to a checked condition."""

    def made(policy: CompiledPolicy, text: str) -> Node:
        types = {name: parameter.type for name, parameter in policy.parameters.items()}
        return check(parse(text), Scope(policy.facts, types, policy.conditions))

    return made
