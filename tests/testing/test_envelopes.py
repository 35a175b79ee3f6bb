"""Policy tests take a response out of its envelope as a check does."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from exitgate.testing.cases.case import Result

POLICY = """\
policy: wrapped
format: 1
version: 1.0.0
facts:
  said: {extract: phrases, from: output, phrases: [ready]}
  ended: {extract: phrases, from: response, phrases: [ready]}
  result: {extract: result}
  like: {extract: similarity, from: output}
rules:
  - {id: failed, when: result.is_error, exit: failed, because: it failed}
otherwise: continue
"""
LINES = [
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "Ready to begin."}]}},
    {"type": "assistant", "message": {"content": [{"type": "text", "text": "It broke."}]}},
    {"type": "result", "subtype": "success", "is_error": True, "result": "It broke.", "num_turns": 2},
]
STREAM = json.dumps("\n".join(map(json.dumps, LINES)))


@pytest.mark.parametrize(
    "case",
    [
        """\
  - name: plain text is response and output
    sources: {response: I am ready.}
    expect: {verdict: CONTINUE, facts: {said.found: true, ended.found: true, result.is_error: unknown}}
""",
        f"""\
  - name: a stream is taken apart
    sources: {{response: {STREAM}}}
    expect: {{rule: failed, facts: {{said.found: true, ended.found: false, result.turns: 2}}}}
""",
        f"""\
  - name: an output that the case gives stays as it is
    sources: {{response: {STREAM}, output: Nothing of the kind.}}
    expect: {{rule: failed, facts: {{said.found: false}}}}
""",
        """\
  - name: without a response there is no output
    sources: {plan: '- [ ] one'}
    expect: {verdict: CONTINUE, facts: {said.found: unknown, ended.found: unknown}}
""",
        f"""\
  - name: earlier ones, too
    earlier: [{{response: {STREAM}}}]
    sources: {{response: "Ready to begin.\\n\\nIt broke."}}
    expect: {{facts: {{like.highest: 100}}}}
""",
    ],
)
def test_what_a_check_would_read(run: Callable[..., list[Result]], case: str) -> None:
    (result,) = run(case, POLICY)
    assert result.failures == ()
