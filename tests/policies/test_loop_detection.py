"""The faithful policy decides as the document's own code, the repaired one as its sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.facts.registry import load
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy

if TYPE_CHECKING:
    from exitgate.core.policy.compiled import CompiledPolicy

FAITHFUL, REPAIRED = load_policy("loop-detection-faithful"), load_policy("loop-detection")

OUTPUTS = [
    "Running tests... 2 failed: auth.test.ts - login test timeout, logout test assertion",
    "Modified auth.ts line 45-52, added null check for user.profile",
    "Searched GitHub for 'oauth2 refresh token', found 3 patterns...",
    "Error: TypeError - Cannot read property 'id' of null at auth.ts:45",
    "Fixed auth.ts - added null check",
    "Fixed auth.ts - updated validation",
    "Updated a.go; changed nothing else",
    "3 tests failing - auth, login, logout",
    "0 failed, 12 passed",
    "error handling at last",
    "Error\nValueError\nat x.py",
    "2 fail: a\nfails: b\nFAIL  : c",
    "",
    "All   of it\nis done, and there is so much of it that fifty are not enough",
]
PIECES = st.lists(
    st.sampled_from(["error", ":", " ", "\n", "at", "a.ts", "7", "fail", "tests", "fixed", "added", "x"]),
    max_size=12,
).map("".join)


def extract_signature(output: str) -> str:
    """`extractSignature` of the document; `\\s` and `\\w` of ASCII texts are the same there and here."""
    if found := re.search(r"Error:?\s*(\w+).*?at\s*(\S+)", output, re.IGNORECASE):
        return f"error:{found[1]}-{found[2]}"
    if re.search(r"(\d+)\s*(?:tests?\s*)?fail", output, re.IGNORECASE):
        failing = [m[0] for m in re.finditer(r"fail.*?:\s*(\S+)", output, re.IGNORECASE)]
        return f"test-fail:{','.join(failing[:2])}"
    changed = r"(?:modified|changed|updated|fixed)\s+(\S+\.(?:ts|js|go|py))"
    if found := re.search(changed, output, re.IGNORECASE):
        action = re.search(r"(added|removed|fixed|updated|changed)\s+(\w+)", output, re.IGNORECASE)
        return f"file:{found[1]}-{action[2] if action else 'modified'}"
    return re.sub(r"\s+", "-", output[:50].lower())


def detect_loop(current: str, previous: list[str], threshold: int = 3) -> bool:
    """`detectLoop` of the document."""
    recent = previous[-threshold:]
    matches = recent.count(extract_signature(current))
    return matches >= threshold - 1 and len(recent) >= threshold - 1


def record(policy: CompiledPolicy, number: int, output: str) -> Record:
    iteration = Iteration(number, "r#1", 0.0, {"response": Source("response", text=output)}, {})
    entries = [e for e in policy.extractions if e.prefix in ("signature", "output")]
    facts = [f for e in entries for f in load(e.extractor).extract(e.prefix, e.source, e.options, iteration)]
    return Record({f.name: f.value for f in facts})


@each("output", OUTPUTS)
def test_faithful_signatures_are_those_of_the_code(output: str) -> None:
    found = record(FAITHFUL, 1, output)["signature"]
    assert isinstance(found, Unknown) if not output else found == extract_signature(output)


@given(PIECES)
@settings(max_examples=100, deadline=None)
def test_faithful_signatures_are_those_of_the_code_whatever_the_text(output: str) -> None:
    found = record(FAITHFUL, 1, output)["signature"]
    assert isinstance(found, Unknown) if not output.strip() else found == extract_signature(output)


@given(st.lists(st.sampled_from([*OUTPUTS[:6], ""]), min_size=1, max_size=8), st.sampled_from([2, 3, 4]))
@settings(max_examples=100, deadline=None)
def test_faithful_decisions_are_those_of_the_code(outputs: list[str], threshold: int) -> None:
    set_to = {"loop_repeats": str(threshold), "loop_lookback": str(threshold + 1)}
    policy = load_policy("loop-detection-faithful", settings=set_to)
    records = [record(policy, n, text) for n, text in enumerate(outputs, 1)]
    want = detect_loop(outputs[-1], [extract_signature(o) for o in outputs[:-1]], threshold)
    assert (Program(policy).decide(records).rule == "loop_detection") is want


STEP = st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([True, False, None]))


@given(st.lists(STEP, min_size=1, max_size=9), st.sampled_from([2, 3, 4]))
@settings(max_examples=200, deadline=None)
def test_repaired_is_the_same_signature_in_a_row_with_nothing_known_to_have_moved(
    steps: list[tuple[str | None, bool | None]], threshold: int
) -> None:
    policy = load_policy("loop-detection", settings={"loop_repeats": str(threshold)})
    records = [
        Record({
            "signature": sign or Unknown("none"), "near_signature": sign or Unknown("none"),
            "progress.made": Unknown("not known") if moved is None else moved, "output.length": 9,
        })
        for sign, moved in steps
    ]  # fmt: skip
    row = steps[-threshold:]
    want = (
        len(row) == threshold
        and row[0][0] is not None
        and all(sign == row[0][0] for sign, _ in row)
        and not any(moved for _, moved in row[1:])
    )
    decision = Program(policy).decide(records)
    assert (decision.rule == "loop_detection") is want
    assert decision.verdict == ("EXIT" if want else "CONTINUE")


@pytest.mark.parametrize("policy", [FAITHFUL, REPAIRED], ids=lambda p: p.name)
def test_guards_stand_in_the_order_of_the_document(policy: CompiledPolicy) -> None:
    guards = ["max_iterations", "max_runtime", "loop_detection", "consecutive_errors"]
    assert [r.id for r in policy.rules if r.id in guards] == guards
    stages = {r.id: r.stage for r in policy.rules}
    assert [stages[g] for g in guards] == [*["before_iteration"] * 2, "after_iteration", "after_failure"]
