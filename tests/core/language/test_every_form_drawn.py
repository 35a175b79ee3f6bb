"""Random conditions, and the table of forms over times and keys, leave out nothing that is registered."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from test_odd_clocks import FORMS
from typed import SCOPE, conditions, values

from exitgate.core.language.checker.check import check
from exitgate.core.language.evaluation import closures, unknowns
from exitgate.core.language.functions import FUNCTIONS, HISTORY_OPS, WINDOWED
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse

#: Conditions of a round, and rounds that are drawn at most until each form was among them.
DRAWN, ROUNDS = 100, 30
EVALUATED = {*closures.FORMS, *closures._MODULES}
CALLS = {("call", name) for name, function in FUNCTIONS.items() if function.op == "call"}
_ORDERED = ("count", "number", "percent", "duration", "money")


def forms(node):
    """What a checked tree is made of: operations, functions, quantifiers and kinds of windows."""
    for part in node.walk():
        yield part.op
        if part.op in ("call", "quantified", "of_items"):
            yield part.op, part.args[0]
        for arg in part.args:
            if getattr(arg, "op", "") == "window":
                kind = "time" if arg.args[1] is not None else "iterations"
                yield part.op, kind if arg.args[2] is None else f"{kind} per key"


def drawn(number):
    """Return the forms of the conditions and values of one round."""
    found = set()

    @seed(number)
    @settings(
        max_examples=DRAWN, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(conditions(2), st.sampled_from(_ORDERED).flatmap(lambda kind: values(kind, 1)))
    def draw(condition, value):
        for node in (condition, value):
            try:
                found.update(forms(check(node, SCOPE, None)))
            except LanguageError:
                continue

    draw()
    return found


def test_every_operation_and_function_is_drawn():
    missing = EVALUATED | CALLS | {("of_items", "any"), ("of_items", "all")}
    for number in range(ROUNDS):
        missing -= drawn(number)
        if not missing:
            break
    assert missing == set()


def test_every_form_with_a_window_is_asked_over_times_and_per_key():
    """Of these `test_odd_clocks` asks each one over every history that it draws."""
    asked = {form for text in FORMS for form in forms(check(parse(text), SCOPE, None))}
    lasting = {"unchanged", "consecutive", "declined", "rose"}
    keyed = {op for op, function in HISTORY_OPS.items() if function.window != "no"} | {
        "quantified",
        "repeats",
    }
    assert {function.op for function in WINDOWED.values()} <= keyed
    wanted = {(op, "time") for op in keyed | lasting}
    wanted |= {(op, kind) for op in keyed for kind in ("time per key", "iterations per key")}
    wanted |= {("quantified", kind) for kind in ("any", "all", "at_least", "at_most")}
    assert wanted - asked == set()


def test_what_asks_about_the_unknown_has_a_strict_reading():
    from exitgate.core.language.functions import ON_UNKNOWN

    assert set(unknowns._FORMS) == ON_UNKNOWN
