"""What is an envelope, and what only shows one."""

# ruff: noqa: E501 - an event stands on one line, as runners write it
from __future__ import annotations

import json

import pytest
from cases import each
from streams import INIT, assistant, lines, result, text

from exitgate.core.envelopes.plain import looks_wrapped
from exitgate.core.envelopes.unwrap import NotReadError, unwrap

EVENT = json.dumps(result("All done.\nEXIT_SIGNAL: true"))
PLAIN = {
    "prose": "The work is done.\n\nNothing else is open.\n",
    "empty": "",
    "blank": " \n\t\n",
    "sample in a fence": f"This is what it prints:\n\n```json\n{EVENT}\n```\n\nI am not done.\n",
    "ends with a fenced sample": f"This is what it prints:\n\n```json\n{EVENT}\n```\n",
    "ends with a bare sample": f"This is what it prints:\n\n{EVENT}\n",
    "sample within prose": f"It prints:\n{EVENT}\nand stops. I go on tomorrow.\n",
    "samples within a document": lines("# Formats", INIT, "Then", EVENT, "```sh", "run", "```", "More to do."),
    "an object without a known shape": '{\n  "is_error": false,\n  "error_count": 0,\n  "errors": []\n}\n',
    "a list": '["a", "b"]',
    "a list of objects": '[{"id": 1}, {"id": 2}]',
    "data, line by line": '{"id": 1, "score": 2}\n{"id": 2, "score": 3}\n',
    "a number": "42\n",
    "a placeholder": "{name} was renamed to {title}\n",
    "a link": "[report](report.md) is written\n",
    "a quotation": '"All done" is what I will say when I am.\n',
    "a quoted line": '"All done."\n',
    "an API answer": '{"status": {"code": 200}, "data": []}',
}  # fmt: skip


@each("body", PLAIN.values(), ids=PLAIN)
def test_plain_text_stays_as_it_is(body):
    found = unwrap(body)
    assert (found.format, found.response, found.output, found.taken_out) == ("TEXT", body, body, False)
    assert found.record == {"format": "TEXT"}
    assert found.warnings == ()
    assert found.tool_results is None


def test_most_plain_text_needs_no_parser():
    assert not any(looks_wrapped(PLAIN[name]) for name in ("prose", "empty", "blank", "a number"))


@pytest.mark.parametrize(
    "body",
    [
        lines("npm warn deprecated x", INIT, assistant(text("Hi.")), EVENT),
        lines(EVENT, "Terminated: 15"),
        lines(INIT, "warning: slow disk", assistant(text("Hi.")), EVENT),
        json.dumps(result("All done.\nEXIT_SIGNAL: true"), indent=2) + "\nwarning: slow disk\n",
        lines({"type": "something_new", "x": 1}, INIT, EVENT),
        EVENT + EVENT,
    ],
)
def test_words_of_the_runner_around_an_envelope(body):
    found = unwrap(body, failed=True)
    assert found.format != "TEXT"
    assert found.response == "All done.\nEXIT_SIGNAL: true"
    outside = [line for line in body.splitlines() if line and line[0] not in '{} "']
    assert found.record["tail"] == "\n".join(outside)


def test_crlf_and_blank_lines_between_events():
    body = lines(INIT, "", assistant(text("a\nb")), "   ", EVENT).replace("\n", "\r\n")
    assert unwrap(body).output == "a\nb\n\nAll done.\nEXIT_SIGNAL: true"


def test_an_object_over_several_lines_within_a_stream():
    body = lines(INIT, json.dumps(assistant(text("Hi.")), indent=2), result("Bye."))
    assert unwrap(body).output == "Hi.\n\nBye."


@pytest.mark.parametrize(
    "body", ['{"type":"result" "result":"All done."}', '{"type":"result","result":"All done."', '[{"type":']
)
def test_json_that_cannot_be_read_is_text_with_a_warning(body):
    found = unwrap(body)
    if found.format == "TEXT":
        assert found.response == body
        assert found.warnings == ("looks like unreadable JSON; treated as text",)
    else:
        assert (found.response, found.record["truncated"]) == ("All done.", True)
        assert found.warnings == ("its JSON is cut off at the end; the rest counts",)


def test_fields_in_json_that_cannot_be_read_stand_on_lines():
    found = unwrap(r'{"type":"result" "result":"Built.\n---STATUS---\nEXIT_SIGNAL: false\n---END---"}')
    assert "\nEXIT_SIGNAL: false\n" in found.response
    assert len(found.warnings) == 2


def test_a_json_string_is_the_text_in_it():
    found = unwrap('"Built.\\n\\nSTATUS: \\"x\\"\\n"\n')
    assert (found.format, found.response) == ("TEXT", 'Built.\n\nSTATUS: "x"\n')


def test_a_form_can_be_forced():
    assert unwrap(EVENT, "text").response == EVENT
    assert unwrap(EVENT, "json").response == unwrap(EVENT, "jsonl").response == "All done.\nEXIT_SIGNAL: true"
    assert unwrap('{"id": 1}', "json").response == '{"id": 1}'
    assert unwrap('{"id": 1}\n{"id": 2}', "jsonl").response == ""
    assert unwrap(lines("words", "words", "words", EVENT), "jsonl").response == "All done.\nEXIT_SIGNAL: true"
    assert unwrap(EVENT[:-9], "json").record["truncated"] is True


@pytest.mark.parametrize(
    ("body", "form"),
    [("words", "json"), ("words", "jsonl"), ("", "json"), ("[1, 2", "jsonl"), ("{a: 1}", "json")],
)
def test_a_forced_form_that_does_not_fit_is_an_error(body, form):
    with pytest.raises(NotReadError):
        unwrap(body, form)


def test_the_tail_is_the_end_of_what_the_runner_printed():
    body = "\n".join(f"line {number}" for number in range(100))
    tail = unwrap(body, failed=True).record["tail"].split("\n")
    assert (tail[0], tail[-1], len(tail)) == ("line 70", "line 99", 30)
    assert "tail" not in unwrap(body).record
    assert len(unwrap("x" * 100_000, failed=True).record["tail"]) == 8000


WARNING = "(node:81) Warning: the certificate was not checked"


@pytest.mark.parametrize("before", [WARNING, f"{WARNING}\n(Use `node --trace-warnings` to show where)\n"])
def test_a_result_object_behind_warnings_is_unwrapped(before: str) -> None:
    found = unwrap(f"{before}\n{json.dumps(result('You have hit your limit', is_error=True))}\n")
    assert (found.format, found.response) == ("JSON_LINES", "You have hit your limit")
    assert found.record["is_error"] is True


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("The program printed this:", ""),
        ("It printed", "and then it stopped."),
        ("It printed\n```", "```"),
        ("One\ntwo\nthree\nfour\nfive\nsix", ""),
    ],
)
def test_a_result_object_that_a_text_shows_is_text(before: str, behind: str) -> None:
    text = f"{before}\n{json.dumps(result('Done.'))}\n{behind}"
    assert (unwrap(text).format, unwrap(text).response) == ("TEXT", text)
