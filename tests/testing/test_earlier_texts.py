"""Policy tests give texts of earlier iterations to the extractors that compare with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exitgate.testing.cases.case import Result

POLICY = """\
policy: alike
format: 1
version: 1.0.0
facts:
  like: {extract: similarity}
  did: {extract: signature, lexicon: signatures}
  changes: {extract: plan_changes, from: plan}
rules:
  - {id: again, when: did repeats 3 times, exit: stuck, because: "{did}"}
  - {id: alike, when: like.matches >= 2, exit: stuck, because: "{like.highest}"}
otherwise: continue
"""
FIX = "{response: Fixed auth.ts - added null check}"


@pytest.mark.parametrize(
    "case",
    [
        f"""\
  - name: the third time is a loop
    earlier: [{FIX}, {FIX}]
    sources: {FIX}
    expect: {{rule: again, facts: {{like.matches: 2, like.highest: 100}}}}
""",
        f"""\
  - name: other work on the same file is none
    earlier: [{FIX}, {{response: Fixed auth.ts - updated validation}}]
    sources: {{response: Fixed auth.ts - refactored handler}}
    expect: {{verdict: CONTINUE, facts: {{like.matches: 0, did: "auth.ts:refactored-handler"}}}}
""",
        """\
  - name: the plan before is compared
    earlier: [{plan: "- [ ] a"}]
    sources: {plan: "- [x] a"}
    expect: {facts: {changes.ticked: 1, changes.meaningful: true, like.matches: unknown}}
""",
        """\
  - name: a plan that was not there before is no other one
    earlier: [{plan: "- [ ] a"}, {response: hello}]
    sources: {plan: "- [x] a", response: hello}
    expect: {facts: {changes.ticked: unknown, like.matches: 1}}
""",
    ],
)
def test_earlier_sources_reach_the_extractors(run: Callable[..., list[Result]], case: str) -> None:
    (result,) = run(case, POLICY)
    assert result.failures == ()
