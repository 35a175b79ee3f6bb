"""Calls of tools that come again: what asks the same and gives the same, and what only looks like it."""

from __future__ import annotations

from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.facts.extractors import repeated_calls
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

NOISE = {
    "entries": [
        {"id": "clock", "pattern": r"\d\d:\d\d:\d\d", "noise": "<time>", "phrases": []},
    ]
}


def call(tool, result="", error=False, **input):
    return {"tool": tool, "input": input, "result": result, "error": error}


def facts(calls, **options):
    record = None if calls is None else {"calls": calls}
    offered = Iteration(1, "r#1", 0.0, {"tool_calls": Source("tool_calls", record=record)})
    found = repeated_calls.extract("calls", "tool_calls", JsonObject({"lexicon": NOISE, **options}), offered)
    assert [f.name for f in found] == [f"calls.{s.name}" for s in repeated_calls.specs(JsonObject())]
    return {f.name.removeprefix("calls."): None if isinstance(f.value, Unknown) else f.value for f in found}


def numbers(calls, **options):
    found = facts(calls, **options)
    return found["count"], found["repeats"], found["cycles"]


BUILD = call("Bash", "error: no such module", command="make")
READ = call("Read", "text", path="a.py")
EDIT = call("Edit", "ok", path="a.py", old="x", new="y")


@each(
    ("calls", "count", "repeats", "cycles"),
    [
        ([], 0, 0, 0),
        ([READ], 1, 1, 1),
        ([BUILD, BUILD, BUILD], 3, 3, 1),
        ([BUILD, READ, BUILD, READ, BUILD, READ], 6, 1, 3),
        ([BUILD, BUILD, READ, BUILD, BUILD, READ], 6, 2, 2),  # a sequence may hold the same call twice
        ([READ, EDIT, BUILD] * 4, 12, 1, 4),
        ([call("Edit", "ok", path=f"src/{n}.py", old="x", new="y") for n in range(20)], 20, 1, 1),
        ([call("read_output", f"part {n}", id=7) for n in range(50)], 50, 1, 1),  # reading on
        ([call("write_stdin", "", chars="", session=3)] * 8, 0, 0, 0),  # waits
        ([call("write_stdin", f"{n} of 8", chars=" ", session=3) for n in range(8)], 0, 0, 0),
    ],
)
def test_rows(calls, count, repeats, cycles):
    assert numbers(calls) == (count, repeats, cycles)


def test_what_came_back_counts_unless_the_policy_says_otherwise():
    polled = [call("Bash", f"12:00:0{n} running", command="status") for n in range(5)]
    moved = [call("Bash", f"{n} of 5", command="status") for n in range(5)]
    assert numbers(polled)[1] == 5  # only the time differs
    assert numbers(polled, result="same")[1] == 1
    assert numbers(moved)[1] == 1
    assert numbers(moved, result="ignore")[1] == 5


def test_a_call_that_failed_is_not_the_one_that_went_well():
    assert numbers([call("Bash", "x", command="a"), call("Bash", "x", error=True, command="a")])[1] == 1


def test_the_order_of_names_means_nothing():
    one, other = {"tool": "t", "input": {"a": 1, "b": 2}}, {"tool": "t", "input": {"b": 2, "a": 1}}
    assert numbers([one, other])[1] == 2


def test_the_longest_sequence_is_a_matter_of_the_policy():
    steps = [call("t", n=n) for n in range(4)] * 3
    assert numbers(steps)[2] == 3
    assert numbers(steps, cycle=3)[2] == 1
    assert numbers(steps, cycle=1)[2] == 1


def test_the_call_is_shown_and_the_signature_changes_with_anything():
    found = facts([READ, BUILD, BUILD])
    assert found["call"] == "Bash command: make"
    assert facts([READ])["call"] is None
    assert facts([READ])["signature"] != facts([BUILD])["signature"]
    assert facts([READ, BUILD])["signature"] == facts([READ, BUILD])["signature"]
    assert facts([])["signature"] is None


def test_calls_that_gave_something_back():
    silent = {"tool": "Read", "input": {}}
    assert facts([silent, call("Read", "", path="a"), READ])["answered"] == 1
    assert facts([call("Bash", "", error=True, command="a")])["answered"] == 1  # a failure is an answer
    assert facts([])["answered"] == 0


def test_what_is_not_told_is_unknown():
    assert set(facts(None).values()) == {None}
    record = Source("tool_calls", record={"calls": "many"})
    found = repeated_calls.extract(
        "c", "tool_calls", JsonObject(), Iteration(1, "r#1", 0.0, {"tool_calls": record})
    )
    assert all(isinstance(f.value, Unknown) for f in found)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from(["tool", "input", "result", "error", "x"]), plain) | plain))
def test_any_record_has_facts(calls):
    count, repeats, cycles = numbers(calls)
    assert 0 <= repeats <= count
    assert 0 <= cycles <= max(count, 0)


@given(st.integers(1, 6), st.integers(2, 5))
def test_a_row_is_counted_exactly(times, length):
    sequence = [call("t", "r", n=n) for n in range(length)]
    before, behind = call("t", "r", n="before"), call("t", "r", n="behind")
    assert numbers([before, *sequence * times, behind])[1:] == (1, times)
    assert numbers([before, *[sequence[0]] * times, behind])[1:] == (times, 1)


def test_a_deep_input_is_no_trouble():
    deep: object = "x"
    for _ in range(900):
        deep = [deep]
    assert numbers([{"tool": "t", "input": {"a": deep}}])[0] == 1
