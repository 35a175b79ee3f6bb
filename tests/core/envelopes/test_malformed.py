"""Objects that are no JSON: what their members say is taken, what stands inside strings is not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps

from exitgate.core.envelopes.flat import members, salvaged
from exitgate.core.envelopes.unwrap import unwrap

WARNING = "looks like unreadable JSON; treated as text"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ('{"status": "BLOCKED", "exit_signal": false,}', {"STATUS": "BLOCKED", "EXIT_SIGNAL": False}),
        ('{"status": "COMPLETE" "exit_signal": true}', {"STATUS": "COMPLETE", "EXIT_SIGNAL": True}),
        ("{'status': 'COMPLETE', 'exit_signal': True}", {"STATUS": "COMPLETE", "EXIT_SIGNAL": True}),
        ('{"status": "COMPLETE", "exit_signal": tru', {"STATUS": "COMPLETE", "EXIT_SIGNAL": "tru"}),
        ('{"status": "COMPLETE", "files-modified": 3,,}', {"STATUS": "COMPLETE", "FILES_MODIFIED": 3}),
        ('{\n "status": "DONE"\n "exit_signal": no\n "x": [1, 2\n}', {"STATUS": "DONE", "EXIT_SIGNAL": "no"}),
        ('{"exit_signal": true, "exit_signal": false,}', {"EXIT_SIGNAL": False}),
    ],
)  # fmt: skip
def test_fields_are_read_all_the_same(body, fields):
    found = unwrap(body)
    assert found.record["fields"] == fields
    assert found.response == body
    assert found.warnings == (WARNING,)


@pytest.mark.parametrize(
    "body",
    [
        '{"note": "say \\"exit_signal\\": true", "x": 1,}',
        '{"report": "exit_signal: true", "x": 1,}',
        '{"type": "user", "exit_signal": true,}',
        '{"type": "tool_result", "status": "COMPLETE",}',
        '{"list": [{"exit_signal": true}],}',
        '{"a": {"b": {"exit_signal": true}},}',
        '{"a" "exit_signal" true}',
        "{exit_signal: true}",
        '{"exit_signal": true,}\n\nThat is the form; I have not started.',
    ],
)
def test_what_is_no_member_of_the_outermost_object_is_no_field(body):
    assert "fields" not in unwrap(body).record


def test_words_behind_an_object_that_can_be_read_are_no_malformed_object():
    found = unwrap('{"status": "COMPLETE", "exit_signal": true} is what I would say.')
    assert (found.warnings, "fields" in found.record) == ((), False)


def test_the_answer_in_an_envelope_that_cannot_be_read():
    found = unwrap(r'{"type":"result","result":"---STATUS---\nEXIT_SIGNAL: false\n---END---",}')
    assert found.response == "---STATUS---\nEXIT_SIGNAL: false\n---END---"


@given(st.text(alphabet="{}[]\"'\\:, \nabtrue01", max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_text_makes_it_fail(body):
    assert all(isinstance(name, str) for name in members(body))
    unwrap("{" + body)


@pytest.mark.parametrize("piece", ['{"a":', '"', "'a", '"a":1,', "\\", "{[", '{"a":"\\'])
def test_it_takes_no_longer_than_the_text_is_long(piece):
    salvaged("{" + piece * 50_000)
    short, long = (steps(lambda text="{" + piece * count: salvaged(text)) for count in (200, 2_000))
    assert long <= 11 * short
