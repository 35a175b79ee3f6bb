from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE
from report_samples import FAILED, PASSED, SAMPLES, SKIPPED, WRITERS, junit

from exitgate.core.probes.figures import NAMES, Figures, LateReportError, ReportError
from exitgate.core.probes.reports.registry import FORMATS, parser_of
from exitgate.core.probes.reports.xml import DEPTH, ELEMENTS

if TYPE_CHECKING:
    from pathlib import Path

NAME = st.text("abcdefgh_-.&<é", min_size=1, max_size=8).filter(lambda text: text.strip(" -_.") == text)
RESULTS = st.lists(st.tuples(NAME, st.sampled_from((PASSED, FAILED, SKIPPED))), min_size=1, max_size=12)


def test_every_format_has_a_sample():
    assert set(SAMPLES) == set(FORMATS)


@pytest.mark.parametrize("format", sorted(WRITERS))
@settings(max_examples=60, deadline=None)
@given(results=RESULTS)
def test_a_report_counts_what_was_written(format: str, results: list[tuple[str, str]]) -> None:
    results = list(dict(results).items())
    found = parser_of(format)(WRITERS[format](results))
    failed = [name for name, outcome in results if outcome == FAILED]
    assert found.failed == len(failed)
    assert len(found.failing) == len(failed)
    assert all(name in shown for name, shown in zip(failed, found.failing, strict=True))
    if format != "sarif":
        assert found.total == len(results)
        assert found.skipped == sum(outcome == SKIPPED for _, outcome in results)


@pytest.mark.parametrize("format", sorted(FORMATS))
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_whatever_becomes_of_a_report_it_is_read_or_refused(format: str, data: st.DataObject) -> None:
    sample = SAMPLES[format]
    kind = data.draw(st.sampled_from(("cut", "changed", "random", "twice")))
    if kind == "cut":
        sample = sample[: data.draw(st.integers(0, len(sample)))]
    elif kind == "changed":
        at = data.draw(st.integers(0, len(sample) - 1))
        sample = sample[:at] + data.draw(st.binary(max_size=4)) + sample[at + 1 :]
    elif kind == "random":
        sample = data.draw(st.binary(max_size=60))
    else:
        sample += sample
    try:
        found = parser_of(format)(sample)
    except ReportError as error:
        assert str(error)
    else:
        assert isinstance(found, Figures)
        assert found.coverage is None or 0 <= found.coverage <= 100
        assert None in (found.total, found.failed) or 0 <= found.failed <= found.total


ENTITIES = b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]><testsuites>&b;</testsuites>"
FILE = (
    b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><testsuites><testsuite name='&a;'/></testsuites>"
)


@pytest.mark.parametrize("hostile", [ENTITIES, FILE, ENTITIES.replace(b"testsuites", b"coverage")])
@pytest.mark.parametrize("format", ["junit", "coverage"])
def test_entities_are_refused(format: str, hostile: bytes) -> None:
    with pytest.raises(ReportError, match="entities"):
        parser_of(format)(hostile)


@pytest.mark.parametrize("format", ["junit", "coverage"])
def test_depth_is_bounded(format: str) -> None:
    with pytest.raises(ReportError, match=f"more than {DEPTH} deep"):
        parser_of(format)(b"<testsuite>" * 100_000)


@pytest.mark.parametrize("format", ["json", "sarif", "go_json"])
def test_deep_json_is_refused(format: str) -> None:
    with pytest.raises(ReportError):
        parser_of(format)(b"[" * 200_000)


def test_a_suite_that_claims_more_failures_than_it_shows_is_believed():
    found = parser_of("junit")(
        b"<testsuite tests='9' failures='2' errors='1'><testcase name='a'/></testsuite>"
    )
    assert (found.total, found.failed) == (9, 3)


def test_suites_within_suites_count_once():
    found = parser_of("junit")(junit([("a", FAILED), ("b", PASSED)], nested=True))
    assert (found.total, found.failed, found.failing) == (2, 1, ("c.a",))


def test_names_are_bounded():
    found = parser_of("junit")(junit([(f"{'long' * 100}{at}", FAILED) for at in range(500)]))
    assert found.failed == 500
    assert len(found.failing) == NAMES
    assert max(map(len, found.failing)) == 200


