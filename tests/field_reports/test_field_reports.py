"""Every report of this folder is decided as it says, by the policy whose scheme it speaks of."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from compiled import COMPILED

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.field_reports.cases import Report, read_reports
from benchmarks.field_reports.judge import RIGHT, score

FILES = sorted(Path(__file__).parent.glob("*.yaml"))
REPORTS = [report for path in FILES for report in read_reports(path)]


@pytest.fixture(autouse=True)
def compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.id)
def test_the_answer_is_right(report: Report) -> None:
    scored = score(report)
    wrong = [f"{part.what}: {part.detail}" for part in scored.parts if part.judgement != RIGHT]
    assert not wrong, f"{report.title} ({scored.decided}): {'; '.join(wrong)}"


def test_each_report_has_an_id_of_its_own_and_expects_something() -> None:
    assert len({report.id for report in REPORTS}) == len(REPORTS) >= 150
    assert all(report.decision or report.expect for report in REPORTS)
