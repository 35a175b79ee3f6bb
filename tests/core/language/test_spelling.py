"""Nearest names and the distance they go by."""

from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.model.spelling import edits, nearest

NAMES = ("tasks.done", "tasks.total", "confidence", "errors.count", "x")


@each(
    ("name", "want"),
    [
        ("taks.done", "tasks.done"),
        ("tasks.dnoe", "tasks.done"),
        ("TASKS.DONE", "tasks.done"),
        ("done", "tasks.done"),
        ("count", "errors.count"),
        ("confidnce", "confidence"),
        ("konfidence", "confidence"),
        ("zzz", None),
        ("y", None),
        ("", None),
        ("c", None),
        ("entirely.else", None),
        ("a" * 5000, None),
    ],
)
def test_nearest(name, want):
    assert nearest(name, NAMES) == want


def test_the_first_of_equally_near_ones():
    assert nearest("tast", ["test", "task"]) == "test"
    assert nearest("tast", ["task", "test"]) == "task"
    assert nearest("tast", []) is None


@settings(max_examples=100, deadline=None)
@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_edits_are_a_distance(one, other):
    distance = edits(one, other, 99)
    assert distance == edits(other, one, 99)
    assert (distance == 0) == (one == other)
    assert abs(len(one) - len(other)) <= distance <= max(len(one), len(other))
    assert edits(one, other, 2) == min(distance, 2)
