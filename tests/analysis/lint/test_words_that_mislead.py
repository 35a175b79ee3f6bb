"""Lints on conditions that say something else than they seem to: what each finds, what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from lint_examples import DEFAULT, TESTS

from exitgate.analysis.lint import run as run_module
from exitgate.analysis.lint.bounds import iterations_needed
from exitgate.analysis.lint.lints.true_before_history import false_until, true_until
from exitgate.analysis.lint.loader import open_subject
from exitgate.core.engine.program import Program
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy

HEAD = """\
policy: team
format: 1
version: 1.0.0
parameters:
  most: {type: count, default: 10, min: 0, doc: Iterations of a run.}
  window: {type: count, default: 4, min: 1, doc: Iterations.}
facts:
  tasks: {extract: checklist, from: plan}
  tests: {extract: tests, from: output}
  each: {formula: run.cost / tasks.done}
"""
BOUND = (
    "  - {id: bound, when: $most > 0 and run.iterations >= $most, exit: exhausted, "
    "stage: before_iteration, because: x}\n"
)
END = "otherwise: continue\nundetermined: {exit_after: 5}\n"
NEW = (
    "breaker-never-opens", "gap-at-threshold", "overlap-at-threshold", "percent-compared-with-bare-number",
    "ratio-silent-at-zero", "threshold-outside-range", "true-before-history", "unit-slip",
    "window-beyond-bound",
)  # fmt: skip


def policy(folder: Path, rules: str, more: str = "") -> Path:
    (folder / "tests.yaml").write_text(TESTS, encoding="utf-8")
    path = folder / "policy.yaml"
    path.write_text(HEAD + more + "rules:\n" + rules + END, encoding="utf-8")
    return path


def linted(path: Path) -> list[tuple[str, str]]:
    one = open_subject(str(path), DEFAULT)
    assert one.subject is not None
    assert not [problem for problem in one.problems if problem.severity == "error"], one.problems
    return [(p.lint, p.finding.help) for p in run_module.lint(one.subject, run_module.chosen(NEW))]


def rule(when: str, effect: str = "exit: stuck", id: str = "r") -> str:
    return f"  - {{id: {id}, when: '{when}', {effect}, because: x}}\n"


@each(
    ("when", "found"),
    [
        ("tests.failed > 0 and not (tests.failed declined by 10% over last 4)", "true-before-history"),
        ("tests.failed > 0 and not (tasks.done unchanged for $window iterations)", "true-before-history"),
        ("tests.failed > 0 and not (tests.failed > 1 and (tasks.done > 1) for 3 consecutive iterations)",
         "true-before-history"),
        ("not (streak(tests.failed > 0) >= 3) and tests.failed > 0", "true-before-history"),
        ("tests.failed > 5 and not tasks.done repeats 3 times", "true-before-history"),
        ("tests.failed > 0 and not (tasks.done rose by 10% over last 2 or tests.failed declined by 5%)",
         "true-before-history"),
        # what waits for as many iterations, and what is true without them
        ("run.iterations > 4 and not (tests.failed declined by 10% over last 4)", ""),
        ("run.iterations >= 5 and not (tests.failed declined by 10% over last 4)", ""),
        ("after 5 iterations and not (tests.failed declined by 10% over last 4)", ""),
        ("tests.failed > 0 and not (tests.failed declined by 10% over last 45m)", "true-before-history"),
        ("after 45m and not (tests.failed declined by 10% over last 45m)", ""),
        ("clock.elapsed > 1h and not (tasks.done unchanged for 45m)", ""),
        ("after 30m and not (tasks.done unchanged for 45m)", "true-before-history"),
        ("tests.failed > 0 and after 9 iterations and not (tests.failed > 1) for 45m", "true-before-history"),
        ("not (at most 1 of last 45m where (tests.failed > 1)) and tests.failed > 2", "true-before-history"),
        ("not after 45m and tests.failed > 0", ""),
        ("tasks.done unchanged for 45m and tests.failed > 0", ""),
        ("tests.failed > 0 and not (count(tests.failed > 1, last 45m) >= 3)", "true-before-history"),
        ("not after 3 iterations and tests.failed > 0", ""),
        (
            "tests.failed > 0 and after 4 iterations and not (tests.failed declined by 10% over last 4)",
            "true-before-history",
        ),
        ("after 11 iterations and tests.failed > 0", "window-beyond-bound"),
        ("run.iterations >= 4 and not (tests.failed declined by 10% over last 4)", "true-before-history"),
        ("(tests.failed > 0) for 5 consecutive iterations and not (tests.failed rose by 10% over last 4)",
         ""),
        ("(tests.failed > 0) for 3 consecutive iterations and not (tests.failed rose by 10% over last 4)",
         "true-before-history"),
        ("(not tests.failed > 0) for 3 consecutive iterations", ""),
        ("tests.failed > 0 and not (any of last 3 where (tests.failed > 0)) and tasks.complete", ""),
        ("tasks.done unchanged for 3 iterations", ""),
        ("tasks.done unchanged for 10 iterations", "window-beyond-bound"),
        ("tasks.done unchanged for 9 iterations", ""),
        ("(tests.failed > 0) for 11 consecutive iterations", "window-beyond-bound"),
        ("at least 11 of last 20 where (tests.failed > 0)", "window-beyond-bound"),
        ("at least 3 of last 20 where (tests.failed > 0)", ""),
        ("streak(tests.failed > 0) > 10", "window-beyond-bound"),
        ("streak(tests.failed > 0) < 20 and tests.failed > 5", ""),
        ("average(tests.failed, last 20) > 3", ""),
        ("run.cost / tasks.done > 5 USD", "ratio-silent-at-zero"),
        ("5 USD < run.cost / tasks.done", "ratio-silent-at-zero"),
        ("each >= 5 USD", "ratio-silent-at-zero"),
        ("run.cost / tasks.done < 5 USD", ""),
        ("tasks.done > 0 and run.cost / tasks.done > 5 USD", ""),
        ("run.cost / run.iterations > 5 USD", "ratio-silent-at-zero"),
        ("run.cost / $window > 5 USD", ""),
        ("run.elapsed > 60s", "unit-slip"),
        ("run.elapsed > 120s", ""),
        ("run.elapsed > 8h or clock.elapsed > 6m", "unit-slip"),
        ("clock.since_last > 5s", ""),
        ("tasks.percent >= 0.8", "percent-compared-with-bare-number"),
        ("tasks.percent >= 80%", ""),
    ],
)  # fmt: skip
def test_conditions(tmp_path: Path, when: str, found: str) -> None:
    assert [lint for lint, _ in linted(policy(tmp_path, rule(when) + BOUND))] == ([found] if found else [])


@each(
    ("when", "help"),
    [
        ("streak(tests.failed > 0) >= 60", "streak(tests.failed > 0, last 60)"),
        ("60 <= streak(tests.failed > 0)", "streak(tests.failed > 0, last 60)"),
        ("streak(tests.failed > 0) > 50", "smaller number"),
        ("streak(tests.failed > 0) <= 50 and tasks.complete", "smaller number"),
        ("streak(tests.failed > 0) skipping (tasks.complete) >= 51",
         "streak(tests.failed > 0, last 51) skipping (tasks.complete)"),
        ("count(tests.failed > 0, last 45) >= 46", "count(tests.failed > 0, last 46)"),
        ("count(tests.failed > 0, last 45) < 46 and tasks.complete", "count(tests.failed > 0, last 46)"),
        ("count(tests.failed > 0, last $window) == 5", "count(tests.failed > 0, last 5)"),
        ("count(tests.failed > 0, last 9 per tasks.current) >= 10", "last 10 per tasks.current"),
        ("count(tests.failed > 0, last 5) >= 0 and tasks.complete", "number from 1"),
        ("count(tests.failed > 0, last 5) < 0", "number from 1"),
        ("repeats(tasks.done) >= 51", "repeats(tasks.done, last 51)"),
        ("distinct(tasks.done, last 4) > 4", "smaller number"),
        ("occurrences(tasks.done, last 4) >= 5", "occurrences(tasks.done, last 5)"),
        ("cycles(tasks.done, last 12) >= 7", "smaller number"),
        # what can be reached, and what cannot be said
        ("streak(tests.failed > 0) >= 50", ""),
        ("streak(tests.failed > 0) < 50 and tasks.complete", ""),
        ("streak(tests.failed > 0, last 60) >= 60", ""),
        ("count(tests.failed > 0, last 45) >= 45", ""),
        ("count(tests.failed > 0, last 45m) >= 46", ""),
        ("count(tests.failed > 0, last 5) > 0", ""),
        ("count(tests.failed > 0, last 5) == 0 and tasks.complete", ""),
        ("cycles(tasks.done, last 12) >= 6", ""),
        ("tasks.done repeats 60 times", ""),
        ("(tests.failed > 0) for 60 consecutive iterations", ""),
        ("sum(tests.failed, last 5) >= 60", ""),
        ("streak(tests.failed > 0) >= tasks.done", ""),
    ],
)  # fmt: skip
def test_counts_out_of_reach(tmp_path: Path, when: str, help: str) -> None:
    found = linted(policy(tmp_path, rule(when)))
    told = [text for lint, text in found if lint == "threshold-outside-range"]
    assert (len(told) == 1 and help in told[0]) if help else not told


@each(
    ("when", "bound", "found"),
    [
        ("tasks.done unchanged for 5h", "run.elapsed >= 2h", True),
        ("tasks.done unchanged for 5h", "clock.elapsed > 2h", True),
        ("(tests.failed > 0) for 3h", "run.elapsed >= $limit", True),
        ("tests.failed declined by 10% over last 5h", "run.elapsed >= 2h", True),
        ("tests.failed > 0 and at most 1 of last 5h where (tests.failed > 0)", "run.elapsed >= 2h", True),
        ("tasks.done unchanged for 2h", "run.elapsed >= 2h", False),
        ("tasks.done unchanged for 30m", "run.elapsed >= 2h", False),
        # what reads whatever the window has looks back over the whole run
        ("any of last 5h where (tests.failed > 0)", "run.elapsed >= 2h", True),
        ("all of last 5h where (tests.failed > 0)", "run.elapsed >= 2h", True),
        ("at least 2 of last 5h where (tests.failed > 0)", "run.elapsed >= 2h", True),
        ("tests.failed repeats 3 times within last 5h", "run.elapsed >= 2h", True),
        ("count(tests.failed > 0, last 5h) >= 3", "run.elapsed >= 2h", True),
        ("streak(tests.failed > 0, last 5h) >= 3", "run.elapsed >= 2h", True),
        ("count(tests.failed > 0, last 5h per tasks.current) >= 3", "run.elapsed >= 2h", True),
        ("distinct(tasks.current, last 5h) >= 3", "run.elapsed >= $limit", True),
        ("max(tests.failed, last 5h) - first(tests.failed, last 2h) >= 3", "clock.elapsed >= 2h", True),
        ("percentile(tests.failed, 90%, last 5h) >= 3", "clock.elapsed >= 2h", True),
        ("count(tests.failed > 0, last 2h) >= 3", "run.elapsed >= 2h", False),
        ("count(tests.failed > 0, last 50) >= 3", "run.elapsed >= 2h", False),
        ("tasks.done unchanged for 5h", "run.elapsed >= 2h and tasks.done > 1", False),
        ("tasks.done unchanged for 5h", "run.iterations >= 10", False),
    ],
)  # fmt: skip
def test_windows_in_time_and_the_age_of_a_run(tmp_path: Path, when: str, bound: str, found: bool) -> None:
    limit = "  limit: {type: duration, default: 2h, min: 1m, doc: Time of a run.}\n"
    text = policy(tmp_path, rule(when) + rule(bound, "exit: exhausted", "bound"))
    text.write_text(text.read_text("utf-8").replace("facts:\n", limit + "facts:\n", 1), encoding="utf-8")
    assert ("window-beyond-bound" in [lint for lint, _ in linted(text)]) is found


@each(
    ("first", "second", "found"),
    [
        ("tasks.percent > 80%", "tasks.percent < 80%", "gap-at-threshold"),
        ("80% < tasks.percent", "tasks.percent < 80%", "gap-at-threshold"),
        ("tests.failed > $window and tasks.open > 0", "tasks.open > 0 and tests.failed < $window",
         "gap-at-threshold"),
        ("tasks.percent > 80%", "tasks.percent < 80% and tasks.open > 1", ""),
        ("tasks.percent >= 80%", "tasks.percent < 80%", ""),
        ("tasks.percent > 80%", "tasks.percent < 70%", ""),
        ("tasks.percent > 80%", "tests.failed < 80", ""),
        ("tasks.percent >= 80%", "tasks.percent <= 80%", "overlap-at-threshold"),
    ],
)  # fmt: skip
def test_thresholds(tmp_path: Path, first: str, second: str, found: str) -> None:
    rules = rule(first) + rule(second, "continue: true", "s")
    assert [lint for lint, _ in linted(policy(tmp_path, rules))] == ([found] if found else [])


def test_a_gap_between_rows_of_points(tmp_path: Path) -> None:
    more = (
        "  score:\n    points:\n      - {when: tests.failed > 3, add: 1, because: many}\n"
        "      - {when: tests.failed < 3, add: 2, because: few}\n    range: [0, 3]\n"
    )
    assert linted(policy(tmp_path, rule("score > 1"), more)) == [
        ("gap-at-threshold", "write `>=` or `<=` in the one that is meant to have it")
    ]


def test_the_limit_itself_decides_nothing(tmp_path: Path) -> None:
    rules = rule("tasks.percent > 80%") + rule("tasks.percent < 80%", "exit: review", "s")
    program = Program(load_policy(str(policy(tmp_path, rules))))
    assert program.decide([{"tasks.percent": 80}]).rule is None
    assert {program.decide([{"tasks.percent": n}]).rule for n in (79, 81)} == {"r", "s"}


BREAKER = """\
circuit:
  open: [{{id: still, when: '{}'}}]
  close: tasks.complete
  cooldown: 30m
