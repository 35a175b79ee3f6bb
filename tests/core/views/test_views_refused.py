"""A view never leaves the project, never takes the place of something else, and never fails a decision."""

from __future__ import annotations

import json
import os

import pytest
from views_examples import Loop

from exitgate.core.ledger import read
from exitgate.core.ledger.append import Ledger
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request
from exitgate.core.views.update import update
from exitgate.recordings.ledger.replay import replay


@pytest.fixture(autouse=True)
def no_log_dir(monkeypatch):
    monkeypatch.delenv("RUN_LOG_DIR", raising=False)


@pytest.mark.parametrize("place", ["../out.json", "a/../../out.json", "/tmp/out.json", "a/", "", "b\0.json"])
def test_a_place_outside_the_project_is_refused(tmp_path, place):
    root = tmp_path / "root"
    root.mkdir()
    loop = Loop(root, {"exit_state": {"path": place}})
    loop.decide()
    assert len(loop.warnings) == 1
    assert "is not below the project" in loop.warnings[0]
    assert os.listdir(tmp_path) == ["root"]
    assert len(list(read.lines(loop.state))) == 1


def test_a_link_that_leads_out_is_refused_and_a_link_in_place_is_replaced(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "kept.json").write_text('{"last_decision": "mine"}')
    (root / "link").symlink_to(outside)
    loop = Loop(root, {"exit_state": {"path": "link/kept.json"}, "decision_log": {"folder": "link"}})
    loop.decide()
    assert [w for w in loop.warnings if "leads out of the project" in w] == list(loop.warnings)
    assert len(loop.warnings) == 2
    (root / "state.json").symlink_to(outside / "kept.json")
    loop.views = {"exit_state": {"path": "state.json"}}
    loop.decide()
    assert loop.warnings == ()
    assert not (root / "state.json").is_symlink()
    assert (outside / "kept.json").read_text() == '{"last_decision": "mine"}'
    assert os.listdir(outside) == ["kept.json"]


@pytest.mark.parametrize("content", ["print('mine')\n", '{"name": "package"}', "[1]", "\0\xff", "{"])
@pytest.mark.parametrize("view", ["exit_state", "session"])
def test_a_file_that_is_no_view_is_left_alone(tmp_path, content, view):
    (tmp_path / "mine.json").write_text(content)
    loop = Loop(tmp_path, {view: {"path": "mine.json"}})
    loop.decide()
    assert (tmp_path / "mine.json").read_text() == content
    assert "not a view; it was left alone" in loop.warnings[0]


def test_what_is_no_file_is_left_alone_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "logs").mkdir()
    os.mkfifo(tmp_path / "logs" / "exit-decisions_20270115.log")
    (tmp_path / "file").write_text("x")
    loop = Loop(tmp_path)
    for views in (
        {"exit_state": {"path": "pipe.json"}},
        {"session": {"path": "folder.json"}},
        {"decision_log": {"folder": "logs"}},
        {"confidence_log": {"folder": "file"}},
        {"exit_state": {"path": "file/below.json"}},
    ):
        loop.views = views
        loop.decide()
        assert len(loop.warnings) == 1, views
    assert len(list(read.lines(loop.state))) == 5


def test_a_full_disk_is_a_warning_and_leaves_the_old_view(tmp_path, monkeypatch):
    loop = Loop(tmp_path, {"exit_state": {}, "decision_log": {}})
    loop.decide()
    before = (tmp_path / ".ralph/exit-state.json").read_text()
    views, loop.views = loop.views, {}
    line = loop.decide()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("exitgate.core.views.update.os.replace", full)
    monkeypatch.setattr("exitgate.core.views.update.os.write", full)
    warnings = update(loop.root, loop.state, views, {}, line)
    assert len(warnings) == 2
    assert all("no space left" in warning for warning in warnings)
    assert json.loads(before)["total_decisions"] == 1
    assert not [name for name in os.listdir(tmp_path / ".ralph") if name.endswith(".tmp")]


def test_the_decision_log_is_enough_to_make_every_decision_again(tmp_path, monkeypatch):
    from exitgate.core.gate.check import check

    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    os.mkdir(".ralph")
    state = ".ralph/exitgate"
    policy = load_policy("bb3")
    monkeypatch.setattr("exitgate.core.policy.compile.load_policy", lambda *_, **__: policy)
    for number in range(12):
        with open(".ralph/@fix_plan.md", "w") as file:
            file.write("\n".join(f"- [{'x' if n < number // 4 else ' '}] task {n}" for n in range(5)))
        with open(".ralph/last-response.md", "w") as file:
            file.write(f"I am confident, {number}" if number % 3 else "maybe it could fail")
        update(".", state, {"decision_log": {}}, {}, check(Request(policy="bb3")).line)
    (name,) = (name for name in os.listdir(".ralph/logs") if name != ".gitignore")
    with open(f".ralph/logs/{name}") as file:
        entries = [json.loads(line) for line in file]
    with Ledger("again") as ledger:
        for entry in entries:
            line = {key: value for key, value in entry.items() if key not in ("sequence", "message", "level")}
            ledger.append({"kind": line.pop("event"), "time": 0.0, "at": line.pop("timestamp"), **line})
    found = list(replay("again", policy))
    assert [one.difference for one in found] == [""] * 12
    assert len({one.decision["outcome"] for one in found}) > 1
