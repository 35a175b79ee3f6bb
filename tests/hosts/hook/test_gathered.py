"""Gemini CLI gives all that was said since the prompt: what was decided on before is not decided on again."""

from __future__ import annotations

import pytest
from hosts_calls import Hooks
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.system.digest import hex_digest
from exitgate.hosts.hook.session import new_part, sign_of


def said(hooks: Hooks, *each: tuple[str, bool | None], prompt: str = "Work.") -> list[tuple[int, str]]:
    """Return length and digest of what was decided on at each stop."""
    for number, (response, active) in enumerate(each):
        flag = ... if active is None else active
        stamp = f"{prompt}{number}"
        hooks.hook("gemini", prompt=prompt, prompt_response=response, stop_hook_active=flag, timestamp=stamp)
    found = []
    for line in hooks.decisions()[-len(each) :]:
        sources = line["sources"]
        assert isinstance(sources, dict)
        found.append((sources["response"]["length"], sources["response"]["digest"]))
    return found


def of(*texts: str) -> list[tuple[int, str]]:
    return [(len(text), hex_digest(text.encode())) for text in texts]


def test_each_stop_is_decided_on_by_what_is_new(hooks: Hooks) -> None:
    """Recorded shape: texts of the prompt's turns, a line end between them."""
    whole = ("Error: one test fails.", True), ("Error: one test fails.\nMended.", True)
    more = ("Error: one test fails.\nMended.\nThe printer is done.", True)
    assert said(hooks, (whole[0][0], False), whole[1], more) == of(
        "Error: one test fails.", "Mended.", "The printer is done."
    )


def test_versions_without_the_flag(hooks: Hooks) -> None:
    assert said(hooks, ("One.", None), ("One.\nTwo.", None)) == of("One.", "Two.")


def test_the_same_again_is_taken_for_a_repetition(hooks: Hooks) -> None:
    assert said(hooks, ("One.", False), ("One.", True)) == of("One.", "One.")


def test_a_new_prompt_begins_anew(hooks: Hooks) -> None:
    assert said(hooks, ("One.", False), ("One.\nTwo.", False)) == of("One.", "One.\nTwo.")


def test_a_version_that_gives_the_last_turn_alone(hooks: Hooks) -> None:
    assert said(hooks, ("One.", False), ("Two is done.", True)) == of("One.", "Two is done.")


def test_behind_an_exit_nothing_is_left_out(hooks: Hooks) -> None:
    hooks.plan("- [x] one\n")
    assert said(hooks, ("One.", None), ("One.\nTwo.", None)) == of("One.", "One.\nTwo.")


def test_the_same_stop_told_twice_is_one(hooks: Hooks) -> None:
    hooks.hook("gemini", prompt_response="One.", timestamp="1")
    first = hooks.hook("gemini", prompt_response="One.\nTwo.", timestamp="2", stop_hook_active=True)
    again = hooks.hook("gemini", prompt_response="One.\nTwo.", timestamp="2", stop_hook_active=True)
    assert first == again
    assert len(hooks.decisions()) == 2
    hooks.hook("gemini", prompt_response="One.\nTwo.\nThree.", timestamp="3", stop_hook_active=True)
    sources = hooks.decisions()[-1]["sources"]
    assert isinstance(sources, dict)
    assert sources["response"]["length"] == len("Three.")


def test_other_hosts_gather_nothing(hooks: Hooks) -> None:
    hooks.hook("claude-code", last_assistant_message="One.")
    hooks.hook("claude-code", last_assistant_message="One.\nTwo.", stop_hook_active=True)
    sources = hooks.decisions()[-1]["sources"]
    assert isinstance(sources, dict)
    assert sources["response"]["length"] == len("One.\nTwo.")


@settings(max_examples=50, deadline=None)
@given(st.text(), st.text())
def test_what_was_said_before_is_left_out(before: str, after: str) -> None:
    assert new_part(f"{before}\n{after}", sign_of(before)) == (after or f"{before}\n")


@pytest.mark.parametrize("before", ["", ":", "4", "x:y", "\u00b2:", "-1:", "999999999:x", "0:"])
def test_what_is_no_sign_leaves_nothing_out(before: str) -> None:
    assert new_part("One.", before) == "One."