"""


STILL = "tasks.done unchanged for {} iterations"


@each(
    ("opening", "when", "effect", "found"),
    [
        (STILL.format(6), STILL.format(3), "exit: stuck", True),
        (STILL.format(6), "tasks.done repeats 3 times", "exit: stuck", True),
        ("tests.failed > 0 and (tasks.open > 1) for 5 consecutive iterations",
         "(tasks.open > 1) for 4 consecutive iterations", "exit: stuck", True),
        (STILL.format(3), STILL.format(3), "exit: stuck", False),
        (STILL.format(6), STILL.format(3), "warn: true", False),
        (STILL.format(6), STILL.format(3), "exit: interrupted", False),
        (STILL.format(6), "tasks.open unchanged for 3 iterations", "exit: stuck", False),
        (STILL.format(6), "tests.failed > 0 and " + STILL.format(3), "exit: stuck", False),
    ],
)  # fmt: skip
def test_breakers(tmp_path: Path, opening: str, when: str, effect: str, found: bool) -> None:
    path = policy(tmp_path, rule(when, effect), BREAKER.format(opening))
    assert [lint for lint, _ in linted(path)] == (["breaker-never-opens"] if found else [])


def test_an_exit_that_a_rule_before_it_keeps_from_deciding_ends_nothing(tmp_path: Path) -> None:
    rules = rule("tests.failed > 0", "continue: true", "c") + rule("tasks.done unchanged for 3 iterations")
    path = policy(tmp_path, rules, BREAKER.format("tasks.done unchanged for 6 iterations"))
    assert linted(path) == []


@pytest.mark.parametrize(
    ("when", "help"),
    [
        ("run.cost / tasks.done > 5 USD", "write `run.cost > 5 USD * tasks.done`"),
        ("each >= 5 USD", "write `run.cost >= 5 USD * tasks.done`"),
        ("100 * tests.failed / tasks.total > 20", "write `100 * tests.failed > 20 * tasks.total`"),
        ("tasks.percent >= 0.8", "write `0.8%` or `80%`: only you know which is meant"),
        ("tasks.percent == 1", "write `1%` or `100%`: only you know which is meant"),
        ("tests.failed > 0 and not (tasks.done unchanged for $window iterations)",
         "add `after 5 iterations and`, or say what must have happened instead"),
        ("tests.failed > 0 and not ((tests.failed > 1) for 1h30m)",
         "add `after 1h30m and`, or say what must have happened instead"),
    ],
)  # fmt: skip
def test_what_to_write(tmp_path: Path, when: str, help: str) -> None:
    assert [one for _, one in linted(policy(tmp_path, rule(when)))] == [help]


@given(st.integers(0, 9), st.integers(0, 9), st.sampled_from([">", ">="]))
def test_a_product_is_the_ratio_and_known_with_0(above: int, below: int, sign: str) -> None:
    product, ratio = (_of(text) for text in (f"n.a {sign} 2 * n.b", f"n.a / n.b {sign} 2"))
    records = [{"n.a": above, "n.b": below}]
    if below:
        assert product(records) is ratio(records)
    else:
        assert isinstance(ratio(records), Unknown)
        assert product(records) is (above > 0 or sign == ">=")


FORMS = (
    "n.a unchanged for {} iterations", "(n.a > 1) for {} consecutive iterations", "n.a repeats {} times",
    "n.a repeats {} times within last 6", "n.a declined by 10% over last {}", "n.a rose by 10% over last {}",
    "at least {} of last 6 where (n.a > 1)", "at most 1 of last {} where (n.a > 1)", "streak(n.a > 1) >= {}",
    "{} <= streak(n.a > 1)", "count(n.a > 1, last 6) >= {}", "repeats(n.a) >= {}", "streak(n.a > 1) > {}",
)  # fmt: skip
VALUES = st.one_of(st.integers(0, 3), st.just(Unknown("not given", "n.a")))


def _of(text: str):  # type: ignore[no-untyped-def]
    return compile_node(check(parse(text), SCOPE), {}, {})


def _scope() -> Scope:
    from exitgate.core.model.fact import FactSpec
    from exitgate.core.model.value import COUNT

    return Scope({name: FactSpec(name, COUNT, "") for name in ("n.a", "n.b")}, {}, {})


SCOPE = _scope()
SMALL = load_policy("guardrails")


@given(st.sampled_from(FORMS), st.integers(2, 5), st.lists(VALUES, min_size=1, max_size=6))
def test_no_form_is_true_before_it_has_what_it_needs(form: str, n: int, run: list[object]) -> None:
    node = check(parse(form.format(n)), SCOPE)
    need = iterations_needed(node, SMALL)
    assert need >= 1
    short = [{"n.a": value} for value in run[: need - 1]]
    if short:
        assert compile_node(node, {}, {})(short) is not True


CONDITIONS = st.recursive(
    st.one_of(
        st.builds(lambda form, n: f"({form.format(n)})", st.sampled_from(FORMS), st.integers(2, 4)),
        st.sampled_from(["n.a > 1", "n.b == 0"]),
    ),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, inner).map("({0[0]} and {0[1]})".format),
        st.tuples(inner, inner).map("({0[0]} or {0[1]})".format),
    ),
    max_leaves=4,
)


@given(CONDITIONS, st.lists(st.tuples(VALUES, VALUES), min_size=4, max_size=4))
def test_what_is_settled_by_too_little_history_alone(
    condition: str, run: list[tuple[object, object]]
) -> None:
    node = check(parse(condition), SCOPE)
    for until, truth in ((true_until(node, SMALL), True), (false_until(node, SMALL), False)):
        for length in range(1, min(until, len(run) + 1)):
            records = [{"n.a": a, "n.b": b} for a, b in run[:length]]
            assert compile_node(node, {}, {})(records) is truth, (until, length)


@each("form", FORMS)
def test_each_form_can_be_true_with_just_what_it_needs(form: str) -> None:
    node = check(parse(form.format(3)), SCOPE)
    need = iterations_needed(node, SMALL)
    steps = ((2,) * need, (9,) * (need - 1) + (2,), (2,) * (need - 1) + (9,), (0,) * need)
    assert any(compile_node(node, {}, {})([{"n.a": n} for n in run]) is True for run in steps), need


def test_no_fix_writes_a_percentage_that_may_be_a_fraction(tmp_path: Path) -> None:
    path = policy(tmp_path, rule("tasks.percent >= 0.8 or tasks.percent > 50"))
    before = path.read_text(encoding="utf-8")
    one = open_subject(str(path), DEFAULT)
    assert one.subject is not None
    found = run_module.lint(one.subject, run_module.chosen(("percent-compared-with-bare-number",)))
    edits = [p.finding.edits for p in found]
    assert [bool(one) for one in edits] == [False, True]
    assert "0.8%" not in before