@pytest.mark.parametrize(
    ("text", "failed", "failing"),
    [
        ("1..3\nok 1\nok 2\n", 1, "1 of 3 planned tests did not run"),
        ("1..2\nok 1 - a\nnot ok 2 - b # TODO later\n", 0, ""),
        ("ok 1\nBail out! no database\n", 1, "bailed out: no database"),
        ("1..1\n    not ok 1 - inner\nnot ok 1 - outer\n", 1, "outer"),
        ("1..1\n    not ok 1 - inner # TODO\nok 1 - outer\n", 0, ""),
        ("1..1\n    not ok 1 - inner\nok 1 - outer # TODO\n", 0, ""),
        ("1..1\nok 1 - a\n  ---\n    not ok 1 - shown\n  ...\n", 0, ""),
        ("1..1\nok 1 - a\n    BAIL OUT! inner\n", 1, "bailed out: inner"),
        ("bail out!\n", 1, "bailed out: "),
        (
            "1..2\nnot ok 1 - a # SKIP later\nnot ok 2 - b \\# TODO later\n",
            2,
            "a # SKIP laterb \\# TODO later",
        ),
        ("1..2\nok 2 - a\nok 1 - b\n", 0, ""),
        ("1..2\nokay, here we go\nok 1 - a\n", 1, "1 of 2 planned tests did not run"),
        ("1..1\r\nok 1 - a\u2028not ok 2\r\n", 0, ""),
        ("1..0 # SKIP nothing here\n", 0, ""),
    ],
)
def test_tap(text: str, failed: int, failing: str) -> None:
    found = parser_of("tap")(text.encode())
    assert found.failed == failed
    assert "".join(found.failing) == failing


@pytest.mark.parametrize(
    "text",
    [
        "1..5\nok 1\n1..1\n", "1..2\nok 1\nok 1\n", "1..1\nok 1\nok 2\n", "1..3\nok 1\nok 2\nok 4\n",
        "1..1\nok 0\n", "ok 1\nok 2\n", "1..1\n    not ok 1 - inner\nok 1 - outer\n",
        "1..99999999999\nok 1\n",
    ],
)  # fmt: skip
def test_a_tap_report_that_contradicts_itself_says_nothing(text: str) -> None:
    with pytest.raises(ReportError):
        parser_of("tap")(text.encode())


BAD = "<testcase name='a'><failure/></testcase>"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("<testsuites><testsuite name='s'><error/><testcase name='a'/></testsuite></testsuites>", (2, 1, 0)),
        (f"<testsuites>{BAD}</testsuites>", (1, 1, 0)),
        (f"<testsuites><group>{BAD}</group></testsuites>", (1, 1, 0)),
        ("<testsuite><testsuite failures='3'/><testcase name='a'/></testsuite>", (3, 3, 0)),
        ("<testsuites failures='1'><testsuite tests='4'/></testsuites>", (4, 1, 0)),
        ("<testsuite tests='2' skipped='2'/>", (2, 0, 2)),
        ("<testsuite><testcase name='a' status='notrun'/></testsuite>", (1, 0, 1)),
        ("<testsuite><testcase name='a' status='Failed'/></testsuite>", (1, 1, 0)),
        ("<testsuite><testcase name='a' success='false'/></testsuite>", (1, 1, 0)),
        ("<testsuite><testcase name='a'><rerunFailure/></testcase></testsuite>", (1, 1, 0)),
        ("<testsuite><testcase name='a'><flakyFailure/></testcase></testsuite>", (1, 0, 0)),
        (f"<x:testsuite xmlns:x='u'><x:testsuite>{BAD}</x:testsuite></x:testsuite>", (1, 1, 0)),
    ],
)  # fmt: skip
def test_what_a_suite_can_say_of_a_failure(text: str, counts: tuple[int, int, int]) -> None:
    found = parser_of("junit")(text.encode())
    assert (found.total, found.failed, found.skipped) == counts


