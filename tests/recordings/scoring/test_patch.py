"""The patch is valid as a project's settings, and sets what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_loops import POLICY

from exitgate.core.policy.compile import load_policy
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.recordings.scoring.grid import patch

TYPED = """\
policy: typed
format: 1
version: 1.0.0
parameters:
  share: {type: percent, default: 80, doc: x}
  many: {type: count, default: 3, doc: x}
  factor: {type: number, default: 1.5, doc: x}
  pause: {type: duration, default: 10m, doc: x}
  most: {type: money, default: 5 USD, currency: USD, doc: x}
  loud: {type: bool, default: true, doc: x}
  word: {type: text, default: "no", doc: x}
  names: {type: list, default: [a], doc: x}
  kind: {type: enum, default: ONE, members: [ONE, OTHER], doc: x}
rules: [{id: end, when: run.iterations > $many and $loud, exit: review, because: so}]
"""


def settled(folder: Path, text: str) -> dict[str, object]:
    (folder / ".bb3").mkdir()
    (folder / ".bb3" / "config.yaml").write_text(text, encoding="utf-8")
    found = load_settled(SettingsRequest("recommended", None, {}, str(folder), {"HOME": str(folder)}))
    return found.policy.values()


def test_the_default_policy_is_named_too(tmp_path: Path) -> None:
    policy = load_policy("recommended")
    text = patch(
        policy, "recommended", {"min_confidence": "65", "idle_loops": "3"}, {"idle_loops": "default 2"}
    )
    assert text == (
        "exit_decision:\n  policy: recommended\n  min_confidence: 65\n  idle_loops: 3   # default 2\n"
    )
    values = settled(tmp_path, text)
    assert (values["min_confidence"], values["idle_loops"]) == (65, 3)


def test_another_shipped_policy_is_named(tmp_path: Path) -> None:
    text = patch(load_policy("bb3-faithful"), "bb3-faithful", {"min_completion": "85"})
    assert "  policy: bb3-faithful\n" in text
    assert settled(tmp_path, text)["min_completion"] == 85


def test_a_policy_of_the_project_is_named_from_the_folder_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sure.yaml").write_text(POLICY, encoding="utf-8")
    text = patch(load_policy("sure.yaml"), "sure.yaml", {"enough": "70"})
    assert '  policy: "../sure.yaml"\n' in text
    assert settled(tmp_path, text)["enough"] == 70


def test_values_of_every_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("typed.yaml").write_text(TYPED, encoding="utf-8")
    point = {
        "share": "55%", "many": "4", "factor": "2.5", "pause": "1h30m", "most": "7 USD", "loud": "FALSE",
        "word": 'yes: "#1"', "kind": "OTHER", "names": "b, no, 1",
    }  # fmt: skip
    asked = load_policy("typed.yaml", settings=point).values()
    assert settled(tmp_path, patch(load_policy("typed.yaml"), "typed.yaml", point)) == asked
