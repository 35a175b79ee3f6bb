"""Reports of every format, written from the results they are to tell of."""

from __future__ import annotations

import json
from xml.sax.saxutils import quoteattr

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


def junit(results, nested=False):
    """Return JUnit's XML of (name, outcome) pairs."""
    inner = {PASSED: "", FAILED: "<failure message='no'>text</failure>", SKIPPED: "<skipped/>"}
    cases = "".join(
        f"<testcase classname='c' name={quoteattr(name)}>{inner[outcome]}</testcase>"
        for name, outcome in results
    )
    suite = f"<testsuite name='s' tests='{len(results)}'>{cases}</testsuite>"
    if nested:
        suite = f"<testsuite name='above'>{suite}</testsuite>"
    return f"<?xml version='1.0'?><testsuites>{suite}</testsuites>".encode()


def tap(results):
    """Return the same as TAP."""
    lines = ["TAP version 13", f"1..{len(results)}"]
    for at, (name, outcome) in enumerate(results, 1):
        ok = "not ok" if outcome == FAILED else "ok"
        lines.append(f"{ok} {at} - {name}" + (" # SKIP" if outcome == SKIPPED else ""))
    return "\n".join(lines).encode()


def go_json(results):
    """Return the same as events of `go test -json`."""
    words = {PASSED: "pass", FAILED: "fail", SKIPPED: "skip"}
    events = [{"Action": "start", "Package": "c"}]
    for name, outcome in results:
        events += [
            {"Action": "run", "Package": "c", "Test": name},
            {"Action": "output", "Package": "c", "Test": name, "Output": "FAIL: not this\n"},
            {"Action": words[outcome], "Package": "c", "Test": name},
        ]
    bad = any(outcome == FAILED for _, outcome in results)
    events.append({"Action": "fail" if bad else "pass", "Package": "c"})
    return "\n".join(map(json.dumps, events)).encode()


def sarif(results):
    """Return the same as SARIF, in which what passed has the kind `pass`."""
    found = [
        {"ruleId": name, "level": "error"} if outcome == FAILED else {"ruleId": name, "kind": "pass"}
        for name, outcome in results
    ]
    return json.dumps(
        {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": found}]}
    ).encode()


WRITERS = {"junit": junit, "tap": tap, "go_json": go_json, "sarif": sarif}
#: A report of every format that says something.
SAMPLES = {
    "junit": junit([("a", PASSED), ("b", FAILED), ("c", SKIPPED)]),
    "tap": tap([("a", PASSED), ("b", FAILED), ("c", SKIPPED)]),
    "go_json": go_json([("a", PASSED), ("b", FAILED), ("c", SKIPPED)]),
    "sarif": sarif([("a", PASSED), ("b", FAILED)]),
    "json": b'{"conclusion": "success", "jobs": [{"id": 1}]}',
    "coverage": b'<coverage line-rate="0.75" lines-valid="8" lines-covered="6"><packages/></coverage>',
    "lcov": b"TN:\nSF:a.c\nDA:1,1\nDA:2,0\nLF:2\nLH:1\nend_of_record\n",
    "lines": b"one\n\n  two\n",
}
