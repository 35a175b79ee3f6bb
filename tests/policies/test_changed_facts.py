"""
What extractors are told, changed by one step, fails a policy's own tests.yaml.

`exitgate mutate` changes conditions, rules, points and thresholds, which `test_mutants.py` holds against the
cases. These changes it does not make: words, lexicons, guards and signals of facts, one fact in the place
of another, and what stands beside the rules.
"""

from __future__ import annotations

from pathlib import Path

from cases import each
from changed_policy import fails

BB3 = [
    ("tasks.done unchanged for $stag", "tasks.open unchanged for $stag"),
    ("exit: halted", "exit: stuck"),
    ("value: 90", "value: 80"),
    ("points: -10", "points: -20"),
    ("could, approximately", "approximately"),
]
#: Text of the policy and what it is changed into; each changes at least one fact or decision.
CHANGES = {
    "bb3": [
        *BB3,
        ("otherwise: unknown", "otherwise: 50"),
        ("negated: 30", "negated: 80"),
        ("exit_after: $blind_loops", "exit_after: 3"),
        ("exit_after: $blind_loops", "exit_after: 1"),
        ("negated, quoted", "quoted"),
        ("quoted, fenced", "fenced"),
        ("quoted, fenced, template", "quoted, template"),
        ("lexicon: errors", "words: [error]"),
    ],
    "bb3-faithful": [
        *BB3,
        ("otherwise: 50", "otherwise: 70"),
        ("grammar: literal", "grammar: gfm"),
        ("value: 60", "value: 70"),
        ("exception, failed, failure", "exception, failed"),
    ],
    "guardrails": [
        ("signals: [tasks.done, git.content]", "signals: [tasks.done]"),
        ("cooldown: $cooldown", "cooldown: 36m"),
        ("exit_after: $blind_loops", "exit_after: 3"),
    ],
    "loop-detection": [
        ("near: true}", "near: false}"),
        ("moves: falls", "moves: rises"),
        ("signals: [tasks.done, ", "signals: ["),
        ("first 120", "first 20"),
        ("mode: warn", "mode: enforce"),
        ("exit_after: 5", "exit_after: 6"),
        ("exit_after: 5", "exit_after: 4"),
        ("lexicon: signatures}", "lexicon: signatures-faithful}"),
    ],
    "loop-detection-faithful": [
        ("lexicon: signatures-faithful", "lexicon: signatures"),
    ],
    "ralph": [
        ("default: HOOK", "default: LOOP"),
        ("default: COMPLETE", "default: DONE"),
        ("unreadable: false ", "unreadable: true "),
        ("{status: IN_PROGRESS, exit_signal: true}", "{status: BLOCKED, exit_signal: true}"),
    ],
    "ralph-faithful": [
        ("default: LOOP", "default: HOOK"),
        ("default: WARNS", "default: EXITS"),
        ("apply: []                     #", "apply: [hypothetical] #"),
        ("indicators.signals >= $min_indicators and status", "completion.signals >= 2 and status"),
        ("not status.present and completion", "not status.present and indicators"),
        ("lexicon: ralph-patterns, overlap: all", "lexicon: ralph-patterns"),
        ("unreadable: false ", "unreadable: true "),
        ('close: "@changed"', "close: status.tasks_completed > 0"),
    ],
    "doyaken": [
        ("git.changed)\n", "git.uncommitted > 0)\n"),
        ("    lexicon: completion\n", ""),
    ],
    "doyaken-faithful": [
        ("git.uncommitted > 0", "git.changed"),
        ("warn: true\n    outcome", "exit: review\n    outcome"),
    ],
}


@each(("name", "old", "new"), [(n, *change) for n, all_ in CHANGES.items() for change in all_])
def test_a_changed_policy_fails_its_tests(name: str, old: str, new: str, tmp_path: Path) -> None:
    assert fails(name, old, new, tmp_path)
