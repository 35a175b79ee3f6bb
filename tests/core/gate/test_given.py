"""Facts given by hand are typed by the policy, and wrong ones are all told at once."""

import pytest

from exitgate.core.gate.overrides import given_facts
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import DURATION, Type, Unknown
from policies import policy

MADE = policy(facts={"clock.elapsed": FactSpec("clock.elapsed", DURATION, "", read=False),
                     "run.cost": FactSpec("run.cost", Type("money", currency="USD"), "")})  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "want"),
    [
        ("tasks.done", "5", 5),
        ("tasks.percent", "80", 80),
        ("tasks.percent", "80%", 80),
        ("flag", "true", True),
        ("circuit.state", "open", "OPEN"),
        ("words", "all done", "all done"),
        ("clock.elapsed", "30m", 1800),
        ("run.cost", "5 USD", 5),
    ],
)
def test_typed(name, text, want):
    fact = given_facts({name: text}, MADE)[name]
    assert (fact.value, type(fact.value)) == (want, type(want))
    assert fact.note == "given on the command line"


def test_unknown_can_be_given():
    assert isinstance(given_facts({"flag": "unknown"}, MADE)["flag"].value, Unknown)


@pytest.mark.parametrize(
    ("name", "text", "code", "help"),
    [
        ("task.done", "5", "EP840", "did you mean `tasks.done`?"),
        ("tasks.done", "many", "EP841", "whole number"),
        ("tasks.done", "-1", "EP841", "whole number"),
        ("tasks.done", "1.5", "EP841", "whole number"),
        ("tasks.percent", "101", "EP841", "percentage"),
        ("flag", "yes", "EP841", "true"),
        ("circuit.state", "AJAR", "EP841", "OPEN"),
    ],
)
def test_wrong(name, text, code, help):
    with pytest.raises(ExitgateError) as caught:
        given_facts({name: text}, MADE)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert name in diagnostic.message
    assert help in diagnostic.help
    assert caught.value.exit_code == 64


def test_all_at_once():
    with pytest.raises(ExitgateError) as caught:
        given_facts({"nope": "1", "flag": "perhaps", "tasks.done": "1"}, MADE)
    assert [d.code for d in caught.value.diagnostics] == ["EP840", "EP841"]
