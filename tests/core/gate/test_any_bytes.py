"""Whatever the bytes of response, plan, task and breaker: a decision that fits its schema."""

import json
import os
import tempfile
from pathlib import Path

import jsonschema
from hypothesis import example, given, settings
from hypothesis import strategies as st

from exitgate.core.gate.check import check
from exitgate.core.model.decision import CLASSES, Decision
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.recall import recall
from exitgate.report.decision.plain import printed

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "decision.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

PIECES = st.sampled_from(
    [b"- [x] a\n", b"- [ ] b\n", b"```\n", b"confident ", b"not ", b"Error: x\n", b"\0", b"\xff\xfe",
     b"\xed\xa0\x80", b'{"state": "OPEN"}', b"{", b"[" * 500, b"\xe2\x80\xae", b"\r", b"<!--"]
)  # fmt: skip
BYTES = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=8).map(b"".join))


def decide(root: str, response: bytes, plan: bytes, task: bytes, breaker: bytes):
    os.makedirs(f"{root}/.ralph", exist_ok=True)
    for name, raw in (("last-response.md", response), ("@fix_plan.md", plan), ("PROMPT.md", task),
                      ("circuit-state.json", breaker)):  # fmt: skip
        Path(root, ".ralph", name).write_bytes(raw)
    return check(Request(root=root, policy="bb3", time=1000.0))


@given(BYTES, BYTES, BYTES, BYTES)
@example(b"", b"", b"", b"")
@example(b"\xff" * 10, b"- [x] a\n" * 3, b"", b'{"state": 7}')
@settings(max_examples=12, deadline=None)
def test_any_bytes(response, plan, task, breaker):
    with tempfile.TemporaryDirectory() as root:
        checked = decide(root, response, plan, task, breaker)
        decision = checked.decision
        assert decision.verdict in ("CONTINUE", "EXIT")
        assert (decision.exit_class in CLASSES) == (decision.verdict == "EXIT")
        VALIDATOR.validate(json.loads(json.dumps(printed(checked), allow_nan=False)))
        found = recall(f"{root}/.ralph/exitgate")
        assert isinstance(found.decision, Decision)
        assert (found.decision.verdict, found.decision.rule) == (decision.verdict, decision.rule)
        again = decide(f"{root}/again", response, plan, task, breaker)
        assert (again.decision.verdict, again.decision.rule, again.decision.message) == (
            decision.verdict, decision.rule, decision.message,
        )  # fmt: skip
