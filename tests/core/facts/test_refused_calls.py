"""Refusals by what tools returned, where the response has no list of its own."""

from __future__ import annotations

import pytest
from fact_reading import resolved

from exitgate.core.facts.extractors import denials
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject

OPTIONS = {"lexicon": resolved("refusals")}
NO = "Permission to use Bash has been denied because Claude Code is running in don't ask mode."


def read(result, *, error=True, record=None, options=OPTIONS):
    call = {"tool": "Bash", "input": {"command": "make oil"}, "result": result, "error": error}
    sources = {
        "result": Source("result", record=record or {"turns": 2}),
        "response": Source("response", "Oiled."),
        "tool_calls": Source("tool_calls", record={"calls": (call,)}),
    }
    return denials.extract("d", "result", JsonObject(options), Iteration(1, "r#1", 0.0, sources))[2].value


@pytest.mark.parametrize("end", ["", " IMPORTANT: do something else.", "\nTry another way."])
def test_what_came_back_says_that_it_was_refused(end):
    assert read(NO + end) == ("Bash(make oil)",)


@pytest.mark.parametrize("result", ["oiled", "", "rm: Permission denied", f"The log says: {NO}"])
def test_what_a_tool_returned_refuses_nothing(result):
    assert read(result) == ()


def test_a_file_that_is_shown_refuses_nothing():
    assert read(f"{NO}\nNext line of the file.", error=False) == ()


def test_a_list_of_the_response_ranks_above_it():
    assert read(NO, record={"denials": []}) == ()
    assert read(NO, record={"denials": [{"tool": "Write", "input": "a"}]}) == ("Write(a)",)


def test_without_the_lexicon_nothing_changes():
    assert read(NO, options={}) == ()
