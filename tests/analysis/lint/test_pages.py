"""Every lint's page: its bad example has exactly this fault, its good example none."""

from __future__ import annotations

from pathlib import Path

import pytest
from lint_examples import findings, place, shown

from exitgate.analysis.lint import registry

#: Its bad and good example are one policy, without and with tests beside it.
UNTESTED = "missing-tests"


@pytest.mark.parametrize("id", registry.IDS)
def test_the_bad_example_has_this_fault_and_no_other(id: str, tmp_path: Path) -> None:
    lint = registry.load(id)
    path = place(tmp_path, lint, lint.DOC.bad, tested=id != UNTESTED)
    found = findings(path, lint)
    assert {p.lint for p in found if p.suppression is None} == {id}, shown(found)
    assert all(p.finding.help and p.finding.place.file == str(path) for p in found)


@pytest.mark.parametrize("id", registry.IDS)
def test_the_good_example_has_none(id: str, tmp_path: Path) -> None:
    lint = registry.load(id)
    assert shown(findings(place(tmp_path, lint, lint.DOC.good), lint)) == []
