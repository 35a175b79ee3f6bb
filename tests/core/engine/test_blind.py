"""Blind decisions, stand-ins for what is unreadable, and the end of a run nobody can see."""

import pytest

from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record, record_of
from exitgate.core.model.fact import Fact
from policies import UNKNOWN, bb3, bb3_record, node, points, policy, rule

DARK = {"circuit.state": "CLOSED", "run.iterations": 4, "tasks.done": UNKNOWN, "confidence": UNKNOWN}


@pytest.mark.parametrize(
    ("record", "blind"),
    [
        ({}, True),
        (DARK, True),
        ({**DARK, "errors.count": 0}, False),
        ({**DARK, "flag": False}, False),
        (bb3_record(), False),
    ],
)
def test_blind_is_about_what_the_agent_said_or_did(record, blind):
    assert Program(bb3()).decide([record]).blind is blind


def test_derived_facts_do_not_cure_blindness():
    program = Program(policy(derived=(points("score", [(node(True), 5)]),)))
    records = program.complete([{}])
    assert records[-1] == {"score": 5}
    assert program.decide(records).blind


def test_without_a_limit_a_blind_run_goes_on():
    assert Program(bb3()).decide([DARK] * 50).verdict == "CONTINUE"


def test_exit_after_ends_the_run_at_exactly_that_many_in_a_row():
    program = Program(bb3(exit_after_blind=3))
    assert program.decide([DARK, DARK]).verdict == "CONTINUE"
    ended = program.decide([bb3_record(), DARK, DARK, DARK])
    assert (ended.verdict, ended.exit_class, ended.outcome, ended.rule) == (
        "EXIT", "undetermined", "undetermined", None,
    )  # fmt: skip
    assert ended.message.startswith("3 decisions in a row")
    assert program.decide([DARK, DARK, bb3_record(), DARK, DARK]).verdict == "CONTINUE"
    assert program.decide([DARK, DARK, DARK, bb3_record()]).verdict == "CONTINUE"


def test_checks_that_left_no_record_count_when_all_records_are_blind():
    program = Program(bb3(exit_after_blind=3))
    assert program.decide([DARK], silent=1).verdict == "CONTINUE"
    assert program.decide([DARK], silent=2).exit_class == "undetermined"
    assert program.decide([bb3_record(), DARK], silent=9).verdict == "CONTINUE"


def test_an_enforced_exit_stands_and_an_enforced_continue_does_not_loop_for_ever():
    open_ = {**DARK, "circuit.state": "OPEN"}
    assert Program(bb3(exit_after_blind=1)).decide([open_]).exit_class == "halted"
    stay = policy(rule("stay", node(True), "continue"), exit_after_blind=1)
    assert Program(stay).decide([DARK]).exit_class == "undetermined"


def test_unreadable_takes_the_declared_value_with_a_warning_and_stays_blind():
    made = bb3(unreadable={"circuit.state": "CLOSED", "flag": False}, exit_after_blind=2)
    facts = (Fact("circuit.state", UNKNOWN), Fact("confidence", UNKNOWN))
    record, warnings = record_of(facts, made)
    assert record["circuit.state"] == "CLOSED"
    assert record["flag"] is False
    assert record["confidence"] is UNKNOWN, "nothing was declared for it"
    assert record.stand_ins == {"circuit.state", "flag"}
    assert [w.message for w in warnings] == [
        "`circuit.state` is unknown (not said); the policy treats it as CLOSED",
        "`flag` is unknown (not recorded); the policy treats it as false",
    ]
    program = Program(made)
    assert program.decide([record]).blind
    assert program.decide([record, record]).exit_class == "undetermined"


def test_known_values_are_kept_and_a_record_stays_a_record_when_completed():
    made = bb3(unreadable={"flag": False}, derived=(points("score", [(node(True), 5)]),))
    record, warnings = record_of([Fact("flag", True)], made)
    assert (dict(record), warnings) == ({"flag": True}, ())
    blank, _ = record_of([], made)
    whole = Program(made).complete([blank])[-1]
    assert isinstance(whole, Record)
    assert whole.stand_ins == {"flag"}
