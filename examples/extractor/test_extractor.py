"""The extractor by itself: `pytest examples/extractor`."""

from __future__ import annotations

from acme_sonar.extractor import extract, facts

REPORT = '{"issues": [{"severity": "minor"}, {"severity": "blocker"}, {"severity": "major"}]}'


def test_issues_count_by_severity() -> None:
    """Those that are less severe than asked for do not count."""
    found = extract({"text": REPORT}, {"at_least": "major"})
    assert found["issues"] == 2
    assert found["worst"]["value"] == "blocker"


def test_what_cannot_be_read_is_unknown() -> None:
    """A report that is not JSON has no issues that could be counted."""
    assert "unknown" in extract({"text": "no JSON"}, {})["issues"]


def test_every_fact_that_is_given_was_described() -> None:
    """A policy is compiled with what `facts` describes."""
    assert set(extract({"text": REPORT}, {})) == {one["name"] for one in facts({})}
