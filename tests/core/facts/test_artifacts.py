"""`artifacts`: what fits, what is missing, what stands for the contents."""

from __future__ import annotations

import pytest
from fact_reading import facts
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.extractors import artifacts
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown


def file(path: str, size: int = 10, digest: str = "d", lacks: list[str] | None = None) -> dict[str, object]:
    return {"path": path, "size": size, "digest": digest, "lacks": lacks or []}


def found(files: dict[str, object], **options: object) -> dict[str, object]:
    source = Source("built", record={"found": files})
    all_options = {"files": list(files), **options}
    read = artifacts.extract(
        "x", "built", JsonObject(all_options), Iteration(1, "r#1", 0.0, {"built": source})
    )
    assert [f.name for f in read] == [f"x.{s.name}" for s in artifacts.specs(JsonObject(all_options))]
    return {f.name[2:]: None if isinstance(f.value, Unknown) else f.value for f in read}


@pytest.mark.parametrize(
    ("files", "options", "present", "missing"),
    [
        ({"a": [file("a")], "b": [file("b")]}, {}, 2, ()),
        ({"a": [file("a")], "b": []}, {}, 1, ("b",)),
        ({"*.md": [file("a.md"), file("b.md")], "a.md": [file("a.md")]}, {}, 2, ()),
        ({"a": [file("a", 0)]}, {}, 0, ("a",)),
        ({"a": [file("a", 0)]}, {"min_size": 0}, 1, ()),
        ({"a": [file("a", 99)]}, {"min_size": 100}, 0, ("a",)),
        ({"a": [file("a", 100)]}, {"min_size": 100}, 1, ()),
        ({"a": [file("a", lacks=["x"])]}, {"contains": ["x"]}, 0, ("a",)),
        ({"*": [file("a", lacks=["x"]), file("b")]}, {"contains": ["x"]}, 1, ()),
    ],
)
def test_what_fits(files: dict, options: dict, present: int, missing: tuple[str, ...]) -> None:
    values = found(files, **options)
    assert (values["present"], values["missing"], values["all"]) == (present, missing, not missing)


def test_sizes_of_those_that_fit_are_added_up_once() -> None:
    both = {"*.md": [file("a.md", 3), file("b.md", 4), file("c.md", 0)], "a.md": [file("a.md", 3)]}
    assert found(both)["size"] == 7


def test_the_content_stands_for_names_and_digests() -> None:
    first = found({"a": [file("a")]})["content"]
    assert first == found({"a": [file("a", 20)]})["content"]
    assert first != found({"a": [file("a", digest="e")]})["content"]
    assert first != found({"a": [file("b")]})["content"]
    assert found({"a": []})["content"] is None


def test_no_record_is_unknown() -> None:
    for text in ("", "{}", '{"found": 3}', "prose"):
        assert all(
            isinstance(f.value, Unknown)
            for f in facts("artifacts", {"files": ["a"]}, source="b", b=text).values()
        )


PLAIN = (
    st.none() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.text(max_size=2), max_size=2)
)
ROW = PLAIN | st.dictionaries(st.sampled_from(["path", "size", "digest", "lacks"]), PLAIN)


@settings(max_examples=100, deadline=None)
@given(files=st.dictionaries(st.text(min_size=1, max_size=3), PLAIN | st.lists(ROW, max_size=3), max_size=3))
def test_records_of_any_shape(files: dict[str, object]) -> None:
    values = found(files, contains=["x"])
    assert values["all"] is (values["missing"] == ())
