"""What goes into the ledger comes out again; what is printed fits its schema."""

import json
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.program import Program
from exitgate.core.gate.decision import CheckResult
from exitgate.core.ledger.decisions import EVIDENCE_LIMIT, decision_of_line, fact_to_plain, facts_of_line
from exitgate.core.ledger.line import line_for
from exitgate.core.model.decision import Warned
from exitgate.core.model.fact import Evidence, Fact, Iteration
from exitgate.core.model.value import Unknown
from exitgate.report.decision.plain import printed
from policies import UNKNOWN, bb3, bb3_record, compare, node, op, policy, rule

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas" / "decision.schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)
EVIDENCE = st.builds(
    Evidence, st.just("response"), st.integers(1, 99), st.integers(1, 99), st.integers(0, 99),
    st.integers(0, 99), TEXT, TEXT, st.one_of(st.none(), st.just("negated")),
)  # fmt: skip
FACTS = st.builds(
    Fact,
    st.just("a.b"),
    st.one_of(VALUES, st.builds(Unknown, TEXT, TEXT)),
    st.lists(EVIDENCE, max_size=3).map(tuple),
    st.lists(EVIDENCE, max_size=3).map(tuple),
    TEXT,
)


def through_json(plain):
    return json.loads(json.dumps(plain, allow_nan=False))


def line_of(decision, facts=()):
    return through_json(line_for("loop#1", 1, 0.0, policy(), facts, decision))


@given(FACTS)
@settings(max_examples=150, deadline=None)
def test_facts_come_back_from_the_ledger_and_fit_the_schema(fact):
    (found,) = facts_of_line(line_of(Program(policy()).decide([{}]), [fact])).values()
    if isinstance(fact.value, Unknown) and not fact.value.origin:
        assert found.value == Unknown(fact.value.reason, fact.name)
    else:
        assert found == fact
    schema = {**SCHEMA, "$ref": "#/$defs/fact", "required": [], "properties": {}}
    del schema["type"], schema["additionalProperties"]
    jsonschema.Draft202012Validator(schema).validate(through_json(fact_to_plain(fact)))


def test_evidence_beyond_the_limit_is_counted():
    many = tuple(Evidence("plan", n + 1, 1, n, n + 1, "x") for n in range(EVIDENCE_LIMIT + 7))
    plain = fact_to_plain(Fact("tasks.done", 27, many))
    assert len(plain["evidence"]) == EVIDENCE_LIMIT
    assert plain["evidence_left_out"] == 7


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_cannot_hold_is_unknown(number):
    plain = fact_to_plain(Fact("x", number))
    json.dumps(plain, allow_nan=False)
    assert "unknown" in plain["value"]


RICH = policy(
    rule("a", op("is", "flag", True), "blocked", advice=("ask ", ("tasks.done",)), escalation=("# Help",)),
    rule("w", node(True), "warn"),
    rule("s", node(True), "stuck", mode="shadow"),
    rule("b", op("consecutive", compare("tasks.done", ">", 0), 3), "stuck"),
    exit_after_blind=2,
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "flag": st.sampled_from([True, False, UNKNOWN]),
                "tasks.done": st.one_of(st.integers(0, 2), st.just(UNKNOWN)),
            }
        ),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=100, deadline=None)
def test_decisions_come_back_and_fit_the_schema(records):
    decision = Program(RICH).decide(records, notes=(Warned("a remark"),))
    assert decision_of_line(line_of(decision)) == decision
    facts = {n: Fact(n, v, (Evidence("plan", 1, 1, 0, 1, "x"),)) for n, v in records[-1].items()}
    checked = CheckResult(RICH, Iteration(1, "loop#1", 0.0, {}), facts, decision, {"sequence": 4}, (), ())
    document = through_json(printed(checked))
    VALIDATOR.validate(document)
    assert (document["run"], document["sequence"]) == ("loop#1", 4)


def test_printed_names_the_exit_code_and_what_is_pending():
    records = [bb3_record()] * 2
    decision = Program(bb3()).decide(records)
    checked = CheckResult(bb3(), Iteration(2, "loop#1", 0.0, {}), {}, decision, None, (), ())
    document = printed(checked)
    VALIDATOR.validate(through_json(document))
    assert (document["exit_code"], document["sequence"]) == (0, None)
    assert [(p["rule"], p["have"], p["need"]) for p in document["pending"]] == [("stagnation", 1, 3)]
    halted = Program(bb3()).decide([bb3_record(circuit__state="OPEN")])
    assert printed(CheckResult(bb3(), checked.iteration, {}, halted, None, (), ()))["exit_code"] == 13
    assert printed(CheckResult(bb3(), checked.iteration, {}, halted, None, (), ()), 1)["exit_code"] == 1


def _objects(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for child in schema.values():
            yield from _objects(child)
    elif isinstance(schema, list):
        for child in schema:
            yield from _objects(child)


def test_schema_describes_every_property_and_allows_no_other():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for found in _objects(SCHEMA):
        assert "additionalProperties" in found
        for name, one in found.get("properties", {}).items():
            assert one.get("description"), name


def test_schema_refuses_what_is_not_a_decision():
    decision = Program(bb3()).decide([bb3_record()])
    checked = CheckResult(bb3(), Iteration(1, "loop#1", 0.0, {}), {}, decision, None, (), ())
    document = printed(checked)
    for broken in ({"verdict": "STOP"}, {"class": "done"}, {"extra": 1}, {"facts": {"x": {"value": None}}}):
        assert not VALIDATOR.is_valid({**document, **broken})
