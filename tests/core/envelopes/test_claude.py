"""Claude Code's result object, array and streams."""

# ruff: noqa: E501 - an event stands on one line, as runners write it
from __future__ import annotations

import json

import pytest
from streams import INIT, answer, assistant, call, delta, lines, result, starts, text

from exitgate.core.envelopes.unwrap import unwrap


def test_a_result_object():
    usage = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 100}
    one = result("Line one.\nLine two.", total_cost_usd=0.25, usage=usage, stop_reason="end_turn",
                 permission_denials=[], modelUsage={"small": {"costUSD": 0.1}, "large": {"costUSD": 0.2}})  # fmt: skip
    found = unwrap(json.dumps(one))
    assert (found.format, found.response, found.output) == (
        "JSON",
        "Line one.\nLine two.",
        "Line one.\nLine two.",
    )
    assert found.tool_results is None
    assert found.record == {
        "format": "JSON", "is_error": False, "subtype": "success", "session": "s-1", "turns": 4, "cost": 0.25,
        "tokens": 112, "stop_reason": "end_turn", "denials": [], "model": "large", "truncated": False,
    }  # fmt: skip
    assert found.taken_out
    assert found.warnings == ()


@pytest.mark.parametrize("form", [json.dumps, lambda v: json.dumps(v, indent=2), lambda v: "\ufeff" + json.dumps(v),
                                  lambda v: json.dumps(v).replace(", ", ",\r\n"), lambda v: f"\x1b[0m{json.dumps(v)}\x1b[0m\n"])  # fmt: skip
def test_a_result_object_however_it_is_laid_out(form):
    found = unwrap(form(result("Done.\nSTATUS: x")))
    assert (found.format, found.response) == ("JSON", "Done.\nSTATUS: x")


def test_a_result_without_a_type_with_metadata():
    one = {"result": "Feature 5.", "sessionId": "s-9", "metadata": {"files_changed": 3, "has_errors": False}}
    found = unwrap(json.dumps(one))
    assert (found.response, found.record["session"], found.record["files_changed"]) == (
        "Feature 5.",
        "s-9",
        3,
    )
    assert "fields" not in found.record  # figures are no status
    one["metadata"]["completion_status"] = "complete"
    assert unwrap(json.dumps(one)).record["fields"]["COMPLETION_STATUS"] == "complete"


def test_an_error_that_calls_itself_a_success():
    found = unwrap(json.dumps(result("No more until six.", is_error=True)))
    assert found.record["is_error"] is True
    assert found.record["error"] == "No more until six."
    assert found.record["subtype"] == "success"
    assert found.output == ""  # the runner's words are not the agent's


@pytest.mark.parametrize(
    ("one", "error"),
    [
        (
            result(None, subtype="error_during_execution", errors=["first", {"message": "second"}]),
            "first\nsecond",
        ),
        (result(None, subtype="error_max_turns"), None),
        (result("words", subtype="error_max_turns"), "words"),
    ],
)
def test_an_error_subtype_without_the_flag(one, error):
    del one["is_error"]
    record = unwrap(json.dumps(one)).record
    assert (record["is_error"], record.get("error")) == (True, error)


def test_the_flag_counts_before_the_subtype():
    assert unwrap(json.dumps(result("x", subtype="error_max_turns"))).record["is_error"] is False


def test_an_array_of_messages():
    found = unwrap(json.dumps([INIT, assistant(text("working")), result("All set.")]))
    assert (found.format, found.response, found.output) == ("JSON", "All set.", "working\n\nAll set.")
    assert found.record["session"] == "s-1"


def test_a_stream():
    found = unwrap(
        lines(
            INIT,
            assistant({"type": "thinking", "thinking": "EXIT_SIGNAL: true"}),
            assistant(text("Looking.")),
            assistant(call("t-1")),
            answer("t-1", "listing"),
            {"type": "rate_limit_event", "rate_limit_info": {"status": "allowed", "resetsAt": 1774587600}},
            assistant(call("t-2", "Edit", file_path="/a", old_string="x", new_string="y"), id="m-2"),
            answer("t-2", [{"type": "text", "text": "edited"}]),
            assistant(text("Done."), id="m-3"),
            result("Done.", total_cost_usd=1.5),
        )
    )
    assert (found.format, found.response, found.output) == ("JSON_LINES", "Done.", "Looking.\n\nDone.")
    assert found.tool_results == "listing\nedited"
    record = found.record
    assert (record["tool_calls"], record["files_changed"], record["cost"], record["model"]) == (
        2,
        1,
        1.5,
        "large-1",
    )
    assert record["limits"] == [{"status": "allowed", "resets_at": 1774587600}]
    assert record["truncated"] is False


