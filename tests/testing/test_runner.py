from __future__ import annotations

from collections.abc import Callable

import pytest

from exitgate.testing.cases.case import Result
from exitgate.testing.runner import failure_text

Run = Callable[..., list[Result]]


def passed(results: list[Result]) -> bool:
    assert results
    return not any(result.failures for result in results)


def test_given_facts_win_over_sources(run: Run) -> None:
    assert passed(
        run(
            "  - name: a\n    sources: {plan: '- [x] a'}\n    facts: {tasks.percent: 10}\n"
            "    expect: {facts: {tasks.percent: 10, tasks.done: 1}, verdict: CONTINUE}\n"
        )
    )


def test_given_counts_make_the_percentage(run: Run) -> None:
    assert passed(
        run(
            "  - name: a\n    facts: {tasks.total: 3, tasks.open: 1}\n"
            "    expect: {facts: {tasks.done: 2, tasks.percent: 66.67, tasks.complete: false, left: 1}}\n"
            "  - name: b\n    facts: {tasks.total: 0, tasks.done: 0}\n"
            "    expect: {facts: {tasks.percent: unknown}}\n"
            "  - name: c\n    facts: {tasks.total: 5, tasks.done: 5, tasks.percent: unknown}\n"
            "    expect: {facts: {tasks.percent: unknown}, rule: ~}\n"
        )
    )


def test_a_given_formula_is_kept(run: Run) -> None:
    assert passed(
        run("  - name: a\n    facts: {left: 1}\n    expect: {facts: {left: 1}, warnings: [few_left]}\n")
    )


def test_history_is_asked_at_every_iteration(run: Run) -> None:
    assert passed(
        run(
            "  - name: a\n    facts: {tasks.total: 9}\n    history: {tasks.done: '1 2 2x3 3'}\n"
            "    expect_at:\n"
            "      '1': {verdict: CONTINUE, pending: {still: ~}}\n"
            "      '4': {verdict: CONTINUE, pending: {still: 2 of 3}}\n"
            "      '5': {rule: still, class: stuck}\n"
            "    expect: {verdict: CONTINUE}\n"
        )
    )


def test_unknown_samples_make_a_rule_undetermined(run: Run) -> None:
    assert passed(
        run(
            "  - name: a\n    facts: {circuit.state: CLOSED, tasks.percent: 10}\n"
            "    history: {tasks.done: '2 _ 2 2'}\n"
            "    expect: {undetermined: [few_left, still], firm: false, alternatives: [still]}\n"
        )
    )


def test_earlier_sources_are_read_like_the_current_ones(run: Run) -> None:
    plan = "- [x] a\\n- [ ] b\\n- [ ] c\\n"
    earlier = "".join(f'      - plan: "{plan}"\n' for _ in range(3))
    assert passed(
        run(
            f'  - name: a\n    earlier:\n{earlier}    sources: {{plan: "{plan}"}}\n'
            "    expect: {rule: still}\n"
        )
    )


def test_settings(run: Run) -> None:
    results = run(
        "  - name: a\n    facts: {tasks.total: 10}\n"
        "    table:\n      columns: [tasks.done, $enough, verdict]\n"
        "      rows:\n        - [8, 80, EXIT]\n        - [8, 90, CONTINUE]\n        - [9, 90%, EXIT]\n"
    )
    assert passed(results)
    assert [result.case.name for result in results] == [
        "a [tasks.done 8, $enough 80]",
        "a [tasks.done 8, $enough 90]",
        "a [tasks.done 9, $enough 90%]",
    ]


def test_an_agent_that_failed_asks_the_rules_for_that(run: Run) -> None:
    assert passed(
        run(
            "  - name: a\n    agent_exit: 3\n    expect: {rule: broke, class: failed, message: with 3}\n"
            "  - name: b\n    agent_exit: 3\n    stage: after_iteration\n    expect: {rule: ~}\n"
            "  - name: c\n    agent_exit: 0\n    expect: {rule: ~, facts: {run.failed: false}}\n"
        )
    )


def test_records_as_sources(run: Run) -> None:
    assert passed(
        run(
            "  - name: a\n    sources: {circuit: {state: open, reason: heat}}\n"
            "    expect: {rule: open, message: {exact: 'Breaker: heat'}}\n"
        )
    )


@pytest.mark.parametrize(
    ("cases", "parts"),
    [
        (
            "  - name: nearly\n    note: one is missing\n    facts: {tasks.total: 10, tasks.done: 7}\n"
            "    expect:\n      rule: enough\n",
            ["tests.yaml:3:", ": nearly", "one is missing",
             "tests.yaml:7:13: rule: expected enough, got none",
             "rule `enough` is false: ", "70%", "80%"],
        ),
        (
            "  - name: overruled\n    facts: {circuit.state: OPEN, tasks.percent: 90}\n"
            "    expect: {rule: enough}\n",
            ["rule `enough` is true", "but `open`, which comes before it, decided", "rule `open` is true"],
        ),
        (
            "  - name: unsaid\n    expect: {rule: enough}\n",
            ["rule `enough` is unknown", "unknown: tasks.percent, no plan was given"],
        ),
        (
            "  - name: soon\n    facts: {tasks.total: 9}\n    history: {tasks.done: 1 2 2 2}\n"
            "    expect: {rule: still}\n",
            ["rule at iteration 4 of 4: expected still, got none", "pending 2 of 3"],
        ),
        (
            "  - name: elsewhere\n    expect: {rule: broke}\n",
            ["rule `broke` belongs to stage after_failure, this case tests after_iteration"],
        ),
        (
            "  - name: count\n    sources:\n      plan: |\n        - [x] paint the fence\n"
            "        - [ ] other\n"
            "    expect: {facts: {tasks.done: 2}}\n",
            ["facts of `tasks.done`: expected 2, got 1", "plan:1:", "paint the fence"],
        ),
    ],
)  # fmt: skip
def test_what_a_failure_says(run: Run, cases: str, parts: list[str]) -> None:
    (result,) = run(cases)
    text = failure_text(result)
    for part in parts:
        assert part in text, text
