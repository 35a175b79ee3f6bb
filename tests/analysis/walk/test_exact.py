"""What is called a proof is one: where the points around constants miss an answer, it is not called so."""

from __future__ import annotations

import pytest
from cases import each
from small import TYPES, also, asked, policy

from exitgate.analysis.walk.gates import TRUE
from exitgate.analysis.walk.queries import PROVED, REFUTED, UNDECIDED, Limits, can_be, can_decide, decides
from exitgate.analysis.walk.query_cache import QueryCache
from exitgate.analysis.walk.questions import Condition
from exitgate.core.model.value import Type

LIMITS = Limits(seconds=20)

#: Conditions that a value makes true which is no point: the walk may miss it, and must not prove it away.
MISSED = [
    ("7 * n == 91", {"n": 13}),
    ("n * n == 49", {"n": 7}),
    ("n + m == 13 and n == 4", {"n": 4, "m": 9}),
    ("x * x == 2.25", {"x": 1.5}),
    ("t matches \"^zz+$\"", {"t": "zzz"}),
    ("t contains \"qq\" and length(t) == 4", {"t": "aqqb"}),
    ("round(x) == 9 and x > 9.3", {"x": 9.4}),
    ("n / 3 == 5", {"n": 15}),
    ("count of names where (item is \"k\") == 40", {"names": ("k",) * 40}),
    ("any of names where (length(item) > 2) and length(names) == 501 and (any of names where (item is \"x\"))"
     " is unknown", {"names": ("long",) * 501}),
    ("any of names where (item is t and length(item) == 9)", {"names": ("123456789",), "t": "123456789"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "values"), MISSED)
def test_a_difference_between_the_points_is_not_proved_away(text: str, values: dict[str, object]) -> None:
    of, node = asked(text)
    assert Condition(of, [(node, TRUE)]).holds((values,)), "there is an answer"
    answer = can_be(of, node, True, LIMITS)
    assert answer.status != PROVED


#: Conditions that are true at a point only because the right points are there.
SEEN = [
    "n != m and n > 5 and m > 5",
    "(n > 5) for 2 consecutive iterations and not (n unchanged for 1 iterations)",
    "(x > 1 and x < 2) for 2 consecutive iterations and not (x unchanged for 1 iterations)",
    "x > 0.5 and x < 0.75",
    "n > 2.5 and n < 3.5",
    "n == $two * $three",
    "d > 90s and d < 2m",
    "p > 99 and p < 100",
    "state is known and state is not OPEN",
    "names contains \"k\"",
    "length(names) == 2",
    "n is 9",
    "n in [4, 9]",
    "t is \"word\"",
    "n between 6 and 6",
    "x == previous(x) and x > 70 and x < 71",
    "m > n and n > 12",
    "any of names where (item matches \"^zz+$\")",
    "all of names where (length(item) > 5) and any of names where (item contains \"q\")",
    "any of names where (item is \"k\") and not (all of names where (item is \"k\"))",
    "count of names where (item is \"k\") == 3",
    "any of states where (item is OPEN) and not (all of states where (item is OPEN))",
    "all of sizes where (item > 7 and item < 8) and length(sizes) > 0",
    "max(n, last 3) == 9 and n < 4",
    "min(n, last 2) between 3 and 4",
    "percentile(n, 50%, last 3) == 7",
]  # fmt: skip


@each("text", SEEN)
def test_the_points_are_there(text: str) -> None:
    of, node = asked(text, states=Type("list", item=TYPES["state"]), sizes=Type("list", item=TYPES["x"]))
    answer = can_be(of, node, True, LIMITS)
    assert answer.status == REFUTED
    assert Condition(of, [(node, TRUE)]).holds(answer.run or ())


#: Conditions that nothing makes true, and whether that is a proof.
NEVER = [
    ("n > 5 and n < 5", True),
    ("n > 5 and n < 6", True),
    ("p > 100", True),
    ("a and not a", True),
    ("a is unknown and a", True),
    ("(a) for 2 consecutive iterations and not previous(a)", True),
    ("state is OPEN and state is CLOSED", True),
    ("n * 2 == 7", False),
    ("n > m and m > n", False),
    ('any of names where (item is "a" and item is "b")', True),
    (
        'all of names where (item matches "^a" and not (item contains "a"))'
        ' and any of names where (item is "a")',
        False,
    ),  # of a longer list one may be known and the other not
    ("max(n, last 3) < 5 and n > 5", True),
    ("percentile(n, 100%, last 2) < 5 and n > 5", True),
    ("median(n, last 1) < 5 and n > 5", False),
]


@pytest.mark.parametrize(("text", "sure"), NEVER)
def test_what_cannot_be(text: str, sure: bool) -> None:
    of, node = asked(text)
    answer = can_be(of, node, True, LIMITS)
    assert answer.status == (PROVED if sure else UNDECIDED)
    assert answer.points > 0


def test_a_test_that_does_not_matter_does_not_spoil_the_proof() -> None:
    of = policy("n * 2 == 7 -> stuck", "a -> complete", "not a -> review")
    answer = decides(of, "complete", also(of, "a is unknown"), LIMITS)
    assert answer.status == PROVED
    assert can_decide(of, "r0", LIMITS).status == UNDECIDED


def test_sums_of_points_are_exact() -> None:
    of = policy(
        "score >= 70 -> complete", "score == 45 -> review", "score == 50 -> stuck",
        points={"score": [("a", 30), ("b", 15), ("n > 3", 20), ("m > 3", -5)]},
    )  # fmt: skip
    answer = can_decide(of, "r0", LIMITS)
    assert answer.status == PROVED, "30 + 15 + 20 is 65"
    assert can_decide(of, "r1", LIMITS).status == REFUTED
    assert can_decide(of, "r2", LIMITS).status == REFUTED
    clusters = QueryCache((of,), ()).variables(1).clusters
    cluster = next(one for one in clusters if one.names == ("score",))
    assert {value for (value,) in cluster.choices} >= {0, 15, 25, 30, 45, 60, 65}


def test_sums_of_rows_that_exclude_each_other() -> None:
    of = policy(
        "score == 50 -> complete", "score == 30 -> stuck",
        points={"score": [("n > 5", 30), ("n < 3", 20)]},
    )  # fmt: skip
    assert can_decide(of, "r0", LIMITS).status == PROVED
    assert can_decide(of, "r1", LIMITS).status == REFUTED
