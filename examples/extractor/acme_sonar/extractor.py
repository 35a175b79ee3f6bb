"""The extractor `acme.sonar`: how many issues of a report there are, by severity."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

#: The contract with exitgate that this module keeps.
CONTRACT = 1
#: The source that it reads unless a policy names a file or another source.
SOURCE = "sonar"
#: Its options, each with a JSON Schema.
OPTIONS = {
    "at_least": {
        "description": "Issues that are less severe do not count.",
        "enum": ["minor", "major", "blocker"],
        "default": "minor",
    },
}
SEVERITIES = ("minor", "major", "blocker")


def facts(options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the facts that `extract` gives under these options."""
    del options
    return [
        {
            "name": "issues",
            "type": "count",
            "doc": "Issues that count.",
            "unknown": "the report has no issues list",
        },
        {
            "name": "worst",
            "type": "enum",
            "members": list(SEVERITIES),
            "doc": "Severity of the worst of them.",
        },
    ]


def extract(source: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """
    Return the value of each fact: plain JSON, or `unknown` with a reason.

    Args:
        source: `name`, `text`, `record` and `path` of what is read.
        options: As the policy has them.
    """
    try:
        issues = json.loads(source["text"])["issues"]
    except (ValueError, KeyError, TypeError) as error:
        return {name: {"unknown": f"the report cannot be read: {error}"} for name in ("issues", "worst")}
    least = SEVERITIES.index(options.get("at_least", "minor"))
    found = [SEVERITIES.index(one["severity"]) for one in issues]
    counted = [one for one in found if one >= least]
    if not counted:
        return {"issues": 0, "worst": {"unknown": "there are no issues"}}
    worst = SEVERITIES[max(counted)]
    start = source["text"].find(f'"{worst}"')
    return {"issues": len(counted), "worst": {"value": worst, "start": start, "end": start + len(worst) + 2}}
