"""Schemas of outputs are those of the structs that are printed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from exitgate.cli.commands.state import status_of
from exitgate.cli.main import answer_to
from exitgate.core.gate.timed import RULE, Timings
from exitgate.core.ledger.read import Damage
from exitgate.core.ledger.typed import typed
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.policy.compile import load_policy
from exitgate.reference.output_schemas import OUTPUTS, output_schema, schema_text
from exitgate.report.breaker import breaker_output, move_outputs
from exitgate.report.doctor import FAILS, FOUND, Finding, findings_json
from exitgate.report.formats.output import diagnostic_outputs, output_text
from exitgate.report.ledger import history_json, verified_json
from exitgate.report.policy.description import policy_json, shipped_json
from exitgate.report.policy.lint import LintFinding, lint_json
from exitgate.report.recordings import readers_json
from exitgate.report.replay import difference_of, replayed
from exitgate.report.timings import timings_json

SCHEMAS = Path(__file__).parents[2] / "schemas"
PLACE = Location("a\ud800.yaml", 3, 1, 3, 9)


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_schema_is_up_to_date(name: str) -> None:
    written = (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")
    assert written == schema_text(name), "run `python docs/generate.py`"


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_member_is_described_and_every_part_is_used(name: str) -> None:
    schema = output_schema(name)
    text = schema_text(name)
    for part, plain in {"": schema, **schema["$defs"]}.items():
        assert plain["description"], part
        assert all(one["description"] for one in plain.get("properties", {}).values()), part
        assert not part or f'"#/$defs/{part}"' in text


LINE = typed(
    {"sequence": 7, "run": "a#1", "iteration": 3.5, "decision": {"verdict": "EXIT", "class": "stuck"}}
)
FOUND_ERRORS = [
    Diagnostic("EP402", "percent is compared with duration", PLACE, help="write a percent"),
    Diagnostic("EP403", "unknown", related=(("declared here", PLACE),)),
]
STATE = {
    "state": "UNKNOWN", "reason": "", "opened_at": None, "opened_for": 3, "cooldown_left": None,
    "by_hand": False, "probe": False, "kept_by": "file", "path": "x", "warning": "", "recorded": True,
    "run": "a#1", "iteration": 2,
}  # fmt: skip
MOVE = {
    "sequence": 1, "at": "", "from": "CLOSED", "to": "OPEN", "why": "x", "by_hand": True, "run": None,
    "iteration": None,
}  # fmt: skip
TIMINGS = Timings()
TIMINGS.add(RULE, "stagnation", 0.25)
PRINTED = {
    "history": history_json([LINE]),
    "state": output_text(status_of(LINE, {"decisions": 1, "continue": 0, "exit": 1}, "/no/such/state")),
    "circuit": output_text(breaker_output(STATE)),
    "circuit-moves": output_text(move_outputs([MOVE])),
    "diagnostics": output_text(diagnostic_outputs(FOUND_ERRORS)),
    "policies": shipped_json([("bb3", "1.0.0", "A policy")]),
    "policy-shown": policy_json(load_policy("bb3")),
    "timings": timings_json(TIMINGS),
    "readers": readers_json([("pi", "pi, session files", ["cost"])]),
    "lint": lint_json(
        FOUND_ERRORS,
        [LintFinding(one, False, reason) for one, reason in zip(FOUND_ERRORS, (None, ""), strict=True)],
        2,
    ),
    "doctor": findings_json(
        [Finding("policy", FOUND, "bb3"), Finding("plan", FAILS, "none", "plan.md", "add one")]
    ),
    "verify": verified_json("/state", 3, [Damage(2, 80, "it is damaged")], "anchored"),
    "replay": output_text(
        replayed(
            1, [difference_of(LINE, None, "the policy is not kept")], ["line 2 of the ledger is skipped"]
        )
    ),
}


TRANSCRIPT = {"type": "result", "subtype": "success", "is_error": False, "session_id": "a", "result": "x"}
RUN = {
    "ci": ["ci", "policy.yaml", "--only", "validate", "--only", "lint"],
    "config-shown": ["config", "--policy", "bb3", "--set", "min_completion=95"],
    "facts": ["facts", "response.md", "--policy", "bb3"],
    "hosts": ["install"],
    "page": ["explain", "EP401"],
    "transcripts": ["transcripts", "runs"],
}


@pytest.mark.parametrize("name", RUN)
def test_what_a_command_prints_is_as_its_schema_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "policy.yaml").write_text("policy: ours\n", encoding="utf-8")
    (tmp_path / "response.md").write_text("Confidence: 90%. All done, tests pass?\n", encoding="utf-8")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "claude_output_2031-01-01_10-01-00.log").write_text(json.dumps(TRANSCRIPT), "utf-8")
    plain = json.loads(answer_to([*RUN[name], "--format", "json"]).out)
    assert plain
    jsonschema.Draft202012Validator(output_schema(name)).validate(plain)


@pytest.mark.parametrize("name", PRINTED)
def test_what_is_printed_is_as_its_schema_says(name: str) -> None:
    jsonschema.Draft202012Validator(output_schema(name)).validate(json.loads(PRINTED[name]))
