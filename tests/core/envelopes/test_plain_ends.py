"""Whether plain text is known to have its end: by the line with which an agent ends, and by nothing else."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.envelopes.plain import ends_by_itself, plain
from exitgate.core.envelopes.unwrap import unwrap

BLOCK = "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---"
ENDS = [
    "<promise>SAILED</promise>",
    "**<promise>SAILED</promise>**",
    "<promise>\nSAILED\n</promise>",
    BLOCK,
    "---DOYAKEN_STATUS---\nSTATUS: COMPLETE\n---END_DOYAKEN_STATUS---",
]


@each("end", ENDS)
@each("before", ["", "The rigging holds.\n\n"])
@each("blank", ["", "\n", "\r\n\r\n", "  \n"])
def test_a_text_whose_last_line_is_an_end_is_not_cut_off(before, end, blank):
    for failed in (False, True):
        assert plain(before + end + blank, failed=failed).record["truncated"] is False
        assert unwrap(before + end + blank, failed=failed).record["truncated"] is False


@each("end", ENDS)
@each("more", ["\nThen I", "\n```", "\nError: killed", " and", "\n\n- [ ] the keel"])
def test_with_anything_behind_it_nothing_is_known(end, more):
    assert "truncated" not in plain(end + more).record


@pytest.mark.parametrize("end", ENDS)
def test_no_beginning_of_an_end_is_one(end):
    for at in range(len(end)):
        if not end[:at].strip().strip("*").endswith(("</promise>", "STATUS---\n---END")):
            assert not ends_by_itself(end[:at]), end[:at]


@each(
    "said",
    [
        "",
        "---",
        "---END_---",
        "---END_RALPH STATUS---",
        "---RALPH_STATUS---",
        "I shall say <promise>SAILED</promise>",
        "`<promise>SAILED</promise>`",
        "> <promise>SAILED</promise>",
        "</promise",
        "The harbour is done.",
    ],
)
def test_other_last_lines_say_nothing(said):
    assert not ends_by_itself(said)


@given(st.text())
def test_any_text_is_looked_at(text):
    assert isinstance(ends_by_itself(text), bool)
    assert ends_by_itself(f"{text}\n<promise>SAILED</promise>\n")
