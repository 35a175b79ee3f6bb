"""Progress of history forms: text of the form, have and need."""

from __future__ import annotations

import pytest

from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.pending import pending
from exitgate.core.language.syntax.parse import parse
from exitgate.core.model.decision import Pending
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import BOOL, COUNT, Unknown

FACTS = {"a": BOOL, "b": BOOL, "n": COUNT}
SCOPE = Scope({n: FactSpec(n, t, "") for n, t in FACTS.items()}, {"need": COUNT}, {})
NAMED = {"calm": check(parse("(not a) for 3 consecutive iterations"), SCOPE)}
WHOLE = Scope(SCOPE.facts, SCOPE.parameters, NAMED)


def progress(text: str, *rows: tuple[object, object, object]) -> tuple[Pending, ...]:
    records = tuple(dict(zip("abn", row, strict=True)) for row in rows)
    return pending(check(parse(text), WHOLE), records, {"need": 3}, NAMED)


def test_the_form_is_told_in_canonical_text():
    rows = ((False, True, 1), (True, True, 1))
    assert progress("((b)) for   3 consecutive iterations", *rows) == (
        Pending("(b) for 3 consecutive iterations", 2, 3),
    )


def test_forms_of_named_conditions_are_told_once():
    rows = ((True, True, 1), (False, True, 1))
    assert progress("@calm or (b and @calm)", *rows) == (
        Pending("(not a) for 3 consecutive iterations", 1, 3),
    )


def test_a_parameter_is_resolved():
    assert progress("n unchanged for $need iterations", (0, 0, 1), (0, 0, 1)) == (
        Pending("n unchanged for $need iterations", 1, 3),
    )


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("n unchanged for 3 iterations", [(True, True, 1)]),
        ("(a) for 2 consecutive iterations", [(True, True, 1)] * 2),
        ("(a) for 2 consecutive iterations", [(True, True, 1), (False, True, 1)]),
        ("any of last 3 where (a)", [(True, True, 1)]),
        ("streak(a) < 3", [(True, True, 1)]),
        ("streak(a) == 3", [(True, True, 1)]),
        ("n > 3", [(True, True, 1)]),
    ],
)
def test_nothing_is_under_way(text, rows):
    assert progress(text, *rows) == ()


def test_only_what_is_certain_counts():
    lost = Unknown("not said", "a")
    rows = ((True, True, 1), (lost, True, 1), (True, True, 1))
    assert progress("streak(a) >= 5", *rows) == (Pending("streak(a) >= 5", 1, 5),)
    assert progress("at least 3 of last 3 where (a)", *rows)[0].have == 2
