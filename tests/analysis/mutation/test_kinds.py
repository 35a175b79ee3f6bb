"""Each kind of mutant: what it makes of a condition, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from small_policies import afters, compiled, rule

from exitgate.analysis.mutation.registry import KINDS, mutants
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import unparse
from exitgate.core.policy.compile import load_policy

#: Condition, kind, what its mutants read like.
TABLE = [
    ("tasks.done < 3", "comparison", ["tasks.done <= 3"]),
    ("tasks.done >= 3", "comparison", ["tasks.done > 3"]),
    ("tasks.done == 3", "comparison", ["tasks.done != 3"]),
    ("status.state is DONE", "comparison", ["status.state is not DONE"]),
    ("status.state not in [DONE, BUSY]", "comparison", ["status.state in [DONE, BUSY]"]),
    ("tasks.done rose by 10%", "comparison", ["tasks.done declined by 10%"]),
    ("tasks.done < 3", "boundary", ["tasks.done < 2", "tasks.done < 4"]),
    ("tasks.done >= 0", "boundary", ["tasks.done >= 1"]),
    ("tasks.percent > 99.5%", "boundary", ["tasks.percent > 99.4%", "tasks.percent > 99.6%"]),
    ("tasks.percent >= 100%", "boundary", ["tasks.percent >= 99%"]),
    ("run.elapsed > 1h30m", "boundary", ["run.elapsed > 1h29m", "run.elapsed > 1h31m"]),
    ("run.elapsed > 2h", "boundary", ["run.elapsed > 1h", "run.elapsed > 3h"]),
    ("run.cost > 0.5 USD", "boundary", ["run.cost > 0.4 USD", "run.cost > 0.6 USD"]),
    (
        "tasks.done between 2 and 3",
        "boundary",
        [
            "tasks.done between 1 and 3",
            "tasks.done between 3 and 3",
            "tasks.done between 2 and 2",
            "tasks.done between 2 and 4",
        ],
    ),
    ("tasks.complete and tasks.present", "connective", ["tasks.complete or tasks.present"]),
    (
        "tasks.complete or tasks.present and status.signal is true",
        "connective",
        [
            "tasks.complete and tasks.present and status.signal is true",
            "tasks.complete or tasks.present or status.signal is true",
        ],
    ),
    (
        "tasks.complete and tasks.present and status.signal is true",
        "dropped_part",
        [
            "tasks.present and status.signal is true",
            "tasks.complete and status.signal is true",
            "tasks.complete and tasks.present",
        ],
    ),
    (
        "streak(tasks.complete) skipping (tasks.present) >= 2",
        "dropped_part",
        ["streak(tasks.complete) >= 2"],
    ),
    ("not tasks.complete", "negation", ["tasks.complete", "not not tasks.complete"]),
    ("tasks.complete", "negation", ["not tasks.complete"]),
    ("tasks.done < 3", "negation", []),
    (
        "(tasks.done unchanged for 3 iterations)",
        "window",
        ["tasks.done unchanged for 2 iterations", "tasks.done unchanged for 4 iterations"],
    ),
    ("tasks.done unchanged for 1 iteration", "window", ["tasks.done unchanged for 2 iterations"]),
    (
        "at least 2 of last 3 where (tasks.complete)",
        "window",
        [
            "at most 2 of last 3 where (tasks.complete)",
            "at least 1 of last 3 where (tasks.complete)",
            "at least 3 of last 3 where (tasks.complete)",
            "at least 2 of last 2 where (tasks.complete)",
            "at least 2 of last 4 where (tasks.complete)",
        ],
    ),
    (
        "any of last 3 where (tasks.complete)",
        "window",
        [
            "all of last 3 where (tasks.complete)",
            "any of last 2 where (tasks.complete)",
            "any of last 4 where (tasks.complete)",
        ],
    ),
    ("status.signal is known", "unknown", ["status.signal is unknown"]),
    (
        "status.signal or else false",
        "unknown",
        ["status.signal", "status.signal or else true"],
    ),
    ("tasks.complete", "unknown", ["tasks.complete or else true"]),
    ("not tasks.complete", "unknown", ["not (tasks.complete or else false)"]),
    ("tasks.complete and $strict", "unknown", ["(tasks.complete or else true) and $strict"]),
    (
        "status.state is known and status.state is DONE and status.signal",
        "unknown",
        [
            "status.state is unknown and status.state is DONE and status.signal",
            "status.state is known and status.state is DONE and (status.signal or else true)",
        ],
    ),
    (
        "(tasks.done or else 0) > 3",
        "unknown",
        ["tasks.done > 3"],
    ),
    (
        "status.signal is known or status.signal",
        "unknown",
        [
            "status.signal is unknown or status.signal",
            "status.signal is known or (status.signal or else true)",
        ],
    ),
    (
        "status.signal is known and (status.signal) for 2 consecutive iterations",
        "unknown",
        [
            "status.signal is unknown and (status.signal) for 2 consecutive iterations",
            "status.signal is known and (status.signal or else true) for 2 consecutive iterations",
        ],
    ),
    (
        "count(tasks.complete, last 3) > 1",
        "unknown",
        [
            "(count(tasks.complete, last 3) > 1) or else true",
            "count(tasks.complete or else false, last 3) > 1",
            "count(tasks.complete or else true, last 3) > 1",
        ],
    ),
    ("status.state in [DONE, BUSY]", "member", ["status.state in [BUSY]", "status.state in [DONE]"]),
    ("status.state in [DONE]", "member", []),
    ("tasks.done + 1 > tasks.total", "arithmetic", ["tasks.done - 1 > tasks.total"]),
    (
        "min(tasks.done, tasks.total) > 1",
        "arithmetic",
        ["max(tasks.done, tasks.total) > 1"],
    ),
]


@each(("when", "kind", "expected"), TABLE)
def test_what_a_kind_makes_of_a_condition(tmp_path: Path, when: str, kind: str, expected: list[str]) -> None:
    assert afters(compiled(tmp_path, rule(when)), kind, "one") == expected


def test_every_kind_is_in_the_table_or_has_a_test_of_its_own() -> None:
    assert set(KINDS) == {kind for _, kind, _ in TABLE} | {
        "dropped_rule", "swapped_rules", "effect", "points",
    }  # fmt: skip


def test_values_of_parameters_that_conditions_use_move_within_their_bounds(tmp_path: Path) -> None:
    when = (
        "tasks.percent >= $least and tasks.done unchanged for $loops iterations and run.elapsed > $limit "
        "and status.signal is $strict"
    )
    policy = compiled(tmp_path, rule(when, more="    advice: up to {$unused}\n"))
    found = [(one.subject, one.before, one.after) for one in mutants(policy, ["boundary"])]
    assert found == [
        ("$least", "80%", "81%"),
        ("$loops", "3", "2"),
        ("$loops", "3", "4"),
        ("$limit", "30m", "29m"),
        ("$limit", "30m", "31m"),
        ("$strict", "true", "false"),
    ]


CHAIN = """\
rules:
  - {id: first, when: tasks.complete, exit: complete, because: so}
  - {id: note, when: tasks.present, warn: true, because: so}
  - {id: again, stage: before_iteration, when: run.iterations > 9, exit: exhausted, because: so}
  - {id: second, when: tasks.done > 3, continue: true, because: so}
  - {id: silent, when: tasks.done > 4, exit: stuck, mode: shadow, because: so}
  - {id: mild, when: tasks.done > 5, exit: stuck, mode: warn, because: so}
  - {id: third, when: tasks.done > 6, exit: blocked, because: so}
