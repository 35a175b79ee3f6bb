"""What a pattern requires is in every text that it matches, and asking for it first changes no answer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

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
from exitgate.core.policy.sections.required_words import WAYS, required, with_required

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


#: What is before or behind a text that a word begins or ends with.
B = "\b"
#: Any digit.
D = "\x1a"


@each(
    ("pattern", "ways"),
    [
        ("error", [[{"error"}]]),
        ("Error: .*fatal", [[{"error: "}, {"fatal"}]]),
        (r"\berrors?\b", [[{f"{B}error{B}", f"{B}errors{B}"}]]),
        (r"a\bb", [[{"ab"}]]),
        (r"\b-x\b", [[{f"-x{B}"}]]),
        ("(?:foo|bar)baz", [[{"barbaz", "foobaz"}]]),
        ("foo|bar|[0-9]+", [[{"foo", "bar"}], [{D}]]),
        ("foo|bar|[0-9]*", []),
        ("foo|o", []),
        (r"^\d{1,2}:[1-9]", [[{f":{D}"}, {D}]]),
        (r"E {2,}x", [[{"e  "}]]),
        (r"v2\.\d", [[{f"v{D}.{D}"}]]),
        (r"\b\d\d%", [[{f"{B}{D}{D}%"}]]),
        ("v2[.]0", [[{"v2.0"}]]),
        (r"(?:no|at)\d+", [[{f"no{D}", f"at{D}"}, {D}]]),
        (r"a(?:b+)?c", []),
        ("(foobar)?", []),
        ("(foobar)+", [[{"foobar"}]]),
        ("(foobar){0,3}", []),
        ("(foobar){2}", [[{"foobarfoobar"}, {"foobar"}]]),
        (r"a.b", []),
        (r"\d+ tests? pass(?:ed)?", [[{" test pass", " tests pass"}, {D}]]),
        ("gr[ae]y", [[{"gray", "grey"}]]),
        ("[^x]yes", [[{"yes"}]]),
        ("[a-f]one", [[{"one"}]]),
        (r"[^a-z\pN]one", [[{"one"}]]),
        (r"[\x{41}\p{L}]one", [[{"one"}]]),
        (r"(?P<n>\d+) passing", [[{" passing"}, {D}]]),
        ("(?i:ABC)", [[{"abc"}]]),
        (r"\x41bcd", []),
        (r"\pLabc", [[{"abc"}]]),
        (r"\p{L}abc", []),
        ("\u043f\u0430\u043d", [[{"\u043f\u0430\u043d"}]]),
        ("\u0432\u0430\u043d", [[{"\u0430\u043d"}]]),
        (r"\Qa.c\E", []),
        (r"[[:alpha:]]abc", []),
        ("\u00e4nderung", [[{"nderung"}]]),
        ("\u5b8c\u6210", [[{"\u5b8c\u6210"}]]),
        ("abc?d", [[{"abd", "abcd"}]]),
        ("what\\?now", [[{"what"}, {"now"}]]),
        ("(", []),
        ("[\\x{41", []),
        ("a{x}", []),
        ("x*?longer", [[{"longer"}]]),
        ("one two(?: three)?$", [[{"one two"}]]),
        # each way of one piece with each of another
        (
            r"(?:ab.cd|ef.gh) \S+ (?:kl|mn)",
            [[{"ab"}, {"cd"}, {" kl", " mn"}], [{"ef"}, {"gh"}, {" kl", " mn"}]],
        ),
        # no more than three sets, those that rule out the most
        ("aa.bbb.cccc.ddddd", [[{"ddddd"}, {"cccc"}, {"bbb"}]]),
    ],
)
def test_what_a_pattern_requires(pattern: str, ways: list[list[set[str]]]) -> None:
    found = {frozenset(way) for way in required(pattern)}
    assert found == {frozenset(map(frozenset, way)) for way in ways}


def test_a_letter_outside_ascii_that_is_required_has_no_form_that_folding_misses() -> None:
    options = re2.Options()
    options.case_sensitive = False
    letters = "".join(chr(c) for c in range(0x80, 0x3000))
    for letter in map(chr, range(0x400, 0x530)):
        if required(letter):
            forms = re2.compile(letter, options).findall(letters)
            assert {words.fold(form) for form in forms} <= {letter.lower()}, letter


def test_many_ways_become_few_by_likeness() -> None:
    verbs = "|".join(
        f"(?:build|bundle) \\S+ fails{n:02}|fails{n:02} \\S+ (?:build|bundle)" for n in range(20)
    )
    found = required(f"(?:{verbs})")
    assert len(found) == WAYS
    subjects, rest = {"build ", "bundle ", " build", " bundle"}, set()
    for way in found:
        (subject,) = [texts for texts in way if texts <= subjects]
        (verb,) = [texts for texts in way if not texts <= subjects]
        assert subject
        rest |= {text.strip() for text in verb}
    assert rest == {f"fails{n:02}" for n in range(20)}


def test_most_shipped_patterns_require_something() -> None:
    patterns = [str(e["pattern"]) for e in PATTERNED]
    assert sum(bool(required(p)) for p in patterns) > 0.75 * len(patterns)


def _has(ways: Sequence[Sequence[frozenset[str]]], line: str) -> bool:
    text = Text(line)
    return not ways or any(all(text.lines_holding(sorted(texts)) for texts in way) for way in ways)


def _holds(pattern: str, text: str) -> None:
    options = re2.Options()
    options.case_sensitive = False
    if re2.compile(f"(?m:{pattern})", options).search(text) and Text(text).searched():
        assert _has(required(pattern), text), (pattern, text)


def test_shipped_patterns_hold_what_they_require_on_all_samples() -> None:
    lines = {line for s in SAMPLES for line in s.splitlines()}
    loud = some(sorted(line.upper() for line in lines), 1500)
    samples = [*sorted(lines), *loud]
    options = re2.Options()
    options.case_sensitive = False
    met = set()
    for first in range(0, len(PATTERNED), AT_ONCE):
        patterns = [str(e["pattern"]) for e in PATTERNED[first : first + AT_ONCE]]
        needed = [required(pattern) for pattern in patterns]
        together = re2.Set.SearchSet(options)
        for pattern in patterns:
            together.Add(f"(?m:{pattern})")
        together.Compile()
        for sample in samples:
            for index in together.Match(sample) or ():
                met.add(patterns[index])
                assert _has(needed[index], sample), (patterns[index], sample)
    assert len(met) > 0.9 * len({str(e["pattern"]) for e in PATTERNED})


_PIECES = st.sampled_from([
    "ab", "c", "x?", "(?:qu.v|w.x)", "(?:de|fg)", "[hi]", "[^j]", ".", "k+", "l*", "m{2}", "n{1,3}", r"\d",
    r"\b", "o|p", " ", "(q|rs)?", "\u00e9", "\u5b8c", "K", "S", r"\.", "(?P<a>t)", "u{0,2}", "(?i:Vw)",
])  # fmt: skip


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
    narrow = Patterns(written, [required(p) for p in written])
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
            st.tuples(st.sampled_from([*MARKS, "\u212a", "\u0130"]), st.sampled_from(SAMPLES)).map("".join),
            st.tuples(st.sampled_from(SAMPLES), st.sampled_from([*MARKS, "x" * 2_000])).map("".join),
            st.tuples(st.just("x" * 1_995), st.sampled_from(SAMPLES)).map("".join),
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
