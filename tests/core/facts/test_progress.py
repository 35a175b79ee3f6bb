"""Progress: signals held against what the run has seen of them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.extractors import progress
from exitgate.core.facts.extractors.progress import (
    KNOWN,
    MADE,
    MOVED,
    SEEN_LIMIT,
    Movement,
    Remembered,
    Signal,
    digest,
    fact_of,
    movement,
)
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

SIGNALS = ("tasks.done", "git.content", "worked")
MISSING = Unknown("no plan", "tasks.done")


def signals_of(names: tuple[str, ...]) -> tuple[Signal, ...]:
    """`name` or `name way`."""
    return tuple(Signal(*text.split()) for text in names)


def moved(names: tuple[str, ...], record: dict[str, object], before: Remembered) -> object:
    found = movement(signals_of(names), record, before)
    fact = fact_of("p.signals", MOVED, found)
    assert fact_of("p.known", KNOWN, found).value == found.known
    made = fact_of("p.made", MADE, found).value
    assert isinstance(made, Unknown) == (found.known == 0)
    assert isinstance(made, Unknown) or made is bool(fact.value)
    return fact.value


def run_of(*records: dict[str, object]) -> list[object]:
    """Return what moved in each record, the first one being how things stood before any work."""
    before, found = Remembered(), []
    for record in records:
        found.append(moved(SIGNALS, record, before))
        before = before.after(signals_of(SIGNALS), record)
    return found[1:]


def series(name: str, *values: object) -> list[object]:
    return [f if isinstance(f, Unknown) else bool(f) for f in run_of(*({name: v} for v in values))]


@pytest.mark.parametrize(
    ("values", "made"),
    [
        ([0, 1], [True]),
        ([0, 0], [False]),
        ([3, 3, 4, 4], [False, True, False]),
        ([2, 1, 2, 3], [False, False, True]),
        ([0, 1, 0, 1, 0, 1], [True, False, False, False, False]),
        ([1.5, 1.6], [True]),
    ],
)
def test_a_number_moves_when_it_exceeds_all_earlier_ones(values, made):
    assert series("tasks.done", *values) == made


@pytest.mark.parametrize(
    ("values", "made"),
    [
        (["a", "b"], [True]),
        (["a", "a"], [False]),
        (["a", "b", "a", "b", "a"], [True, False, False, False]),
        (["a", "b", "a", "c"], [True, False, True]),
        ([(1, 2), (2, 1)], [True]),
    ],
)
def test_content_moves_when_the_run_has_not_seen_it(values, made):
    assert series("git.content", *values) == made


def test_a_bool_needs_no_history():
    assert moved(SIGNALS, {"worked": True}, Remembered()) == ("worked",)
    assert moved(SIGNALS, {"worked": False}, Remembered()) == ()


def test_one_signal_that_moves_is_enough_and_all_that_do_are_named():
    before = Remembered().after(signals_of(SIGNALS), {"tasks.done": 1, "git.content": "a"})
    assert moved(SIGNALS, {"tasks.done": 1, "git.content": "b", "worked": False}, before) == ("git.content",)
    both = moved(SIGNALS, {"worked": True, "tasks.done": 2, "git.content": "a"}, before)
    assert both == ("tasks.done", "worked")


def test_an_unknown_signal_says_nothing_while_another_is_known():
    before = Remembered().after(signals_of(SIGNALS), {"tasks.done": 1, "git.content": "a"})
    assert moved(SIGNALS, {"tasks.done": MISSING, "git.content": "a"}, before) == ()
    assert moved(SIGNALS, {"tasks.done": MISSING, "git.content": "b"}, before) == ("git.content",)


def test_without_any_known_signal_progress_is_unknown_and_says_why():
    found = moved(("tasks.done",), {"tasks.done": MISSING}, Remembered())
    assert isinstance(found, Unknown)
    assert found.reason == "tasks.done: no plan"
    first = moved(("tasks.done",), {"tasks.done": 4}, Remembered())
    assert isinstance(first, Unknown)
    assert first.reason == "tasks.done: nothing earlier in the run to compare with"
    assert isinstance(moved((), {}, Remembered()), Unknown)


def test_a_gap_of_unknown_values_forgets_nothing():
    assert series("tasks.done", 2, MISSING, 2, MISSING, 3)[1] is False
    assert series("tasks.done", 2, MISSING, 2, MISSING, 3)[3] is True


def test_no_more_than_so_many_values_are_remembered_and_the_oldest_goes_first():
    before = Remembered()
    for number in range(SEEN_LIMIT + 3):
        before = before.after(signals_of(("git.content",)), {"git.content": f"v{number}"})
    assert len(before.seen["git.content"]) == SEEN_LIMIT
    assert moved(("git.content",), {"git.content": "v3"}, before) == ()
    assert moved(("git.content",), {"git.content": "v2"}, before) == ("git.content",)


def test_a_value_seen_again_is_kept_longer():
    before = Remembered().after(signals_of(("git.content",)), {"git.content": "old"})
    for number in range(SEEN_LIMIT - 1):
        before = before.after(signals_of(("git.content",)), {"git.content": f"v{number}"})
    before = before.after(signals_of(("git.content",)), {"git.content": "old"})
    before = before.after(signals_of(("git.content",)), {"git.content": "one more"})
    assert digest("old") in before.seen["git.content"]


VALUES = st.integers(0, 5) | st.sampled_from(["a", "b", "c", True, False, MISSING])


@given(st.lists(st.dictionaries(st.sampled_from(SIGNALS), VALUES, max_size=3), max_size=12))
@settings(max_examples=200, deadline=None)
def test_totals_carry_all_of_it(records):
    straight, through = Remembered(), Remembered()
    for record in records:
        assert moved(SIGNALS, record, straight) == moved(SIGNALS, record, through)
        straight = straight.after(signals_of(SIGNALS), record)
        through = Remembered.from_plain(through.after(signals_of(SIGNALS), record).to_plain())


@pytest.mark.parametrize(
    "totals",
    [
        {},
        {"best": 5, "seen": 5},
        {"best": {"x": "y"}, "seen": {"x": 5}},
        {"best": [], "seen": {"x": [1, None]}},
    ],
)
def test_spoilt_totals_are_not_remembered(totals):
    found = Remembered.from_plain(JsonObject(totals))
    assert found.best == {}
    assert all(isinstance(mark, str) for marks in found.seen.values() for mark in marks)


def test_facts_of_a_recording():
    plain = Remembered({"tasks.done": 1}).to_plain() | {"now": {"tasks.done": 2}}
    iteration = Iteration(2, "loop#1", 0.0, {"history": Source("history", record=plain)})
    made, signals, known = progress.extract(
        "progress", "history", JsonObject({"signals": ["tasks.done"]}), iteration
    )
    assert (made.name, made.value, made.note) == ("progress.made", True, "moved: tasks.done")
    assert (signals.name, signals.value) == ("progress.signals", ("tasks.done",))
    assert (known.name, known.value) == ("progress.known", 1)
    nothing = progress.extract("p", "history", JsonObject(), Iteration(1, "loop#1", 0.0, {}))
    assert [isinstance(fact.value, Unknown) for fact in nothing] == [True, True, False]
    assert [fact.name for fact in nothing] == [f"p.{spec.name}" for spec in progress.specs(JsonObject())]


def test_flat_is_false_with_no_signals():
    found = Movement((), ("x",), ())
    assert fact_of("p.made", MADE, found).value is False
    assert fact_of("p.signals", MOVED, found).value == ()


@pytest.mark.parametrize(
    ("values", "made"),
    [
        ([5, 4], [True]),
        ([5, 5, 6, 5], [False, False, False]),
        ([5, 3, 5, 4, 3, 2], [True, False, False, False, True]),
        ([5, MISSING, 4], [None, True]),
        ([2.5, 0], [True]),
        # what can fall no further says nothing, and what rose from there falls anew
        ([0, 0, 0], [None, None]),
        ([0, 3, 1, 0, 0], [False, True, True, None]),
        ([3, 0, 0, 2, 2, 1], [True, None, False, False, True]),
    ],
)
def test_a_number_that_is_to_fall_moves_below_all_earlier_ones(values, made):
    before, found = Remembered(), []
    for value in values:
        result = moved(("failing falls",), {"failing": value}, before)
        found.append(None if isinstance(result, Unknown) else bool(result))
        before = Remembered.from_plain(
            before.after(signals_of(("failing falls",)), {"failing": value}).to_plain()
        )
    assert found[0] is None
    assert found[1:] == made


def test_a_number_or_bool_that_is_to_change_goes_by_values_seen():
    ways = signals_of(("n changes", "b changes"))
    before = Remembered().after(ways, {"n": 3, "b": False})
    assert moved(("n changes", "b changes"), {"n": 2, "b": False}, before) == ("n",)
    assert moved(("n changes", "b changes"), {"n": 3.0, "b": True}, before) == ("b",)
    before = before.after(ways, {"n": 2, "b": True})
    assert moved(("n changes", "b changes"), {"n": 3, "b": False}, before) == ()
    assert before.best == before.least == {}


def test_one_fact_may_rise_for_one_and_fall_for_another():
    both = signals_of(("n rises", "n falls"))
    before = Remembered().after(both, {"n": 3}).after(both, {"n": 5})
    assert moved(("n rises",), {"n": 4}, before) == ()
    assert moved(("n falls",), {"n": 2}, before) == ("n",)
    assert Remembered.from_plain(before.to_plain()) == before


def test_values_of_another_kind_cannot_tell():
    found = movement(
        signals_of(("a falls", "b true", "c rises")), {"a": "x", "b": 1, "c": True}, Remembered()
    )
    assert found.known == 0
    assert [reason for _, reason in found.unknown] == ["not a number", "not a bool", "not a number"]


def test_the_note_says_it_of_each():
    before = Remembered({"tasks.done": 1}, {"git.content": (digest("a"),)})
    found = movement(
        signals_of(("tasks.done", "git.content", "failing falls", "new")),
        {"tasks.done": 2, "git.content": "a", "failing": MISSING, "new": "x"},
        before,
    )
    note = "moved: tasks.done; flat: git.content; unknown: failing (no plan), "
    note += "new (nothing earlier in the run to compare with)"
    assert fact_of("p.made", MADE, found).note == note
    assert fact_of("p.known", KNOWN, found).value == 2
    assert fact_of("p.signals", MOVED, found).note == ""