@pytest.mark.parametrize("count", ["-1", "+1", "1e3", "many", "9" * 20, "1.5", "\u0663"])
@pytest.mark.parametrize("name", ["failures", "errors", "tests"])
def test_a_count_that_is_none_is_refused(name: str, count: str) -> None:
    with pytest.raises(ReportError, match=name):
        parser_of("junit")(f"<testsuite {name}='{count}'><testcase name='a'/></testsuite>".encode())


@pytest.mark.parametrize(
    ("lines", "failing"),
    [
        (["run p T", "fail p T", "run p T", "pass p T", "pass p"], ("p.T",)),
        (["fail p", "pass p"], ("p",)),
        (["run p T", "pass p T"], ("p",)),  # the package has no end
        (["pass p T", "pass p", "build-fail q [q.test]"], ("q [q.test]",)),
        (["build-fail q [q.test]", "fail q"], ("q",)),
    ],
)
def test_what_fails_in_go(lines: list[str], failing: tuple[str, ...]) -> None:
    events = []
    for line in lines:
        action, package, *test = line.split(" ", 2)
        if action == "build-fail":
            events.append({"Action": action, "ImportPath": " ".join((package, *test))})
        else:
            events.append(
                {"Action": action, "Package": package, **dict.fromkeys(["Test"][: len(test)], *test)}
            )
    found = parser_of("go_json")("\n".join(map(json.dumps, events)).encode())
    assert found.failing == failing
    assert found.failed == 1


def test_go_names_the_subtest_and_a_package_that_does_not_compile():
    lines = (
        '{"Action":"fail","Package":"p","Test":"TestA/one"}\n{"Action":"fail","Package":"p","Test":"TestA"}\n'
        'broken output\n{"Action":"fail","Package":"p"}\n{"Action":"fail","Package":"q"}\n'
        '{"Action":"run","Package":"r","Test":"TestHangs"}\n'
    )
    found = parser_of("go_json")(lines.encode())
    assert found.failing == ("p.TestA/one", "r.TestHangs", "q")


def test_sarif_leaves_out_what_is_suppressed_and_takes_levels_from_rules():
    found = parser_of("sarif")(
        b'{"version": "2.1.0", "runs": [{"tool": {"driver": {"rules": [{"id": "E", "defaultConfiguration":'
        b' {"level": "error"}}]}}, "results": [{"ruleId": "E", "locations": [{"physicalLocation": {'
        b'"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 3}}}]}, {"ruleId": "W"},'
        b' {"ruleId": "E", "suppressions": [{"kind": "inSource"}]},'
        b' {"ruleId": "E", "baselineState": "absent"}]}]}'
    )
    assert (found.total, found.failed, found.failing) == (2, 1, ("E at a.py:3",))


RAISED = {"configuration": {"level": "error"}}
ERROR = {"id": "R1", "defaultConfiguration": {"level": "error"}}


@pytest.mark.parametrize(
    ("tool", "result", "failed"),
    [
        ({"driver": {"rules": [{"id": "R0"}, ERROR]}}, {"ruleIndex": 1}, 1),
        ({"driver": {"rules": [{"id": "R0"}, ERROR]}}, {"ruleIndex": 0}, 0),
        ({"driver": {"rules": [{"id": "R0"}, ERROR]}}, {"rule": {"index": 1}}, 1),
        ({"driver": {"rules": [{"id": "R0"}, ERROR]}}, {"ruleId": "R1/sub", "ruleIndex": 1}, 1),
        ({"driver": {"rules": [ERROR]}}, {"ruleId": "R1/sub/x"}, 1),
        ({"driver": {}, "extensions": [{"rules": [ERROR]}]}, {"ruleId": "R1"}, 1),
        ({"driver": {"rules": [{"id": "R0"}]}, "extensions": [{"rules": [ERROR]}]},
         {"rule": {"index": 0, "toolComponent": {"index": 0}}}, 1),
        ({"driver": {}, "extensions": [{"name": "e", "rules": [ERROR]}]},
         {"ruleIndex": 0, "rule": {"toolComponent": {"name": "e"}}}, 1),
        ({"driver": {"rules": [ERROR]}}, {"ruleId": "R1", "level": "note"}, 0),
        ({"driver": {}}, {"ruleId": "R9"}, 0),
        ({"driver": {}}, {"level": "Error"}, 1),
        ({"driver": {}}, {"level": "error", "kind": "pass"}, 1),
        ({"driver": {}}, {"level": "error", "kind": "other"}, 1),
        ({"driver": {"rules": [ERROR]}}, {"ruleId": "R1", "kind": "review"}, 0),
        ({"driver": {}}, {"level": "error", "suppressions": [{"status": "accepted"}, {}]}, 0),
        ({"driver": {}}, {"level": "error", "suppressions": [{}, {"status": "rejected"}]}, 1),
        ({"driver": {}}, {"level": "error", "suppressions": [{"status": "underReview"}]}, 1),
    ],
)  # fmt: skip
def test_the_level_of_a_result(tool: object, result: object, failed: int) -> None:
    report = {"version": "2.1.0", "runs": [{"tool": tool, "results": [result]}]}
    assert parser_of("sarif")(json.dumps(report).encode()).failed == failed


