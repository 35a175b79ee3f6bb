"""A loop pauses before a limit that its agent's program reports, and goes on after the reset."""

from __future__ import annotations

import pytest
from loop_project import POLICY, Project, skipping

PAUSES = POLICY.replace(
    "rules:\n",
    """\
  limits: {extract: limits}
rules:
  - id: near
    when: limits.used >= 90
    exit: wait
    retry_after: limits.resets_in
    because: "{limits.used} of {limits.window}, {limits.status}"
""",
)
#: An agent that says in its second iteration that its limit is nearly used up.
AGENT = """
echo '{"type":"system","subtype":"init","session_id":"s1"}'
used=0.5; test "$EXITGATE_ITERATION" != 2 || used=0.93
info='"status":"allowed_warning","rateLimitType":"five_hour"'
until=$(($(date +%s) + 900))
echo '{"type":"rate_limit_event","rate_limit_info":{'$info',"utilization":'$used',"resetsAt":'$until'}}'
said="round $EXITGATE_ITERATION"; test "$EXITGATE_ITERATION" -lt 3 || said="<promise>DONE</promise>"
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s1","result":"'"$said"'"}'
"""


def test_a_loop_waits_before_its_limit_is_reached_and_goes_on(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("small.yaml", PAUSES)
    clock = skipping(monkeypatch)
    ran = project.run(AGENT)
    assert (ran.code, "93% of five_hour, WARNING" in ran.err) == (0, True), ran.err
    after = [one for one in project.decisions() if one[1] is not None]
    assert after == [(2, "wait", "near"), (3, "complete", "promised")]
    assert 0 < clock.skipped <= 901
