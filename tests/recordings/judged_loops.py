"""Loops of a shell script on disk, as small as they can be, and a policy whose stops are easy to foretell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from exitgate.recordings.scoring.labels import Label, Labels

#: Stops where the agent has been sure enough for long enough; `word` is read by an extractor.
POLICY = """\
policy: sure
format: 1
version: 1.0.0
parameters:
  enough: {type: percent, default: 80, min: 10, doc: As sure as this.}
  patience: {type: count, default: 1, min: 1, max: 9, doc: So many times in a row.}
  word: {type: text, default: FINISHED, doc: The promise.}
facts:
  confidence:
    extract: graded_words
    from: response
    first: [{value: 90, words: [certain]}, {value: 60, words: [likely]}, {value: 20, words: [unsure]}]
    otherwise: unknown
    range: [0, 100]
  promise: {extract: promise, from: output, text: $word}
rules:
  - id: promised
    when: promise.emitted
    exit: idle
    because: It gave its promise
  - id: sure
    when: (confidence >= $enough) for $patience consecutive iterations
    exit: complete
    because: "Sure: {confidence}"
otherwise: continue
"""


def loop(folder: Path, name: str, responses: Sequence[str], cost: float | None = 0.5) -> Path:
    """Write a loop of as many iterations as there are responses."""
    place = folder / name
    place.mkdir(parents=True)
    for number, response in enumerate(responses, 1):
        result: dict[str, object] = {
            "type": "result", "subtype": "success", "is_error": False, "duration_ms": 1000, "num_turns": 2,
            "result": response, "session_id": f"{name}-{number}",
            "usage": {"input_tokens": 1, "output_tokens": 2},
        }  # fmt: skip
        if cost is not None:
            result["total_cost_usd"] = cost
        file = place / f"claude_output_2026-01-01_10-{number:02}-00.log"
        file.write_text(json.dumps(result), encoding="utf-8")
    (place / "ralph.log").write_text("[2026-01-01 10:00:00] [INFO] Starting Ralph loop\n", encoding="utf-8")
    return place


def policy(folder: Path) -> str:
    """Write the policy and return its path."""
    path = folder / "sure.yaml"
    path.write_text(POLICY, encoding="utf-8")
    return str(path)


def labels(**stops: object) -> Labels:
    """Return labels: a number, a pair, or None for `never`."""
    found = []
    for run, stop in stops.items():
        if stop is None:
            found.append(Label(run, None, None, never=True))
            continue
        first, last = stop if isinstance(stop, tuple) else (stop, stop)
        found.append(Label(run, first, last, classes=("complete",)))
    return Labels(tuple(found))