@pytest.mark.parametrize(
    ("invocation", "failed"),
    [
        ({"toolExecutionNotifications": [{"level": "error", "descriptor": {"id": "N"}}]}, 1),
        ({"toolConfigurationNotifications": [{"level": "error"}]}, 1),
        ({"toolExecutionNotifications": [{"level": "note"}]}, 0),
        ({"ruleConfigurationOverrides": [{"descriptor": {"id": "R"}, **RAISED}]}, 1),
        ({"ruleConfigurationOverrides": [{"descriptor": {"index": 0}, **RAISED}]}, 1),
    ],
)  # fmt: skip
def test_what_a_tool_says_of_its_own_run(invocation: dict[str, object], failed: int) -> None:
    run = {"tool": {"driver": {"rules": [{"id": "R"}]}}, "results": [{"ruleId": "R"}]}
    run["invocations"] = [{"executionSuccessful": True, **invocation}]
    found = parser_of("sarif")(json.dumps({"version": "2.1.0", "runs": [run]}).encode())
    assert found.failed == failed


@pytest.mark.parametrize(
    "run",
    [
        {"results": [], "invocations": [{"executionSuccessful": False}]},
        {"results": [], "invocations": [{"executionSuccessful": True}, {"exitSignalName": "SIGKILL"}]},
        {"results": [], "invocations": {"executionSuccessful": False}},
        {"results": [], "externalPropertyFileReferences": {"results": [{"location": {"uri": "r"}}]}},
        {"results": [{"ruleIndex": 7}]}, {"results": [{"level": "fatal"}]},
        {"results": [{"level": ["error"]}]}, {"results": [5]}, {"results": {}}, None,
    ],
)  # fmt: skip
def test_a_scan_that_does_not_say_how_it_came_out_is_refused(run: object) -> None:
    with pytest.raises(ReportError):
        parser_of("sarif")(json.dumps({"version": "2.1.0", "runs": [] if run is None else [run]}).encode())


@pytest.mark.parametrize("runs", ["[{}]", '[{"results": null}]'])
def test_a_scan_without_results_did_not_come_to_its_end(runs: str) -> None:
    with pytest.raises(ReportError, match="no results"):
        parser_of("sarif")(f'{{"version": "2.1.0", "runs": {runs}}}'.encode())


