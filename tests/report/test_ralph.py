"""The analysis object: exactly the document its scheme gives as an example, and what each field may be."""

from __future__ import annotations

from calendar import timegm
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from exitgate.core.model.decision import Decision, Warned
from exitgate.core.model.fact import Fact
from exitgate.core.model.value import Unknown
from exitgate.core.policy import shipped
from exitgate.core.views.session import FIELDS, STUCK, analysis, exit_decision
from exitgate.report.formats.json import json_text

GOLDEN = Path(__file__).parent / "golden" / "ralph.json"
NOW = timegm((2025, 1, 13, 10, 45, 0)) + 0.75
SAID = {
    "status.present": True,
    "status.status": "IN_PROGRESS",
    "status.tasks_completed": 1.0,
    "status.files_modified": 2,
    "status.tests_status": "PASSING",
    "status.work_type": "IMPLEMENTATION",
    "status.exit_signal": False,
    "status.recommendation": "Continue to US-006",
    "indicators.signals": 0,
    "circuit.state": "CLOSED",
}


def facts(**more: object) -> dict[str, Fact]:
    return {name: Fact(name, value) for name, value in {**SAID, **more}.items()}


def decision(
    verdict: str = "CONTINUE", exit_class: str | None = None, outcome: str = "otherwise"
) -> Decision:
    return Decision(verdict, exit_class, outcome, None, "")


def test_the_example_of_the_scheme_to_the_letter() -> None:
    assert json_text(analysis(decision(), facts(), 5, NOW)) == GOLDEN.read_text()


def test_what_is_not_known_and_not_read_is_null() -> None:
    shown = analysis(
        decision(), {"status.exit_signal": Fact("status.exit_signal", Unknown("not said"))}, 1, NOW
    )
    assert shown["ralph_status"] == {"found": None, **dict.fromkeys(FIELDS)}
    assert shown["completion_indicators"] is None
    assert shown["circuit_breaker_state"] is None


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (("CONTINUE", None, "more_work_needed"), "continue"),
        (("EXIT", "complete", "plan_complete"), "project_complete"),
        (("EXIT", "blocked", "permission_denied"), "blocked"),
        (("EXIT", "stuck", "test_saturation"), "test_saturation"),
        (("EXIT", "halted", "circuit_open"), "circuit_open"),
    ],
)
def test_exit_decisions(given: tuple[str, str | None, str], called: str) -> None:
    assert exit_decision(*given) == called


def test_a_stuck_loop_is_told_by_its_rule_or_by_the_class() -> None:
    warned = Decision("CONTINUE", None, "otherwise", None, "", warnings=(Warned("the same", STUCK),))
    other = Decision("CONTINUE", None, "otherwise", None, "", warnings=(Warned("the same", "other"),))
    found = [
        analysis(one, facts(), 1, NOW)["stuck_loop_detected"]
        for one in (warned, other, decision("EXIT", "stuck", "loop"), decision("EXIT", "blocked", "blocked"))
    ]
    assert found == [True, False, True, False]


def test_claims_stand_in_for_indicators() -> None:
    shown = analysis(decision(), {"completion.signals": Fact("completion.signals", 3)}, 1, NOW)
    assert shown["completion_indicators"] == 3


@pytest.mark.parametrize(
    "given", [facts(), {}, facts(**{"circuit.state": "HALF_OPEN", "status.status": Unknown("x")})]
)
def test_it_fits_its_schema(given: dict[str, Fact]) -> None:
    schema = Draft202012Validator(shipped.schema("analysis"))
    assert not list(schema.iter_errors(analysis(decision(), given, 0, NOW)))
    assert list(schema.iter_errors({**analysis(decision(), given, 0, NOW), "more": 1}))
