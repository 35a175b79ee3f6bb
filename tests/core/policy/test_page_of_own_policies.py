"""The how-to on policies of one's own: its example of a policy that extends another is one."""

from __future__ import annotations

from pathlib import Path

from exitgate.core.policy.compile import load_policy

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "write-your-own-policy.md"


def test_the_policy_that_extends_another_is_a_policy(tmp_path: Path) -> None:
    blocks = [block.partition("```")[0] for block in PAGE.read_text(encoding="utf-8").split("```yaml\n")[1:]]
    ours = next(block for block in blocks if block.startswith("policy: ours"))
    words = next(block for block in blocks if "lexicon: our-words" in block)
    (tmp_path / "policy.yaml").write_text(ours, encoding="utf-8")
    (tmp_path / "our-words.yaml").write_text(words, encoding="utf-8")
    policy = load_policy(str(tmp_path / "policy.yaml"))
    chain = [rule.id for rule in policy.rules]
    completing = [
        rule.id for rule in policy.rules if rule.stage == "after_iteration" and rule.exit_class == "complete"
    ]
    assert completing[0] == "plan_complete"
    assert chain.index("lint_fails") < chain.index("plan_complete")
    assert "stagnation" not in chain
    assert next(rule.effect for rule in policy.rules if rule.id == "low_confidence") == "warn"
    assert policy.parameters["stagnation_loops"].value == 5
    stories = next(entry for entry in policy.extractions if entry.prefix == "stories")
    assert stories.options["file"] == ["plans/stories.json"]