@pytest.mark.parametrize(
    ("format", "text", "coverage"),
    [
        ("coverage", SAMPLES["coverage"].decode(), 75),
        ("coverage", '<coverage line-rate="0.875"/>', 87.5),
        ("coverage", '<report name="x"><counter type="LINE" missed="1" covered="3"/></report>', 75),
        ("lcov", SAMPLES["lcov"].decode(), 50),
        ("lcov", "SF:a\nDA:1,1\nDA:2,0\nDA:3,4\nDA:4,1\nend_of_record\n", 75),
    ],
)
def test_coverage(format: str, text: str, coverage: float) -> None:
    assert parser_of(format)(text.encode()).coverage == coverage


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("coverage", "<coverage/>"), ("coverage", '<coverage line-rate="7"/>'),
        ("coverage", '<coverage line-rate="nan"/>'), ("junit", "<html/>"),
        ("lcov", "SF:a\nDA:1,1\n"), ("lcov", ""), ("lcov", "SF:a\nLF:1\nLH:5\nend_of_record\n"),
        ("coverage", '<coverage line-rate="1" lines-valid="0" lines-covered="0"/>'),
        ("coverage", '<coverage line-rate="1" lines-valid="4" lines-covered="9"/>'),
        ("coverage", '<coverage line-rate="1" lines-valid="10" lines-covered="2"/>'),
        ("coverage", '<coverage line-rate="0.5" lines-valid="-4" lines-covered="2"/>'),
        ("lcov", "SF:a\nLF:abc\nLH:1\nend_of_record\nSF:b\nLF:1\nLH:1\nend_of_record\n"),
        ("lcov", "SF:a\nLF:1\nLH:2\nend_of_record\nSF:b\nLF:9\nLH:1\nend_of_record\n"),
        ("lcov", "SF:a\nDA:1,1\nSF:b\nDA:1,0\nend_of_record\n"),
        ("json", '{"a": 1e400}'), ("json", "[[-1e999]]"), ("json", '{"a": 1, "a": 2}'),
        ("json", f'[{"9" * 400}]'),
        ("sarif", '{"version": "2.1.0", "runs": [], "runs": [{"results": []}]}'),
        ("json", '{"a": NaN}'), ("json", " " * 70_000 + "1"), ("tap", "hello"), ("go_json", "{}"),
    ],
)  # fmt: skip
def test_what_says_nothing_is_refused(format: str, text: str) -> None:
    with pytest.raises(ReportError):
        parser_of(format)(text.encode())


def test_every_number_of_a_document_can_be_written_as_json() -> None:
    """Programs read no whole number beyond 64 bits."""
    value = parser_of("json")(b"[123456789012345678, 12345678901234567890123, -1e308, 0.1, true]").value
    assert value == [123456789012345678, 1.2345678901234568e22, -1e308, 0.1, True]
    assert msgspec.json.decode(msgspec.json.encode(value)) == value


#: Of each format a report of megabytes.
LARGE = {
    "junit": b"<testsuite>" + b"<testcase name='a'/>" * 100_000 + b"</testsuite>",
    "coverage": b"<coverage line-rate='1'>" + b"<line/>" * 100_000 + b"</coverage>",
    "tap": b"ok\n" * 100_000 + b"1..100000\n",
    "go_json": b'{"Action":"pass","Package":"p","Test":"a"}\n' * 100_000,
    "sarif": b'{"version": "2.1.0", "runs": [{"results": [' + b"{}," * 100_000 + b"{}]}]}",
    "json": b'["' + b"x" * 60_000 + b'"]',
    "lcov": b"SF:a\n" + b"DA:1,1\n" * 100_000 + b"end_of_record\n",
    "lines": b"x\n" * 100_000,
}


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_a_report_is_read_in_the_time_that_is_left(format: str) -> None:
    assert isinstance(parser_of(format)(LARGE[format], time.monotonic() + PATIENCE), Figures)
    with pytest.raises(LateReportError):
        parser_of(format)(LARGE[format], time.monotonic())


@pytest.mark.parametrize("format", ["junit", "coverage"])
def test_elements_are_bounded(format: str) -> None:
    with pytest.raises(ReportError, match=f"more than {ELEMENTS}"):
        parser_of(format)(b"<testsuite>" + b"<a/>" * (ELEMENTS + 1))


def test_what_pytest_writes(tmp_path: Path) -> None:
    """A report of a real runner."""
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_good(): pass\ndef test_bad(): assert 0\n"
        "@pytest.mark.skip\ndef test_later(): pass\n@pytest.fixture\ndef broken(): raise OSError\n"
        "def test_error(broken): pass\n",
        encoding="utf-8",
    )
    words = (
        "-m pytest -q -p no:cacheprovider -p no:exitgate -c /dev/null --rootdir=. --junitxml=r.xml test_it.py"
    )
    command = [sys.executable, *words.split()]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    found = parser_of("junit")((tmp_path / "r.xml").read_bytes())
    assert (found.total, found.failed, found.skipped) == (4, 2, 1)
    assert found.failing == ("test_it.test_bad", "test_it.test_error")
