"""Hooks that the host ends, and hooks at the same time: no decision is lost, none is made twice."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hosts_calls import Hooks
from hosts_children import Child, started

from exitgate.cli.commands import hook
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.verify import verify
from exitgate.core.state.incidents import incidents
from exitgate.hosts.hook import session, session_files


def plainly(_child: Child) -> None:
    """Nothing stops the child."""


def stopping_before(module: object, name: str) -> Callable[[Child], None]:
    """The child stands still where it would call `name`."""

    def before(child: Child) -> None:
        setattr(module, name, lambda *_given, **_named: child.stand())

    return before


def stopping_after(module: object, name: str, calls: int = 1) -> Callable[[Child], None]:
    """The child stands still where it has called `name` so many times."""

    def before(child: Child) -> None:
        whole = getattr(module, name)
        count = [0]

        def done(*given: object, **named: object) -> object:
            found = whole(*given, **named)
            count[0] += 1
            if count[0] == calls:
                child.stand()
            return found

        setattr(module, name, done)

    return before


PLACES = {
    "the file of the call is there": stopping_after(session_files.PendingCall, "say"),
    "nothing is remembered yet": stopping_before(session, "save_memory"),
    "the stop has its number": stopping_after(session_files.PendingCall, "say", 2),
    "the ledger is locked": stopping_after(Ledger, "__enter__"),
    "the run has begun": stopping_after(Ledger, "append"),
    "the decision is on the disk": stopping_after(Ledger, "append", 2),
    "the ledger is closed": stopping_after(session.Session, "_decided"),
    "the stop is remembered": stopping_after(session, "save_memory", 2),
    "the reply is made": stopping_before(hook, "say"),
    "the reply is said": stopping_after(hook, "say"),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_call_that_was_killed_is_made_again(hooks: Hooks, place: str) -> None:
    payload = hooks.payload("claude-code")
    with started([Child("claude-code", payload, PLACES[place])]) as [child]:
        child.wait_until_reached()
        child.kill()
    before = len(hooks.decisions())
    assert before == (
        0 if list(PLACES).index(place) < list(PLACES).index("the decision is on the disk") else 1
    )
    again = hooks.send("claude-code", payload)
    assert "iteration 1); blocked 1 of 7" in again.reason
    assert len(hooks.decisions()) == 1
    assert hooks.kinds() == ["killed"]
    assert list((hooks.state / "hooks").glob("*.call")) == []
    assert "iteration 2); blocked 2 of 7" in hooks.hook("claude-code", "stop_held_back").reason
    assert hooks.kinds() == ["killed"]  # told once
    assert verify(str(hooks.state)).whole


def test_a_call_that_was_killed_is_found_by_another_session(hooks: Hooks) -> None:
    with started([Child("codex", hooks.payload("codex"), PLACES["the stop has its number"])]) as [child]:
        child.wait_until_reached()
        hooks.hook("claude-code")  # it is still under way
        assert hooks.kinds() == []
        child.kill()
    [call] = (hooks.state / "hooks").glob("*.call")
    os.utime(call, (1795860000.0, 1795860000.0))
    hooks.hook("claude-code", "stop_held_back")
    [told] = incidents(str(hooks.state))
    assert told["time"] == 1795860000.0  # of then, not of when it was found
    assert told["host"] == "codex"
    assert told["session"] == hooks.payload("codex")["session_id"]


def test_a_later_stop_with_the_same_words_is_not_the_killed_one(hooks: Hooks) -> None:
    """The host let the agent stop when the hook was killed; the user goes on, and it says the same."""
    payload = hooks.payload("claude-code")
    hooks.send("claude-code", payload)
    with started([Child("claude-code", payload, stopping_after(Ledger, "append"))]) as [child]:
        child.wait_until_reached()
        child.kill()
    assert "iteration 2); blocked 2 of" in hooks.send("claude-code", payload).reason
    assert "iteration 3); blocked 3 of" in hooks.send("claude-code", payload).reason
    assert len(hooks.decisions()) == 3


def test_two_hooks_of_one_stop_decide_once(hooks: Hooks) -> None:
    """The settings of the user and of the project both name the hook; hosts run them side by side."""
    payload = hooks.payload("claude-code")
    with started([Child("claude-code", payload, PLACES["the ledger is closed"])]) as children:
        children[0].wait_until_reached()
        seen = session_files.PendingCall._taken  # the second has begun when it asks for the lock

        def before(child: Child) -> None:
            def taken(self: session_files.PendingCall) -> int:
                os.write(child.reached[1], b"x")
                return seen(self)

            session_files.PendingCall._taken = taken  # type: ignore[method-assign]

        children.append(Child("claude-code", payload, before))
        children[1].wait_until_reached()
        children[0].kill()  # in the place of its end: what it decided stands
        assert "iteration 1); blocked 1 of 7" in str(children[1].reply())
    assert len(hooks.decisions()) == 1


def test_the_second_of_two_hooks_waits_for_the_first(hooks: Hooks) -> None:
    payload = hooks.payload("claude-code")
    with started([Child("claude-code", payload, plainly) for _ in range(3)]) as children:
        replies = [child.reply() for child in children]
    # Those that began before the first was answered say the same; one that came later is another stop.
    assert all(reply["decision"] == "block" for reply in replies)
    assert hooks.kinds() == []
    assert len({str(reply["reason"]) for reply in replies}) == len(hooks.decisions())


def test_many_sessions_in_one_folder_at_once(hooks: Hooks) -> None:
    sessions_there = [f"session-{n}" for n in range(4)]
    for number in (1, 2):
        payloads = [
            hooks.payload("claude-code", session_id=one, last_assistant_message=f"step {number}")
            for one in sessions_there
        ]
        with started([Child("claude-code", payload, plainly) for payload in payloads]) as children:
            for child in children:
                assert f"iteration {number}); blocked {number} of 7" in str(child.reply()["reason"])
    lines = hooks.decisions()
    assert sorted((str(line["run"]), line["iteration"]) for line in lines) == [
        (f"{one}#1", number) for one in sessions_there for number in (1, 2)
    ]
    assert verify(str(hooks.state)).whole
    assert hooks.kinds() == []
