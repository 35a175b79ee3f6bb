"""Dead rules are told with what shadows them; the order of rules with where it matters."""

from __future__ import annotations

import pytest
from small import policy

from exitgate.analysis.prove.backend import Backend
from exitgate.analysis.prove.overlaps import prove_overlaps
from exitgate.analysis.prove.proof import BROKEN, NOTED, SHOWN
from exitgate.analysis.prove.reachability import prove_rules
from exitgate.analysis.results.answer import PROVED, UNDECIDED
from exitgate.analysis.walk.search import Limits
from exitgate.core.policy.compiled import CompiledPolicy

ASKER = Backend(limits=Limits(seconds=20))

#: Rules, the dead one, and what is said of it.
DEAD = [
    (("n > 3 -> complete", "n > 5 -> stuck"), "r1", "whenever it is true, `r0` is true before it"),
    (("a -> complete", "not a -> stuck", "a is known -> review"), "r2",
     "whenever it is true, `r0` or `r1` is true before it"),
    (("b -> halted", "n > 3 -> complete", "n <= 3 -> stuck", "n is known and m > 2 -> review"), "r3",
     "whenever it is true, `r1` or `r2` is true before it"),
    (("a and not a -> complete",), "r0", "its condition is never true"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "dead", "why"), DEAD, ids=lambda value: str(value)[:30])
def test_why_a_rule_never_decides(rules: tuple[str, ...], dead: str, why: str) -> None:
    found = {proof.subject: proof for proof in prove_rules(policy(*rules), ASKER)}
    assert [name for name, proof in found.items() if proof.status != SHOWN] == [dead]
    assert found[dead].status == BROKEN
    assert found[dead].says == f"never decides: {why}"


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (("n >= 2 -> complete", "n >= $two -> stuck"), "with $two 1 it can"),
        (("n >= $three -> complete", "n >= 3 -> stuck"), "with $three 4 it can"),
        (("a -> complete", "$two > 8 and b -> stuck"), "with $two 9 it can"),
    ],
)
def test_another_value_of_a_parameter_brings_a_rule_to_life(rules: tuple[str, ...], says: str) -> None:
    *_, proof = prove_rules(policy(*rules), ASKER)
    assert proof.status == NOTED
    assert proof.says.endswith(says)


def test_a_dead_rule_with_parameters_says_how_many_values_were_tried() -> None:
    *_, proof = prove_rules(policy("n >= $two -> complete", "n >= $two and a -> stuck"), ASKER)
    assert proof.status == BROKEN
    assert proof.says.endswith("`r0` is true before it; 5 other values of $two change nothing")


def test_one_rule_by_name() -> None:
    of = policy("a -> complete", "b -> stuck")
    assert [proof.subject for proof in prove_rules(of, ASKER, "r1")] == ["r1"]
    assert [proof.subject for proof in prove_overlaps(of, ASKER, "r1")] == []


def test_what_cannot_be_told_in_time_is_not_decided() -> None:
    of = policy("distinct(sig, last 9) == 8 and average(n, last 9) == x -> stuck")
    (proof,) = prove_rules(of, Backend(limits=Limits(points=5)))
    assert (proof.status, proof.says) == (UNDECIDED, "not decided within 5 regions")


def test_where_order_matters() -> None:
    of = policy("n > 3 -> complete", "n > 5 and a -> stuck", "m > 3 -> complete", "n < 2 -> stuck")
    first, second, third = prove_overlaps(of, ASKER)
    assert (first.status, first.says) == (NOTED, "decides before r1")
    assert first.more == ("same result: r2", "never true when it decides: r3")
    assert (second.status, second.says) == (PROVED, "its position before later rules has no effect"), (
        "it is dead"
    )
    assert (third.status, third.says) == (NOTED, "decides before r3")
    assert third.more == ()


def test_order_is_looked_at_stage_by_stage() -> None:
    of = policy("a -> complete", "a -> stuck")
    rules = tuple(rule.but(stage="before_iteration") if rule.id == "r1" else rule for rule in of.rules)
    changed: CompiledPolicy = of.but(rules=rules)
    assert list(prove_overlaps(changed, ASKER)) == []
    assert [proof.stage for proof in prove_rules(changed, ASKER)] == ["before_iteration", "after_iteration"]
