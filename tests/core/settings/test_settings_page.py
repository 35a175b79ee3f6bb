"""Each block of settings on the page for teams works as it stands, and `exitgate config` names its lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each

from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.policy import shipped
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled
from exitgate.report.config import entries

REPOSITORY = Path(__file__).parents[3]
PAGE = (REPOSITORY / "docs/how-to/settings.md").read_text(encoding="utf-8")
BLOCKS = [block.partition("```")[0] for block in PAGE.split("```yaml\n")[1:]]


@each("text", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_works_and_its_values_are_named(text: str, tmp_path: Path) -> None:
    (tmp_path / ".bb3").mkdir()
    path = tmp_path / ".bb3/config.yaml"
    path.write_text(text, encoding="utf-8")
    settled = load_settled(
        SettingsRequest("recommended", root=str(tmp_path), environment={"HOME": str(tmp_path)})
    )
    assert [w for w in settled.policy.warnings if isinstance(w, Diagnostic) and w.severity == "error"] == []
    section = load_yaml(text, "config.yaml").root.fields["exit_decision"]
    set_here = [entry for entry in entries(settled) if entry.chain[-1].layer == "project"]
    lines = {entry.chain[-1].place.line for entry in set_here if entry.chain[-1].place is not None}
    assert lines <= set(range(1, text.count("\n") + 1))
    for key, part in section.fields.items():
        if key in ("facts", "conditions", "lexicons", "views", "sources"):
            found = {entry.name.split(".")[1] for entry in set_here if entry.kind == key}
            assert part.fields.keys() <= found, key


def test_the_page_shows_every_key() -> None:
    keys = shipped.schema("config")["$defs"]["section"]["properties"].keys()  # type: ignore[index]
    written = {key for text in BLOCKS for key in load_yaml(text, "c").root.fields["exit_decision"].fields}
    assert keys - written <= {"lists", "hooks", "notify", "preset", "profile"}


def test_what_is_shared_with_policies_is_the_same() -> None:
    config = shipped.schema("config")["$defs"]
    policy = shipped.schema("policy")["$defs"]
    assert isinstance(config, dict) and isinstance(policy, dict)

    def renamed(schema: object) -> object:
        return json.loads(json.dumps(schema).replace("#/$defs/list_change", "#/$defs/any_list_change"))

    shared = ("message", "condition", "conditions", "named_condition", "fact", "range", "points_row",
              "view_path", "view_folder", "view_field", "lexicon_change")  # fmt: skip
    for name in shared:
        assert config[name] == renamed(policy[name]), name
    assert config["any_list_change"] == renamed(policy["list_change"])
    for key in ("when", "exit", "continue", "warn", "because", "advice", "escalation", "outcome", "stage",
                "on_silence", "retry_after"):  # fmt: skip
        assert config["rule_change"]["properties"][key] == policy["rule"]["properties"][key], key


def test_an_edit_of_the_file_takes_effect_at_the_next_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from exitgate.core.gate.settings import recall_settled

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / ".bb3").mkdir()
    seen = []
    for points in (-10, -20, -20):
        change = f"confidence: {{add: {{change: {{hedges: {{points: {points}}}}}}}}}"
        text = f"exit_decision:\n  policy: bb3\n  facts:\n    {change}\n"
        (tmp_path / ".bb3/config.yaml").write_text(text, encoding="utf-8")
        loaded = recall_settled(
            SettingsRequest("recommended", root=str(tmp_path), environment={"HOME": str(tmp_path)})
        )
        words = next(e.options for e in loaded.policy.extractions if e.prefix == "confidence")["add"]
        seen.append((words[0]["points"], loaded.recalled, loaded.policy.digest))  # type: ignore[index]
    assert [one[:2] for one in seen] == [(-10, False), (-20, False), (-20, True)]
    assert seen[0][2] != seen[1][2]


MERGED = ("facts", "conditions", "lexicons", "views")


@pytest.mark.parametrize("text", [t for t in BLOCKS if any(f"  {key}:" in t for key in MERGED)])
def test_settings_come_to_what_a_policy_that_extends_comes_to(text: str, tmp_path: Path) -> None:
    from exitgate.core.policy.compile import load_policy

    section = load_yaml(text, "c").root.plain()["exit_decision"]  # type: ignore[index]
    assert isinstance(section, dict)
    base = str(section.get("policy", "recommended"))
    merged = {key: section[key] for key in MERGED if key in section}
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").write_text(
        json.dumps({"exit_decision": {"policy": base, **merged}}), encoding="utf-8"
    )
    version = load_policy(base).version
    head = {"policy": "mine", "format": 1, "version": "0.1.0", "extends": f"{base}@{version}"}
    (tmp_path / "mine.yaml").write_text(json.dumps(head | merged), encoding="utf-8")
    asked = SettingsRequest("recommended", root=str(tmp_path), environment={"HOME": str(tmp_path)})
    settled, extended = load_settled(asked).policy, load_policy("./mine.yaml", base=str(tmp_path))
    for part in ("extractions", "derived", "conditions", "facts", "views"):
        assert getattr(settled, part) == getattr(extended, part), part
    assert [(r.id, r.when) for r in settled.rules] == [(r.id, r.when) for r in extended.rules]