"""


def test_rules_are_dropped_but_not_those_that_only_record(tmp_path: Path) -> None:
    found = mutants(compiled(tmp_path, CHAIN), ["dropped_rule"])
    assert [one.subject for one in found] == ["first", "note", "again", "second", "mild", "third"]
    policy = compiled(tmp_path, CHAIN)
    assert [rule.id for rule in found[3].of(policy).rules] == [
        "first", "note", "again", "silent", "mild", "third",
    ]  # fmt: skip


def test_neighbours_that_decide_one_stage_are_swapped(tmp_path: Path) -> None:
    policy = compiled(tmp_path, CHAIN)
    found = mutants(policy, ["swapped_rules"])
    assert [(one.before, one.after) for one in found] == [
        ("first, second", "second, first"),
        ("second, third", "third, second"),
    ]
    assert [rule.id for rule in found[1].of(policy).rules] == [
        "first", "note", "again", "third", "silent", "mild", "second",
    ]  # fmt: skip


def test_deciding_rules_get_another_verdict_or_class(tmp_path: Path) -> None:
    found = mutants(compiled(tmp_path, CHAIN), ["effect"])
    assert [(one.subject, one.before, one.after) for one in found] == [
        ("first", "exit: complete", "continue"),
        ("first", "exit: complete", "exit: review"),
        ("again", "exit: exhausted", "continue"),
        ("second", "continue", "exit: review"),
        ("third", "exit: blocked", "continue"),
        ("third", "exit: blocked", "exit: complete"),
    ]


POINTS = """\
  score:
    points:
      - {when: tasks.present, add: 30, because: a plan}
      - {when: tasks.complete, add: 80, because: done}
    range: [0, 100]
