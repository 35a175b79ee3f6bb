"""A decision written as a case: it passes as a file of tests, on every shipped policy, whatever was known."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each, some
from compiled import shipped_suite
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.engine.program import Program
from exitgate.core.model.decision import Decision
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import TEXT, Type, Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.testing.as_test import as_test, read_one
from exitgate.testing.cases.load import load_suite
from exitgate.testing.cases.values import read, same
from exitgate.testing.counterexample import case_of, sample
from exitgate.testing.extract import observe
from exitgate.testing.runner import decide, run_case

POLICIES = Path(__file__).parents[2] / "policies"
NAMES = sorted(file.parent.name for file in POLICIES.glob("*/tests.yaml"))
HEAD = "format: 1\npolicy: {}\ntests:\n"
#: Decisions of each policy in the suite; all of them in a soak.
SHARE = 3
U = Unknown("given as unknown", "tests.yaml")


@pytest.mark.parametrize("name", NAMES)
def test_every_decision_passes_as_a_case(name: str) -> None:
    suite = shipped_suite(name)
    seen = []
    for case in some(suite.cases, SHARE):
        program = suite.program(case)
        view = decide(case, program, observe(case, program))
        text = as_test(f"it {len(seen)}", program, view.records, view.decision)
        seen.append((case.name, view.decision, text))
    again = load_suite(HEAD.format(name) + "".join(text for _, _, text in seen), "again.yaml", ".")
    assert len(again.cases) == len(seen)
    for (of, decision, text), case in zip(seen, again.cases, strict=True):
        result = run_case(case, again.program(case))
        assert result.failures == (), f"{of}\n{text}"
        want = {"verdict": decision.verdict, "rule": decision.rule}
        assert want.items() <= {one.key: one.value for one in case.wants}.items()


def test_what_is_computed_from_something_computed_is_given_where_it_differs() -> None:
    """Only the newest records are at hand: progress looks different, and so does what rests on it."""
    suite = shipped_suite("ralph-claude-code")
    name = "exit: C2 X true is project_complete, C1 X true continues"
    case = next(one for one in suite.cases if one.name == name)
    program = suite.program(case)
    view = decide(case, program, observe(case, program))
    assert "rule: project_complete" in as_test("it", program, view.records, view.decision)


def _said(text: str) -> tuple[Program, str]:
    suite = load_suite(HEAD.format("bb3") + "  - name: it\n" + text, "it.yaml", ".")
    case = suite.cases[0]
    program = suite.program(case)
    seen = decide(case, program, observe(case, program))
    return program, as_test("it", program, seen.records, seen.decision)


def test_only_what_matters_is_given() -> None:
    _, text = _said(
        "    set: {min_completion: 50%}\n"
        "    facts: {tasks.done: 3, tasks.total: 4, errors.count: 1, confidence: 90}\n"
        "    expect: {verdict: EXIT}\n"
    )
    assert "min_completion: 50" in text
    assert "rule: high_completion" in text
    assert "errors" not in text


def test_what_was_uncertain_is_expected_to_be() -> None:
    _, text = _said("    facts: {tasks.done: 1, tasks.total: 4}\n    expect: {verdict: CONTINUE}\n")
    assert 'firm: false, alternatives: ["low_confidence", "too_many_errors"]' in text


@each(
    ("name", "text"),
    [
        ("max_cost", "2 USD"), ("max_elapsed", "1h30m"), ("cooldown", "90s"), ("promise", "true"),
        ("min_completion", "33.3%"), ("max_iterations", "7"), ("task_sections", '["Next, soon", Later]'),
        ("promise", "all: \"done\" 😀"),
    ],
)  # fmt: skip
def test_a_setting_is_written_so_that_it_is_read_again(name: str, text: str) -> None:
    policy = load_policy("recommended", settings={name: text})
    program, facts = Program(policy), {"run.iterations": 1}
    decision = program.decide([facts], "before_iteration")
    again = load_suite(
        HEAD.format("recommended") + as_test("it", program, [facts], decision), "again.yaml", "."
    )
    assert again.program(again.cases[0]).policy.parameters[name].value == policy.parameters[name].value


def test_no_more_history_than_matters() -> None:
    _, text = _said('    history: {tasks.done: "0 1 2x4", tasks.total: "5x6"}\n    expect: {verdict: EXIT}\n')
    assert "rule: stagnation" in text
    # any one of the counts that follow from each other shows it, over the iterations that the rule looks at
    assert sum(f'tasks.{one}x4"' in text for one in ('done: "2', 'open: "3', 'percent: "40')) == 1


def test_a_decision_that_the_rules_did_not_make() -> None:
    program = Program(load_policy("bb3"))
    by_hand = Decision("EXIT", "halted", "circuit_open", None, "Circuit breaker is OPEN by hand: mine")
    with pytest.raises(ExitgateError) as caught:
        as_test("it", program, [{"tasks.done": 1}], by_hand)
    assert caught.value.exit_code == 66
    assert [one.code for one in caught.value.diagnostics] == ["EP551"]


TYPED = """\
policy: typed
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
  status:
    extract: status_block
    name: STATUS
    from: response
    fields:
      summary: {type: text, key: SUMMARY}
      score: {type: number, key: SCORE}
  errors: {extract: error_lines, from: response, lexicon: errors}
rules:
  - {id: used, when: status.summary is known and errors.patterns is known, exit: review, because: x}
otherwise: continue
"""
SAID = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "status.summary": st.one_of(SAID, st.just(U)),
        "status.score": st.one_of(st.floats(-1e6, 1e6), st.just(U)),
        "errors.patterns": st.one_of(st.lists(SAID, max_size=3).map(tuple), st.just(U)),
        "tasks.present": st.one_of(st.booleans(), st.just(U)),
    },
)


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Program:
    file = tmp_path_factory.mktemp("typed") / "policy.yaml"
    file.write_text(TYPED)
    return Program(load_policy(str(file)))


@given(run=st.lists(VALUES, min_size=1, max_size=3), name=SAID.filter(str.strip))
def test_a_written_case_gives_the_same_facts(typed: Program, run: list[dict[str, object]], name: str) -> None:
    text = case_of(tuple(run), name, {"verdict": "EXIT"})
    case = read_one(text, typed)
    named = {fact for facts in run for fact in facts}
    if case is None:
        # `unknown` is a word that a series and a list have for themselves
        assert any("unknown" in str(value) for facts in run for value in facts.values()) or not named, text
        return
    assert case.name == name
    assert len(case.given) == (len(run) if named else 1)
    for wrote, got in zip(run, case.given, strict=False):
        for fact in named:
            assert same(got[fact], wrote.get(fact, U)), text


@given(st.lists(SAID.filter(lambda text: text != "unknown"), max_size=4).map(tuple))
def test_a_list_in_a_sample_reads_the_same(items: tuple[str, ...]) -> None:
    assert read(sample(items), Type("list", item=TEXT)) == items
