"""Signatures: those of the loop detection document, what is noise and what is signal, the row language."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps
from test_fuzz_text import HOSTILE
from test_linear import TEXTS

from exitgate.core.facts.errors import signature_rows
from exitgate.core.facts.errors.scan import SIGNATURE_LIMIT
from exitgate.core.facts.errors.signature_rows import near, slug
from exitgate.core.facts.extractors import signature
from exitgate.core.facts.extractors.signature import HEAD, TAIL
from exitgate.core.facts.text.structure import basename
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

REPAIRED = JsonObject(lexicon=resolved("signatures"))
FAITHFUL = JsonObject(lexicon=resolved("signatures-faithful"))
NULL_CHECK = "Fixed auth.ts - added null check"


def of(text: str, options: dict = REPAIRED) -> object:
    return facts("signature", options, response=text)["x"].value


def row(*rows: dict) -> dict:
    return {"cascade": list(rows)}


@each(
    ("text", "wanted"),
    [
        (
            "Running tests... 2 failed: auth.test.ts - login test timeout, logout test assertion",
            "auth.test.ts:login-timeout,logout-assertion",
        ),
        ("Modified auth.ts line 45-52, added null check for user.profile", "auth.ts:null-check"),
        ("Searched GitHub for 'oauth2 refresh token', found 3 patterns...", "search:oauth2-refresh-token"),
        (
            "Error: TypeError - Cannot read property 'id' of null at auth.ts:45",
            "error:TypeError-null-auth.ts",
        ),
        ("3 tests failing - auth, login, logout", "test-fail:3-auth,login"),
        ("2 tests failing - auth, login", "test-fail:2-auth,login"),
        ("1 test failing - auth", "test-fail:1-auth"),
        (NULL_CHECK, "auth.ts:null-check"),
        ("Fixed auth.ts - updated validation", "auth.ts:updated-validation"),
        ("Fixed auth.ts - refactored handler", "auth.ts:refactored-handler"),
    ],
)
def test_the_documented_signatures(text: str, wanted: str) -> None:
    assert of(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Error: TypeError - Cannot read property 'id' of null at auth.ts:45", "error:TypeError-auth.ts:45"),
        ("Running tests... 2 failed: auth.test.ts - logout", "test-fail:failed: auth.test.ts"),
        ("3 failed\nfail: a\nfailing b: c\nfails d: e", "test-fail:fail: a,failing b: c"),
        ("3 tests failing - auth, login, logout", "test-fail:"),
        (NULL_CHECK, "file:auth.ts-auth"),
        ("Fixed auth.ts - refactored handler", "file:auth.ts-auth"),
        ("Changed parse.go a lot", "file:parse.go-parse"),
        ("All of it\n  IS  done now. " * 9, "all-of-it-is-done-now.-all-of-it-is-done-now"),
    ],
)
def test_the_code_of_that_document_literally(text: str, wanted: str) -> None:
    assert of(text, FAITHFUL) == wanted


SAME = [
    (
        "Error: Cannot find module 'express' at server.js:42",
        "Error: Cannot find module 'express' at server.js:44:7",
    ),
    ("Error: connect refused at 0x7f3a21c0 in 3.2s", "Error: connect refused at 0x11aa22bb in 4.1s"),
    ("ValueError: no key in /tmp/run-1/conf.py", "ValueError: no key in /tmp/run-2/conf.py"),
    ("Error: 2026-01-15 10:22:31 worker died", "Error: 2026-01-16 11:00:02 worker died"),
    (
        "Modified auth.ts line 45-52, added null check",
        "Modified src/auth.ts (lines 9-12), added a null check.",
    ),
    ("task.complete\n", "task.complete"),
    ("Still blocked in loop 4: no write access", "Still blocked in loop 5: no write access"),
    ("Nothing left to do.", "nothing left to do"),
]
DIFFERENT = [
    ("Moved Button.tsx and updated its imports.", "Moved Modal.tsx and updated its imports."),
    (NULL_CHECK, "Fixed auth.ts - removed null check"),
    (NULL_CHECK, "Fixed session.ts - added null check"),
    ("Reverted auth.ts to the sync client.", "Switched auth.ts to the async client."),
    ("Migrated 120 of 400 rows", "Migrated 240 of 400 rows"),
    ("3 failed, 12 passed", "2 failed, 13 passed"),
    ("12 of 40 stories are done", "13 of 40 stories are done"),
    (
        "FAILED t.py::test_a - ValueError: no key\n3 failed, 1 passed",
        "FAILED t.py::test_a - ValueError: no key\n2 failed, 2 passed",
    ),
    (
        "FAILED t.py::test_a - ValueError: no key\n3 failed, 1 passed",
        "FAILED t.py::test_a - ValueError: no lock\n3 failed, 1 passed",
    ),
    ("Fixed 3 failing tests of the parser", "Fixed 3 failing tests of the lexer"),
    ("Error: out of memory at a.ts:1", "Error: out of disk at a.ts:1"),
    ("Moved alpha to beta", "Moved beta to alpha"),
    (
        "---STATE---\nDONE: 1\nNEXT: parser\n---END_STATE---",
        "---STATE---\nDONE: 1\nNEXT: lexer\n---END_STATE---",
    ),
    ("登录表单已完成", "注册表单已完成"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_noise_makes_no_difference(one: str, other: str) -> None:
    assert of(one) == of(other)


@each(("one", "other"), DIFFERENT)
def test_other_work_has_another_signature(one: str, other: str) -> None:
    assert of(one) != of(other)


@pytest.mark.parametrize("text", ["", " \n\t", "…", "\u200b"])
def test_a_text_that_says_nothing_has_no_signature(text: str) -> None:
    found = facts("signature", REPAIRED, response=text)
    assert isinstance(found["x"].value, Unknown)
    assert isinstance(found["x.kind"].value, Unknown)


def test_the_row_and_the_place_are_told() -> None:
    found = facts("signature", REPAIRED, response=f"Hello.\n{NULL_CHECK}\n")
    assert found["x.kind"].value == "file-added"
    (seen,) = found["x"].evidence
    assert (seen.line, seen.column, seen.note) == (2, 1, "row file-added")


def test_a_refused_match_is_shown_and_the_next_one_taken() -> None:
    options = row({"id": "e", "pattern": r"error: (\w+)", "unless": "no error", "template": "e:{1}"})
    found = facts("signature", options, response="no error: none\nerror: disk")
    assert found["x"].value == "e:disk"
    assert [(e.guard, e.line) for e in found["x"].rejected] == [("unless", 1)]
    only = facts("signature", options, response="no error: none")
    assert isinstance(only["x"].value, Unknown)
    assert len(only["x"].rejected) == 1


def test_the_first_row_that_matches_decides() -> None:
    rows = [
        {"id": "a", "pattern": "b", "template": "first"},
        {"id": "b", "pattern": "a", "template": "second"},
    ]
    assert of("a b", row(*rows)) == "first"
    assert of("a b", row(*rows[::-1])) == "second"


def test_parts_are_limited_joined_and_may_be_missing() -> None:
    part = {"in": "list", "each": r"[^,]+", "as": "<{0|slug}>", "limit": 2, "join": "+"}
    rows = {"id": "a", "pattern": "got (?P<list>.*)", "parts": {"p": part}, "template": "{p}"}
    assert of("got A b, c, d", row(rows)) == "<a-b>+<c>"
    assert isinstance(of("got ", row(rows)), Unknown)
    assert of("got ", row({**rows, "parts": {"p": {**part, "otherwise": "none"}}})) == "none"


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        ("{0|lower}", "a  b/c.py:12"),
        ("{0|dashes}", "A-B/c.py:12"),
        ("{0|slug}", "a-b/c.py-12"),
        ("{0|words 1}", "a"),
        ("{0|first 3}", "A  "),
        ("{1|basename}", "c.py"),
        ("{2|or none}", "none"),
        ("{2|prefix -}{1|prefix -}", "-B/c.py:12"),
    ],
)
def test_filters(template: str, wanted: str) -> None:
    assert of("A  B/c.py:12", row({"id": "a", "pattern": r"A\s+(\S+)(z)?", "template": template})) == wanted


@pytest.mark.parametrize(
    "broken", ["{", "{}", "{0|none}", "{0|first}", "{0|first x}", "{0|lower 3}", "{0|or}"]
)
def test_templates_that_cannot_be_read(broken: str) -> None:
    with pytest.raises(signature_rows.TemplateError):
        signature_rows.read(broken)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("auth.ts:45", "auth.ts"),
        ("src/auth.ts:45:3", "auth.ts"),
        ("`C:\\work\\auth.ts(45,3)`:", "auth.ts"),
        ("https://x.test/a/auth.ts#L4-L9", "auth.ts"),
        ("auth.ts.", "auth.ts"),
        (".env", ".env"),
        ("src/", "src"),
        ("", ""),
        (":::", ""),
    ],
)
def test_the_name_of_a_file(path: str, name: str) -> None:
    assert basename(path) == name


def test_near_signatures_are_equal() -> None:
    drop = frozenset(("the", "a"))
    assert near("auth.ts:Null-Check", drop) == near("Auth.ts: the null check", drop)
    assert near("f:b,a", drop) == near("f:a, b", drop)
    assert (
        near("test:2-auth,login", drop) == near("test:2-login,auth", drop) != near("test:3-auth,login", drop)
    )
    assert near("move-a-to-b", frozenset()) != near("move-b-to-a", frozenset())
    options = {**REPAIRED, "near": True}
    assert of(NULL_CHECK, options) == of("FIXED AUTH.TS - added a NULL check.", options)
    assert of(NULL_CHECK, options) != of("Fixed auth.ts - removed null check", options)


def test_words_are_dropped_unless_nothing_else_is_there() -> None:
    assert (
        slug("The *null* check_up of `user.profile`!", frozenset(("the", "of")))
        == "null-check_up-user.profile"
    )
    assert slug("the", frozenset(("the",))) == "the"


def test_long_signatures_are_shortened_and_still_differ() -> None:
    one, other = (of(f"Error: {'x ' * 300}{end}") for end in ("a", "b"))
    assert one != other
    assert len(str(one)) == SIGNATURE_LIMIT == len(str(other))


def test_of_a_long_text_the_middle_is_not_looked_at_and_that_is_told() -> None:
    filling = "so it goes\n" * ((HEAD + TAIL) // 10)
    options = row({"id": "e", "pattern": "error: (.*)", "template": "{1}"})
    assert of(filling + "error: late", options) == "late"
    assert isinstance(of(filling + "error: mid\n" + filling, options), Unknown)
    assert "were looked at" in facts("signature", options, response="error: a\n" + filling)["x"].note


@settings(max_examples=80, deadline=None)
@given(pieces=HOSTILE, glue=st.sampled_from(["", " ", "\n"]), near=st.booleans())
def test_no_text_raises_and_spans_are_within_it(pieces: list[str], glue: str, near: bool) -> None:
    text = glue.join(pieces)
    for options in ({**REPAIRED, "near": near}, {**FAITHFUL, "near": near}):
        found = facts("signature", options, response=text)
        assert found == facts("signature", options, response=text)
        value = found["x"].value
        assert isinstance(value, Unknown) or (value and len(value) <= SIGNATURE_LIMIT)
        for seen in (*found["x"].evidence, *found["x"].rejected):
            assert 0 <= seen.start < seen.end <= len(text)


@each("text", TEXTS.values(), ids=TEXTS)
def test_twice_the_text_is_at_most_twice_the_work(text: str) -> None:
    of(text)
    small, large = (text * (size // len(text) + 1) for size in (2_000, 4_000))
    assert steps(lambda: of(large)) <= 2.3 * steps(lambda: of(small)) + 500


def test_every_shipped_row_can_be_used() -> None:
    assert list(signature.faults(REPAIRED)) == []
    assert list(signature.faults(FAITHFUL)) == []
