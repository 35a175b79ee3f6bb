"""Conditions with values written in."""

from __future__ import annotations

import pytest
from cases import each

from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.literals import duration
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.unparse import value_text, written
from exitgate.core.model.decimals import milliseconds
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, PERCENT, SIGNATURE, TEXT, Type, Unknown

STATE = Type("enum", members=("CLOSED", "OPEN"))
COST = Type("money", currency="USD")
FACTS = {
    "tasks.percent": PERCENT, "tasks.done": COUNT, "questions.asked": BOOL, "circuit.state": STATE,
    "clock.elapsed": DURATION, "run.cost": COST, "summary": TEXT, "signature": SIGNATURE,
    "names": Type("list", item=TEXT),
}  # fmt: skip
PARAMETERS = {"min_completion": PERCENT, "loops": COUNT}
SCOPE = Scope({n: FactSpec(n, t, "") for n, t in FACTS.items()}, PARAMETERS, {})
NAMED = {"asked": check(parse("questions.asked"), SCOPE)}
RECORD = {
    "tasks.percent": 40, "tasks.done": 4, "questions.asked": Unknown("no response", "questions"),
    "circuit.state": "open", "clock.elapsed": 9000, "run.cost": 0.25, "summary": 'say "x"',
    "signature": "ab12", "names": ("a", "b"),
}  # fmt: skip


@each(
    ("text", "wanted"),
    [
        ("tasks.percent >= $min_completion", "tasks.percent (40%) >= $min_completion (80%)"),
        ("not questions.asked", "not questions.asked (unknown: no response)"),
        ("not @asked", "not @asked (unknown: no response)"),
        ("circuit.state is OPEN", "circuit.state (OPEN) is OPEN"),
        ("clock.elapsed > 2h", "clock.elapsed (2h30m) > 2h"),
        ("run.cost > 5 USD", "run.cost (0.25 USD) > 5 USD"),
        ('summary contains "x"', """summary ('say "x"') contains "x\""""),
        ("signature repeats 3 times", "signature (ab12) repeats 3 times"),
        (
            "tasks.done unchanged for $loops iterations",
            "tasks.done (4) unchanged for $loops (3) iterations",
        ),
        ('names contains "a"', 'names (["a", "b"]) contains "a"'),
        ("((tasks.done > 1))", "tasks.done (4) > 1"),
    ],
)
def test_written(text, wanted):
    tree = check(parse(text), Scope(SCOPE.facts, SCOPE.parameters, NAMED))
    assert written(tree, ({}, RECORD), {"min_completion": 80, "loops": 3}, NAMED) == wanted


@each(
    ("value", "type_", "wanted"),
    [
        (200 / 3, PERCENT, "~66.67%"),
        (79.9999, PERCENT, "79.9999%"),
        (80.0, PERCENT, "80%"),
        (True, BOOL, "true"),
        (90, DURATION, "1m30s"),
        (0.25, DURATION, "250ms"),
        (0, DURATION, "0s"),
        (-90, DURATION, "-1m30s"),
        (1.5, DURATION, "1.5s"),
        (5, COST, "5 USD"),
        pytest.param(10**5000, COUNT, "about 2^16609", id="huge"),
        (float("inf"), NUMBER, "inf"),
        ("a\nb\x1b[0m", TEXT, '"a\\nb\\x1b[0m"'),
        ("x" * 99, TEXT, '"' + "x" * 59 + '…"'),
        (tuple("abcdefghijkl"), Type("list", item=SIGNATURE), "[a, b, c, d, e, f, g, h, i, j, …]"),
        (Unknown("cut\nhere"), TEXT, "unknown: cut\\nhere"),
        (None, None, "None"),
    ],
)
def test_values(value, type_, wanted):
    assert value_text(value, type_) == wanted


@each("micro", [*range(1, 1000, 7), *range(1000, 1_000_000, 997), 852_200, 327_010])
def test_less_than_a_second_in_six_digits_has_no_mark_and_is_what_a_condition_holds(micro):
    text = milliseconds(micro / 10**6)
    assert duration(text, 0) == micro / 10**6


@each("seconds", [0.1 + 0.2, 1 / 3, 0.12345678, 0.8522 + 2**-53, 0.32701 - 2**-54])
def test_less_than_a_second_that_is_rounded_has_a_mark(seconds):
    text = milliseconds(seconds)
    assert text[0] == "~"
    assert duration(text[1:], 0) != seconds