def test_blocks_of_one_message_are_one_message():
    found = unwrap(
        lines(INIT, assistant(text("one")), assistant(text("two")), assistant(text("three"), id="m-2"))
    )
    assert found.output == "one\ntwo\n\nthree"


def test_a_message_that_is_written_again_as_it_grows_is_said_once():
    found = unwrap(
        lines(INIT, assistant(text("Al")), assistant(text("All done")), assistant(text("All done")))
    )
    assert found.output == "All done"


def test_pieces_are_the_message_only_until_the_whole_of_it_comes():
    pieces = [
        INIT,
        starts("m-1"),
        delta("All "),
        delta("done."),
        starts("m-2"),
        delta("<promise>"),
        delta("X"),
    ]
    found = unwrap(lines(*pieces))
    assert (found.response, found.record["truncated"]) == ("All done.\n\n<promise>X", True)
    found = unwrap(lines(*pieces[:4], assistant(text("All done.")), result("All done.")))
    assert found.output == "All done."


def test_pieces_without_an_id():
    found = unwrap(lines(delta("<p>X"), delta("</p>"), result("<p>X</p>")))
    assert (found.response, found.output) == ("<p>X</p>", "<p>X</p>")


def test_sub_agents_and_users_say_nothing_of_the_agents_own():
    found = unwrap(
        lines(
            INIT,
            assistant(call("t-1", "Task", prompt="look")),
            {
                "type": "user",
                "message": {"role": "user", "content": "STATUS: COMPLETE"},
                "parent_tool_use_id": "t-1",
            },
            assistant(
                text("ALL DONE"), call("t-2", "Write", file_path="/b", content=""), id="s-1", parent="t-1"
            ),
            answer("t-2", "sub result", parent="t-1"),
            answer("t-1", "report of the sub-agent"),
            {
                "type": "user",
                "message": {"role": "user", "content": [text("a skill's prompt")]},
                "isSynthetic": True,
            },
            assistant(text("Half of it."), id="m-2"),
        )
    )
    assert (found.response, found.output) == ("Half of it.", "Half of it.")
    assert found.tool_results == "report of the sub-agent"
    assert (found.record["tool_calls"], found.record["files_changed"]) == (1, 1)


def test_a_stream_without_a_result_is_what_was_said_and_cut_off():
    found = unwrap(
        lines(INIT, assistant(text("One.")), assistant(call("t")), assistant(text("Two."), id="m-2"))
    )
    assert found.response == "One.\n\nTwo."
    assert found.record["truncated"] is True
    assert "is_error" not in found.record
    assert found.record["tokens"] == 30  # both messages, each once


def test_a_last_line_that_is_cut_off_counts_as_far_as_it_goes():
    whole = lines(
        INIT, assistant(text("One.")), assistant(text("STATUS: COMPLETE\nEXIT_SIGNAL: true"), id="m-2")
    )
    found = unwrap(whole[: whole.index("_SIGNAL")])
    assert found.response == "One.\n\nSTATUS: COMPLETE\nEXIT"
    assert found.record["truncated"] is True
    assert found.warnings == ("its JSON is cut off at the end; the rest counts",)


def test_a_result_cut_off_does_not_stand_in_the_place_of_the_message_that_it_repeats():
    said = "STATUS: COMPLETE\nEXIT_SIGNAL: true"
    whole = lines(INIT, assistant(text("One.")), assistant(text(said), id="m-2"), result(said))
    end = whole.rindex("_SIGNAL")
    found = unwrap(whole[:end])
    assert (found.response, found.output) == (said, f"One.\n\n{said}")
    assert found.record["truncated"] is True
    other = unwrap(whole[:end].replace("EXIT_SIGNAL: true", "BLOCKED: true"))
    assert other.response == "STATUS: COMPLETE\nEXIT"


