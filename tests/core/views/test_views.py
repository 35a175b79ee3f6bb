"""Views: what other tools and people read, derived from the ledger alone."""

from __future__ import annotations

import json
import os
import stat

import pytest
import structlog
from views_examples import NOW, VIEWS, Loop

from exitgate.core.ledger import read
from exitgate.core.ledger.line import end_for
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.views import mapping
from exitgate.core.views.session import sums_after
from exitgate.core.views.update import KEPT


@pytest.fixture
def loop(tmp_path, monkeypatch):
    monkeypatch.delenv("RUN_LOG_DIR", raising=False)
    return Loop(tmp_path)


def state_of(loop):
    with open(os.path.join(loop.root, ".ralph/exit-state.json")) as file:
        return json.load(file)


def session_of(loop):
    with open(os.path.join(loop.root, ".ralph-session.json")) as file:
        return json.load(file)


def text_of(loop, name):
    with open(os.path.join(loop.root, ".ralph/logs", name)) as file:
        return file.read()


def test_exit_state_has_the_fields_of_the_first_scheme(loop):
    loop.decide(confidence=60.0, tasks__percent=50.0, tasks__done=1, errors__count=0)
    loop.decide(confidence=Unknown("no response"), tasks__percent=50, tasks__done=1, errors__count=2)
    loop.decide("EXIT", "stuck", "no task finished", confidence=72.5, tasks__percent=50, tasks__done=1)
    assert loop.warnings == ()
    assert state_of(loop) == {
        "last_decision": "EXIT",
        "decision_reason": "no task finished",
        "confidence_history": [60, None, 72.5],
        "completion_history": [50, 50, 50],
        "error_history": [0, 2, None],
        "stagnation_count": 2,
        "total_decisions": 3,
        "continue_count": 2,
        "exit_count": 1,
        "exit_class": "stuck",
        "outcome": "some_rule",
        "run": "loop#1",
        "iteration": 3,
        "updated_at": "2027-01-15T08:00:45.000Z",
    }


def test_histories_are_bounded_and_counts_are_not(loop):
    for number in range(KEPT + 7):
        loop.decide(confidence=number, tasks__done=number)
    state = state_of(loop)
    assert state["confidence_history"] == list(range(7, KEPT + 7))
    assert (state["total_decisions"], state["continue_count"], state["stagnation_count"]) == (57, 57, 0)
    assert len(session_of(loop)["iterations"]) == KEPT
    assert len(text_of(loop, "confidence.log").splitlines()) == KEPT


def test_counts_outlive_a_run_and_end_with_a_reset(loop):
    loop.decide("EXIT", "complete")
    loop.run, loop.iteration = "loop#2", 0
    loop.decide()
    state = state_of(loop)
    assert (state["total_decisions"], state["exit_count"], state["continue_count"]) == (2, 1, 1)
    loop.add(end_for("loop#2", NOW + 60, "reset", "asked for"))
    state = state_of(loop)
    assert (state["total_decisions"], state["last_decision"], state["confidence_history"]) == (0, None, [])
    loop.run, loop.iteration = "loop#3", 0
    loop.decide()
    assert state_of(loop)["total_decisions"] == 1


@pytest.mark.parametrize(
    ("values", "count"),
    [([3], 0), ([3, 3], 1), ([1, 3, 3, 3], 2), ([3, 3, 4], 0), ([3, None, 3], 0)],
)
def test_stagnation_counts_iterations_that_brought_nothing(loop, values, count):
    for value in values:
        loop.decide(tasks__done=Unknown("no plan") if value is None else value)
    assert state_of(loop)["stagnation_count"] == count


@pytest.mark.parametrize(("values", "count"), [([False], 1), ([True, False, False], 2), ([False, True], 0)])
def test_stagnation_of_a_yes_or_no_fact(loop, values, count):
    loop.views = {"exit_state": {"stagnation": "progress.made"}}
    for value in values:
        loop.decide(progress__made=value)
    assert state_of(loop)["stagnation_count"] == count


def test_a_field_may_be_a_parameter_and_may_be_left_out(loop):
    loop.views = {"exit_state": {"errors": "$limit"}}
    loop.decide(confidence=3)
    state = state_of(loop)
    assert (state["error_history"], state["confidence_history"], state["stagnation_count"]) == ([7], [], 0)


def test_a_session_of_tasks_done_by_now(loop):
    loop.decide(tasks__done=1, git__files_changed=3, git__commits=1)
    loop.decide("EXIT", "blocked", tasks__done=4, git__files_changed=2, git__commits=Unknown("no git"))
    assert session_of(loop) == {
        "session_id": "ralph-2027-01-15-080015",
        "started_at": "2027-01-15T08:00:15Z",
        "iterations": [
            {
                "number": 1,
                "timestamp": "2027-01-15T08:00:15Z",
                "status": "IN_PROGRESS",
                "tasks_completed": None,
                "files_modified": 3,
                "exit_decision": "continue",
            },
            {
                "number": 2,
                "timestamp": "2027-01-15T08:00:30Z",
                "status": "BLOCKED",
                "tasks_completed": 3,
                "files_modified": 2,
                "exit_decision": "blocked",
            },
        ],
        "total_tasks_completed": 4,
        "total_files_modified": 5,
        "total_commits": 1,
    }


def test_sums_of_a_run_are_carried_on():
    fields = {"files": "git.files_changed", "commits": "git.commits", "tasks": "tasks.done"}
    totals = JsonObject(sums=sums_after(JsonObject(), fields, {"git.files_changed": 3, "tasks.done": 9}))
    assert totals == {"sums": {"git.files_changed": 3}}
    after = sums_after(totals, fields, {"git.files_changed": 4, "git.commits": Unknown("no git")})
    assert after == {"git.files_changed": 7}


