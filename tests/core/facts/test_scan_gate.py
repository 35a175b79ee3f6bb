"""A set of words says of a text what taking it apart would, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.extractors import phrases
from exitgate.core.facts.lexicons import search
from exitgate.core.facts.lexicons.search import Gate
from exitgate.core.facts.text.text import Text, ready
from exitgate.core.model.fact import Evidence, Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.observe.masking import masked
from exitgate.core.policy.compile import load_policy

WORDS = [
    "all",
    "tests",
    "pass",
    "done",
    "sure",
    "not",
    "measured",
    "fertig",
    "完了",
    "don't",
    "x_done",
    "E2E",
]
GLUE = [" ", "\n", ", ", "-", "_", ".", "", "\r\n", "\u00a0", "\u212a", "\u0130", "\ud800", "ß", "\x1b[1m"]
TEXTS = st.lists(st.sampled_from(WORDS + GLUE) | st.text(max_size=3), max_size=40).map("".join)
LISTS = st.lists(
    st.lists(st.sampled_from([*WORDS[:8], "...", "done|pass", "E2E"]), min_size=1, max_size=3)
    .map(" ".join)
    .filter(lambda written: written.strip(". ")),
    min_size=1,
    max_size=4,
)


def warm() -> Gate:
    gate = Gate()
    gate._asked = search.ASKED
    return gate


def extracted(text: str, written: list[str]) -> tuple[Fact, ...]:
    seen = Iteration(1, "r", 0.0, {"response": Source("response", text=text)})
    return phrases.extract("f", "response", JsonObject({"phrases": tuple(written)}), seen)


@settings(max_examples=50, deadline=None)
@given(TEXTS, LISTS)
def test_facts_are_the_same_with_and_without_it(text, written):
    before = search.GATE
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "OWN", 0)
        patch.setattr(search, "GATE", Gate())
        search._indexes._made.clear()
        apart = extracted(text, written)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "GATE", warm())
        search._indexes._made.clear()
        together = extracted(str(text.encode("utf-16", "surrogatepass"), "utf-16", "surrogatepass"), written)
    search._indexes._made.clear()
    assert search.GATE is before
    assert together == apart


@settings(max_examples=50, deadline=None)
@given(TEXTS, st.sets(st.sampled_from([b"all", b"done", b"sure", b"e2e", b"fertig", b"k", b"t"]), min_size=1))
def test_a_word_is_there_as_a_run_of_its_own_or_not_at_all(text, words):
    gate = warm()
    numbers = gate.numbers(words)
    assert numbers is not None
    seen = Text(text)
    assert gate.without(numbers, seen) == seen.stretches.words().isdisjoint(words)


def test_the_first_texts_are_taken_apart():
    gate = Gate()
    numbers = gate.numbers([b"done"])
    answers = [gate.without(numbers, Text(f"text {n}")) for n in range(search.ASKED + 1)]
    assert answers == [False] * (search.ASKED - 1) + [True, True]


def test_a_word_that_is_added_later_is_looked_for_in_a_text_known_before():
    gate = warm()
    first = gate.numbers([b"done"])
    text = Text("nothing is left")
    assert gate.without(first, text)
    assert not gate.without(gate.numbers([b"left"]), text)
    assert gate.without(first, text)


def test_a_lexicon_of_many_words_is_not_in_it():
    gate = Gate()
    assert gate.numbers([b"w%d" % n for n in range(search.OWN + 1)]) is None
    for at in range(0, search.TOGETHER * 2, 50):
        gate.numbers([b"w%d" % n for n in range(at, at + 50)])
    assert len(gate._numbers) <= search.TOGETHER


def test_a_set_that_has_failed_says_nothing():
    class Failed:
        def Match(self, _text: bytes) -> None:
            return None

    gate = warm()
    numbers = gate.numbers([b"done", b"sure"])
    gate._set = Failed()
    assert not gate.without(numbers, Text("some other words"))


def test_it_is_asked_once_a_text(monkeypatch):
    asked = []
    gate = warm()
    monkeypatch.setattr(
        gate.__class__, "_found", lambda _self, folded: asked.append(folded) or frozenset((0,))
    )
    numbers = gate.numbers([b"done"])
    text = ready("a text that is long enough")
    assert [gate.without(numbers, text) for _ in range(4)] == [True] * 4
    assert len(asked) == 1


def test_facts_without_a_text_hold_no_secret_and_stay_the_same_objects():
    policy = load_policy("recommended")
    plain = Fact("a.count", 3)
    key = "sk-ant-api03-" + "a1B2" * 12
    telling = [
        Fact("b.reason", Unknown(f"key {key}", "b")),
        Fact("c.text", f"key {key}"),
        Fact("d.list", (f"key {key}",)),
        Fact("e.found", True, (Evidence("response", 1, 1, 0, 3, f"key {key}"),)),
        Fact("f.found", False, (), (Evidence("response", 1, 1, 0, 3, f"key {key}"),)),
        Fact("g.count", 0, (), (), f"key {key}"),
    ]
    found = masked({fact.name: fact for fact in (plain, *telling)}, {}, policy)
    assert found["a.count"] is plain
    assert list(found) == ["a.count", *(fact.name for fact in telling)]
    assert all(key not in repr(fact) for fact in found.values())
