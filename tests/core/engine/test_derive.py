"""Points add only what is definitely true; a formula that is unknown stays unknown."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.model.value import Unknown
from policies import UNKNOWN, compare, fact, formula, node, op, points, policy

TRUE, FALSE, OPEN = node(True), node(False), op("is", "flag", True)


def value_of(derived, record=None):
    fact = Program(policy(derived=(derived,))).derive([record or {"flag": UNKNOWN}])[derived.name]
    return fact.value, fact.note


def plain(value):
    return (value.least, value.most) if isinstance(value, Unknown) else value


@pytest.mark.parametrize(
    ("rows", "bounds", "want"),
    [
        ([(TRUE, 30), (TRUE, 10), (FALSE, 5)], (0, 100), 40),
        ([(TRUE, 10), (OPEN, 35)], (0, 100), (10, 45)),
        ([(TRUE, 90), (OPEN, 35)], (0, 100), (90, 100)),
        ([(TRUE, 100), (OPEN, 35)], (0, 100), 100),
        ([(TRUE, 10), (OPEN, -5)], (None, None), (5, 10)),
        ([(TRUE, 10), (OPEN, -5), (OPEN, 2.5)], (None, None), (5, 12.5)),
        ([(TRUE, -30)], (0, 100), 0),
        ([(TRUE, 0.5)], (None, None), 0.5),
        ([(TRUE, 0.1), (TRUE, 0.2), (OPEN, 0.7)], (None, None), (0.3, 1)),
        ([(TRUE, 10**400), (TRUE, 0.5), (OPEN, -0.5)], (0, 100), 100),
        ([(TRUE, -(10**400)), (TRUE, 0.5)], (0, 100), 0),
        ([], (0, 100), 0),
    ],
)
def test_points(rows, bounds, want):
    assert plain(value_of(points("score", rows, *bounds))[0]) == want
    sure = points("score", rows, *bounds).but(unknown_rows="add_nothing")
    known = points("score", [(when, add) for when, add in rows if when is not OPEN], *bounds)
    assert value_of(sure)[0] == value_of(known)[0]


def test_points_tell_the_reasons_of_their_rows():
    """Those that count and those that might; rows without a reason and rows that are false are not told."""
    rows = [
        (TRUE, 30, "a block"),
        (FALSE, 20, "done"),
        (TRUE, 5),
        (TRUE, -2.5, "a doubt"),
        (OPEN, 15, "files"),
    ]
    value, note = value_of(points("score", rows))
    assert value == Unknown("not known: +15 files", "score", 32.5, 47.5)
    assert note == "+30 a block, -2.5 a doubt"
    assert value_of(points("score", rows).but(unknown_rows="add_nothing")) == (
        32.5,
        "+30 a block, -2.5 a doubt; not known: +15 files",
    )
    assert value_of(points("score", rows[:2])) == (30, "+30 a block")
    assert value_of(points("score", rows[1:2])) == (0, "")
    assert value_of(points("score", [(OPEN, 2)]))[0].reason == "not known: +2 if flag is true"


@given(st.lists(st.tuples(st.sampled_from(["t", "f", "u"]), st.integers(-50, 50)), max_size=8))
@settings(max_examples=150, deadline=None)
def test_points_lie_between_their_own_bounds(rows):
    """However the unknown rows come out, the value ends within the bounds."""
    trees = {"t": TRUE, "f": FALSE, "u": OPEN}
    derived = points("score", [(trees[kind], add) for kind, add in rows], 0, 100)
    value, _ = value_of(derived)
    least, most = (value.least, value.most) if isinstance(value, Unknown) else (value, value)
    assert 0 <= least <= most <= 100
    settled = [value_of(derived, {"flag": flag})[0] for flag in (True, False)]
    assert all(least <= one <= most for one in settled)
    assert isinstance(value, Unknown) or settled == [value, value]


def test_a_formula_and_a_rule_read_the_bounds_of_points():
    score = points("score", [(TRUE, 10), (OPEN, 35)], 0, 100)
    half = formula("half", op("div", "score", 2), 0, 20)
    made = policy(derived=(score, half))
    derived = Program(made).derive([{"flag": UNKNOWN}])
    assert plain(derived["half"].value) == (5, 20)
    whole = Program(made).complete([{"flag": UNKNOWN}])
    for sign, limit, want in (
        (">=", 10, True),
        (">=", 11, None),
        (">=", 46, False),
        ("<", 46, True),
        ("<", 10, False),
        ("==", 46, False),
    ):
        truth = compile_node(compare("score", sign, limit), {}, {})(whole)
        assert truth is want or (want is None and isinstance(truth, Unknown)), (sign, limit)


def test_formula():
    share = formula("share", op("div", op("mul", 100, "tasks.done"), "tasks.total"), 0, 100)
    assert value_of(share, {"tasks.done": 1, "tasks.total": 4}) == (25, "")
    assert value_of(share, {"tasks.done": 9, "tasks.total": 4}) == (100, "")
    assert isinstance(value_of(share, {"tasks.done": 1, "tasks.total": 0})[0], Unknown)
    assert isinstance(value_of(share, {"tasks.done": UNKNOWN, "tasks.total": 4})[0], Unknown)


def test_later_facts_read_earlier_ones_and_only_the_last_record_changes():
    made = policy(
        derived=(
            points("score", [(compare("tasks.done", ">", 0), 40)], 0, 100),
            formula("double", op("add", "score", "score")),
        )
    )
    program = Program(made)
    records = [{"tasks.done": 0, "score": 7}, {"tasks.done": 2}]
    assert {n: f.value for n, f in program.derive(records).items()} == {"score": 40, "double": 80}
    whole = program.complete(records)
    assert whole[0] == records[0]
    assert whole[1] == {"tasks.done": 2, "score": 40, "double": 80}
    assert records[1] == {"tasks.done": 2}, "the input is left as it was"


def test_points_lines_say_how_each_row_came_out():
    program = Program(policy(derived=(points("score", [(TRUE, 1), (OPEN, 2), (FALSE, 3)]),)))
    lines = program.points([{"flag": UNKNOWN}], "score")
    assert [line.truth for line in lines] == [True, UNKNOWN, False]
    assert [line.row.add for line in lines] == [1, 2, 3]
    assert program.points([{}], "nope") == ()


def test_what_is_given_by_hand_stands_in_what_is_computed_from_it():
    base = points("base", [(TRUE, 40)])
    program = Program(policy(derived=(base, formula("twice", fact("base")))))
    record = {"flag": UNKNOWN, "base": 7}
    assert program.derive([record])["twice"].value == 40
    found = program.derive([record], given=("base",))
    assert (found["base"].value, found["twice"].value) == (40, 7)
    settled = Evaluation(program).observe(Record(record), given=("base",))
    assert (settled.record["base"], settled.record["twice"]) == (7, 7)


def test_points_for_silence_count_although_something_stands_in_for_a_fact():
    made = policy(derived=[points("score", [(op("silence"), 40)])], unreadable={"flag": False})
    program = Program(made)
    record = Record({"flag": False}, frozenset({"flag"}))
    assert program.derive([record])["score"].value == 40
    assert program.complete_all([record])[0]["score"] == 40
    assert program.complete_all([record])[0].stand_ins == {"flag"}
    assert program.derive([Record({"flag": False})])["score"].value == 0
