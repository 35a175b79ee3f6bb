"""The cases of every shipped policy show each rule deciding, and each leaf true and false."""

from __future__ import annotations

import pytest
from ran_suites import ran

from exitgate.policy.shipped import policies
from exitgate.report.coverage_text import missing

#: What is excused, so that an excuse more is noticed here.
EXCUSED = {"bb3-faithful": 1}


@pytest.mark.parametrize("name", policies())
def test_every_rule_decides_and_every_leaf_comes_out_both_ways(name: str) -> None:
    _, coverage = ran(name)
    left = [f"{place} {what}" for place, what in missing(coverage)]
    assert not left, "\n" + "\n".join(left)
    assert not coverage.problems
    assert coverage.share.shown == coverage.share.whole > 15
    assert coverage.share.excused == EXCUSED.get(name, 0)
