"""`json`: pointers, declared types, what is not JSON, where the value is, how old the file is."""

from __future__ import annotations

import json
import math
import sys

import pytest
from cases import EVERY, each
from fact_reading import facts
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts import json_pointer
from exitgate.core.facts.extractors import json as extractor
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.recordings.recorded_input import holds

EXAMPLES = 2_000 if EVERY else 150


def read(text: str, **options: object) -> object:
    return facts("json", options, source="f", f=text)["x"].value


def reason(text: str, **options: object) -> str:
    value = read(text, **options)
    assert isinstance(value, Unknown), value
    return value.reason


# The examples of RFC 6901, section 5.
RFC = r"""{"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6,
 " ": 7, "m~n": 8}"""


@each(
    ("pointer", "value"),
    [("/foo/0", "bar"), ("/foo/1", "baz"), ("/", 0), ("/a~1b", 1), ("/c%d", 2), ("/e^f", 3), ("/g|h", 4),
     ("/i\\j", 5), ('/k"l', 6), ("/ ", 7), ("/m~0n", 8)],
)  # fmt: skip
def test_pointers_of_the_rfc(pointer: str, value: object) -> None:
    assert read(RFC, at=pointer, type="text" if isinstance(value, str) else "number") == value


@each("pointer", ["/foo/2", "/foo/-", "/foo/01", "/foo/-1", "/foo/1e0", "/foo/\u0660", "/foo/0/x", "/no",
                  "/m~01n", "/foo/" + "9" * 400])  # fmt: skip
def test_pointers_to_nothing(pointer: str) -> None:
    assert reason(RFC, at=pointer, type="text").startswith("f has nothing at `/")


def test_it_says_how_far_a_pointer_leads() -> None:
    assert reason('{"a": {"b": 1}}', at="/a/c/d") == "f has nothing at `/a/c`"


@each(
    ("text", "type", "want"),
    [
        ("3", "number", 3), ("3.5", "number", 3.5), ("-0.0", "number", 0), ("1e2", "number", 100),
        ("3", "count", 3), ("3.0", "count", 3), ("0", "percent", 0), ("87.25", "percent", 87.25),
        ("true", "bool", True), ("false", "bool", False), ('"é\\n"', "text", "é\n"), ('""', "text", ""),
        ('"Passed"', "enum", "PASSED"),
    ],
)  # fmt: skip
def test_values_of_the_declared_type(text: str, type: str, want: object) -> None:
    more = {"members": ["passed", "FAILED"]} if type == "enum" else {}
    found = read(text, type=type, **more)
    assert (found, found.__class__) == (want, want.__class__)


@each(
    ("text", "type", "why"),
    [
        ('"3"', "number", "f:1:1 is a text, not a number"),
        ("true", "number", "f:1:1 is true, not a number"),
        ("null", "number", "f:1:1 is null, not a number"),
        ("[1]", "number", "f:1:1 is an array, not a"),
        ("{}", "text", "f:1:1 is an object, not a text"),
        ("1", "bool", "f:1:1 is a number, not true or false"),
        ('"true"', "bool", "f:1:1 is a text, not true or false"),
        ("3.5", "count", "f:1:1 is 3.5, not a whole"),
        ("-1", "count", "f:1:1 is -1, not a whole"),
        ("101", "percent", "outside the range from 0 to 100"),
        ("-0.1", "percent", "outside the range"),
        ("1e999", "number", "is a number too large to compare"),
        ("-1e999", "percent", "is a number too large"),
        ("9" * 400, "number", "is a number too large"),
        ("7", "text", "is a number, not a text"),
        ('"so"', "enum", "is `so`, not one of PASSED, FAILED"),
        ('"' + "x" * 10_001 + '"', "text", "is a text of 10001 characters, more than 10000"),
    ],
)
def test_values_of_another_type_are_unknown(text: str, type: str, why: str) -> None:
    more = {"members": ["passed", "failed"]} if type == "enum" else {}
    assert why in reason(text, type=type, **more)


def test_a_number_out_of_range_is_unknown() -> None:
    assert read("7", range=[5, 9]) == 7
    assert reason(' {"n": 10}', at="/n", range=[5, 9]) == "f:1:8 at `/n` is 10, outside the range from 5 to 9"


