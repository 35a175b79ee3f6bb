"""Ralph's policies changed by one step fail their own tests.yaml: each threshold and each guard is pinned."""

from __future__ import annotations

from pathlib import Path

import pytest
from changed_policy import fails


def steps(parameter: str, kind: str, value: int) -> list[tuple[str, str]]:
    """Return a parameter's default changed to one less and one more."""
    written = f"{parameter}: {{type: {kind}, default: "
    return [(f"{written}{value},", f"{written}{value + by},") for by in (-1, 1)]


#: Text of the policy and what it is changed into; each changes at least one decision.
MUTANTS = {
    "ralph": [
        *steps("min_indicators", "count", 2),
        *steps("claim_loops", "count", 3),
        *steps("test_loops", "count", 3),
        *steps("same_loops", "count", 3),
        *steps("decline", "percent", 70),
        *steps("decline_loops", "count", 3)[:1],
        ("default: HOOK", "default: LOOP"),
        ("default: COMPLETE", "default: DONE"),
        ("status.status is BLOCKED\n    after", "status.status is BLOCKED and not @signalled\n    after"),
        ('"@signalled and not @contradicted"', '"@signalled"'),
        ("@promised and not @says_no and not @contradicted", "@promised and not @contradicted"),
        ("@promised and not @says_no and not @contradicted", "@promised and not @says_no"),
        ("@complete_said and not @says_no and not @contradicted", "@complete_said and not @contradicted"),
        ("@claimed and @witnessed and not @contradicted", "@claimed and not @contradicted"),
        ("@claimed and @witnessed and not @contradicted", "@claimed and @witnessed"),
        ("and not questions.asked", ""),
        ("when: not status.present and completion", "when: completion"),
        ("(@tests_only and not @finished_something)", "(@tests_only)"),
        ("or (status.work_type is unknown and tests.only)", ""),
        ("and not @moved) for $claim", ") for $claim"),
        ("unreadable: false ", "unreadable: true "),
        ("stories.true <= previous", "stories.true < previous"),
        ("stories.complete is known and stories.complete) or", "tasks.done < 0) or"),
        ("or (tasks.blocking_open is known and tasks.blocking_open > 0)", ""),
        ("or (status.tests_status is known and status.tests_status is FAILING)", ""),
        ("{status: IN_PROGRESS, exit_signal: true}", "{status: BLOCKED, exit_signal: true}"),
        ("is unknown and tasks.total is unknown and status.tasks", "is known and status.tasks"),
    ],
    "ralph-faithful": [
        *steps("min_indicators", "count", 2),
        *steps("unchanged_loops", "count", 3),
        *steps("error_loops", "count", 5),
        *steps("test_loops", "count", 3),
        *steps("decline", "percent", 70),
        ("default: LOOP", "default: HOOK"),
        ("default: WARNS", "default: EXITS"),
        ("apply: []                     #", "apply: [hypothetical] #"),
        ("indicators.signals >= $min_indicators and status", "completion.signals >= 2 and status"),
        ("not status.present and completion", "not status.present and indicators"),
        ("status.exit_signal is false\n    continue", "status.exit_signal is unknown\n    continue"),
        ("lexicon: ralph-patterns, overlap: all", "lexicon: ralph-patterns"),
        ("count(errors.present, last 3) == 0\n      or", "false\n      or"),
        ("== count(errors.count >= 0, last 3)", ">= 1"),
        ("distinct(errors.signature, last 3) == 1", "distinct(errors.signature, last 3) >= 1"),
        ("unreadable: false ", "unreadable: true "),
        ("or (status.files_modified is unknown and git.files_changed == 0)", ""),
        ('close: "@changed"', "close: status.tasks_completed > 0"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new"), [(n, *change) for n, all_ in MUTANTS.items() for change in all_]
)
def test_a_changed_policy_fails_its_tests(name: str, old: str, new: str, tmp_path: Path) -> None:
    assert fails(name, old, new, tmp_path)
