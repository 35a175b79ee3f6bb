"""Rules, classes and promises are all about checks without `--stage`: prove never contradicts itself."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from exitgate.analysis.prove.backend import BOTH, WALK, Backend
from exitgate.analysis.prove.proof import BROKEN, KEPT, NOTED, SHOWN
from exitgate.analysis.prove.prove import prove
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

STAGES = ("after_iteration", "after_failure", "before_iteration")
#: Conditions on how an agent ended.
ENDS = (
    "run.agent_exit > 0",
    "run.agent_exit == 0",
    "run.failed",
    "run.failed is false",
    "run.interrupted",
    "run.agent_exit == 0 and run.failures_in_row >= 1",
    "run.failures_in_row >= 2",
)


def policy(folder: Path, when: str, stage: str, given: str) -> CompiledPolicy:
    (folder / "policy.yaml").write_text(
        "policy: x\nformat: 1\nversion: 1.0.0\ntitle: x\ngiven:\n  k: {type: count, doc: d}\n"
        f"rules:\n  - {{id: r, when: '{when}', exit: stuck, stage: {stage}, because: x}}\n"
        f"invariants:\n  - {{id: i, given: '{given}', never: exit, stage: {stage}}}\n",
        encoding="utf-8",
    )
    return load_policy(str(folder / "policy.yaml"))


@pytest.mark.parametrize(("when", "stage"), list(product(ENDS, STAGES)))
def test_a_promise_is_broken_where_and_only_where_its_rule_can_decide(
    when: str, stage: str, tmp_path: Path
) -> None:
    made = policy(tmp_path, when, stage, f"{when} and k is unknown")
    proofs = {proof.subject: proof for proof in prove(made, Backend(WALK, Limits(5.0)))}
    can = proofs["r"].status == SHOWN
    assert (proofs["i"].status == BROKEN) == can
    assert (proofs["stuck"].status == SHOWN) == can
    assert proofs["i"].status in ((BROKEN,) if can else (KEPT, NOTED))


@pytest.mark.parametrize("who", [WALK, BOTH])
def test_a_promise_that_no_plain_check_asks_for_is_noted(who: str, tmp_path: Path) -> None:
    made = policy(tmp_path, "run.agent_exit > 0", "after_iteration", "run.agent_exit > 0 and k > 3")
    proofs = {proof.subject: proof for proof in prove(made, Backend(who, Limits(5.0)))}
    assert proofs["i"].status == NOTED
    assert "without `--stage` asks `after_failure`" in proofs["i"].says
    assert proofs["r"].status == proofs["stuck"].status == BROKEN
