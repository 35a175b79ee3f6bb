"""Where a leaf counts: only where the decision rests on it."""

from __future__ import annotations

from pathlib import Path

from small_suites import decided, part, shown, truths

CHAIN = """
rules:
  - {id: first, when: tasks.done >= 5, exit: complete, because: a}
  - {id: shadowed, when: tasks.total > 8, mode: shadow, exit: review, because: b}
  - {id: second, when: errors.count > 2 and tasks.total > 3, exit: stuck, because: c}
  - {id: nudge, when: errors.count > 0, warn: true, because: d}
  - {id: softened, when: errors.count > 1, mode: warn, exit: failed, because: e}
  - {id: late, when: tasks.done is 0, stage: before_iteration, continue: true, because: f}
undetermined: {exit_after: 2}
"""


def test_a_rule_behind_the_one_that_decided_was_not_asked(tmp_path: Path) -> None:
    found = shown(
        tmp_path,
        CHAIN,
        """tests:
  - {name: a, facts: {tasks.done: 5, tasks.total: 9, errors.count: 3}, expect: {rule: first}}
""",
    )
    assert truths(found, "first", "tasks.done >= 5") == "T"
    assert truths(found, "second", "errors.count > 2") == ""
    assert truths(found, "shadowed", "tasks.total > 8") == "" and not decided(found, "shadowed").shown_by
    assert truths(found, "nudge", "errors.count > 0") == "T" and decided(found, "nudge").shown_by == "a"
    assert truths(found, "softened", "errors.count > 1") == "T" and decided(found, "softened").shown_by == "a"
    assert truths(found, "late", "tasks.done is 0") == ""


def test_leaves_count_although_the_one_beside_them_settles_the_matter(tmp_path: Path) -> None:
    found = shown(
        tmp_path,
        CHAIN,
        """tests:
  - {name: a, facts: {tasks.done: 1, tasks.total: 4, errors.count: 0}, expect: {rule: ~}}
  - {name: b, facts: {tasks.done: 1, tasks.total: 9}, expect: {rule: ~, shadows: [shadowed]}}
""",
    )
    assert truths(found, "second", "errors.count > 2") == "FU"
    assert truths(found, "second", "tasks.total > 3") == "T"
    assert decided(found, "shadowed").shown_by == "b"
    assert not decided(found, "second").shown_by
    assert truths(found, "nudge", "errors.count > 0") == "FU"


def test_each_stage_asks_its_own_rules(tmp_path: Path) -> None:
    found = shown(
        tmp_path,
        CHAIN,
        "tests: [{name: a, stage: before_iteration, facts: {tasks.done: 0}, expect: {rule: late}}]\n",
    )
    assert decided(found, "late").shown_by == "a"
    assert {
        truths(found, name, found_.text)
        for name in ("first", "second", "nudge")
        for found_ in part(found, name).leaves
    } == {""}


def test_results_are_classes_a_blind_end_and_no_rule(tmp_path: Path) -> None:
    tests = """tests:
  - {name: blind, history: {tasks.done: _x2}, expect_at: {"1": {rule: ~}, "2": {class: undetermined}}}
  - {name: done, facts: {tasks.done: 6}, expect: {class: complete}}
"""
    found = shown(tmp_path, CHAIN, tests)
    assert {name: aim.shown_by for name, aim in found.results.items()} == {
        "complete": "done", "stuck": "", "undetermined": "blind", "otherwise": "blind",
    }  # fmt: skip


ON_ITEMS = """
given:
  found: {type: list, item: text, doc: What was found.}
  flaws: {type: count, doc: Flaws.}
conditions:
  is_bad: {when: flaws > 3 or @is_many, doc: Too many.}
  is_many: {when: flaws is 2, doc: Two.}
rules:
  - {id: bad, when: 'any of found where (item contains "x" and @is_bad)', exit: stuck, because: a}
  - {id: two, when: 'count of found where (@is_many) >= 2', warn: true, because: b}
"""


def test_a_condition_that_is_named_only_within_items_is_asked_with_them(tmp_path: Path) -> None:
    tests = """tests:
  - {name: a, facts: {found: [x], flaws: 4}, expect: {rule: bad}}
  - {name: b, facts: {found: [y, z], flaws: 2}, expect: {rule: ~, warnings: [two]}}
  - {name: c, facts: {found: [], flaws: 1}, expect: {rule: ~}}
"""
    found = shown(tmp_path, ON_ITEMS, tests)
    assert truths(found, "is_bad", "flaws > 3") == "TF"
    assert truths(found, "is_many", "flaws is 2") == "TF"
    assert [leaf.text for leaf in part(found, "bad").leaves] == [
        'any of found where (item contains "x" and @is_bad)'
    ]


