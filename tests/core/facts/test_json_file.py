"""`json_file`: paths, what counts as done, files that are not there or not JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts import records
from exitgate.core.facts.extractors import json_file
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

STORIES = JsonObject(items="userStories", value="passes")


def values(text: str, options: dict) -> dict[str, object]:
    read = facts("json_file", options, source="prd", prd=text)
    return {n[2:]: None if isinstance(f.value, Unknown) else f.value for n, f in read.items()}


def reason(text: str, options: dict, fact: str = "x.total") -> str:
    value = facts("json_file", options, source="prd", prd=text)[fact].value
    assert isinstance(value, Unknown)
    return value.reason


@each(
    ("document", "options", "true", "total"),
    [
        ({"userStories": [{"passes": True}, {"passes": False}, {"passes": True}]}, STORIES, 2, 3),
        ({"userStories": [{"passes": True}, {}]}, STORIES, 1, 2),
        ({"userStories": [{"passes": 1}, {"passes": True}]}, STORIES, 1, 2),
        ({"userStories": [{"passes": "true"}, {"passes": True}]}, STORIES, 1, 2),
        ({"userStories": [{"passes": None}, {"passes": True}]}, STORIES, 1, 2),
        ([True, False], {}, 1, 2),
        ({"a": True, "b": False}, {}, 1, 2),
        (
            {"e": [{"s": [{"d": True}]}, {"s": [{"d": False}, {"d": True}]}]},
            {"items": "e[*].s", "value": "d"},
            2,
            3,
        ),
        ({"e": [{"s": [True]}, {"s": [False]}]}, {"items": "e[0].s"}, 1, 1),
        ([{"s": "Done"}, {"s": "open"}, {"s": " closed "}], {"value": "s", "is": ["done", "closed"]}, 2, 3),
        ({"t": {"one": {"d": True}, "two": {"d": True}}}, {"items": "t", "value": "d"}, 2, 2),
        ([{"d": [True, False]}, {"d": [True, True]}], {"value": "d[*]"}, 1, 2),
        ([{"n": 3}, {"n": 3.0}, {"n": True}], {"value": "n", "is": [3]}, 2, 3),
    ],
)
def test_counts(document: object, options: dict, true: int, total: int) -> None:
    found = values(json.dumps(document), options)
    assert (found["present"], found["true"], found["total"], found["open"]) == (
        True,
        true,
        total,
        total - true,
    )
    assert found["percent"] == 100 * true / total
    assert found["complete"] is (true == total)


def test_no_items_are_neither_complete_nor_open() -> None:
    found = values('{"userStories": []}', STORIES)
    assert (found["total"], found["open"], found["percent"], found["complete"]) == (0, 0, None, None)


@each(
    ("text", "why"),
    [
        ("", "prd is empty"),
        ("{", "prd is not JSON"),
        ("{} {}", "prd is not JSON"),
        (
            '{"userStories": [{"passes": true, "passes": false}]}',
            "prd has the key `passes` twice in one object",
        ),
        ('{"userStories": [{"passes": NaN}]}', "prd holds `NaN`, which is not JSON"),
        ('{"userStories": [{"passes": -Infinity}]}', "prd holds `-Infinity`, which is not JSON"),
        ("[" * 100_000, "prd is not JSON"),
        ('{"n": ' + "9" * 10_000 + "}", "prd is not JSON"),
        ("{}", "there is nothing at `userStories`"),
        ('{"userStories": [{"done": true}]}', "no item has a value at `passes`"),
    ],
)
def test_what_cannot_be_read_is_unknown_and_says_why(text: str, why: str) -> None:
    assert reason(text, STORIES) == why
    assert values(text, STORIES)["present"] is True
    assert values(text, STORIES)["broken"] is ("nothing at" not in why and "no item" not in why)


def test_a_file_that_is_not_there_is_known_to_be_absent() -> None:
    absent = Source("prd", reason="no prd at `prd.json`", absent=True)
    lost = Source("prd", reason="prd cannot be read")
    for source, present in ((absent, False), (lost, Unknown("prd cannot be read", "x.present"))):
        read = json_file.extract("x", "prd", STORIES, Iteration(1, "r#1", 0.0, {"prd": source}))
        assert read[0].value == present
        assert read[1].value == (present if present is False else Unknown("prd cannot be read", "x.broken"))
        assert all(isinstance(f.value, Unknown) for f in read[2:])


def test_a_file_that_is_there_and_cannot_be_read_is_broken() -> None:
    source = Source("prd", path="prd.json", reason="prd is too large")
    read = json_file.extract("x", "prd", STORIES, Iteration(1, "r#1", 0.0, {"prd": source}))
    assert read[1].value is True


def test_open_items_are_shown_by_name_and_silent_ones_told() -> None:
    text = json.dumps({"userStories": [{"id": "US-1", "passes": True}, {"id": "US-2", "title": "Read"}]})
    fact = facts("json_file", STORIES, source="prd", prd=text)["x.open"]
    assert [e.excerpt for e in fact.evidence] == ["1: US-2 Read"]
    assert fact.note == "1 of them do not say so; they count as open"


@pytest.mark.parametrize(
    ("at", "value"),
    [
        ("name", "reader"),
        ("n", "3"),
        ("ok", "true"),
        ("list[1]", "b"),
        ("list", None),
        ("gone", None),
        ("nil", None),
    ],
)
def test_one_value(at: str, value: str | None) -> None:
    text = '{"name": "reader", "n": 3, "ok": true, "list": ["a", "b"], "nil": null}'
    assert values(text, {"items": "list", "value_at": at})["value"] == value


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["done", "a"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "*"]), inner, max_size=3)
    ),
    max_leaves=12,
)
PATHS = st.sampled_from(["a", "a.b", "a[*]", "a[*].b", "[*]", "[0]", "a[*].b[*]", "*"])


@settings(max_examples=100, deadline=None)
@given(document=JSON, items=PATHS, value=PATHS)
def test_any_document_and_path(document: object, items: str, value: str) -> None:
    found = values(json.dumps(document), {"items": items, "value": value})
    if found["total"] is not None:
        assert found["true"] + found["open"] == found["total"]  # type: ignore[operator]
        assert (found["complete"] is True) == (found["open"] == 0 and found["total"] != 0)


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters(codec=None), max_size=60) | st.text('{}[]":,tru0 \\', max_size=40))
def test_any_text_reads_as_the_package_json_does(text: str) -> None:
    parsed = records.parse(text)
    try:
        wanted = json.loads(text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        assert parsed.problem
        return
    assert parsed.problem or parsed.value == wanted


def test_shapes_of_the_lexicon_take_the_place_of_paths() -> None:
    options = {"lexicon": resolved("plan-words")}
    found = values('{"features": [{"name": "a", "passes": true}, {"name": "b", "passes": false}]}', options)
    assert (found["total"], found["true"], found["open"], found["complete"]) == (2, 1, 1, False)
    found = values('{"scripts": {"build": "x"}, "tasks": [{"label": "a", "type": "shell"}]}', options)
    assert (found["present"], found["total"], found["complete"]) == (True, None, None)


def test_a_file_is_looked_for_in_several_places(tmp_path: Path) -> None:
    from exitgate.core.observe import json_file as observed

    options = JsonObject(file=["a.json", "b/a.json", "c.json"], lexicon=resolved("plan-words"))
    gone = observed.read("s", options, str(tmp_path))
    assert gone.absent
    assert "`b/a.json`" in gone.reason
    (tmp_path / "b").mkdir()
    (tmp_path / "a.json").write_text(" \n")
    (tmp_path / "b" / "a.json").write_text('[{"t": "hoe", "done": true}]')
    assert values(observed.read("s", options, str(tmp_path)).text, options)["complete"] is True
    (tmp_path / "c.json").write_text('\ufeff{"stories": [{"t": "rake", "done": false}]}')
    both = values(observed.read("s", options, str(tmp_path)).text, options)
    assert (both["total"], both["complete"]) == (2, False)
    paths = JsonObject({"file": ["a.json", "b/a.json", "c.json"], "items": "[*]", "value": "done"})
    assert values(observed.read("s", paths, str(tmp_path)).text, paths)["total"] == 1
    (tmp_path / "c.json").write_text("{")
    assert values(observed.read("s", options, str(tmp_path)).text, options)["complete"] is None


@pytest.mark.parametrize(
    "text",
    [
        '// bees\n{"tasks": [{"name": "hive", "done": true}, {"name": "veil", "done": false},]}',
        '{"tasks": [ /* two */ {"name": "a // b", "done": true,}, {"name": "c", "done": false}, ] }',
        '{"tasks": [{"name": "hive", "done": true},\n  // veil\n  {"name": "ve\\"il,]", "done": false}\n]}//',
        '[{"done": true}, {"done": false},\n]',
    ],
)
def test_comments_and_commas_at_the_end_hide_no_open_task(text):
    from exitgate.core.facts.plans.states import PlanWords
    from exitgate.core.facts.plans.stories import stories
    from exitgate.core.facts.records import parse

    found = parse(text)
    assert not found.problem
    assert [
        s.done for s in stories(found.value, PlanWords(JsonObject({"lexicon": resolved("plan-words")})))
    ] == [
        True,
        False,
    ]


@pytest.mark.parametrize("text", ["{", "// words", "/*", '{"a": "//', "{,}", '{"a": 1 // 2', "{]", "[1,,]"])
def test_what_is_no_json_even_without_comments_is_not_read(text):
    from exitgate.core.facts.records import parse

    assert parse(text).problem


@pytest.mark.parametrize(
    "value",
    [
        {"plans": [{"name": "small", "price": 10}, {"name": "big", "price": 20}]},
        {"version": 2, "steps": ["a", "b"]},
        {"tasks": [{"label": "build", "command": "make"}]},
        [{"name": "small"}],
    ],
)
def test_lists_that_say_nothing_of_being_done_are_no_stories(value):
    sources = {"s": Source("s", json.dumps(value))}
    found = json_file.extract(
        "s", "s", JsonObject({"lexicon": resolved("plan-words")}), Iteration(1, "r#1", 0.0, sources)
    )
    known = {fact.name for fact in found if not isinstance(fact.value, Unknown)}
    assert known == {"s.present", "s.broken"}
