"""Texts of earlier iterations: kept where compared, bounded, masked, dropped at the end; loss is told."""

import json
import os

import pytest

from exitgate.core.facts.extractors.similarity import CUT, KEPT
from exitgate.core.gate.check import check
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import Unknown
from exitgate.core.state import earlier
from exitgate.core.state.discover import STATE_DIR
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay

POLICY = """
policy: like
format: 1
version: 1.0.0
parameters:
  window: {type: count, default: 3, min: 1, max: 9, doc: Earlier texts compared with.}
facts:
  like: {extract: similarity, window: $window}
  plan: {extract: plan_changes}
  asks: {extract: phrases, phrases: [stop here, wait here]}
rules:
  - {id: stop, when: asks.found, exit: complete, because: asked}
  - {id: same, when: like.matches >= 2, warn: true, because: "{like.highest}"}
  - {id: work, when: plan.meaningful, warn: true, because: "{plan.ticked} ticked"}
otherwise: continue
"""
PLAIN = """
policy: plain
format: 1
version: 1.0.0
rules:
  - {id: terse, when: output.length < 3, warn: true, because: terse}
otherwise: continue
"""
SECRET = "AKIAIOSFODNN7EXAMPLE"  # the example of its maker's documentation
KEPT_TEXTS = os.path.join(STATE_DIR, earlier.FOLDER)


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    (tmp_path / ".ralph").mkdir()
    (tmp_path / "like.yaml").write_text(POLICY)
    (tmp_path / "plain.yaml").write_text(PLAIN)
    return tmp_path


def say(text, plan="- [ ] a\n", **more):
    with open(".ralph/last-response.md", "w", encoding="utf-8") as file:
        file.write(text)
    with open(".ralph/@fix_plan.md", "w", encoding="utf-8") as file:
        file.write(plan)
    more.setdefault("policy", "like.yaml")
    return check(Request(**more))


def like(checked):
    return checked.facts["like.highest"].value, checked.facts["like.matches"].value


def files():
    return sorted(os.listdir(KEPT_TEXTS)) if os.path.isdir(KEPT_TEXTS) else []


def told(checked):
    return [warned.message for warned in checked.decision.warnings]


def test_texts_are_compared_from_check_to_check():
    first = say("I looked at the parser and wrote a test")
    assert isinstance(first.facts["like.highest"].value, Unknown)
    assert like(first)[1] == 0
    assert like(say("I looked at the parser and wrote a test")) == (100, 1)
    assert like(say("I looked at the parser and wrote a test")) == (100, 2)
    assert like(say("quite another thing 123"))[1] == 0
    assert like(say("I looked at the parser and wrote a test")) == (100, 2)


def test_the_plan_is_compared_with_that_of_the_iteration_before():
    assert isinstance(say("a b c", "- [ ] a\n").facts["plan.ticked"].value, Unknown)
    found = say("a b d", "- [x] a\n")
    assert (found.facts["plan.ticked"].value, found.facts["plan.meaningful"].value) == (1, True)
    assert say("a b e", "- [x] a\n").facts["plan.changed"].value is False


def test_a_policy_that_compares_nothing_keeps_nothing():
    say("some text", policy="plain.yaml")
    assert os.path.isdir(STATE_DIR)
    assert not os.path.exists(KEPT_TEXTS)


def test_only_looking_keeps_nothing():
    say("some text", record=False)
    assert not os.path.exists(KEPT_TEXTS)
    say("some text")
    before = files()
    assert like(say("some text", record=False)) == (100, 1)
    assert files() == before


def test_files_are_private_and_old_ones_are_dropped():
    for n in range(7):
        say(f"text {n}")
    assert len(files()) == 3
    assert {name.partition("-")[2] for name in files()} == {"5.json", "6.json", "7.json"}
    for name in files():
        assert os.stat(os.path.join(KEPT_TEXTS, name)).st_mode & 0o777 == 0o600


def test_an_exit_drops_what_was_kept_and_the_next_run_begins_without():
    say("some text")
    say("some text")
    assert say("stop here").decision.verdict == "EXIT"
    assert files() == []
    assert isinstance(like(say("some text"))[0], Unknown)


def test_other_runs_are_kept_apart():
    say("some text", run="one")
    assert isinstance(like(say("some text", run="two"))[0], Unknown)
    assert like(say("some text", run="one")) == (100, 1)
    say("stop here", run="two")
    assert len(files()) == 2


