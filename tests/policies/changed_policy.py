"""A shipped policy changed by one step, asked the cases of its own tests.yaml until one of them fails."""

from __future__ import annotations

from pathlib import Path

from compiled import shipped_suite
from ran_suites import run_by_one

from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.shipped import path
from exitgate.testing.cases.case import NOTHING, Suite


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
    before = shipped_suite(name)
    cases = sorted(before.cases, key=lambda case: sorted(case.settings.items()))
    asked = tuple(case for case in cases if case.name.startswith(beginning))
    assert asked
    suite = Suite(str(file), load_policy(str(file)), asked, before.document, NOTHING)
    return any(run_by_one(case, suite.program(case)).failures for case in asked)
