"""What completion offers outside of conditions."""

from __future__ import annotations

from pathlib import Path

import pytest
from workspace import BASE, CHILD, FILES, SETTINGS, TESTS, cut, page

from exitgate.surfaces.lsp.completion.complete import complete
from exitgate.surfaces.lsp.completion.item import Item


def offered(root: Path, name: str, marked: str) -> dict[str, Item]:
    text, at = cut(marked)
    return {item.label: item for item in complete(page(root, name, text), at).items}


IN_POLICY = [
    # what is typed at the end of the policy, offered, not offered
    ("│", "profiles invariants circuit otherwise", "policy rules facts"),
    ("pro│", "profiles", "rules"),
    ("circuit:\n  │", "open close cooldown from", "rules"),
    ("circuit:\n  open:\n    - id: x\n      when: tasks.do│", "tasks.done", "open"),
    ("circuit:\n  cooldown: │", "$loops", "open"),
    ("otherwise: │", "continue", "exit"),
    ("otherwise:\n  │", "because continue", "exit"),
    ("profiles:\n  careful:\n    │", "goal loops", "tasks.done"),
    ("invariants:\n  - id: a\n    │", "given always never doc", "when id"),
    ("invariants:\n  - id: a\n    always: │", "exit continue complete", "given"),
    ("mask: {lexicon: │}", "secrets", "policy"),
    ("undetermined: {│}", "exit_after", "because"),
]
IN_RULES = [
    ("  - │", "id when exit warn because", "rules policy"),
    ("  - id: new\n    │", "when exit because stage mode", "id"),
    ("  - id: new\n    wh│", "when", "id"),
    ("  - {id: new, │}", "when exit", "id"),
    ("  - id: new\n    exit: │", "complete stuck blocked", "when tasks.done"),
    ("  - id: new\n    stage: │", "before_iteration after_failure", "complete"),
    ("  - id: new\n    mode: │", "warn shadow enforce", "complete"),
    ("  - id: new\n    locked: │", "true false", "complete"),
    ("  - id: new\n    before: │", "broken enough still", "complete"),
    ("  - id: new\n    when: @fin│", "@finished", "tasks.done"),
    ('  - id: new\n    when: "@│"', "@finished", "tasks.done"),
    ("  - id: new\n    when:\n      all:\n        - │", "tasks.done any not", "when"),
    ("  - id: new\n    when:\n      │", "all any not tasks.done", "when"),
    ("  - id: new\n    when: >\n      tasks.done > 1 and\n      tasks.pe│", "tasks.percent", "all"),
    ('  - id: new\n    because: "{│', "tasks.done $goal history(…)", "when"),
    ("  - id: new\n    because: no br│ace", "", "tasks.done"),
    ('  - id: new\n    because: "{tasks.done} and │"', "", "tasks.done"),
]
IN_FACTS = [
    ("  more: {extract: │}", "checklist phrases status_block", "tasks"),
    ("  more:\n    │", "extract from points formula", "rules"),
    ("  more:\n    extract: status_block\n    │", "fields name from", "extract signals optional_sections"),
    ("  more: {extract: checklist, │}", "optional_sections grammar", "extract fields"),
    ("  more: {extract: checklist, grammar: │}", "$loops", "tasks"),
    ("  more: {extract: checklist, from: │}", "plan response output", "checklist"),
    ("  more: {extract: phrases, lexicon: │}", "errors completion", "tasks"),
    ("  more: {extract: progress, signals: [│]}", "tasks.done errors.count", "checklist"),
    ("  more: {extract: checklist, optional_sections: {list: │}}", "later", "tasks"),
    ("  more: {formula: │}", "tasks.done", "checklist"),
    ("  more: {points: [{when: │, add: 3}]}", "tasks.done", "checklist"),
]


@pytest.mark.parametrize(("typed", "there", "absent"), IN_POLICY)
def test_in_a_policy(typed: str, there: str, absent: str, root: Path) -> None:
    check(offered(root, "base/policy.yaml", BASE + typed + "\n"), there, absent)


@pytest.mark.parametrize(("typed", "there", "absent"), IN_RULES)
def test_in_rules(typed: str, there: str, absent: str, root: Path) -> None:
    check(offered(root, "base/policy.yaml", BASE + typed + "\n"), there, absent)


@pytest.mark.parametrize(("typed", "there", "absent"), IN_FACTS)
def test_in_facts(typed: str, there: str, absent: str, root: Path) -> None:
    text = BASE.replace("conditions:\n", typed + "\nconditions:\n")
    check(offered(root, "base/policy.yaml", text), there, absent)


def check(found: dict[str, Item], there: str, absent: str) -> None:
    assert set(there.split()) <= found.keys()
    assert not set(absent.split()) & found.keys()