@each(
    ("text", "why"),
    [
        ("", "f is empty"),
        (" \n", "f is empty"),
        ("\ufeff", "f is empty"),
        ('{"n": 1,}', "f:1:9 is not JSON"),
        ('{\n "n" 1}', "f:2:6 is not JSON"),
        ("[1, 2", "f:1:6 is not JSON"),
        ('{"n": 1} x', "f:1:10 is not JSON"),
        ("// c\n1", "f:1:1 is not JSON"),
        ("'a'", "f:1:1 is not JSON"),
        ('{"a": "x\ny"}', "f:1:9 is not JSON"),
        ('["a\\q"]', "f:1:4 is not JSON"),
        ("01", "f:1:2 is not JSON"),
        ('{"NaN": [1, NaN]}', "f:1:13 holds `NaN`, which is not JSON"),
        ('["Infinity", "\\"NaN", -Infinity]', "f:1:23 holds `-Infinity`, which is not JSON"),
        ('{"a": {"b": 1, "b": 2}}', "f has the key `b` twice in one object"),
        ('{"a": 1, "\\u0061": 2}', "f has the key `a` twice in one object"),
        ("[" * 100_000, "f is nested too deeply"),
        ("[" * 5_000 + "]" * 5_000, "f is nested too deeply"),
        ("9" * 10_000, "f holds a number of too many digits"),
        ("\x00", "f:1:1 is not JSON"),
        ("{\ud800}", "f:1:2 is not JSON"),
    ],
)
def test_what_is_not_json_is_unknown_and_says_where(text: str, why: str) -> None:
    assert reason(text) == why


def test_a_fault_elsewhere_in_the_file_makes_no_value_known() -> None:
    assert isinstance(read('{"n": 1, "m": NaN}', at="/n"), Unknown)
    assert isinstance(read('{"n": 1, "m": 1, "m": 1}', at="/n"), Unknown)


PLAIN = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6) | st.text(max_size=6)
KEYS = st.text('ab~/"\\é {}[]:,0', max_size=3)
DOCUMENTS = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)


def everywhere(value: object, pointer: str = "") -> list[tuple[str, object]]:
    """Return every value of a document with its pointer."""
    found = [(pointer, value)]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        token = str(key).replace("~", "~0").replace("/", "~1")
        found += everywhere(one, f"{pointer}/{token}")
    return found


@settings(max_examples=EXAMPLES, deadline=None)
@given(document=DOCUMENTS, indent=st.sampled_from([None, 0, 2]), ascii=st.booleans())
def test_every_value_is_found_where_it_is(document: object, indent: int | None, ascii: bool) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=ascii)
    for pointer, value in everywhere(document):
        found = json_pointer.find(text, pointer)
        assert (found.problem, found.value) == ("", value)
        assert json.loads(text[found.start : found.end]) == value
        line, column = json_pointer.place(text, found.start)
        assert text.split("\n")[line - 1][column - 1 :].startswith(
            text[found.start : found.end].split("\n")[0]
        )


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    text=st.text('{}[]",:0123e+-.ntrufalse \\\n\ufeffN/', max_size=30),
    pointer=st.sampled_from(["", "/0", "/a"]),
)
def test_a_text_is_json_exactly_where_the_standard_library_says_so(text: str, pointer: str) -> None:
    def twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError(pairs)
        return dict(pairs)

    def none(word: str) -> object:
        raise ValueError(word)

    try:
        json.loads(text.removeprefix("\ufeff"), object_pairs_hook=twice, parse_constant=none)
        good = True
    except ValueError:
        good = False
    found = json_pointer.find(text, pointer)
    assert good is (not found.problem or found.problem.startswith("has nothing at"))
    assert -1 <= found.at <= len(text)


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    document=DOCUMENTS,
    type=st.sampled_from(extractor.TYPES),
    range=st.none() | st.just([0, 50]),
)
def test_a_known_value_is_always_one_of_its_type_and_range(
    document: object, type: str, range: list[int] | None
) -> None:
    options: dict[str, object] = {"type": type}
    options |= {"members": ["a", "B"]} if type == "enum" else {}
    options |= {"range": range} if range and type in ("number", "count", "percent") else {}
    spec = extractor.specs(JsonObject(options))[0]
    for pointer, _ in everywhere(document):
        (fact, _) = extractor.extract(
            "x", "f", JsonObject({**options, "at": pointer}), _at(json.dumps(document))
        )
        if isinstance(fact.value, Unknown):
            continue
        assert holds(spec.type, fact.value)
        assert fact.evidence[0].source == "f"
        if isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
            assert math.isfinite(fact.value)
            assert (spec.low is None or spec.low <= fact.value) and (
                spec.high is None or fact.value <= spec.high
            )