conditions:
  sure: score >= 90
rules:
  - {id: one, when: "@sure", warn: true, because: so}
"""


def test_points_move_by_one_are_dropped_and_their_range_moves_where_it_binds(tmp_path: Path) -> None:
    policy = compiled(tmp_path, POINTS)
    found = [(one.before, one.after) for one in mutants(policy, ["points"])]
    assert found == [
        ("add 30 when tasks.present", "add 29 when tasks.present"),
        ("add 30 when tasks.present", "add 31 when tasks.present"),
        ("add 30 when tasks.present", ""),
        ("add 80 when tasks.complete", "add 79 when tasks.complete"),
        ("add 80 when tasks.complete", "add 81 when tasks.complete"),
        ("add 80 when tasks.complete", ""),
        ("range [0, 100]", "range [0, 99]"),
        ("range [0, 100]", "range [0, 101]"),
        ("range [0, 100]", "range [1, 100]"),
    ]


def test_named_conditions_and_rows_of_points_are_mutated_where_they_stand(tmp_path: Path) -> None:
    policy = compiled(tmp_path, POINTS)
    found = {one.subject: one for one in mutants(policy, ["comparison", "negation"])}
    assert found["@sure"].after == "score > 90"
    assert unparse(found["@sure"].of(policy).conditions["sure"]) == "score > 90"
    assert [unparse(row.when) for row in found["score"].of(policy).derived[0].rows] == [
        "tasks.present", "not tasks.complete",
    ]  # fmt: skip


def used(*whens: str) -> str:
    """Return rules that use the conditions `sure` and `surest`, one with each `when`."""
    rules = "".join(
        f"  - {{id: r{i}, when: '{when}', warn: true, because: so}}\n" for i, when in enumerate(whens)
    )
    named = "conditions:\n  sure: {when: tasks.complete, doc: so}\n  surest: {when: '@sure', doc: so}\n"
    return f"{named}rules:\n{rules}"


@pytest.mark.parametrize(
    ("whens", "expected"),
    [
        (["@surest"], ["tasks.complete or else true"]),
        (
            ["(@surest) for 2 consecutive iterations", "tasks.present and @sure"],
            ["tasks.complete or else true"],
        ),
        (["not @surest"], ["tasks.complete or else false"]),
        (["@sure", "not @surest"], ["tasks.complete or else false", "tasks.complete or else true"]),
        (["count(@surest, last 3) > 1"], ["tasks.complete or else false", "tasks.complete or else true"]),
    ],
)
def test_what_is_not_known_of_a_named_condition_counts_as_where_it_is_used(
    tmp_path: Path, whens: list[str], expected: list[str]
) -> None:
    assert afters(compiled(tmp_path, used(*whens)), "unknown", "@sure") == expected


def test_conditions_that_decide_nothing_are_left_as_they_are(tmp_path: Path) -> None:
    assert {one.subject for one in mutants(compiled(tmp_path, used("tasks.present")))} == {"r0"}
    shadowed = used("@sure").replace("warn: true,", "exit: complete, mode: shadow,")
    assert {one.subject for one in mutants(compiled(tmp_path, shadowed))} == set()


def test_points_are_never_unknown(tmp_path: Path) -> None:
    afterwards = afters(compiled(tmp_path, POINTS), "unknown")
    assert afterwards
    assert not [after for after in afterwards if "score" in after]


BREAKER = """\
circuit:
  open:
    - {id: still, when: tasks.done unchanged for 3 iterations}
    - {id: same, when: tasks.total repeats 5 times}
  watch: tasks.done unchanged for 2 iterations
  close: tasks.complete
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: so}
"""


def test_conditions_of_the_breaker_are_mutated_and_its_reasons_to_open_dropped(tmp_path: Path) -> None:
    policy = compiled(tmp_path, BREAKER)
    found = {one.id: one for one in mutants(policy)}
    windows = found["circuit.still:window:1"].of(policy).breaker
    assert windows is not None
    assert [o.text for o in windows.openings] == [
        "tasks.done unchanged for 2 iterations", "tasks.total repeats 5 times",
    ]  # fmt: skip
    dropped = found["circuit.same:dropped_rule:1"].of(policy).breaker
    assert dropped is not None
    assert [o.id for o in dropped.openings] == ["still"]
    assert found["circuit.watch:window:2"].after == "tasks.done unchanged for 3 iterations"
    assert found["circuit.close:negation:1"].after == "not tasks.complete"


def test_a_longer_window_is_looked_back_for(tmp_path: Path) -> None:
    policy = compiled(tmp_path, rule("tasks.done unchanged for $loops iterations"))
    longer = next(one for one in mutants(policy, ["boundary"]) if one.after == "4")
    assert (policy.lookback, longer.of(policy).lookback) == (3, 4)


def test_what_the_compiler_refuses_is_no_mutant(tmp_path: Path) -> None:
    exits = compiled(tmp_path, rule("tasks.complete and not tasks.present", "exit: complete"))
    assert afters(exits, "unknown") == []
    allowed = "exit: complete\n    on_silence: exit\n    why: so"
    loose = compiled(tmp_path, rule("tasks.complete and not tasks.present", allowed))
    assert len(afters(loose, "unknown")) == 2
    steps = rule("(tasks.complete) for $loops consecutive iterations", "exit: complete")
    one = compiled(tmp_path, steps.replace("rules:", "rules:"))
    assert [m.after for m in mutants(one, ["boundary"])] == ["2", "4"]


def test_a_step_below_the_shortest_window_is_no_mutant(tmp_path: Path) -> None:
    text = rule("(tasks.complete) for $few consecutive iterations", "exit: complete")
    (tmp_path / "policy.yaml").write_text("")
    policy = compiled(tmp_path, text.replace("$few", "$loops")).but()
    least = policy.parameters["loops"].but(value=1, low=None)
    policy = policy.but(parameters={**policy.parameters, "loops": least})
    assert [m.after for m in mutants(policy, ["boundary"])] == ["2"]


@pytest.mark.parametrize("name", ["bb3", "doyaken", "loop-detection", "ralph-faithful"])
def test_every_mutant_of_a_shipped_policy_is_another_policy_that_reads_as_it_says(name: str) -> None:
    policy = load_policy(name)
    found = mutants(policy)
    assert len({one.id for one in found}) == len(found) > 0
    for one in found[::7]:
        changed = one.of(policy)
        assert changed.digest != policy.digest
        assert (changed.rules, changed.conditions, changed.derived, changed.breaker, changed.values()) != (
            policy.rules, policy.conditions, policy.derived, policy.breaker, policy.values(),
        )  # fmt: skip
        for rule_ in changed.rules:
            assert unparse(parse(unparse(rule_.when))) == unparse(rule_.when) == rule_.text


def test_ids_are_the_same_in_every_run() -> None:
    ids = [[one.id for one in mutants(load_policy("doyaken"))] for _ in range(2)]
    assert ids[0] == ids[1]


def test_only_what_is_asked_for_keeps_its_id() -> None:
    policy = load_policy("doyaken")
    all_of_them = mutants(policy)
    subject = all_of_them[40].subject
    some = mutants(policy, ["boundary", "effect"], subject)
    assert some == tuple(
        one for one in all_of_them if one.kind in ("boundary", "effect") and one.subject == subject
    )
