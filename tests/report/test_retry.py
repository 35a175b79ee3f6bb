"""When a run that waits may go on, in every form."""

from __future__ import annotations

import time

import pytest

from exitgate.core.model.decision import Decision
from exitgate.report.decision.verbose import decision_text
from exitgate.report.formats.github import decision_github
from exitgate.report.terminal import Style
from exitgate.report.wording import retry_text

NOON = 1_772_366_700.0


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


def waiting(retry_at: float | None, exit_class: str = "wait") -> Decision:
    return Decision("EXIT", exit_class, "limited", "limited", "usage limit", retry_at=retry_at)


@pytest.mark.parametrize(
    ("now", "want"),
    [
        (NOON - 7800, "at 2026-03-01 12:05:00 local time, in 2h10m"),
        (NOON - 0.2, "at 2026-03-01 12:05:00 local time, now"),
        (NOON + 60, "at 2026-03-01 12:05:00 local time, now"),
        (None, "at 2026-03-01 12:05:00 local time"),
    ],
)
def test_words(now: float | None, want: str) -> None:
    assert retry_text(waiting(NOON), now) == want


def test_local_time_is_the_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "XXX-5:30")
    time.tzset()
    assert retry_text(waiting(NOON)) == "at 2026-03-01 17:35:00 local time"


def test_unknown_and_none() -> None:
    assert retry_text(waiting(None), NOON) == "the time is not known"
    assert retry_text(waiting(None, "stuck"), NOON) == ""
    assert retry_text(Decision("CONTINUE", None, "otherwise", None, "")) == ""


def test_a_time_beyond_the_calendar() -> None:
    assert retry_text(waiting(1e18)) == "at 1e+18 s since the epoch"


def test_forms() -> None:
    text = decision_text(waiting(NOON), Style(False, 100), now=NOON - 60)
    assert "retry         at 2026-03-01 12:05:00 local time, in 1m\n" in text
    assert "::notice title=retry::at 2026-03-01 12:05:00 local time\n" in decision_github(waiting(NOON))
    assert "retry         the time is not known\n" in decision_text(waiting(None), Style(False, 100))
