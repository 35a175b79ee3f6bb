"""The naive way: `json` for every line, four patterns of `re` that ignore case, an if chain."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

POLICY = Path(__file__).parent / "replay_policy.yaml"


def patterns() -> dict[str, re.Pattern[str]]:
    """Return a pattern for each group of phrases of the policy."""
    document = yaml.safe_load(POLICY.read_text(encoding="utf-8"))
    return {
        name: re.compile(r"\b(?:" + "|".join(map(re.escape, fact["phrases"])) + r")\b", re.IGNORECASE)
        for name, fact in document["facts"].items()
    }


def walk(paths: list[str]) -> int:
    """Decide on each turn of session files; return how many turns there were."""
    found = patterns()
    decided = 0
    for path in paths:
        texts: list[str] = []
        with Path(path).open(encoding="utf-8") as file:
            for line in file:
                entry = json.loads(line)
                if entry["type"] == "user" and isinstance(entry["message"]["content"], str):
                    if texts:
                        decide("\n\n".join(texts), found)
                        decided += 1
                    texts = []
                elif entry["type"] == "assistant":
                    content = entry["message"]["content"]
                    texts += [block["text"] for block in content if block["type"] == "text"]
        if texts:
            decide("\n\n".join(texts), found)
            decided += 1
    return decided


def decide(text: str, found: dict[str, re.Pattern[str]]) -> str:
    """Return the verdict on a turn."""
    counts = {name: len(pattern.findall(text)) for name, pattern in found.items()}
    if counts["blocked"]:
        return "blocked"
    if counts["stuck"] >= 2:
        return "stuck"
    if counts["done"] >= 2 and counts["unsure"] < 3:
        return "complete"
    return "continue"
