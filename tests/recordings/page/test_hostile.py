"""Nothing that a transcript or a policy says becomes markup, script or a link, or plays tricks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_hostile import ATTACKS, hostile_page
from page_reading import Reading
from page_runs import iteration, played

from exitgate.recordings.page.assemble import page
from exitgate.recordings.page.render import html

#: Characters that must not be in the file at all.
TRICKS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]")


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    return Reading(hostile_page(tmp_path_factory.mktemp("quiet"), "quiet"))


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_an_attack_is_text(tmp_path: Path, attack: str, quiet: Reading) -> None:
    text = hostile_page(tmp_path, attack)
    text.encode("utf-8")
    found = Reading(text)
    assert found.faults == []
    assert TRICKS.search(text) is None
    # Beside how many stretches texts are cut into, the elements are those of a quiet page.
    assert {tag for tag, _ in found.elements} <= {tag for tag, _ in quiet.elements} | {
        "mark",
        "sup",
        "q",
        "b",
    }
    for tag in ("script", "style", "svg", "meta"):
        assert found.of(tag)[:1] != [] or tag == "svg"
        assert len(found.of(tag)) <= len(quiet.of(tag)) + 2 * (tag == "svg")
    names = {name for _, attributes in found.elements for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    assert all(href.startswith("#run-") or href.startswith("#rule-") for href in found.values("href"))


@settings(max_examples=5, deadline=None)
@given(st.text(st.characters(), max_size=120))
def test_any_text_can_be_read_again(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    made = hostile_page(tmp_path_factory.mktemp("any"), text)
    assert TRICKS.search(made) is None
    assert Reading(made).faults == []
    printable = "".join(c for c in text if c.isprintable())
    if printable == text and text.strip():
        assert text in Reading(made).text()


def test_long_texts_are_bounded_with_a_note(tmp_path: Path) -> None:
    text = hostile_page(tmp_path, "word " * 80_000)
    assert len(text.encode()) < 400_000
    assert "characters left out" in text


def test_probes_of_an_iteration_are_bounded(tmp_path: Path) -> None:
    answer = {"failing": ["f" * 5_000] * 500, "evidence": [["p" * 5_000, 1, "e" * 5_000]] * 500}
    probes = {f"p{at}": {**answer, "passed": False} for at in range(500)}
    found, policies = played({"r": [iteration(1, "Went on.", probes=probes)]}, ["bb3"])
    text = html(page(found, policies))
    assert len(text.encode()) < 400_000
    assert "488 more probes not listed" in text
