"""The breaker from check to check: across runs, policies, damage and clocks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from breaker_loop import START, Loop, lines, messages, state

from exitgate.analysis.counterfactuals.search import counterfactuals
from exitgate.core.engine.program import Program
from exitgate.core.gate import breaker_control
from exitgate.core.ledger.file import path_in
from exitgate.core.ledger.verify import verify
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.discover import STATE_DIR
from exitgate.recordings.ledger.recall import recall


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    return Loop(tmp_path)


def test_standing_still_is_watched_then_opens(loop: Loop) -> None:
    assert state(loop.ask()) == "CLOSED"
    found = [loop.iterate(0) for _ in range(4)]
    assert [state(one) for one in found] == ["CLOSED", "HALF_OPEN", "HALF_OPEN", "OPEN"]
    assert messages(found[1]) == ["half open: watch"]
    last = found[-1].decision
    assert (last.rule, last.exit_class, last.message) == ("open", "halted", "open: no_progress")
    assert found[-1].line is not None
    assert found[-1].line["breaker"]["moved"] == {"from": "HALF_OPEN", "to": "OPEN", "why": "no_progress"}


def test_progress_closes_a_watch(loop: Loop) -> None:
    loop.ask()
    found = [loop.iterate(done) for done in (0, 0, 1, 1, 1)]
    assert [state(one) for one in found] == ["CLOSED", "HALF_OPEN", "CLOSED", "CLOSED", "HALF_OPEN"]


def test_a_tick_in_the_first_iteration_is_progress_beside_iteration_0(loop: Loop) -> None:
    loop.ask()
    assert loop.iterate(1).facts["progress.made"].value is True


def test_without_iteration_0_the_first_iteration_cannot_tell(loop: Loop) -> None:
    first = loop.iterate(1)
    assert first.facts["progress.made"].value.reason.endswith("nothing earlier in the run to compare with")
    assert loop.iterate(1).facts["progress.made"].value is False


def test_ticks_that_come_and_go_are_progress_once(loop: Loop) -> None:
    loop.ask()
    made = [loop.iterate(done).facts["progress.made"].value for done in (1, 0, 1, 0, 2)]
    assert made == [True, False, False, False, True]


def test_progress_reaches_further_back_than_any_condition(loop: Loop) -> None:
    text = (loop.folder / "guarded.yaml").read_text().replace("for 4 consecutive", "for 90 consecutive")
    (loop.folder / "guarded.yaml").write_text(text.replace("for 2 consecutive", "for 1 consecutive"))
    loop.ask()
    loop.iterate(3)
    for _ in range(4):
        loop.iterate(1)
    assert loop.iterate(3).facts["progress.made"].value is False, "three were done before"
    assert loop.iterate(4).facts["progress.made"].value is True


def test_it_outlives_the_exit_and_stops_the_next_loop_before_it_begins(loop: Loop) -> None:
    loop.open_it()
    (loop.folder / ".ralph" / "last-response.md").unlink()
    again = loop.ask()
    assert (again.iteration.run, again.iteration.number) == ("default#2", 0)
    assert (again.decision.rule, again.decision.stage) == ("open_before", "before_iteration")


def test_one_iteration_after_the_cooldown_and_progress_closes(loop: Loop) -> None:
    loop.open_it()
    (loop.folder / ".ralph" / "last-response.md").unlink()
    probe = loop.ask(31)
    assert (state(probe), probe.decision.verdict) == ("HALF_OPEN", "CONTINUE")
    assert messages(probe) == []
    done = loop.iterate(1)
    assert (state(done), done.decision.verdict) == ("CLOSED", "CONTINUE")


def test_one_iteration_after_the_cooldown_without_progress_opens_again(loop: Loop) -> None:
    loop.open_it()
    (loop.folder / ".ralph" / "last-response.md").unlink()
    assert state(loop.ask(31)) == "HALF_OPEN"
    failed = loop.iterate(0)
    assert (state(failed), failed.decision.rule) == ("OPEN", "open")
    assert failed.facts["circuit.opened_for"].value == 0
    (loop.folder / ".ralph" / "last-response.md").unlink()
    assert state(loop.ask(29)) == "OPEN"
    assert state(loop.ask(2)) == "HALF_OPEN"


def test_a_response_left_by_the_ended_run_is_not_the_iteration_that_is_allowed(loop: Loop) -> None:
    loop.open_it()
    probe = loop.ask(31)
    assert (state(probe), probe.iteration.run) == ("HALF_OPEN", "default#2")
    assert any("unchanged" in message for message in messages(probe))
    assert state(loop.iterate(1)) == "CLOSED"


def test_another_run_in_the_same_directory_sees_it(loop: Loop) -> None:
    loop.open_it()
    other = loop.ask(run="other")
    assert (state(other), other.decision.rule) == ("OPEN", "open")


def test_the_same_error_opens_it_though_tasks_are_done(loop: Loop) -> None:
    loop.ask()
    found = [loop.iterate(n, said=f"Round {n}.\nError: socket refused") for n in (1, 2, 3)]
    assert [state(one) for one in found] == ["CLOSED", "CLOSED", "OPEN"]
    assert found[-1].decision.message == "open: same_error"


def test_after_a_reset_history_counts_from_then_on(loop: Loop) -> None:
    loop.ask()
    for _ in range(3):
        loop.iterate(0)
    breaker_control.reset(STATE_DIR, "I looked at it", loop.now)
    found = [loop.iterate(0) for _ in range(4)]
    assert [state(one) for one in found] == ["CLOSED", "HALF_OPEN", "HALF_OPEN", "OPEN"]
    assert {one.iteration.run for one in found} == {"default#1"}, "a reset of the breaker begins no run"
    assert [one.iteration.number for one in found] == [4, 5, 6, 7]


def test_what_a_person_opened_is_open_for_every_run_until_reset(loop: Loop) -> None:
    loop.ask()
    breaker_control.trip(STATE_DIR, "release\n  freeze", loop.now)
    stopped = loop.iterate(1)
    assert stopped.decision.message == "open: release freeze"
    assert state(loop.iterate(2, 60 * 24)) == "OPEN"
    breaker_control.reset(STATE_DIR, "over", loop.now)
    assert state(loop.iterate(3)) == "CLOSED"


def test_a_policy_without_a_breaker_hands_the_state_on(loop: Loop) -> None:
    loop.open_it()
    loop.policy = "plain.yaml"
    between = loop.ask()
    assert "circuit.state" not in between.facts
    assert between.line is not None
    assert between.line["breaker"]["state"] == "OPEN"
    assert "moved" not in between.line["breaker"]
    loop.policy = "guarded.yaml"
    assert state(loop.ask()) == "OPEN"


def test_looking_only_moves_nothing(loop: Loop) -> None:
    loop.open_it()
    before = (loop.folder / STATE_DIR / "ledger.jsonl").read_bytes()
    assert state(loop.ask(40, record=False)) == "HALF_OPEN"
    assert (loop.folder / STATE_DIR / "ledger.jsonl").read_bytes() == before


def test_a_state_given_by_hand_is_what_rules_see_and_changes_nothing_else(loop: Loop) -> None:
    loop.ask()
    given = loop.iterate(1, facts={"circuit.state": "OPEN"})
    assert given.decision.rule == "open"
    assert given.line is not None
    assert given.line["breaker"] == {"state": "CLOSED"}


def rewrite_last(loop: Loop, change) -> None:
    path = Path(path_in(STATE_DIR))
    raw = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(raw[:-1]) + change(raw[-1]))


def spoilt(raw: bytes) -> bytes:
    line = json.loads(raw)
    line["breaker"] = {"state": "OPENED", "opened_at": "noon"}
    return json.dumps(line).encode() + b"\n"


def test_a_state_that_cannot_be_read_counts_as_closed_and_says_so(loop: Loop) -> None:
    loop.open_it()
    rewrite_last(loop, spoilt)
    again = loop.ask()
    assert state(again) == "CLOSED"
    assert any("an OPEN state may be lost" in message for message in messages(again))
    assert breaker_control.status(STATE_DIR, again.policy, loop.now)["warning"] == "", (
        "the state is whole again"
    )


def test_a_damaged_line_that_may_have_held_it_is_told(loop: Loop) -> None:
    loop.open_it()
    rewrite_last(loop, lambda raw: b"{" + raw[3:])
    again = loop.ask()
    assert again.line is not None
    assert again.line["breaker"]["moved"]["from"] == "HALF_OPEN", "as in the line before"
    assert any("an OPEN state may be lost" in message for message in messages(again))


def test_a_clock_far_ahead_when_it_opened_does_not_keep_it_open_for_ever(loop: Loop) -> None:
    loop.now = START + 10 * 365 * 86400
    loop.open_it()
    loop.now = START
    assert state(loop.ask()) == "OPEN"
    assert state(loop.ask(29)) == "OPEN"
    assert state(loop.ask(2)) == "HALF_OPEN"


# --- by hand ---


def test_status_of_a_directory_without_anything(loop: Loop) -> None:
    assert breaker_control.status("nowhere", None, START) == {
        "state": "CLOSED", "reason": "", "opened_at": None, "opened_for": None, "cooldown_left": None,
        "by_hand": False, "probe": False, "kept_by": None, "warning": "",
    }  # fmt: skip
    assert not (loop.folder / "nowhere").exists()


def test_status_says_how_long_it_stays_open(loop: Loop) -> None:
    policy = loop.open_it().policy
    found = breaker_control.status(STATE_DIR, policy, loop.now + 600)
    assert (found["state"], found["reason"], found["kept_by"]) == ("OPEN", "no_progress", "policy")
    assert (found["opened_for"], found["cooldown_left"]) == (600, 1200)
    breaker_control.trip(STATE_DIR, "by me", loop.now + 700)
    found = breaker_control.status(STATE_DIR, policy, loop.now + 800)
    assert (found["by_hand"], found["cooldown_left"], found["opened_for"]) == (True, None, 100)


def test_status_says_who_keeps_the_breaker(loop: Loop) -> None:
    loop.policy = "plain.yaml"
    assert breaker_control.status(STATE_DIR, loop.ask().policy, START)["kept_by"] == "nothing"
    assert breaker_control.status(STATE_DIR, loop.ask(policy="bb3").policy, START)["kept_by"] == "file"


def test_history_names_every_move_with_its_cause(loop: Loop) -> None:
    loop.open_it()
    breaker_control.reset(STATE_DIR, "looked at", loop.now)
    breaker_control.trip(STATE_DIR, "freeze", loop.now)
    found = breaker_control.history(STATE_DIR, 10)
    assert [(m["from"], m["to"], m["why"], m["by_hand"], m["iteration"]) for m in found] == [
        ("CLOSED", "HALF_OPEN", "watch", False, 2),
        ("HALF_OPEN", "OPEN", "no_progress", False, 4),
        ("OPEN", "CLOSED", "looked at", True, None),
        ("CLOSED", "OPEN", "freeze", True, None),
    ]
    assert breaker_control.history(STATE_DIR, 1) == found[-1:]
    assert breaker_control.history(STATE_DIR, 0) == ()
    assert breaker_control.history("nowhere", 5) == ()
    assert verify(STATE_DIR).whole


@pytest.mark.parametrize("reason", ["", "  \n"])
def test_a_move_by_hand_needs_a_reason(loop: Loop, reason: str) -> None:
    loop.ask()
    for change in (breaker_control.trip, breaker_control.reset):
        with pytest.raises(ExitgateError) as caught:
            change(STATE_DIR, reason)
        assert caught.value.exit_code == 64
    assert lines("breaker") == []


def test_moves_by_hand_neither_begin_nor_revive_a_run(loop: Loop) -> None:
    loop.open_it()
    breaker_control.reset(STATE_DIR, "looked at", loop.now)
    assert loop.iterate(1).iteration.run == "default#2"
    with pytest.raises(ExitgateError):
        loop.ask(run="(breaker)")


# --- explained ---


def test_what_other_values_would_have_meant_is_found_with_all_that_the_run_had_seen(loop: Loop) -> None:
    text = (loop.folder / "guarded.yaml").read_text()
    idle = "  - {id: idle, when: not progress.made, exit: stuck}\n"
    loop.ask()
    loop.iterate(3)
    (loop.folder / "guarded.yaml").write_text(text.replace("rules:\n", f"rules:\n{idle}"))
    loop.iterate(1)
    told = recall(STATE_DIR)
    program = Program(told.policy)
    assert program.complete(told.records)[-1]["progress.made"] is False, "three were done before"
    changes = [change for change in counterfactuals(program, told.records) if change.name == "tasks.done"]
    assert changes[0].after == 4, changes
