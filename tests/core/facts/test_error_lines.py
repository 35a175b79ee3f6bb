"""`error_lines`: what reports an error, what only speaks of one, signatures, plain word counts."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts, iteration, resolved

from exitgate.core.facts.extractors import error_lines
from exitgate.core.facts.text.text import EVIDENCE_LIMIT
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("errors"))


@each(
    ("text", "count"),
    [
        ("", 0),
        ("Error: cannot open the port", 1),
        ("  Error: cannot open the port\n    at open (net.js:1:2)", 1),
        ("\x1b[31mError:\x1b[0m cannot open the port", 1),
        ("error\x1b[0m: could not compile", 1),
        ("1. Error: a\n2. Error: b\r\n3. Error: c", 3),
        ("```\napp.ts(3,1): error TS1005: ';' expected.\n```", 1),
        ("main.c:1:1: error: x\nmain.c:2:1: error: y\n2 errors generated.", 2),
        ("Found 2 errors.", 1),
        ("Traceback (most recent call last):\n  File 'a'\n    x()\nKeyError: 1\nKeyError: 2", 2),
        ("Type check: zero errors. Not one failure, no exception seen anywhere.", 0),
        ("I improved the error handling: every error is logged, no exception escapes.", 0),
        ('{"is_error": false, "error": null, "errors": [], "error_count": 0}', 0),
        ('{\n  "error": "none",\n  "has_error": false\n}', 0),
        ("function f(error: Error): void {\n  error: string;\n}", 0),
        ("diff --git a/error.ts b/error.ts\n+ERROR: gone\n-Error: old\n Error: same", 0),
        ("```diff\n@@ -1,2 +1,2 @@\n-Error: old\n+Error: new\n```\nError: real", 1),
        ("- error.ts\n- src/errors/index.ts\n- [ ] error codes", 0),
        ("## Errors\nNone so far.\n\n**Errors:** none\nErrors: 0\nError: none", 0),
        ("Fixed `Error: x is undefined` by importing x.", 0),
        ("In French: aucune erreur. 没有错误。", 0),
        ("Fehler wurden behoben, keine Errors.", 0),
        ("\x1b[31mKeyError: 'a'\x1b[0m", 1),
        ("\x1b[1;31mapp.ts\x1b[0m:3:1 - \x1b[31merror\x1b[0m TS1005: ';' expected", 1),
        ("npm error code E404\nnpm error 404 not there\nnpm error 404\n\nnpm error code E500", 2),
        ("E       assert 1 == 2\nE        +  where 1 = f()\n\nE   KeyError: 1\n=== 2 failed in 0.1s", 2),
        ("E   KeyError: 1\nFAILED a.py::b - KeyError: 1\n=== 1 failed in 0.1s", 1),
        ("--- FAIL: TestOpen (0.01s)\nFAIL\nFAIL\texample.org/store\t0.4s\nFAIL", 1),
        ("error[E0425]: no such value\nerror: could not compile `a` (lib) due to 1 previous error", 1),
        ("[CRITICAL] Stop here.\nCRITICAL: nothing is left to do.", 0),
        ("FAILED a.py::b - x\nFAILED a.py::c - y\n2 failed, 3 passed in 0.1s", 2),
        ("AssertionError", 1),
        ("ParseError\nLexError\n- KeyError", 0),
        ("TypeError: x is null\n    at open (/a/b.js:1:2)\n    at Object.<anonymous> (/a/c.js:3:4)", 1),
        ('Exception in thread "main" a.b.C: gone\n\tat a.b.D.e(D.java:1)\nCaused by: a.b.F: shut\n', 1),
        ("panic: out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:5\nexit status 2", 1),
        ("# a/b\nvet: ./a.go:3:2: undefined: x", 1),
        ('  /a/b.py:3:5 - error: "x" is not defined\n1 error, 0 warnings', 1),
        ("a.py:3:5: F821 undefined name `x`\nFound 1 error.", 1),
        ("✓ throws an error when a key is missing (3 ms)\nPASS src/error.test.ts\nok 3 - error: told", 0),
        ("tests/test_errors.py::test_error_is_raised PASSED\ntest errors::fatal_error ... ok", 0),
        ("2026-01-05 10:20:30,123 - app.worker - ERROR - worker died", 1),
        ('{"level":"error","msg":"gone"}\n{"level":"info","msg":"error count is 0"}', 1),
        ("error: unknown option `--deep`\n  error: unknown,\n  error?: string[];", 1),
        ("export class ErrorHandler {\n  onError?: (error: Error) => void;\n  handle(error: Error) {", 0),
        ("- Fixed error handling\n- Fixed error: a missing comma\n- Error handling: done", 0),
        ("Error: request timed out, retrying.\nRetry succeeded.", 1),
        (
            "Fehler: Datei fehlt\nErreur : fichier absent\n错误：找不到模块\nエラー: 失敗\nОшибка: нет файла",  # noqa: RUF001
            5,
        ),
        ("Fehler: keine\nErreur : aucune\n错误：无\nエラー: なし\n没有错误", 0),  # noqa: RUF001
        ("class ParseError(Exception):\n    pass\nraise ParseError('x')\nexcept ParseError:", 0),
    ],
)
def test_lines_that_report_errors(text: str, count: int) -> None:
    found = facts("error_lines", OPTIONS, response=text)
    assert found["x.count"].value == count, found["x.count"].evidence
    assert found["x.present"].value is (count > 0)


def test_the_error_named_in_the_task_is_not_a_new_one() -> None:
    task = "Mend this:\nTypeError: x is not a function\n"
    found = facts("error_lines", OPTIONS, response="TypeError: x is not a function\nError: new", task=task)
    assert found["x.count"].value == 1
    assert [r.guard for r in found["x.count"].rejected] == ["echoed"]


def test_evidence_is_the_line_and_kinds_are_listed() -> None:
    text = "ok\r\n  fatal: not a repository  \r\nKeyError: 'a'\r\n"
    found = facts("error_lines", OPTIONS, response=text)
    assert [text[e.start : e.end] for e in found["x.count"].evidence] == [
        "fatal: not a repository",
        "KeyError: 'a'",
    ]
    assert found["x.kinds"].value == ("exception", "fatal")
    assert [e.line for e in found["x.count"].evidence] == [2, 3]


def signature(text: str) -> object:
    return facts("error_lines", OPTIONS, response=text)["x.signature"].value


def test_a_signature_forgets_positions_order_and_repetition() -> None:
    first = "a.ts(1,2): error TS2304: no x\nError: timed out after 30 s"
    again = "Error: timed out after 45 s\nfine\na.ts(17,20): error TS2304: no x\nError: timed out after 2 s"
    assert signature(first) == signature(again)
    assert signature(first) != signature("Error: timed out after 30 s")
    assert isinstance(signature("all fine"), Unknown)


TRACE = "Traceback (most recent call last):\n  File '/a/b.py', line {}, in f\n    x()\n{}\n"


def test_a_traceback_is_told_by_its_last_line() -> None:
    missing, bad = TRACE.format(3, "KeyError: 'a'"), TRACE.format(3, "app.BadValue: no number")
    assert signature(missing) == signature(TRACE.format(70, "KeyError: 'a'")) == "keyerror: 'a'"
    assert signature(missing) != signature(bad)
    found = facts("error_lines", OPTIONS, response=bad)
    assert [e.excerpt for e in found["x.count"].evidence] == ["app.BadValue: no number"]
    assert found["x.kinds"].value == ("exception",)


def test_an_indented_traceback_ends_with_its_exception() -> None:
    indented = "".join(f"    {line}\n" for line in TRACE.format(3, "KeyError: 'a'").splitlines())
    found = facts("error_lines", OPTIONS, response=f"It said:\n\n{indented}\nError: other\n")
    assert found["x.patterns"].value == ("error: other", "keyerror: 'a'")


@pytest.mark.parametrize("end", ["", "\n", "\n\nAll is well."])
def test_a_traceback_without_an_exception_is_told_by_its_first_line(end: str) -> None:
    text = f"Traceback (most recent call last):\n  File 'a'{end}"
    assert signature(text) == "traceback (most recent call last):"


def test_panics_at_one_place_are_told_apart_by_what_they_say() -> None:
    first = "thread 'main' panicked at src/a.rs:2:5:\nindex out of bounds\nnote: run with more"
    assert signature(first) == "index out of bounds"
    assert signature("thread 'a' panicked at 'no such key', src/a.rs:2:5") != signature(first)


def test_long_signatures_are_cut_but_told_apart() -> None:
    many = [f"Error: cannot find module {'abcdefgh'[n % 8] * (n + 3)}" for n in range(30)]
    one, other = signature("\n".join(many)), signature("\n".join(many[:-1]))
    assert one != other
    assert max(len(str(one)), len(str(other))) <= 160


def test_a_missing_source_is_unknown() -> None:
    found = error_lines.extract("x", "response", OPTIONS, iteration())
    assert all(f.value == Unknown("no response was given", f.name) for f in found)


def test_many_errors_are_all_counted() -> None:
    found = facts("error_lines", OPTIONS, response="Error: a b\n" * 500)["x.count"]
    assert found.value == 500
    assert len(found.evidence) == EVIDENCE_LIMIT


@pytest.mark.parametrize(
    ("how", "whole", "count"),
    [("occurrences", False, 5), ("lines", False, 3), ("present", False, 2), ("occurrences", True, 3)],
)
def test_plain_words_are_counted_like_grep_does(how: str, whole: bool, count: int) -> None:
    text = "0 errors, no Error\nthe errors failed\n\nfailed\n"
    options = {"words": ["error", "failed", "panic"], "count": how, "whole": whole}
    assert facts("error_lines", options, response=text)["x.count"].value == count
