"""What nobody wants need not be read: the facts are the same."""

from __future__ import annotations

import sys
from pathlib import Path

from cases import each
from compiled import shipped_policy

from exitgate.core.model import capabilities
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.shipped import policies
from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.model import collect
from exitgate.recordings.replay.extraction import wants_of
from exitgate.recordings.replay.replay import Extraction

sys.path.insert(0, str(Path(__file__).parents[1] / "readers"))

from claude_sessions import two_turns


@each("name", policies())
def test_facts_are_those_of_everything(tmp_path, name):
    path = tmp_path / "s.jsonl"
    path.write_text(two_turns().text(), encoding="utf-8")
    policy = shipped_policy(name)
    found = []
    for wants in (capabilities.ALL, wants_of([policy])):
        (run,), _ = collect(registry.load("claude-session").read(Location(str(path)), wants), name)
        extraction = Extraction(policy, run.begin)
        steps = [extraction.step(one) for one in run.iterations]
        found.append([(step.facts, step.reported, step.responded, step.ended_at) for step in steps])
    assert found[0] == found[1]


POLICY = """
policy: p
format: 1
version: 1.0.0
title: One
facts:
  a: {extract: phrases, from: SOURCE, phrases: [x]}
rules:
  - {id: a, when: a.found, exit: idle, because: a}
otherwise: continue
"""


def test_a_source_that_is_not_known_wants_everything(tmp_path):
    wanted = []
    for source in ("response", "diff", "tool_results"):
        path = tmp_path / "policy.yaml"
        path.write_text(POLICY.replace("SOURCE", source), encoding="utf-8")
        wanted.append(wants_of([load_policy(str(path))]))
    assert capabilities.TOOL_RESULTS not in wanted[0]
    assert wanted[1] == capabilities.ALL
    assert capabilities.TOOL_RESULTS in wanted[2]
    assert wants_of([]) < wanted[2]
