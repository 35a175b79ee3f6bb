"""Lists that are tried: no list comes out as none of them does."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from exitgate.analysis.space.lists import lists
from exitgate.analysis.space.texts.predicates import CONTAINS, IS, LENGTH, TextPredicate

_ITEMS = st.sampled_from("abcx")
_TESTS = st.lists(
    st.builds(TextPredicate, st.just(CONTAINS), _ITEMS)
    | st.builds(TextPredicate, st.just(IS), st.lists(_ITEMS, max_size=3).map(tuple))
    | st.builds(TextPredicate, st.just(LENGTH), st.sampled_from((0, 1, 2, 2.5, 7))),
    min_size=1,
    max_size=4,
    unique=True,
)


def way(tests: list[TextPredicate], one: tuple[str, ...]) -> tuple[object, ...]:
    return tuple(
        test.compared(len(one)) if test.kind == LENGTH
        else test.against in one if test.kind == CONTAINS
        else test.against == one
        for test in tests
    )  # fmt: skip


@given(_TESTS, st.lists(st.lists(st.sampled_from("abcxyz"), max_size=8).map(tuple), min_size=10, max_size=10))
@example([TextPredicate(LENGTH, 5)], [("a",) * 4, ("a",) * 5, ("a",) * 6])
@example([TextPredicate(IS, ("a", "b"))], [("b", "a"), ("a", "b")])
@example([TextPredicate(IS, ("a", "a"))], [("a",), ("a", "a")])
@example([TextPredicate(CONTAINS, "a"), TextPredicate(LENGTH, 3)], [("a", "a", "a"), ("b", "b", "b")])
def test_no_list_comes_out_as_none_of_them_does(
    tests: list[TextPredicate], others: list[tuple[str, ...]]
) -> None:
    tried, whole = lists(tests)
    if whole:
        assert {way(tests, one) for one in others} <= {way(tests, one) for one in tried}


def test_a_named_list_and_a_long_one_are_tried() -> None:
    tried, whole = lists([TextPredicate(IS, ("a", "b", "c")), TextPredicate(LENGTH, 30)])
    assert whole
    assert ("a", "b", "c") in tried
    assert {29, 30, 31} <= set(map(len, tried))
    assert not lists([TextPredicate(LENGTH, 100)])[1]
    assert not lists([TextPredicate(CONTAINS, letter) for letter in "abcdef"])[1]
