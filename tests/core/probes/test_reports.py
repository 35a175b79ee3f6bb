from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import FAILED, PASSED, SAMPLES, SKIPPED, WRITERS, junit

from exitgate.core.probes.figures import NAMES, Figures, ReportError
from exitgate.core.probes.reports.registry import FORMATS, parser_of
from exitgate.core.probes.reports.xml import DEPTH

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
        assert None in (found.total, found.failed) or 0 <= found.failed <= found.total or format == "junit"


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
        ("1..1\n    not ok 1 - inner\nok 1 - outer\n", 0, ""),
        ("1..0 # SKIP nothing here\n", 0, ""),
    ],
)
def test_tap(text: str, failed: int, failing: str) -> None:
    found = parser_of("tap")(text.encode())
    assert found.failed == failed
    assert "".join(found.failing) == failing


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
        ("json", '{"a": NaN}'), ("json", " " * 70_000 + "1"), ("tap", "hello"), ("go_json", "{}"),
    ],
)  # fmt: skip
def test_what_says_nothing_is_refused(format: str, text: str) -> None:
    with pytest.raises(ReportError):
        parser_of(format)(text.encode())


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
