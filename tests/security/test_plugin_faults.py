"""Extractors of other packages that fail, hang or answer something strange: unknown facts, no failure."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from cases import each
from installing import Place, install

from exitgate.core.plugins import ask
from exitgate.core.plugins.permissions import Unfit
from exitgate.core.policy.sections import plugged, plugged_checks


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


SPECS = """\
CONTRACT = 1
SOURCE = 'response'
OPTIONS = {}
def facts(options): return [{'name': 'n', 'type': 'count'}]
"""
FAULTS = {
    "raises": ("raise ValueError('no')", "ValueError: no"),
    "exits": ("import os; os._exit(3)", "its process ended without an answer"),
    "ends": ("raise SystemExit(0)", "SystemExit: 0"),
    "prints": ("print('{}'); return {'n': -1}", "gave `-1`, which is not a count in its range"),
    "text": ("return {'n': '3'}", "gave `3`, which is not a count"),
    "bool": ("return {'n': True}", "gave `True`, which is not a count"),
    "infinite": ("return {'n': float('inf')}", "ValueError"),
    "nothing": ("return {}", "found none"),
    "null": ("return {'n': None}", "found none"),
    "list": ("return [1]", "its answer is not a mapping of facts"),
    "object": ("return object()", "TypeError"),
    "more": ("return {'n': 1, 'm': 2}", "gave `m`, a fact that it did not describe"),
    "unknown": ("return {'n': {'unknown': 'the moon'}}", "the moon"),
    "large": ("return {'n': 'x' * 5_000_000}", "its answer has 50000"),
    "deep": ("return extract(source, options)", "RecursionError"),
    "memory": ("return {'n': len(b'x' * (8 << 30))}", "MemoryError"),
    "project": ("import planted", "ModuleNotFoundError: No module named 'planted'"),
    "environment": ("import os; return {'n': os.environ['SECRET']}", "KeyError"),
    "folder": ("import os; raise OSError(os.getcwd())", "OSError: /"),
}


@each("fault", FAULTS)
def test_a_fault_of_an_extractor_makes_its_facts_unknown(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, monkeypatch)
    body, why = FAULTS[fault]
    install(place.site, f"{SPECS}def extract(source, options): {body}\n")
    (place.project / "planted.py").write_text(place.traced())
    monkeypatch.setenv("PYTHONPATH", str(place.project))
    monkeypatch.setenv("SECRET", "1")
    place.allow()
    assert why in place.asked()
    assert not place.trace.exists()


def test_one_that_takes_too_long_is_ended_with_what_it_started(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = (
        "    import os, time\n    pid = os.fork()\n"
        f"    open({str(place.folder / 'pid')!r}, 'a').write(f'{{pid}} ' if pid else '')\n"
        "    time.sleep(60)\n"
    )
    install(place.site, f"{SPECS}def extract(source, options):\n{body}")
    place.allow()
    monkeypatch.setattr(ask, "SECONDS", 2.0)
    assert "it took longer than 2 s" in place.asked()
    pid = int((place.folder / "pid").read_text().split()[0])
    with pytest.raises(ProcessLookupError):
        for _ in range(200):  # the system may take a moment to bury it
            os.kill(pid, 0)
            time.sleep(0.02)


DESCRIPTIONS: dict[str, object] = {
    "no list": {"n": "count"},
    "no facts": [],
    "no mapping": ["n"],
    "no type": [{"name": "n"}],
    "a strange type": [{"name": "n", "type": "colour"}],
    "a strange name": [{"name": "N n", "type": "count"}],
    "a name that is a path": [{"name": "n.m", "type": "count"}],
    "twice": [{"name": "n", "type": "count"}, {"name": "n", "type": "bool"}],
    "no members": [{"name": "n", "type": "enum"}],
    "members that are words": [{"name": "n", "type": "enum", "members": ["unknown"]}],
    "members alike": [{"name": "n", "type": "enum", "members": ["a", "A"]}],
    "a list of lists": [{"name": "n", "type": "list", "item": "list"}],
    "no currency": [{"name": "n", "type": "money"}],
    "a strange key": [{"name": "n", "type": "count", "run": "rm"}],
    "a strange bound": [{"name": "n", "type": "count", "low": "no"}],
    "a long text": [{"name": "n", "type": "count", "doc": "x" * 3000}],
    "too many": [{"name": f"n{number}", "type": "bool"} for number in range(101)],
}


@each("wrong", DESCRIPTIONS)
def test_a_description_that_a_policy_cannot_have_is_refused(wrong: str) -> None:
    with pytest.raises(Unfit):
        plugged_checks.checked_facts(DESCRIPTIONS[wrong])


@each(
    "told",
    [None, {}, {"contract": 2}, {"source": ""}, {"options": []}, {"options": {"extract": {}}},
     {"options": {"file": {}}}, {"options": {"a": {"type": 7}}}, {"options": {"a": True}}],
)  # fmt: skip
def test_options_that_a_policy_cannot_have_are_refused(told: dict[str, object] | None) -> None:
    good = {"contract": 1, "source": "response", "options": {"a": {"type": "string"}}}
    assert plugged.checked_options(good) == (good["options"], "response")
    with pytest.raises(Unfit):
        plugged.checked_options(told and {**good, **told})


def test_one_that_fails_while_a_policy_is_compiled_is_a_diagnostic(place: Place) -> None:
    install(place.site, f"{SPECS}def facts(options): return 1 / 0\n")
    place.allow()
    assert "EP894" in place.refused()
