"""JSON forms: exact values, and nothing a terminal could act on."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from report_examples import DIAGNOSTICS, GOING_ON, explained, policy
from report_golden import same

from exitgate.report.formats.json import explanation_json, json_text
from exitgate.report.formats.output import diagnostic_outputs, output_text
from exitgate.report.policy.description import policy_json


def test_diagnostics() -> None:
    same("diagnostics.json", output_text(diagnostic_outputs(DIAGNOSTICS)))


def test_policy() -> None:
    same("policy.json", policy_json(policy()))


def test_explanation() -> None:
    same("explain-going_on.json", json_text(explanation_json(explained(GOING_ON))))


@given(st.text(st.characters()))
@settings(max_examples=300, deadline=None)
def test_every_text_survives_and_none_acts(text: str) -> None:
    written = json_text({"text": text})
    assert json.loads(written) == {"text": text}
    assert all(c == "\n" or c.isprintable() or c in "\u200c\u200d" for c in written)


def test_letters_stay_readable() -> None:
    assert json_text("空 café 🎉") == '"空 café 🎉"\n'
    assert json_text("\ud83d\x9b\U000e0041") == '"\\ud83d\\u009b\\udb40\\udc41"\n'
