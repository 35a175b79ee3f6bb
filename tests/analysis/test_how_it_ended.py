"""An agent ends with one status: what no check counts together is never shown, and only that is proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.analysis.prove.backend import BOTH, WALK, Backend
from exitgate.analysis.results.answer import PROVED, REFUTED
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compile import load_policy

AFTER, FAILURE, BEFORE = "after_iteration", "after_failure", "before_iteration"
#: Stage, condition, and whether a rule with it can decide.
CASES = [
    (FAILURE, "run.agent_exit == 1 and run.failed is false", False),
    (FAILURE, "run.agent_exit == 1 and run.failed", True),
    (FAILURE, "run.agent_exit == 0 and run.failed", True),  # its result is an error
    (FAILURE, "run.agent_exit is unknown and run.failed", True),
    (FAILURE, "run.agent_exit is unknown and run.interrupted", False),
    (FAILURE, "run.failed is unknown and run.agent_exit is known", False),
    (FAILURE, "run.agent_exit == 130 and run.interrupted is false", False),
    (FAILURE, "run.agent_exit == 131 and run.interrupted", False),
    (FAILURE, "run.agent_exit in [129, 130] and run.interrupted", True),
    (FAILURE, "run.agent_exit > 128 and run.interrupted is false", True),
    (FAILURE, "run.agent_exit < 0 and run.interrupted", True),
    (FAILURE, "run.agent_exit between 0.2 and 0.8", False),
    (FAILURE, "run.agent_exit between 7.2 and 8.2", True),
    (AFTER, "run.agent_exit > 0", False),
    (AFTER, "run.agent_exit == 0 and run.failed is false", True),
    (AFTER, "run.agent_exit == 0 and run.interrupted is unknown", False),
    (AFTER, "previous(run.agent_exit) > 0 and run.agent_exit == 0", True),
    (AFTER, "run.agent_exit == 0 and run.failures_in_row >= 1", False),
    (AFTER, "run.interrupted is false and run.failures_in_row >= 1", False),
    (AFTER, "run.agent_exit == 0 and run.failures_in_row is unknown", False),
    (AFTER, "run.agent_exit == 0 and previous(run.failures_in_row) >= 2", True),
    (AFTER, "run.agent_exit is unknown and run.failures_in_row >= 1", True),
    (FAILURE, "run.agent_exit == 0 and run.failures_in_row >= 1", True),
    (FAILURE, "run.agent_exit == 0 and run.failures_in_row == 0", False),
    (FAILURE, "run.agent_exit == 130 and run.failures_in_row == 0", True),
    (FAILURE, "run.interrupted is false and run.failures_in_row == 0", False),
    (FAILURE, "errors.count > 3 and run.failures_in_row is unknown", False),
    (BEFORE, "run.agent_exit == 0 and run.failures_in_row >= 1", True),
    (BEFORE, "run.agent_exit == 1 and run.failures_in_row == 0", False),
    (BEFORE, "run.interrupted and run.failed is false", False),
    (BEFORE, "run.agent_exit > 0 and run.failed", True),
]


@pytest.mark.parametrize("who", [WALK, BOTH])
@pytest.mark.parametrize(("stage", "when", "can"), CASES)
def test_what_a_check_can_count(stage: str, when: str, can: bool, who: str, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(
        "policy: x\nformat: 1\nversion: 1.0.0\ntitle: x\n"
        "facts:\n  errors: {extract: error_lines, from: response, words: [error]}\n"
        f"rules:\n  - {{id: r, when: '{when}', exit: stuck, stage: {stage}, because: x}}\n",
        encoding="utf-8",
    )
    answer = Backend(who, Limits(5.0)).ask("can_decide", load_policy(str(tmp_path / "policy.yaml")), "r")
    assert answer.status == (REFUTED if can else PROVED), answer.why
