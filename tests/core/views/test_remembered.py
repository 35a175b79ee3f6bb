"""What views remember saves reading; whatever becomes of it, views are what the ledger says."""

from __future__ import annotations

import json
import os
import random

import pytest
from views_examples import NOW, Loop

from exitgate.core.ledger import read
from exitgate.core.ledger.line import end_for
from exitgate.core.views import update
from exitgate.core.views.update import KEPT


def state_of(loop):
    with open(os.path.join(loop.root, ".ralph/exit-state.json")) as file:
        return json.load(file)


def kept(loop):
    folder = os.path.join(loop.state, "views")
    (name,) = os.listdir(folder)
    return os.path.join(folder, name)


@pytest.fixture
def loop(tmp_path, monkeypatch):
    monkeypatch.delenv("RUN_LOG_DIR", raising=False)
    return Loop(tmp_path)


def test_only_the_newest_line_is_read_once_the_rest_is_remembered(loop, monkeypatch):
    loop.decide(confidence=1)

    def never(*_):
        raise AssertionError("the ledger was read again")

    monkeypatch.setattr(update.read, "recent", never)
    loop.decide(confidence=2)
    loop.decide(confidence=3)
    assert loop.warnings == ()
    assert state_of(loop)["confidence_history"] == [1, 2, 3]


@pytest.mark.parametrize("content", [b"", b"{", b"0\n{}", b"\0" * 100])
def test_spoilt_memory_is_made_again(loop, content):
    for number in range(4):
        loop.decide(confidence=number)
    with open(kept(loop), "wb") as file:
        file.write(content)
    loop.decide(confidence=4)
    assert (loop.warnings, state_of(loop)["confidence_history"]) == ((), [0, 1, 2, 3, 4])


def test_torn_memory_is_made_again(loop):
    for number in range(4):
        loop.decide(confidence=number)
    size = os.path.getsize(kept(loop))
    with open(kept(loop), "r+b") as file:
        file.seek(size // 2)
        file.write(b"0")
    loop.decide(confidence=4)
    assert state_of(loop)["confidence_history"] == [0, 1, 2, 3, 4]


def test_other_facts_are_read_from_the_ledger(loop):
    loop.decide(confidence=1, errors__count=5)
    loop.views = {"exit_state": {"errors": "errors.count"}}
    loop.decide(confidence=1, errors__count=6)
    assert state_of(loop)["error_history"] == [5, 6]


def test_a_link_in_its_place_is_a_warning_and_nothing_is_written_through_it(loop, tmp_path):
    loop.decide(confidence=1)
    path = kept(loop)
    os.unlink(path)
    (tmp_path / "mine").write_text("mine")
    os.symlink(tmp_path / "mine", path)
    loop.decide(confidence=2)
    assert loop.warnings
    assert (tmp_path / "mine").read_text() == "mine"


def test_with_and_without_memory_views_are_the_same(loop, monkeypatch):
    chance = random.Random(9)
    real, calls, from_memory = read.recent, [], 0
    monkeypatch.setattr(update.read, "recent", lambda *asked: calls.append(asked) or real(*asked))
    for _ in range(KEPT + 40):
        case = chance.random()
        if case < 0.05:
            loop.add(end_for(loop.run, NOW, chance.choice(("reset", "expired")), "why"))
        if case < 0.15:
            loop.run, loop.iteration = f"loop#{int(loop.run[5:]) + 1}", 0
        views, missed = loop.views, chance.random() < 0.1
        loop.views = {} if missed else views
        loop.decide(chance.choice(("CONTINUE", "EXIT")), confidence=chance.randrange(100), tasks__done=1)
        loop.views = views
        if missed:
            continue
        lines = [one for one in real(loop.state, "loop", KEPT) if one["kind"] == "decision"]
        state = state_of(loop)
        assert state["confidence_history"] == [one["facts"]["confidence"]["v"] for one in lines]
        assert state["total_decisions"] == lines[-1]["counts"]["decisions"]
        from_memory += calls == []
        calls.clear()
    assert from_memory > KEPT, "memory was hardly ever used"
