"""Runs without texts as JSON and back: nothing that decisions or sums rest on is lost."""

from __future__ import annotations

import json

from exitgate.core.model.fact import Fact
from exitgate.core.state.history import Reported
from exitgate.recordings.model import TURN, Begin, End, Problem
from exitgate.recordings.replay.extraction import Extracted
from exitgate.recordings.replay.stored_runs import StoredRun, from_plain, to_plain, with_facts

#: By slot a value that is not the one by default.
TOLD = {
    "id": "r", "granularity": TURN, "file": "f", "started_at": 1.5, "title": "t", "parent": "p",
    "resumed": True, "how": "failed", "why": "w", "ended_at": 9.5, "cost": 0.25, "tokens": 7, "message": "m",
    "line": 3, "is_error": True, "session": {"id": "s", "cost": 0.75}, "exit_status": 1, "responded": False,
    "index": 4, "limit": 9, "loses": False, "breaker": {"state": "OPEN"}, "looked_at": 8.5,
}  # fmt: skip


def made(kind, **more):
    return kind(**{name: TOLD[name] for name in kind.__slots__ if name not in more}, **more)


def test_every_slot_comes_back() -> None:
    begin = made(Begin, plan=None, files={}, git=None)
    reported = made(Reported)
    one = made(Extracted, facts={}, baseline=None, reported=reported)
    run, problem = StoredRun(begin, made(End), (one, one)), made(Problem)
    plain = json.loads(json.dumps(to_plain([run], [problem])))
    assert from_plain(plain) == ((run,), (problem,))


def test_texts_are_left_out() -> None:
    begin = Begin("r", TURN, "f", plan="- [ ] a task", files={"prd.json": "{}"}, git={"content": "abc"})
    run = StoredRun(begin, End(), ())
    assert "a task" not in json.dumps(to_plain([run], []))
    assert "prd" not in json.dumps(to_plain([run], []))
    assert "abc" not in json.dumps(to_plain([run], []))


def test_facts_are_put_back() -> None:
    one = made(Extracted, facts={}, baseline=None, reported=made(Reported))
    facts, early = {"a": Fact("a", 1)}, {"b": Fact("b", 2)}
    found = with_facts(one, facts, early)
    assert (found.facts, found.baseline) == (facts, early)
    assert with_facts(found, {}) == one
