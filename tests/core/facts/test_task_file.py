"""`task_file`: open, done, moved; one file or all; records of any shape."""

from __future__ import annotations

import json

import pytest
from cases import each
from fact_reading import facts
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.extractors import task_file
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown


def found(record: object, before: object = None, **options: str) -> dict[str, object]:
    text = json.dumps(record)
    earlier = {} if before is None else {"doing": (json.dumps(before),)}
    iteration = Iteration(2, "r#1", 0.0, {"doing": Source("doing", text)}, earlier)
    read = task_file.extract("x", "doing", JsonObject(options), iteration)
    assert [f.name for f in read] == [f"x.{s.name}" for s in task_file.specs(JsonObject(options))]
    return {f.name[2:]: None if isinstance(f.value, Unknown) else f.value for f in read}


def names(*paths: str, done: tuple[str, ...] = ()) -> dict[str, list[str]]:
    return {"open": [f"doing/{p}" for p in paths], "done": [f"done/{p}" for p in done]}


@each(
    ("now", "before", "done", "moved"),
    [
        (names(done=("a.md",)), names("a.md"), True, True),
        (names("b.md", done=("a.md",)), names("a.md", "b.md"), False, True),
        (names("a.md"), names("a.md"), False, False),
        (names(done=("a.md",)), names(done=("a.md",)), True, False),
        (names(done=("z.md",)), names("a.md"), True, False),
        (names("a.md", done=("a.md",)), names("a.md"), False, False),
        (names(), names("a.md"), False, False),
        (names(done=("a.md",)), None, True, None),
        (names("a.md"), None, False, False),
        (names(), None, False, False),
    ],
)
def test_done_and_moved(now: object, before: object, done: bool, moved: bool | None) -> None:
    values = found(now, before)
    assert (values["done"], values["moved"]) == (done, moved)


def test_one_file_by_its_name() -> None:
    now, before = names("b.md", done=("a.md",)), names("a.md", "b.md")
    values = found(now, before, name="a.md")
    assert (values["open"], values["done_count"], values["done"], values["moved_files"]) == (
        0,
        1,
        True,
        ("a.md",),
    )
    assert found(now, before, name="b.md")["done"] is False
    assert found(now, before, name="c.md")["present"] is False


def test_files_whose_names_fit() -> None:
    now = names("a-1.md", done=("b-1.md", "b-2.md"))
    assert found(now, None, name="b-*")["done_count"] == 2
    assert found(now, None, name="b-*")["done"] is True
    assert found(now, None, name="*") == found(now, None)
    assert found(now, None, name="b-?.md")["done_count"] == 0


def test_counts_for_history() -> None:
    values = found(names("a.md", "b.md", done=("c.md",)))
    assert (values["present"], values["open"], values["done_count"]) == (True, 2, 1)


def test_folders_that_are_not_there() -> None:
    source = Source("doing", reason="no folder `doing`", absent=True)
    read = task_file.extract("x", "doing", JsonObject(), Iteration(1, "r#1", 0.0, {"doing": source}))
    assert read[0].value is False
    assert all(f.value == Unknown("no folder `doing`", f.name) for f in read[1:])


def test_a_text_that_is_no_listing_is_unknown() -> None:
    for text in ("", "{}", "[]", '{"stories": []}', "prose"):
        read = facts("task_file", {}, source="doing", doing=text)
        assert all(isinstance(f.value, Unknown) for f in read.values())


PLAIN = (
    st.none() | st.integers() | st.text(max_size=4) | st.lists(st.none() | st.text(max_size=6), max_size=5)
)


@settings(max_examples=100, deadline=None)
@given(
    now=st.dictionaries(st.sampled_from(["open", "done", "x"]), PLAIN),
    before=st.none() | st.dictionaries(st.sampled_from(["open", "done"]), PLAIN),
)
def test_records_of_any_shape(now: object, before: object) -> None:
    values = found(now, before)
    assert values["moved"] is not True or values["done_count"]


def test_a_folder_without_a_pattern_of_names_is_a_fault() -> None:
    options = {"open": "tasks/doing", "done": ["tasks/done/*.md", "tasks/old"]}
    assert [(path, help) for path, _, help in task_file.faults(JsonObject(options))] == [
        (("open",), "write `tasks/doing/*` for the files in the folder"),
        (("done", 1), "write `tasks/old/*` for the files in the folder"),
    ]


@pytest.mark.parametrize("place", ["tasks/doing/*", "tasks/doing/one.md", "tasks/a-?", "$open_tasks"])
def test_patterns_and_names_of_files_are_none(place: str) -> None:
    assert not list(task_file.faults(JsonObject({"open": place})))