def test_the_decision_log_is_what_structlog_would_render(loop):
    line = loop.decide(message="é \x1b \u2028", confidence=5)
    (raw,) = text_of(loop, "exit-decisions_20270115.log").splitlines()
    entry = json.loads(raw)
    known = {key: value for key, value in entry.items() if key not in ("event", "level", "timestamp")}
    rendered = []
    logger = structlog.wrap_logger(
        structlog.ReturnLogger(),
        processors=[
            structlog.processors.add_log_level,
            lambda *event: event[2] | {"timestamp": entry["timestamp"]},
            structlog.processors.JSONRenderer(separators=(",", ":")),
        ],
    )
    rendered.append(logger.info("decision", **known))
    assert rendered == [raw]
    assert entry["timestamp"] == "2027-01-15T08:00:15.000Z"
    assert entry["decision"] == line["decision"]
    assert entry["facts"]["confidence"] == {"v": 5}


def test_a_log_catches_up_on_lines_it_missed(loop):
    loop.decide()
    views, loop.views = loop.views, {}
    loop.decide()
    loop.add(end_for("loop#1", NOW + 60, "reset", "asked for"))
    loop.views = views
    path = os.path.join(loop.root, ".ralph/logs/exit-decisions_20270115.log")
    with open(path, "a") as file:
        file.write('{"torn')
    loop.run = "loop#2"
    loop.decide()
    lines = text_of(loop, "exit-decisions_20270115.log").splitlines()
    assert lines.pop(1) == '{"torn'
    entries = [json.loads(line) for line in lines]
    assert [entry["sequence"] for entry in entries] == [1, 2, 3, 4]
    assert [entry["event"] for entry in entries] == ["decision", "decision", "reset", "decision"]


def test_a_day_has_its_own_log(loop):
    loop.decide()
    loop.now += 86_400
    loop.decide()
    assert len(text_of(loop, "exit-decisions_20270115.log").splitlines()) == 1
    assert len(text_of(loop, "exit-decisions_20270116.log").splitlines()) == 1


def test_a_line_missed_yesterday_is_logged_today(loop):
    loop.decide()
    views, loop.views = loop.views, {}
    loop.decide()
    loop.views = views
    loop.now += 86_400
    loop.decide()
    loop.now -= 86_400
    loop.decide()
    first = text_of(loop, "exit-decisions_20270115.log").splitlines()
    second = text_of(loop, "exit-decisions_20270116.log").splitlines()
    assert [json.loads(line)["sequence"] for line in first] == [1, 2, 4]
    assert [json.loads(line)["sequence"] for line in second] == [3]


def test_the_confidence_log_says_why_and_cannot_be_broken_out_of(loop, tmp_path, monkeypatch):
    loop.decide("EXIT", "complete", confidence=40)
    (line,) = text_of(loop, "confidence.log").splitlines()
    assert line == (
        '2027-01-15T08:00:15.000Z run="loop#1" iteration=1 confidence=40 decision=EXIT'
        ' outcome="some_rule" reasons=["word maybe, -10\\u001b[31m\\n"]'
    )
    monkeypatch.setenv("RUN_LOG_DIR", str(tmp_path / "logs of a run"))
    loop.decide(confidence=Unknown("no response"))
    text = (tmp_path / "logs of a run" / "confidence.log").read_text()
    assert 'confidence=unknown decision=CONTINUE outcome="some_rule" reasons=["no response",' in text


def test_views_are_private_and_leave_nothing_behind(loop):
    loop.decide(confidence=1)
    loop.decide(confidence=2)
    for name in (".ralph/exit-state.json", ".ralph-session.json", ".ralph/logs/confidence.log"):
        assert stat.S_IMODE(os.stat(os.path.join(loop.root, name)).st_mode) == 0o600
    assert sorted(os.listdir(os.path.join(loop.root, ".ralph"))) == [
        ".gitignore",
        "exit-state.json",
        "exitgate",
        "logs",
    ]


@pytest.mark.parametrize(
    "spoilt", ['{"last_decision": "EXIT", "confidence_history": "poison"}', '{"torn', "\0"]
)
def test_views_lost_or_spoilt_come_back_whole(loop, spoilt):
    for number in range(3):
        loop.decide(confidence=number)
    path = os.path.join(loop.root, ".ralph/exit-state.json")
    os.unlink(path)
    os.unlink(os.path.join(loop.root, ".ralph-session.json"))
    loop.decide(confidence=3)
    assert state_of(loop)["confidence_history"] == [0, 1, 2, 3]
    assert [one["number"] for one in session_of(loop)["iterations"]] == [1, 2, 3, 4]
    with open(path, "w") as file:
        file.write(spoilt)
    loop.decide(confidence=4)
    assert state_of(loop)["confidence_history"] == [0, 1, 2, 3, 4]


def test_what_views_are_mapped_by():
    assert mapping.facts_in(VIEWS) == {
        "confidence", "tasks.percent", "errors.count", "tasks.done", "git.files_changed", "git.commits",
    }  # fmt: skip
    assert mapping.facts_in({"exit_state": {"errors": "$max_errors"}}) == frozenset()
    with pytest.raises(ValueError, match="no view `weather`"):
        mapping.views_in({"weather": {}})
    with pytest.raises(ValueError, match="no field `mood`"):
        mapping.views_in({"session": {"mood": "a.b"}})
    assert "x/.ralph/exit-state.json" in mapping.places_in(VIEWS, "x")


def test_nothing_is_written_for_a_policy_without_views(loop):
    loop.views = {}
    loop.decide()
    assert os.listdir(loop.root) == [".ralph"]
    assert os.listdir(os.path.join(loop.root, ".ralph")) == ["exitgate"]
    assert len(list(read.lines(loop.state))) == 1
