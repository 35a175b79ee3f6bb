"""What a change of a given fact asks of the version."""

from __future__ import annotations

from pathlib import Path

from cases import each

from exitgate.analysis.diff.semantic import decision_changes, invisible_changes
from exitgate.analysis.diff.semver import level_of, version_needs
from exitgate.analysis.diff.textual import text_changes
from exitgate.analysis.results.comparison import MAJOR, MINOR, PATCH, Side
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compile import load_policy

POLICY = """\
policy: p
format: 1
version: 1.0.0
given:
  ready: {type: bool, doc: A person says so.}
  tries: {type: count, range: [2, 9]}
rules:
  - {id: go, when: ready and tries > 3, exit: complete}
"""
CASES = {
    "words": ("A person says so.", "Somebody says so.", PATCH),
    "a wider range": ("[2, 9]", "[2, 10]", MINOR),
    "no upper bound": ("{type: count, range: [2, 9]}", "{type: count}", MINOR),
    "a narrower range": ("[2, 9]", "[2, 8]", MAJOR),
    "moved bounds": ("[2, 9]", "[3, 10]", MAJOR),
    "one more": ("  tries:", "  more: {type: text}\n  tries:", MINOR),
    "another type": ("tries: {type: count", "tries: {type: number", MAJOR),
}


@each("name", CASES)
def test_level(name: str, tmp_path: Path) -> None:
    old, new, level = CASES[name]
    assert POLICY.count(old) == 1
    sides = []
    for file, text in (("a.yaml", POLICY), ("b.yaml", POLICY.replace(old, new))):
        (tmp_path / file).write_text(text)
        sides.append(Side(file, load_policy(f"./{file}", base=str(tmp_path))))
    before, after = sides
    changes = text_changes(before, after)
    apart = decision_changes(before.policy, after.policy, Limits())
    assert invisible_changes(changes).reading == ()
    assert level_of(version_needs((before, after), changes, apart, invisible_changes(changes))) == level