def test_names_that_are_not_used_any_more_are_dropped(monkeypatch):
    monkeypatch.setattr(earlier, "NAMES", 3)
    for n in range(5):
        say("some text", run=f"run-{n}")
        os.utime(os.path.join(KEPT_TEXTS, earlier._name(f"run-{n}#1", 1)), (n, n))
    assert files() == sorted(earlier._name(f"run-{n}#1", 1) for n in (2, 3, 4))


def test_long_texts_are_shortened():
    say("so it goes. " * KEPT)
    with open(os.path.join(KEPT_TEXTS, files()[0]), encoding="ascii") as file:
        text = json.load(file)["texts"]["response"]
    assert len(text) == KEPT + len(CUT)
    assert like(say("so it goes. " * KEPT)) == (100, 1)


def test_secrets_are_not_kept_and_make_no_difference():
    text, plan = f"the key {SECRET} is in the file", f"- [ ] rotate {SECRET}\n"
    say(text, plan)
    with open(os.path.join(KEPT_TEXTS, files()[0]), encoding="ascii") as file:
        assert SECRET not in file.read()
    found = say(text, plan)
    assert like(found) == (100, 1)
    assert found.facts["plan.changed"].value is False


@pytest.mark.parametrize(
    "damage", ["gone", "empty", "torn", "changed", "other", "folder", "link", "pipe", "deep"]
)
def test_a_lost_text_is_unknown_and_told(damage):
    say("some text")
    say("some other thing", plan="- [x] a\n")
    path = os.path.join(KEPT_TEXTS, next(n for n in files() if n.endswith("-1.json")))
    with open(path, encoding="ascii") as file:
        was = file.read()
    os.unlink(path)
    content = {"empty": "", "torn": was[: len(was) // 2], "changed": was.replace("some text", "same text")}
    content |= {"other": json.dumps({"run": "run#1", "texts": 3}), "deep": "[" * 100_000}
    if damage in content:
        with open(path, "w", encoding="ascii") as file:
            file.write(content[damage])
    elif damage == "folder":
        os.mkdir(path)
    elif damage == "link":
        os.symlink("/etc/hostname", path)
    elif damage == "pipe":
        os.mkfifo(path)
    found = say("some text")
    assert found.facts["like.matches"].value == 0
    assert "1 earlier response not known" in found.facts["like.matches"].note
    assert any(
        "iteration 1 of" in message and "not kept, or cannot be read" in message for message in told(found)
    )
    assert found.facts["plan.unticked"].value == 1
    assert found.line is not None


def test_the_text_before_this_one_lost_leaves_the_plan_unknown():
    say("some text")
    say("some text", plan="- [x] a\n")
    os.unlink(os.path.join(KEPT_TEXTS, next(n for n in files() if n.endswith("-2.json"))))
    assert isinstance(say("some text").facts["plan.ticked"].value, Unknown)


def test_an_iteration_without_a_plan_is_not_skipped():
    say("some text")
    os.unlink(".ralph/@fix_plan.md")
    with open(".ralph/last-response.md", "w", encoding="utf-8") as file:
        file.write("some more text")
    check(Request(policy="like.yaml"))
    found = say("yet more text", plan="- [x] a\n")
    assert isinstance(found.facts["plan.ticked"].value, Unknown)
    assert told(found) == []


def test_a_folder_that_is_a_link_is_refused_and_nothing_is_recorded(tmp_path_factory):
    say("some text", policy="plain.yaml")
    outside = tmp_path_factory.mktemp("outside")
    os.symlink(outside, KEPT_TEXTS)
    with open(os.path.join(STATE_DIR, "ledger.jsonl"), encoding="utf-8") as file:
        before = file.read()
    with pytest.raises(ExitgateError) as caught:
        say("some text")
    assert caught.value.exit_code == 73
    assert os.listdir(outside) == []
    with open(os.path.join(STATE_DIR, "ledger.jsonl"), encoding="utf-8") as file:
        assert file.read() == before


def test_a_replay_needs_no_texts():
    say("some text")
    say("some text")
    say("some text")
    for name in files():
        os.unlink(os.path.join(KEPT_TEXTS, name))
    again = list(replay(STATE_DIR))
    assert [one.same for one in again] == [True] * 3


def test_a_killed_check_leaves_nothing_that_stops_the_next(monkeypatch):
    say("some text")

    def killed(*_arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr("exitgate.core.ledger.append.Ledger.append", killed)
        with pytest.raises(KeyboardInterrupt):
            say("some other thing")
    found = say("some textual")
    assert found.iteration.number == 2
    assert like(found)[0] == 85.71  # 2 * 9 of 9 + 12 letters, and nothing of the killed check
    assert told(found) == []
