"""Every case of the corpus gives exactly what is written under it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from exitgate.core.settings.provenance import CODES

_SPEC = importlib.util.spec_from_file_location("layer_cases", Path(__file__).parent / "layer_cases.py")
assert _SPEC is not None and _SPEC.loader is not None
lc = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(lc)


@pytest.mark.parametrize("case", lc.cases(), ids=lambda case: case.name)
def test_case(case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = lc.lay_out(case, tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(root)
    assert lc.outcome(case, root) == case.expected


def test_the_corpus_is_large() -> None:
    assert len(lc.cases()) >= 110


def test_every_code_of_the_room_is_in_the_corpus() -> None:
    shown = {
        line.split()[0] for case in lc.cases() for line in case.expected.splitlines() if line[:2] == "EP"
    }
    assert set(CODES) - {"EP479"} - shown == set()  # EP479: test_exceptions
