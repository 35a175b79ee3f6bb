"""What a pattern requires is in every text that it matches, and asking for it first changes no answer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import re2
import yaml
from cases import each, some
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.lexicons.lexicon import ready
from exitgate.core.facts.lexicons.patterns import Patterns
from exitgate.core.facts.lexicons.search import search
from exitgate.core.facts.text import words
from exitgate.core.facts.text.text import Text
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.sections.required_words import required, required_besides, with_required

LEXICONS = Path(__file__).parents[3] / "policies" / "lexicons"


#: Patterns that are searched in one pass.
AT_ONCE = 40
#: What makes one view of a text differ from another.
MARKS = ["\u017f", "\x1b[31m", "\r\n", "e\u0301"]


def entries() -> list[dict[str, object]]:
    found = []
    for path in sorted(LEXICONS.glob("*.yaml")):
        document = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        found += [e for e in document.get("entries", []) if isinstance(e, dict)]
    return found


ENTRIES = entries()
PATTERNED = [e for e in ENTRIES if "pattern" in e]
SAMPLES = [str(s) for e in ENTRIES for key in ("examples", "counterexamples") for s in e.get(key, [])]


@each(
    ("pattern", "needed"),
    [
        ("error", ("error",)),
        ("Error: .*fatal", ("error: ",)),
        (r"\berrors?\b", ("error",)),
        ("(?:foo|bar)baz", ("barbaz", "foobaz")),
        ("foo|bar|[0-9]+", ("foo", "bar", *"0123456789")),
        ("foo|bar|[0-9]*", ()),
        (r"^\d{1,2}:[1-9]", tuple("0123456789")),
        ("(foobar)?", ()),
        ("(foobar)+", ("foobar",)),
        ("(foobar){0,3}", ()),
        ("(foobar){2}", ("foobar",)),
        (r"a.b", ()),
        (r"\d+ tests? pass(?:ed)?", (" test pass", " tests pass")),
        ("gr[ae]y", ("gray", "grey")),
        ("[^x]yes", ("yes",)),
        ("[a-f]one", ("one",)),
        (r"(?P<n>\d+) passing", (" passing",)),
        ("(?i:ABC)", ("abc",)),
        (r"\x41bcd", ()),
        (r"\pLabc", ("abc",)),
        (r"\p{L}abc", ()),
        ("\u043f\u0430\u043d", ("\u043f\u0430\u043d",)),
        ("\u0432\u0430\u043d", ("\u0430\u043d",)),
        (r"\Qa.c\E", ()),
        (r"[[:alpha:]]abc", ()),
        ("\u00e4nderung", ("nderung",)),
        ("\u5b8c\u6210", ("\u5b8c\u6210",)),
        ("abc?d", ("abd", "abcd")),
        ("what\\?now", ("what",)),
        ("(", ()),
        ("a{x}", ()),
        ("x*?longer", ("longer",)),
        ("one two(?: three)?$", ("one two",)),
    ],
)
def test_what_a_pattern_requires(pattern: str, needed: tuple[str, ...]) -> None:
    assert set(required(pattern)) == set(needed)


def test_a_letter_outside_ascii_that_is_required_has_no_form_that_folding_misses() -> None:
    options = re2.Options()
    options.case_sensitive = False
    letters = "".join(chr(c) for c in range(0x80, 0x3000))
    for letter in map(chr, range(0x400, 0x530)):
        if required(letter):
            forms = re2.compile(letter, options).findall(letters)
            assert {words.fold(form) for form in forms} <= {letter.lower()}, letter


@pytest.mark.parametrize(
    ("pattern", "pair"),
    [
        (r"\b(?:build|bundle) \S+ (?:breaks|fails)", ({"build ", "bundle "}, {" breaks", " fails"})),
        # subjects with subjects and verbs with verbs, in whatever order alternatives have them
        (
            r"(?:build|bundle) \S+ (?:breaks|fails)|(?:breaks|fails) \S+ (?:build|bundle)",
            ({"build ", " build", "bundle ", " bundle"}, {"breaks ", " breaks", "fails ", " fails"}),
        ),
        (r"^\d+ failing$", ({" failing"}, set("0123456789"))),
        ("(?:one|two) (?:one|two)", ({"one one", "one two", "two one", "two two"}, set())),
    ],
)
def test_what_stands_beside_it(pattern: str, pair: tuple[set[str], set[str]]) -> None:
    found = {frozenset(required(pattern)), frozenset(required_besides(pattern))}
    assert found == {frozenset(one) for one in pair}


def test_most_shipped_patterns_require_something() -> None:
    patterns = [str(e["pattern"]) for e in PATTERNED]
    assert sum(bool(required(p)) for p in patterns) > 0.75 * len(patterns)


def _holds(pattern: str, text: str) -> None:
    options = re2.Options()
    options.case_sensitive = False
    for needed in (required(pattern), required_besides(pattern)):
        if needed and re2.compile(f"(?m:{pattern})", options).search(text):
            assert any(one in words.fold(text) for one in needed), (pattern, text)


def test_shipped_patterns_hold_what_they_require_on_all_samples() -> None:
    lines = {line for s in SAMPLES for line in s.splitlines()}
    loud = some(sorted(line.upper() for line in lines), 1500)
    samples = {line: words.fold(line) for line in (*sorted(lines), *loud)}
    options = re2.Options()
    options.case_sensitive = False
    met = set()
    for first in range(0, len(PATTERNED), AT_ONCE):
        patterns = [str(e["pattern"]) for e in PATTERNED[first : first + AT_ONCE]]
        needed = [required(pattern) for pattern in patterns]
        besides = [required_besides(pattern) for pattern in patterns]
        together = re2.Set.SearchSet(options)
        for pattern in patterns:
            together.Add(f"(?m:{pattern})")
        together.Compile()
        for sample, folded in samples.items():
            for index in together.Match(sample) or ():
                met.add(patterns[index])
                for texts in (needed[index], besides[index]):
                    if texts:
                        assert any(one in folded for one in texts), (patterns[index], sample)
    assert len(met) > 0.9 * len({str(e["pattern"]) for e in PATTERNED})


_PIECES = st.sampled_from(
    ["ab", "c", "x?", "(?:de|fg)", "[hi]", "[^j]", ".", "k+", "l*", "m{2}", "n{1,3}", r"\d", r"\b", "o|p",
     " ", "(q|rs)?", "\u00e9", "\u5b8c", "K", "S", r"\.", "(?P<a>t)", "u{0,2}", "(?i:Vw)"]
)  # fmt: skip


@settings(max_examples=100, deadline=None)
@given(st.lists(_PIECES, max_size=6), st.text("abcdefghijklmnopqrstuvw \u00e9\u5b8cKSVT.0", max_size=30))
def test_random_patterns_hold_what_they_require(pieces: list[str], text: str) -> None:
    pattern = "".join(dict.fromkeys(pieces))
    _holds(pattern, text)


def _found(patterns: Patterns, text: Text) -> list[int]:
    narrowed = patterns.among(text)
    return narrowed.which(text.plain) if narrowed.any else []


@cache
def _patterns() -> tuple[Patterns, Patterns]:
    """Return all shipped patterns without what they require, and with it."""
    written = [str(e["pattern"]) for e in PATTERNED]
    narrow = Patterns(written, [required(p) for p in written], [required_besides(p) for p in written])
    return Patterns(written), narrow


def _both(samples: list[str]) -> None:
    all_, narrow = _patterns()
    for sample in samples:
        text = Text(sample)
        assert _found(narrow, text) == all_.which(text.plain), sample


def test_narrowed_patterns_find_the_same() -> None:
    for first in range(0, len(SAMPLES), 400):
        _both(SAMPLES[first : first + 3])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(SAMPLES),
            st.text(max_size=40),
            st.tuples(
                st.sampled_from(SAMPLES), st.sampled_from(["\u017f", "\x1b[31m", "\r\n", "e\u0301"])
            ).map("".join),
        ),
        max_size=3,
    )
)
def test_narrowed_patterns_find_the_same_in_any_text(samples: list[str]) -> None:
    _both(samples)


def test_prepared_entries_are_found_like_plain_ones() -> None:
    plain = [e for e in ENTRIES if ("phrase" in e or "words" in e) and "noise" not in e and "drop" not in e]
    one, other = (
        ready(JsonObject({"entries": plain}), ()),
        ready(JsonObject({"entries": [with_required(e) for e in plain]}), ()),
    )
    for sample in some(SAMPLES, 250):
        text = Text(sample)
        spans = [[(h.entry.id, h.match.start, h.match.end) for h in search(text, x)] for x in (one, other)]
        assert spans[0] == spans[1], sample
