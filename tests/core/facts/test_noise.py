"""What patterns of errors leave out, and what they must keep apart."""

from __future__ import annotations

from cases import each
from fact_reading import document, facts, resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.lexicons import lexicon
from exitgate.core.facts.lexicons.patterns import Noise
from exitgate.core.facts.text.text import PIECE
from exitgate.core.model.json_object import JsonObject

OPTIONS = {"lexicon": resolved("errors")}
NOISE = Noise(lexicon.ready(resolved("noise")).entries)


def patterns(text: str) -> tuple[str, ...]:
    found = facts("error_lines", OPTIONS, response=text)
    assert found["x.present"].value, text
    return found["x.patterns"].value


@each(
    ("one", "other"),
    [
        ("Error: cannot find `x` at app.js:12", "Error: cannot find `x` at app.js:14"),
        ("Error: cannot find `x` at app.js:12:5", "Error: cannot find `x` at app.js:3:77"),
        ("app.ts(14,3): error TS2345: no x", "app.ts(1,30): error TS2345: no x"),
        ("src/a.c:1:1: error: no x", "src/a.c:200:10: error: no x"),
        ("./a.go:3:2: undefined: x", "./a.go:30:12: undefined: x"),
        ("  12:5  error  'x' is unused  no-unused", "  7:11  error  'x' is unused  no-unused"),
        ("Error: line 3, column 5: a stop is missing", "Error: line 11, column 9: a stop is missing"),
        ("thread 'main' panicked at src/main.rs:4:5:", "thread 'main' panicked at src/main.rs:40:9:"),
        ("2031-01-05 10:20:30,123 ERROR worker died", "2032-11-15 01:02:03,456 ERROR worker died"),
        ("[10:20:30] error: worker died", "[23:59:01] error: worker died"),
        ("Error: down since Jan 5, 2031 at 7:15 pm", "Error: down since Feb 17, 2032 at 9:45 am"),
        ("Error: timed out after 30 s", "Error: timed out after 45.5 s"),
        ("Error: timed out after 5000ms", "Error: timed out after 2 minutes 3 seconds"),
        ("--- FAIL: TestOpen (0.01s)", "--- FAIL: TestOpen (12.71s)"),
        ("Error: bad object <Shop at 0x7f00aa11>", "Error: bad object <Shop at 0x55ff0042>"),
        ("Error: cannot reach 127.0.0.1:54321", "Error: cannot reach 127.0.0.1:8080"),
        ("Error: cannot reach localhost:3000", "Error: cannot reach localhost:3001"),
        ("Error: port 3000 is in use", "Error: port 3001 is in use"),
        ("Error: process 4711 died (pid=4711)", "Error: process 99 died (pid=99)"),
        ("Error: gave up, attempt 3 of 5", "Error: gave up, attempt 4 of 5"),
        ("sshd[4711]: error: closed", "sshd[12]: error: closed"),
        ("Error: cannot write /tmp/build-1/out.log", "Error: cannot write /tmp/build-2/out.log"),
        ("Error: no /home/ann/shop/a.ts", "Error: no /home/bob/shop/a.ts"),
        ("Error: no /Users/ann/shop/a.ts", "Error: no /home/bob/shop/a.ts"),
        (
            "Error: job 123e4567-e89b-12d3-a456-426614174000 is lost",
            "Error: job 00000000-e89b-12d3-a456-426614174999 is lost",
        ),
        ("Error: commit 1a2b3c4d5e6f is not there", "Error: commit fe12dc34ba56 is not there"),
        ("Error: overloaded (req_011aBcDeFgHi)", "Error: overloaded (req_077xYzXyZxYz)"),
        ("Error:  two   blanks", "error: two blanks"),
        ("\x1b[31mError:\x1b[0m coloured", "Error: coloured"),
    ],
)
def test_the_same_error_again(one: str, other: str) -> None:
    assert patterns(one) == patterns(other)


@each(
    ("one", "other"),
    [
        ("Error: 3 tests failed", "Error: 2 tests failed"),
        ("=== 3 failed, 9 passed in 1.2s ===", "=== 2 failed, 10 passed in 1.2s ==="),
        ("Found 17 errors.", "Found 12 errors."),
        ("Error: expected 3, got 4", "Error: expected 3, got 5"),
        ("Error: 79% covered, 80% wanted", "Error: 78% covered, 80% wanted"),
        ("FAILED tests/test_a.py::test_one", "FAILED tests/test_a.py::test_two"),
        ("src/a.ts(1,1): error TS2304: no x", "src/b.ts(1,1): error TS2304: no x"),
        ("src/a.ts(1,1): error TS2304: no x", "src/a.ts(1,1): error TS2305: no x"),
        ("error[E0308]: mismatched", "error[E0425]: mismatched"),
        ("Error: no /srv/shop/a/index.ts", "Error: no /srv/shop/b/index.ts"),
        ("Error: no /home/ann/shop/a/index.ts", "Error: no /home/ann/shop/b/index.ts"),
        ("Error: step 3 is missing", "Error: step 4 is missing"),
        ("Error: HTTP 404 from the store", "Error: HTTP 500 from the store"),
        ("Error: no row[3]", "Error: no row[4]"),
        ("KeyError: 'a'", "KeyError: 'b'"),
        ("KeyError: 'a'", "ValueError: 'a'"),
    ],
)
def test_another_error(one: str, other: str) -> None:
    assert patterns(one) != patterns(other)


def test_each_error_once_sorted() -> None:
    text = "Error: b at x.js:1\nError: a\nError: b at x.js:2\nfine\n"
    assert patterns(text) == ("error: a", "error: b at x.js")


def test_no_error_is_no_pattern_and_words_are_their_own() -> None:
    assert facts("error_lines", OPTIONS, response="all is fine")["x.patterns"].value == ()
    found = facts("error_lines", {"words": ["error", "at 3:4"]}, response="Error at 3:4 and error")
    assert found["x.patterns"].value == ("at 3:4", "error")


def test_a_lexicon_without_noise_leaves_lines_as_they_are() -> None:
    own = {"entries": [{"id": "a", "kind": "a", "pattern": "^bad", "guards": []}], "guards": {}}
    found = facts("error_lines", {"lexicon": own}, response="Bad  at a.js:3")
    assert found["x.patterns"].value == ("bad at a.js:3",)


def test_noise_finds_no_errors() -> None:
    found = facts("error_lines", {"lexicon": resolved("noise")}, response="0x1f at a.js:12 on 2031-01-05")
    assert found["x.count"].value == 0


def test_examples_are_replaced_and_counterexamples_stay() -> None:
    for entry in document("noise")["entries"]:
        alone = Noise(lexicon.ready(JsonObject({"entries": [entry]})).entries)
        for text in entry["examples"]:
            assert alone.without(text.lower()) != " ".join(text.lower().split()), (entry["id"], text)
        for text in entry["counterexamples"]:
            assert alone.without(text.lower()) == " ".join(text.lower().split()), (entry["id"], text)


HOSTILE = st.lists(
    st.sampled_from(
        ["12:30:", "0x", "a.b:1", " 3 ms", "/tmp/", "/home/a/", "(1,2)", "\\1", "\ud800", "\x00", "9" * 40]
    )
    | st.text(st.characters(codec=None), max_size=6),
    max_size=60,
).map("".join)


@settings(max_examples=100, deadline=None)
@given(line=HOSTILE)
def test_no_line_raises_and_what_is_left_stays(line: str) -> None:
    once = NOISE.without(line)
    assert NOISE.without(line) == once
    assert "\n" not in once
    assert len(once) <= 8 * PIECE