HISTORY = """
rules:
  - {id: still, when: (errors.count > 3) for 2 consecutive iterations, exit: stuck, because: a}
"""


def test_inside_a_history_form_a_leaf_counts_at_the_iterations_that_are_read(tmp_path: Path) -> None:
    tests = 'tests: [{{name: a, history: {{errors.count: "{0}"}}, expect: {{rule: ~}}}}]\n'
    assert truths(shown(tmp_path, HISTORY, tests.format("1 9")), "still", "errors.count > 3") == "TF"
    # The first of three is out of reach of the last.
    assert truths(shown(tmp_path, HISTORY, tests.format("9 1 1")), "still", "errors.count > 3") == "F"
    assert truths(shown(tmp_path, HISTORY, tests.format("1 _ 9")), "still", "errors.count > 3") == "TU"


NAMED = """
conditions:
  many: errors.count > 3
  unused: {when: tasks.total > 2, doc: only an invariant names it}
rules:
  - {id: first, when: tasks.done > 5, exit: complete, because: a}
  - {id: second, when: "@many", exit: stuck, because: b}
invariants:
  - {id: one, given: "@unused", never: failed}
"""


def test_a_named_condition_is_asked_where_a_part_that_names_it_was(tmp_path: Path) -> None:
    tests = (
        "tests: [{name: a, facts: {tasks.done: 6, errors.count: 4, tasks.total: 9}, expect: {rule: first}}]\n"
    )
    found = shown(tmp_path, NAMED, tests)
    assert truths(found, "many", "errors.count > 3") == ""
    assert truths(found, "unused", "tasks.total > 2") == "T"
    tests = "tests: [{name: a, facts: {tasks.done: 1, errors.count: 4}, expect: {rule: second}}]\n"
    assert truths(shown(tmp_path, NAMED, tests), "many", "errors.count > 3") == "T"


COMPUTED = """
facts:
  errors: {extract: error_lines, words: [error]}
  tasks: {extract: checklist, from: plan}
  score:
    points: [{when: errors.count is 0, add: 60, because: x}]
  progress: {extract: progress, signals: [tasks.done]}
circuit:
  open: [{id: errors, when: errors.count > 8}]
  watch: errors.count > 5
  close: errors.count < 3
rules:
  - {id: high, when: score > 50, exit: complete, because: a}
"""


def test_points_that_were_given_show_nothing_of_their_rows(tmp_path: Path) -> None:
    tests = "tests: [{{name: a, facts: {{errors.count: 0{0}}}, expect: {{rule: high}}}}]\n"
    computed = shown(tmp_path, COMPUTED, tests.format(""))
    assert truths(computed, "score", "errors.count is 0") == "T"
    given = shown(tmp_path, COMPUTED, tests.format(", score: 90"))
    assert truths(given, "score", "errors.count is 0") == ""
    assert truths(given, "high", "score > 50") == "T"


def test_the_breaker_is_asked_at_every_iteration_unless_its_state_was_given(tmp_path: Path) -> None:
    tests = """tests:
  - {{name: a, history: {{errors.count: "6 6 1 1 9"{0}}}, expect: {{facts: {{circuit.state: {1}}}}}}}
"""
    kept = shown(tmp_path, COMPUTED, tests.format("", "OPEN"))
    assert truths(kept, "open errors", "errors.count > 8") == "TF"
    assert truths(kept, "watch", "errors.count > 5") == "TF"
    assert truths(kept, "close", "errors.count < 3") == "TF"
    given = shown(tmp_path, COMPUTED, tests.format(", circuit.state: HALF_OPENx5", "HALF_OPEN"))
    assert truths(given, "open errors", "errors.count > 8") == ""


def test_settings_of_cases_show_a_parameter_both_ways(tmp_path: Path) -> None:
    policy = """
parameters:
  strict: {type: bool, default: false, doc: d}
  most: {type: count, default: 3, doc: d}
rules:
  - {id: errors, when: $strict and errors.count > $most, exit: stuck, because: a}
"""
    tests = """tests:
  - name: a
    facts: {errors.count: 4}
    table:
      columns: [$strict, $most, verdict]
      rows: [[true, 3, EXIT], [true, 4, CONTINUE], [false, 3, CONTINUE]]
"""
    found = shown(tmp_path, policy, tests)
    assert truths(found, "errors", "$strict") == "TF"
    assert truths(found, "errors", "errors.count > $most") == "TF"
    assert found.cases == 3
