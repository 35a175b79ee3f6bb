"""A shipped policy changed by one step, asked the cases of its own tests.yaml until one of them fails."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ran_suites import run_by_one

from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.shipped import path
from exitgate.testing.cases.case import NOTHING, Suite
from exitgate.testing.cases.load import read_suite


@cache
def original(name: str) -> Suite:
    """Return the suite of a shipped policy."""
    file = Path(path(name)).with_name("tests.yaml")
    return read_suite(file.read_text(encoding="utf-8"), "tests.yaml", str(file.parent))


def fails(name: str, old: str, new: str, folder: Path, beginning: str = "") -> bool:
    """
    Return whether one of its cases fails for the policy `name` in which `new` stands in place of `old`.

    `old` must stand in the policy; its first place is changed. `folder` takes the changed policy.
    Only cases whose names start with `beginning` are asked, first those without settings, which need no
    more compiling.
    """
    text = Path(path(name)).read_text(encoding="utf-8")
    assert old in text
    file = folder / "policy.yaml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    before = original(name)
    cases = sorted(before.cases, key=lambda case: sorted(case.settings.items()))
    asked = tuple(case for case in cases if case.name.startswith(beginning))
    assert asked
    suite = Suite(str(file), load_policy(str(file)), asked, before.document, NOTHING)
    return any(run_by_one(case, suite.program(case)).failures for case in asked)
