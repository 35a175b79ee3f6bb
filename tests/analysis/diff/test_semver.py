"""Which part of a version says what changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import each
from compared_policies import two
from hypothesis import given
from hypothesis import strategies as st

from exitgate.analysis.diff import semver as judging
from exitgate.analysis.diff.semantic import decision_changes, invisible_changes
from exitgate.analysis.diff.semver import level_of, raised, version_needs
from exitgate.analysis.diff.textual import text_changes
from exitgate.analysis.lint.lints.style import version_not_raised
from exitgate.analysis.results.comparison import LEVELS, MAJOR, MINOR, PATCH, TABLE, summary
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.extending.semver import accepts, version

RULE = "  - {id: doubt"
#: A piece of the policy, what stands there now, the level, and a piece of the reason.
CASES = {
    "a title": ("title: Ours", "title: Theirs", PATCH, "words"),
    "a message": ("nothing moves", "it stands", PATCH, "words"),
    "the words on a parameter": ("doc: Enough.", "doc: Done.", PATCH, "words"),
    "the words on points": ("because: all done", "because: done", PATCH, "words"),
    "a parameter added": ("lists:", "  more: {type: count, default: 1}\nlists:", MINOR, "added"),
    "wider bounds": ("max: 9", "max: 10", MINOR, "more values"),
    "a warning added": (RULE, "  - {id: new, when: sure.found_, warn: true}\n" + RULE, MINOR, "added"),
    "a shadow rule added": (
        RULE, "  - {id: new, when: tasks.total > 3, exit: review, mode: shadow}\n" + RULE, MINOR, "added",
    ),
    "a rule that never decides": (
        RULE, "  - {id: new, when: tasks.percent >= $goal, exit: review}\n" + RULE, MINOR, "added",
    ),
    "a condition said otherwise": (
        "tasks.percent >= $goal", "not (tasks.percent < $goal)", MINOR, "written differently",
    ),
    "a warning's condition": ("score < 50", "score < 70", MINOR, "a warning differs"),
    "an invariant": ("always: exit}", "always: halted}", MINOR, "invariants changed"),
    "a profile added": ("profiles: {", "profiles: {quick: {goal: 60}, ", MINOR, "added"),
    "points": ("add: 60", "add: 61", MINOR, "computed"),
    "a threshold": ("tasks.percent >= $goal", "tasks.percent > $goal", MAJOR, "decided differently"),
    "a class": ("exit: stuck", "exit: review", MAJOR, "decided differently"),
    "an outcome": ("exit: stuck", "exit: stuck, outcome: lost", MAJOR, "decided differently"),
    "a rule that decides": (
        RULE, "  - {id: new, when: tasks.total > 3, exit: review}\n" + RULE, MAJOR, "decided",
    ),
    "a default": ("default: 80", "default: 81", MAJOR, "default"),
    "a default that seldom decides": ("type: count, default: 2", "type: count, default: 3", MAJOR, "default"),
    "tighter bounds": ("max: 9", "max: 8", MAJOR, "not"),
    "a rule's id": ("id: stale", "id: no_progress", MAJOR, "was called `stale`"),
    "a warning's id": ("id: doubt", "id: doubts", MAJOR, "was called"),
    "a condition's name": ("all_done:", "done:", MAJOR, "removed"),
    "a list's name": ("later: [", "soon: [", MAJOR, "removed"),
    "a profile's values": ("goal: 100}", "goal: 99}", MAJOR, "something else"),
    "a lock": ("exit: stuck,", "exit: stuck, locked: true,", MAJOR, "locked"),
    "what is read": ("[done, finished]", "[done]", MAJOR, "cannot be seen"),
    "the source": ("from: response", "from: output", MAJOR, "cannot be seen"),
    "the breaker": ("for 5 iter", "for 6 iter", MAJOR, "breaker"),
    "silence": ("exit_after: 5", "exit_after: 6", MAJOR, "silence"),
    "the name": ("policy: ours", "policy: theirs", MAJOR, "another name"),
}  # fmt: skip


@each("name", CASES)
def test_a_change_asks_for_its_level(tmp_path: Path, name: str) -> None:
    old, new, level, why = CASES[name]
    sides = two(tmp_path, (old, new.replace("sure.found_", "sure.present")))
    changes = text_changes(*sides)
    walked = decision_changes(sides[0].policy, sides[1].policy, Limits(seconds=20.0, points=10**9))
    found = version_needs(sides, changes, walked, invisible_changes(changes))
    assert level_of(found) == level
    assert [need.level for need in found] == sorted(
        (need.level for need in found), key=lambda one: -LEVELS.index(one)
    )
    assert any(why in need.why for need in found if need.level == level)
    for need in found:
        rows = [row for row in TABLE.values() if need.why.startswith(row.why.partition("`{}`")[0])]
        assert need.level in {row.level for row in rows}, need.why


def test_lint_and_release_check_say_the_same_of_every_kind_of_change() -> None:
    """What lint advises is the table that `release-check` judges by, and each kind has one level."""
    lint = Path(version_not_raised.__file__).read_text(encoding="utf-8")
    assert "summary(level)" in lint and not re.search(r"(patch|minor|major) for", lint)
    of_kind = {
        row.what: {one.level for one in TABLE.values() if one.what == row.what} for row in TABLE.values()
    }
    assert [what for what, levels in of_kind.items() if len(levels) > 1] == []
    for row in TABLE.values():
        assert [level for level in LEVELS if row.what in summary(level).split(", ")] == [row.level]


def test_every_kind_of_change_is_one_that_something_is_judged_by() -> None:
    judged = Path(judging.__file__).read_text(encoding="utf-8")
    assert [kind for kind in TABLE if f'"{kind}"' not in judged] == []


def test_nothing_changed_asks_for_nothing(tmp_path: Path) -> None:
    sides = two(tmp_path, ("nothing moves", "nothing  moves"), ("nothing  moves", "nothing moves"))
    walked = decision_changes(sides[0].policy, sides[1].policy, Limits())
    assert version_needs(sides, text_changes(*sides), walked, invisible_changes(())) == ()


@pytest.mark.parametrize(
    ("before", "patch", "minor", "major"),
    [
        ("1.2.3", "1.2.4", "1.3.0", "2.0.0"),
        ("0.2.3", "0.2.4", "0.2.4", "0.3.0"),
        ("0.0.3", "0.0.4", "0.0.4", "0.0.4"),
        ("9.9.9", "9.9.10", "9.10.0", "10.0.0"),
    ],
)
def test_the_smallest_version_that_says_so(before: str, patch: str, minor: str, major: str) -> None:
    assert [raised(before, level) for level in LEVELS] == [patch, minor, major]


@given(st.tuples(*[st.integers(0, 50)] * 3), st.sampled_from(LEVELS))
def test_a_range_of_compatible_versions_breaks_at_major_changes_alone(
    numbers: tuple[int, int, int], level: str
) -> None:
    before = ".".join(map(str, numbers))
    after = raised(before, level)
    assert version(after) > version(before)
    if level == MAJOR or numbers[:2] != (0, 0):
        assert accepts(f"^{before}", after) == (level != MAJOR)
