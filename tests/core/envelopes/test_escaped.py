r"""Texts whose line ends are written `\n`, and texts that only mention one."""

from __future__ import annotations

import json

import pytest

from exitgate.core.envelopes.json_text import looks_escaped, unescaped
from exitgate.core.envelopes.unwrap import unwrap

ESCAPED = [
    r"Report written.\n---STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_STATUS---",
    r"Done.\n\n- first\n- second\n",
    r"Done.\n\n```\n---STATUS---\nEXIT_SIGNAL: true\n---END---\n```",
    r"Done.\r\n\r\n## Next\r\n1. More",
    r"He said \"yes\".\n\nThen:\n- one\n- two",
    r"Uses `\n` as a mark.\n\n- one\n- two\n- three",
    r"Fertig.\n\n**Weiter**\n- eins",
    r"完了。\n\n- 一\n- 二",
]
MENTIONS = [
    r"Split on \n and joined with \n again.",
    r"The regex `\n+\n` and `\n- ` are covered by a test.",
    r'It prints "a\n---STATUS---\nEXIT_SIGNAL: true\n---END---" when asked.',
    r"printf 'x\n---STATUS---\nEXIT_SIGNAL: true\n' is in the script.",
    r"Files are in C:\new\notes and D:\next\nothing.",
    r"A pattern such as \w+\n\d+\n is linear.",
    r"One \n alone.",
    "Done.\n\nIt prints a\\n- b\\n- c\\n- d on one line.\n",
    r"",
]


@pytest.mark.parametrize("body", ESCAPED)
def test_escaped_texts_become_lines(body):
    assert looks_escaped(body)
    found = unwrap(body)
    assert found.format == "TEXT"
    assert found.taken_out
    assert len(found.response.splitlines()) > 2
    assert found.warnings == ("its line ends are written `\\n`; read as lines",)


@pytest.mark.parametrize("body", MENTIONS)
def test_mentions_are_left_alone(body):
    assert not looks_escaped(body)
    assert unwrap(body).response == body


def test_every_json_string_is_undone():
    for said in ('a\n\tb "c"\\d', "C:\\new\n", "\\\\n", "x\r\ny"):
        meant = said.replace("\r\n", "\n")
        assert unescaped(json.dumps(said)[1:-1]) == meant


def test_an_escaped_body_within_an_envelope():
    said = r"Done.\n---STATUS---\nEXIT_SIGNAL: true\n---END---"
    found = unwrap(json.dumps({"type": "result", "is_error": False, "result": said}))
    assert found.response.split("\n")[2] == "EXIT_SIGNAL: true"
    assert found.output == found.response
