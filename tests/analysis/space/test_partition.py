"""Partitions of texts: what they offer comes out as they say, and nothing comes out as no part does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from random_patterns import patterns, texts

from exitgate.analysis.space.texts import partition as partition_module
from exitgate.analysis.space.texts.partition import Partition, partition
from exitgate.analysis.space.texts.predicates import CONTAINS, IS, LENGTH, MATCHES, TextPredicate
from exitgate.core.policy import cache


@st.composite
def some_tests(draw: st.DrawFn) -> tuple[TextPredicate, ...]:
    """Return one to three tests of one text."""
    kinds = st.sampled_from((MATCHES, MATCHES, CONTAINS, IS, LENGTH))
    found = []
    for kind in draw(st.lists(kinds, min_size=1, max_size=3)):
        if kind == LENGTH:
            found.append(TextPredicate(kind, draw(st.sampled_from((0, 1, 2, 3, 2.5)))))
            continue
        against = draw(patterns() if kind == MATCHES else st.text("abKsS0\u03c3", max_size=2))
        found.append(TextPredicate(kind, against, draw(st.integers(0, 3)) == 0))
    return tuple(dict.fromkeys(found))


OK, FAILED = TextPredicate(MATCHES, "^ok$"), TextPredicate(MATCHES, "[0-9]+ tests? failed")


@given(some_tests(), st.lists(texts(), min_size=20, max_size=20))
@example((OK, FAILED), ["ok", "3 tests failed", "okay"])
@example((TextPredicate(IS, "ς", True), TextPredicate(MATCHES, "Σ")), ["Σ", "aΣ", "\u03c3"])
@example((TextPredicate(IS, "i\u0307", True), TextPredicate(LENGTH, 1)), ["İ", "i\u0307"])
def test_no_text_comes_out_as_no_part_does(tests: tuple[TextPredicate, ...], others: list[str]) -> None:
    found = partition(tests, 2)
    for way, own in found.parts.items():
        assert own
        assert all(found.way(text) == way for text in own)
    if found.whole:
        assert {found.way(text) for text in others} <= found.parts.keys()


@given(some_tests())
def test_a_part_offers_as_many_texts_as_are_asked_for_where_there_are_so_many(
    tests: tuple[TextPredicate, ...],
) -> None:
    one, three = partition(tests, 1), partition(tests, 3)
    if one.whole:
        assert one.parts.keys() == three.parts.keys()
        for way, own in three.parts.items():
            assert len(own) >= min(3, len(one.parts[way]))


@pytest.mark.parametrize(
    ("tests", "parts"),
    [
        ((OK, FAILED), 3),
        ((TextPredicate(MATCHES, "^ok$"), TextPredicate(MATCHES, "^okay$")), 3),
        ((TextPredicate(MATCHES, "^(ok|okay)$"), TextPredicate(MATCHES, "^ok(ay)?$")), 2),
        ((TextPredicate(MATCHES, "a"), TextPredicate(CONTAINS, "a")), 2),
        ((TextPredicate(MATCHES, "^[a-z]+$"), TextPredicate(LENGTH, 0)), 3),
        ((TextPredicate(MATCHES, "^(ab)*$"), TextPredicate(LENGTH, 3)), 5),
        ((TextPredicate(MATCHES, "a$.b"),), 1),
        ((TextPredicate(MATCHES, ""),), 1),
        ((TextPredicate(MATCHES, "A", True),), 1),
        ((TextPredicate(MATCHES, "A"), TextPredicate(MATCHES, "(?i)a")), 3),
        (tuple(TextPredicate(MATCHES, word) for word in ("foo", "bar", "baz", "^x", "y$")), 32),
    ],
)
def test_of_parts_there_are(tests: tuple[TextPredicate, ...], parts: int) -> None:
    found = partition(tests)
    assert found.whole
    assert len(found.parts) == parts


@pytest.mark.parametrize("length", [0, 1, 300, 4999])
def test_lengths_around_a_number_are_there(length: int) -> None:
    found = partition((TextPredicate(LENGTH, length),))
    assert found.whole
    sizes = {len(text) for text in found.texts()}
    assert length == 0 or min(sizes) < length
    assert sizes >= {length, length + 1}


def test_what_has_no_machine_still_has_texts_and_no_proof() -> None:
    large = TextPredicate(MATCHES, "(a|b)*a(a|b){18}$")
    found = partition((large, OK))
    assert not found.whole
    assert {(1, 0), (0, 1), (0, 0)} <= found.parts.keys()


def test_too_many_parts_are_no_proof() -> None:
    found = partition(tuple(TextPredicate(MATCHES, f"{letter}_") for letter in "abcdefghijkl"))
    assert not found.whole
    ones = [way for way in found.parts if sum(way) == 1]
    assert len(ones) == 12
    assert sum(sum(way) == 2 for way in found.parts) == 66


LONG = "|".join(f"word{n} is (?:done|finished|complete)" for n in range(8))


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", str(tmp_path / "cache"))
    partition.cache_clear()
    yield tmp_path / "cache"
    partition.cache_clear()


def again(tests: tuple[TextPredicate, ...]) -> Partition:
    """Ask as a new process would."""
    partition.cache_clear()
    return partition(tests)


def test_what_comes_of_long_patterns_is_made_once(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tests = (TextPredicate(MATCHES, LONG), TextPredicate(CONTAINS, "done"))
    first = again(tests)
    assert {first.way(text) for text in first.texts()} == set(first.parts)
    monkeypatch.setattr(partition_module, "_made", lambda *_: pytest.fail("made again"))
    assert again(tests) == first
    with pytest.raises(pytest.fail.Exception, match="made again"):
        again((*tests, TextPredicate(CONTAINS, "word")))


CHANGES = [b"", b"[[],true]x", b'[[[[1,1],["no"]]],true]', b'[[[[0],["no"]]],true]', b"[1]"]


@pytest.mark.parametrize("change", CHANGES)
def test_an_entry_that_says_something_else_is_made_anew(cached: Path, change: bytes) -> None:
    tests = (TextPredicate(MATCHES, LONG), TextPredicate(CONTAINS, "done"))
    first = again(tests)
    (entry,) = cached.iterdir()
    key = entry.stem
    entry.write_bytes(cache._head(key, change) + b"\n" + change)
    assert again(tests) == first


def test_short_patterns_leave_no_files(cached: Path) -> None:
    again((TextPredicate(MATCHES, "word|done"), TextPredicate(CONTAINS, "x")))
    assert not cached.exists()
