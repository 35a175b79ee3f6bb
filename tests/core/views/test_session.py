"""The session view: the shape its scheme gives it, totals of a run, kinds of work."""

from __future__ import annotations

import json
import os

import pytest
from views_examples import Loop

from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.views.session import KINDS_LIMIT, session, sums_after
from exitgate.core.views.update import KEPT

SAID = {
    "completed": "status.tasks_completed",
    "files": "status.files_modified",
    "commits": "git.commits",
    "status": "status.status",
}


@pytest.fixture
def loop(tmp_path):
    return Loop(tmp_path, views={"session": SAID})


def text_of(loop):
    with open(os.path.join(loop.root, ".ralph-session.json")) as file:
        return file.read()


def told(status="IN_PROGRESS", tasks=1, files=3, commits=1, **more):
    return {
        "status__status": status,
        "status__tasks_completed": tasks,
        "status__files_modified": files,
        "git__commits": commits,
        **more,
    }


def test_the_session_has_the_fields_of_the_scheme_in_their_order_and_no_other(loop):
    loop.decide(**told())
    found = json.loads(text_of(loop))
    assert list(found) == [
        "session_id", "started_at", "iterations", "total_tasks_completed", "total_files_modified",
        "total_commits",
    ]  # fmt: skip
    assert found["session_id"] == "ralph-2027-01-15-080015"
    assert found["started_at"] == "2027-01-15T08:00:15Z"
    assert [list(one.items()) for one in found["iterations"]] == [
        [
            ("number", 1),
            ("timestamp", "2027-01-15T08:00:15Z"),
            ("status", "IN_PROGRESS"),
            ("tasks_completed", 1),
            ("files_modified", 3),
            ("exit_decision", "continue"),
        ]
    ]


def test_what_iterations_say_they_completed_is_summed_up(loop):
    loop.decide(**told(tasks=2, files=4))
    loop.decide(**told(tasks=Unknown("not said"), files=Unknown("not said"), commits=0))
    loop.decide("EXIT", "complete", **told("COMPLETE", tasks=3, files=1, commits=2))
    found = json.loads(text_of(loop))
    assert [one["tasks_completed"] for one in found["iterations"]] == [2, None, 3]
    assert [one["exit_decision"] for one in found["iterations"]] == [
        "continue",
        "continue",
        "project_complete",
    ]
    totals = [found[f"total_{what}"] for what in ("tasks_completed", "files_modified", "commits")]
    assert totals == [5, 5, 3]


def test_a_look_before_the_first_iteration_is_no_iteration():
    said = {"status.tasks_completed": {"v": 2}}
    lines = [
        {
            "kind": "decision", "run": "loop#1", "iteration": number, "at": "2027-01-15T08:00:15.000+00:00",
            "decision": {"verdict": "CONTINUE"}, "facts": said if number else {},
        }
        for number in (0, 1)
    ]  # fmt: skip
    lines = [JsonObject(line) for line in lines]
    shown = session(lines, SAID, {})
    assert [one["number"] for one in shown["iterations"]] == [1]
    assert shown["total_tasks_completed"] == 2
    assert session(lines[:1], SAID, {})["iterations"] == []


def test_an_exit_that_is_neither_success_nor_blocked_goes_by_its_outcome(loop):
    loop.decide("EXIT", "stuck", **told())
    assert json.loads(text_of(loop))["iterations"][0]["exit_decision"] == "some_rule"


def test_totals_of_more_iterations_than_are_shown_come_from_the_sums(loop):
    sums: dict[str, float] = {}
    line = None
    for _ in range(KEPT + 5):
        line = loop.decide(**told(tasks=1, files=2))
        sums = sums_after(
            JsonObject({"sums": sums}), SAID, {"status.tasks_completed": 1, "status.files_modified": 2}
        )
    shown = json.loads(text_of(loop))
    assert len(shown["iterations"]) == KEPT
    assert shown["total_tasks_completed"] == KEPT
    assert line is not None
    newest = JsonObject(line, totals={"sums": sums})
    whole = session([newest], SAID, {})
    assert (whole["total_tasks_completed"], whole["total_files_modified"]) == (KEPT + 5, 2 * (KEPT + 5))


def test_kinds_of_work_are_counted_over_the_run():
    fields = {"work": "status.work_type"}
    sums: dict[str, float] = {}
    for kind in ("TESTING", "IMPLEMENTATION", "TESTING", Unknown("not said")):
        sums = sums_after(JsonObject({"sums": sums}), fields, {"status.work_type": kind})
    line = {
        "kind": "decision", "run": "loop#1", "iteration": 4, "at": "2027-01-15T08:00:15.000+00:00",
        "decision": {"verdict": "CONTINUE"}, "facts": {"status.work_type": {"v": "TESTING"}},
        "totals": {"sums": sums},
    }  # fmt: skip
    shown = session([JsonObject(line)], fields, {})
    assert shown["work_types"] == {"IMPLEMENTATION": 1, "TESTING": 2}
    assert shown["iterations"][0]["work_type"] == "TESTING"


def test_a_fact_of_endless_kinds_does_not_make_the_ledger_grow():
    sums: dict[str, float] = {}
    for number in range(200):
        sums = sums_after(JsonObject({"sums": sums}), {"work": "a.b"}, {"a.b": f"kind {number}"})
    assert len(sums) <= KINDS_LIMIT + 3


def test_a_session_without_lines_says_nothing():
    shown = session([], SAID, {})
    assert (shown["session_id"], shown["started_at"], shown["iterations"]) == (None, None, [])