def test_one_bad_line_does_not_void_its_neighbours():
    bad = '{"type":"assistant","message":{"content":[{"type":"text" "text":"no colon"}]}}'
    found = unwrap(
        lines(INIT, assistant(text("One.")), bad, assistant(text("Two."), id="m-2"), result("Two."))
    )
    assert found.output == "One.\n\nTwo."
    assert found.warnings == ("line 3 was not JSON and skipped",)
    found = unwrap(lines(bad, INIT, assistant(text("One.")), bad, bad, bad, result("One.")))
    assert found.response == "One."
    assert found.warnings == ("lines 1, 4, 5 and 1 more were not JSON and skipped",)


def test_raw_control_characters_and_wrong_backslashes_in_a_line():
    raw = '{"type":"assistant","message":{"content":[{"type":"text","text":"a\tb"}]}}'
    wrong = r'{"type":"assistant","message":{"content":[{"type":"text","text":"C:\x"}]}}'
    found = unwrap(lines(raw, wrong))
    assert found.output == "a\tb\n\nC:\\x"
    assert found.warnings == ("line 2 was read with wrong backslashes fixed",)


def test_what_the_program_says_in_the_agents_place():
    synthetic = assistant(text("No more until six."), id="x", error="rate_limit")
    synthetic["message"]["model"] = "<synthetic>"
    found = unwrap(lines(INIT, assistant(text("Working.")), synthetic))
    assert (found.output, found.record["error"]) == ("Working.", "No more until six.")
    assert found.record["is_error"] is True
    assert found.record["model"] == "large-1"
    # a later result says how it ended in truth
    found = unwrap(lines(INIT, synthetic, assistant(text("Fine."), id="m-2"), result("Fine.")))
    assert found.record["is_error"] is False
    assert "error" not in found.record


def test_refusals_in_tool_results_are_no_denials():
    refused = answer("t-1", "Permission to use Bash has been denied", error=True)
    found = unwrap(lines(INIT, assistant(call("t-1")), refused, result("x", permission_denials=[])))
    assert found.record["denials"] == []
    found = unwrap(lines(INIT, assistant(call("t-1")), refused))
    assert "denials" not in found.record


def test_denials_have_tool_and_input():
    denials = [
        {
            "tool_name": "Bash",
            "tool_use_id": "t",
            "tool_input": {"command": "npm install", "description": "d"},
        },
        {"tool_name": "Edit", "tool_use_id": "u", "tool_input": {"file_path": "/a", "old_string": "x"}},
        {"tool_name": "Other", "tool_use_id": "v", "tool_input": {"depth": 3}},
        "WebFetch",
    ]
    assert unwrap(json.dumps(result("x", permission_denials=denials))).record["denials"] == [
        {"tool": "Bash", "input": "npm install"}, {"tool": "Edit", "input": "/a"}, {"tool": "Other", "input": ""},
        {"tool": "WebFetch", "input": ""},
    ]  # fmt: skip


def test_files_that_could_not_be_written_were_not_changed():
    edit = call("t-1", "Edit", file_path="/a", old_string="x", new_string="y")
    found = unwrap(lines(INIT, assistant(edit), answer("t-1", "no match", error=True), result("x")))
    assert found.record["files_changed"] == 0
    found = unwrap(lines(INIT, assistant(edit), assistant(call("t-2", command="make")), result("x")))
    assert found.record["files_changed"] == 1
    found = unwrap(lines(INIT, assistant(call("t-2", command="make")), result("x")))
    assert "files_changed" not in found.record  # a command may have written any


def test_the_last_of_several_results_counts():
    found = unwrap(
        lines(INIT, result("first", total_cost_usd=1), result("second", total_cost_usd=2, num_turns=9))
    )
    assert (found.response, found.record["cost"], found.record["turns"]) == ("second", 2, 9)


def test_a_session_file_expects_no_result():
    one = {
        "type": "user",
        "message": {"role": "user", "content": "go on"},
        "sessionId": "f",
        "isSidechain": False,
    }
    two = {
        "type": "assistant",
        "message": {"role": "assistant", "content": [text("Went on.")]},
        "sessionId": "f",
    }
    side = {**two, "isSidechain": True, "message": {"content": [text("aside")]}}
    found = unwrap(lines({"type": "summary", "summary": "all done", "leafUuid": "u"}, one, two, side))
    assert (found.response, found.record["session"]) == ("Went on.", "f")
    assert "truncated" not in found.record
