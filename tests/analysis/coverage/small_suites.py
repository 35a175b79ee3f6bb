"""Small policies with their cases, and what these show."""

from __future__ import annotations

from pathlib import Path

from exitgate.analysis.results.coverage import Aim, Coverage, Leaf, Part
from exitgate.testing.cases.load import load_file
from exitgate.testing.coverage import Watcher
from exitgate.testing.runner import run_case

HEAD = "policy: small\nformat: 1\nversion: 1.0.0\n"
FACTS = (
    "facts:\n  tasks: {extract: checklist, from: plan}\n  errors: {extract: error_lines, words: [error]}\n"
)


def write(folder: Path, policy: str, tests: str) -> Path:
    """Write a policy, with `FACTS` where it has none, and its cases; return the file of the cases."""
    facts = "" if "facts:" in policy else FACTS
    (folder / "policy.yaml").write_text(HEAD + facts + policy, encoding="utf-8")
    file = folder / "tests.yaml"
    file.write_text(f"format: 1\n{tests}", encoding="utf-8")
    return file


def shown(folder: Path, policy: str, tests: str, unknown: bool = False) -> Coverage:
    """Return what the cases show; every one must pass."""
    suite = load_file(str(write(folder, policy, tests)))
    watcher = Watcher()
    for case in suite.cases:
        result = run_case(case, suite.program(case), lambda view, case=case: watcher.watch(suite, case, view))
        assert not result.failures, result.failures
    (coverage,) = watcher.coverages(unknown)
    return coverage


def part(coverage: Coverage, name: str) -> Part:
    return next(part for part in coverage.parts if part.name == name)


def truths(coverage: Coverage, name: str, leaf: str) -> str:
    """Return ``TFU`` or less: how a leaf of a part came out."""
    return letters(next(one for one in part(coverage, name).leaves if one.text == leaf))


def letters(leaf: Leaf) -> str:
    return "".join(aim.what[0].upper() for aim in leaf.aims if aim.shown_by)


def decided(coverage: Coverage, name: str) -> Aim:
    aim = part(coverage, name).aim
    assert aim is not None
    return aim
