"""Points with unknown rows: every sum and every pair of bounds that their rows can give is walked."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis.results.answer import REFUTED
from exitgate.analysis.walk.gates import ANY
from exitgate.analysis.walk.leaves import sums_of
from exitgate.analysis.walk.queries import can_be
from exitgate.core.engine.program import Program
from exitgate.core.language.tree import Node
from exitgate.core.model.value import BOOL, NUMBER, Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import Derived, PointsRow
from exitgate.core.policy.points import ADD_NOTHING, OPEN, total

TEXT = """\
policy: p
format: 1
version: 1.0.0
title: p
given: {{a: {{type: bool, doc: x}}, b: {{type: bool, doc: x}}, n: {{type: count, doc: x}}}}
facts:
  score:
    points: [{{when: a, add: 30}}, {{when: not b and n != 2, add: -20}}, {{when: n > 4, add: 25}}]
    range: [0, 50]
rules: [{{id: r, when: "{when}", warn: true, because: x}}]
otherwise: continue
"""
#: What some value of the facts brings about; -20 alone stays at 0.
POSSIBLE = (
    "score is unknown", "score is known", "score >= 30 and score is unknown",
    "score < 40 and score is unknown",
    "score == 0", "score == 5", "score == 50", "score in [10, 30]", "not (score >= 30) and score >= 10",
)  # fmt: skip


@pytest.mark.parametrize("when", POSSIBLE)
def test_what_points_can_be_is_found(when: str, tmp_path) -> None:
    (tmp_path / "p.yaml").write_text(TEXT.format(when=when), encoding="utf-8")
    policy = load_policy(str(tmp_path / "p.yaml"))
    answer = can_be(policy, policy.rules[0].when, True)
    assert answer.status == REFUTED
    decision = Program(policy).decide(Program(policy).complete_all(answer.run or ()))
    assert [warned.rule for warned in decision.warnings] == ["r"]


@given(
    st.lists(st.sampled_from([30, -20, 5, 0.5]), min_size=1, max_size=4),
    st.sampled_from([OPEN, ADD_NOTHING]),
    st.sampled_from([(None, None), (0, 40)]),
)
@settings(max_examples=60, deadline=None)
def test_sums_are_all_that_rows_can_give(adds, unknown_rows, ends) -> None:
    when = Node("bool", (True,), type=BOOL)
    fact = Derived(
        "score",
        NUMBER,
        tuple(PointsRow(when, add, "") for add in adds),
        None,
        *ends,
        unknown_rows=unknown_rows,
    )
    lost = Unknown("not said", "x")
    every = [total(fact, truths) for truths in product((True, False, lost), repeat=len(adds))]
    plain = {(v.least, v.most) if isinstance(v, Unknown) else v for v in every}
    found = {
        (v.least, v.most) if isinstance(v, Unknown) else v for v in sums_of(fact, [ANY] * len(adds)) or ()
    }
    assert found == plain