def _at(text: str | None, now: float = 0.0, written: str = "", reason: str = "") -> Iteration:
    return Iteration(1, "r#1", now, {"f": Source("f", text, path="b/f.json", written=written, reason=reason)})


def aged(seconds: float, **options: object) -> tuple[object, object]:
    now = 1_800_000_000.0
    written = f"7.{int((now - seconds) * 1e9)}"
    value, age = extractor.extract("x", "f", JsonObject(options), _at("1", now, written))
    return value.value, age.value


def test_the_age_of_the_file_is_a_fact() -> None:
    assert aged(90.5) == (1, 90.5)
    assert aged(-0.5) == (1, 0)  # a file system that keeps whole seconds
    for seconds in (-1, -60, -1e8):
        assert aged(seconds) == (1, Unknown("b/f.json is dated after this check", "x.age"))
        value, age = aged(seconds, max_age="30m")
        assert {value.reason, age.reason} == {"b/f.json is dated after this check"}  # type: ignore[attr-defined]


@each(
    ("limit", "seconds", "known"),
    [
        ("30m", 1800, True),
        ("30m", 1801, False),
        (10, 10, True),
        (10, 11, False),
        ("2d", 172_800, True),
        ("1h", -0.5, True),
    ],
)
def test_a_file_older_than_max_age_gives_no_value(limit: object, seconds: float, known: bool) -> None:
    value, age = aged(seconds, max_age=limit)
    assert isinstance(value, Unknown) is not known
    assert age == max(0, seconds)
    if isinstance(value, Unknown):
        assert value.reason.startswith("b/f.json was written ")


def test_without_a_time_the_age_is_unknown_and_with_max_age_the_value_is_too() -> None:
    value, age = extractor.extract("x", "f", JsonObject(), _at("1"))
    assert value.value == 1
    assert age.value == Unknown("it is not known when it was written", "x.age")
    value, _ = extractor.extract("x", "f", JsonObject({"max_age": "1s"}), _at("1"))
    assert value.value == Unknown("it is not known when b/f.json was written, which `max_age` needs", "x")


def test_a_missing_file_gives_its_reason() -> None:
    value, age = extractor.extract("x", "f", JsonObject(), _at(None, reason="no f at `b/f.json`"))
    assert {value.value.reason, age.value.reason} == {"no f at `b/f.json`"}  # type: ignore[attr-defined]


def test_a_deep_file_is_read_alike_from_any_depth_of_calls() -> None:
    """Near the edge it is unknown rather than a failure."""
    for depth in range(100, sys.getrecursionlimit(), 50):
        found = json_pointer.find("[" * depth + "]" * depth, "/0/0")
        assert found.problem in ("", "is nested too deeply")


@pytest.mark.parametrize(
    "options",
    [{"type": "enum"}, {"members": ["a"]}, {"type": "enum", "members": ["a", "A"]}, {"range": [2, 1]},
     {"type": "enum", "members": ["unknown"]}, {"type": "bool", "range": [0, 1]},
     {"type": "percent", "range": [0, 101]}],
)  # fmt: skip
def test_options_that_cannot_be_together_are_told(options: dict) -> None:
    ((path, message, help),) = extractor.faults(JsonObject(options))
    assert path[0] in options
    assert message
    assert help


@each(
    ("text", "known"),
    [("79.99999999999999999999999", False), ("3.0000000000000000000001", False), ("-1e-400", False),
     ("80.00", True), ("8e1", True), ("83.33333333333333", True), ("0.1", True), ("1e-7", True)],
)  # fmt: skip
def test_a_number_of_which_digits_would_be_lost_is_unknown(text: str, known: bool) -> None:
    value = read(f"[{text}]", at="/0")
    assert isinstance(value, Unknown) is not known
    assert known or "more digits than a number holds" in value.reason