IN_TESTS = [
    ("  - name: x\n    │", "facts history sources expect set", "name tests"),
    ("  - name: x\n    facts:\n      │", "tasks.done status.state errors.count", "goal"),
    ("  - name: x\n    facts: {status.state: │}", "RUNNING DONE", "tasks.done"),
    ("  - name: x\n    facts: {moved.made: │}", "true false", "tasks.done"),
    ("  - name: x\n    set: {│}", "goal loops", "tasks.done"),
    ("  - name: x\n    expect: {rule: │}", "broken enough still", "tasks.done"),
    ("  - name: x\n    expect: {class: │}", "complete stuck", "enough"),
    ("  - name: x\n    expect: {verdict: │}", "EXIT CONTINUE", "enough"),
    ("  - name: x\n    expect: {undetermined: [│]}", "enough still", "tasks.done"),
    ("  - name: x\n    table: {columns: [│]}", "tasks.done $goal verdict rule", "enough"),
]


@pytest.mark.parametrize(("typed", "there", "absent"), IN_TESTS)
def test_in_policy_tests(typed: str, there: str, absent: str, root: Path) -> None:
    check(offered(root, "base/tests.yaml", TESTS + typed + "\n"), there, absent)


IN_SETTINGS = [
    ("  │", "loops profile mode lists", "goal policy rules"),
    ("  profile: x\n  mode: │", "warn shadow", "loops"),
]


@pytest.mark.parametrize(("typed", "there", "absent"), IN_SETTINGS)
def test_in_settings(typed: str, there: str, absent: str, root: Path) -> None:
    check(offered(root, ".bb3/config.yaml", SETTINGS + typed + "\n"), there, absent)


def test_settings_change_only_rules_that_are_not_locked(root: Path) -> None:
    text = "exit_decision:\n  policy: ../base/policy.yaml\n  rules:\n    │\n"
    check(offered(root, ".bb3/config.yaml", text), "enough still", "broken")


def test_settings_name_a_policy(root: Path) -> None:
    check(offered(root, ".bb3/config.yaml", "exit_decision:\n  policy: │\n"), "bb3 recommended", "loops")


def test_a_policy_extends_a_shipped_one_in_its_version(root: Path) -> None:
    found = offered(root, "base/policy.yaml", "policy: x\nformat: 1\nversion: 1.0.0\nextends: │\n")
    assert found["bb3@^2"].detail.startswith("2.")


def test_names_of_an_extended_policy_are_offered(root: Path) -> None:
    found = offered(root, "child/policy.yaml", CHILD + "  - id: more\n    when: │\n")
    check(found, "tasks.done $goal @finished errors.count status.state", "")


def test_an_unsaved_parent_counts(root: Path) -> None:
    text, at = cut(CHILD + "  - id: more\n    when: $│\n")
    other = {"base/policy.yaml": BASE.replace("  goal:", "  fresh: {type: count, default: 1}\n  goal:")}
    found = {item.label for item in complete(page(root, "child/policy.yaml", text, **other), at).items}
    assert {"$fresh", "$goal"} <= found


def test_lexicons_are_completed_by_their_format(root: Path) -> None:
    text = FILES["base/words.yaml"]
    check(offered(root, "base/words.yaml", text + "    │\n"), "weight guards within", "id phrase entries")
    check(offered(root, "base/words.yaml", text + "    guards: [│]\n"), "negated quoted", "weight")


@pytest.mark.parametrize("typed", ["# when: tasks.│", "title: x # │"])
def test_nothing_is_offered_in_a_comment(typed: str, root: Path) -> None:
    assert offered(root, "base/policy.yaml", BASE + typed + "\n") == {}


def test_nothing_is_offered_in_files_of_others(root: Path) -> None:
    assert offered(root, "other/compose.yaml", "services:\n  web:\n    │\n") == {}


def test_what_is_put_in_below_a_dash_stands_where_its_neighbours_stand(root: Path) -> None:
    found = offered(root, "base/policy.yaml", BASE + "  - │\n")
    # The editor puts the two blanks of the line itself before the second one.
    assert found["exit"].insert == "exit: "
    found = offered(root, "base/policy.yaml", BASE + "profiles:\n  a: {}\n│\n")
    assert found["circuit"].insert == "circuit:\n  "
    assert found["invariants"].insert == "invariants:\n  - "


def test_a_policy_with_a_fault_elsewhere_keeps_its_names(root: Path) -> None:
    text = (
        BASE.replace("because: no task was finished", "because: 'never closed")
        + "  - id: x\n    when: tas│\n"
    )
    check(offered(root, "base/policy.yaml", text), "tasks.done", "")
