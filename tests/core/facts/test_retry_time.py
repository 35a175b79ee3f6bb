"""Times that messages name: what they mean at a given moment, and why some of them mean nothing."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from cases import each
from fact_reading import resolved
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts.lexicons import lexicon
from exitgate.core.facts.text.text import Text
from exitgate.core.facts.turn import retry_time
from exitgate.core.facts.turn.trouble import retry_words, watch, word_of
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("infrastructure"))
WORDS = retry_words(lexicon.ready(OPTIONS["lexicon"]).entries)
HOUR, DAY = 3600, 86400


def at(written: str, zone: str = "UTC") -> float:
    return datetime.fromisoformat(written).replace(tzinfo=ZoneInfo(zone)).timestamp()


def wait(said: str, now: str = "2030-01-01 12:00", offset: object = 0) -> int | Unknown:
    """Return what `said` means behind a limit that was met."""
    (trouble,) = watch(OPTIONS).reported(Text(f"You've hit your limit · {said}"))
    return retry_time.seconds_until(trouble.retry, WORDS, at(now), offset)


@each(
    ("said", "seconds"),
    [
        ("resets 3pm", 3 * HOUR),
        ("resets 3:30 PM", 3.5 * HOUR),
        ("resets at 3 p.m.", 3 * HOUR),
        ("resets 12pm", 0),
        ("resets 12am", 12 * HOUR),
        ("resets at 15:30", 3.5 * HOUR),
        ("resets 15:30:10", 3.5 * HOUR + 10),
        ("resets 9am", 21 * HOUR),
        ("resets 11:56am", 0),  # just passed
        ("resets 11:54am", DAY - 360),
        ("resets 3pm tonight", 3 * HOUR),
        ("resets 3pm (UTC)", 3 * HOUR),
        ("resets 3pm GMT", 3 * HOUR),
        ("resets 15:00 +02:00", HOUR),
        ("resets 15:00 -0330", 6.5 * HOUR),
        ("resets 3pm (Europe/Berlin)", 2 * HOUR),
        ("resets 3pm (America/New_York)", 8 * HOUR),
        ("resets 3pm (Asia/Kolkata)", 21.5 * HOUR),
        ("resets Jan 5, 9am", 3 * DAY + 21 * HOUR),
        ("resets January 5 at 9am (Europe/Berlin)", 3 * DAY + 20 * HOUR),
        ("resets Dec 31, 9am", 0),
        ("try again at Jan 10th, 2030 2:13 PM.", 9 * DAY + 2 * HOUR + 13 * 60),
        ("resets Sat, Jan 5, 9am", 3 * DAY + 21 * HOUR),
        ("reset at 2030-01-05 10:00 UTC", 3 * DAY + 22 * HOUR),
        ("resets at 2030-01-01T14:00:00Z", 2 * HOUR),
        ("resets at 2030-01-01T14:00:00+01:00", HOUR),
        ("resets at 2029-12-31 10:00", 0),
        ("try again in 5 minutes", 300),
        ("Please retry in 34.07s.", 35),
        ("try again in 1m12.5s", 73),
        ("try again in 4 days 3 hours 12 minutes", 4 * DAY + 3 * HOUR + 720),
        ("available again in 2 hours and 5 minutes", 2 * HOUR + 300),
        ("your quota will reset after 1h2m3s", 3723),
        ("try again in 300ms", 1),
        ("retry-after: 120", 120),
        ('{"retry_after": 30}', 30),
        ("limit reached|1893502800", HOUR),
        ("limit reached|1893502800000", HOUR),
        ('{"resets_at": 1893502800}', HOUR),
        ('{"resets_in_seconds": 900}', 900),
    ],
)
def test_what_is_said_in_seconds(said: str, seconds: float) -> None:
    assert wait(said) == seconds


@each(
    ("said", "reason"),
    [
        ("see the plan", "no time was given"),
        ("resets soon", "no time was given"),
        ("try again in a while", "no time was given"),
        ("resets 13pm", "no such time"),
        ("resets 0am", "no such time"),
        ("resets 25:00", "no such time"),
        ("resets 12:77", "no such time"),
        ("resets Feb 30, 9am", "no such time"),
        ("resets 2030-13-05 10:00", "`13` is not a month"),
        ("resets Foo 5, 9am", "`Foo` is not a month"),
        ("resets 3pm PST", "`PST` is not known"),
        ("resets 3pm (Nowhere/City)", "`Nowhere/City` is not known"),
        ("resets Dec 5, 2030, 9am", "more than 32 days away"),
        ("try again in 90 days", "more than 32 days away"),
        ("limit reached|9999999999", "more than 32 days away"),
    ],
)
def test_what_means_nothing_is_told(said: str, reason: str) -> None:
    found = wait(said)
    assert isinstance(found, Unknown)
    assert reason in found.reason


def test_a_time_without_a_zone_is_the_machines() -> None:
    assert wait("resets 3pm", offset=2 * HOUR) == HOUR
    assert wait("resets 3pm", offset=-5 * HOUR) == 8 * HOUR
    assert wait("resets 3pm", offset=4 * HOUR) == 23 * HOUR
    for offset in (None, "2", True, 10 * DAY, float("nan")):
        found = wait("resets 3pm", offset=offset)
        assert isinstance(found, Unknown)
        assert "offset from UTC" in found.reason
    assert wait("try again in 5 minutes", offset=None) == 300


def test_a_date_without_a_year_is_the_nearest() -> None:
    assert wait("resets Jan 1, 9am", now="2029-12-31 12:00") == 21 * HOUR
    assert wait("resets Feb 29, 9am", now="2028-02-28 09:00") == DAY
    assert isinstance(wait("resets Feb 29, 9am", now="2030-02-28 09:00"), Unknown)


@pytest.mark.parametrize(
    ("said", "now", "seconds"),
    [
        # 2030-03-31: Berlin's clocks go from 02:00 to 03:00 at 01:00 UTC
        ("resets 9am (Europe/Berlin)", "2030-03-30 20:00", 11 * HOUR),
        ("resets 2:30am (Europe/Berlin)", "2030-03-31 00:00", 1.5 * HOUR),
        # 2030-10-27: from 03:00 back to 02:00 at 01:00 UTC; 02:30 comes twice, the first is meant
        ("resets 2:30am (Europe/Berlin)", "2030-10-27 00:00", 0.5 * HOUR),
        ("resets 9am (Europe/Berlin)", "2030-10-26 20:00", 12 * HOUR),
    ],
)
def test_clocks_that_are_changed_in_between(said: str, now: str, seconds: float) -> None:
    assert wait(said, now) == seconds


@each(
    ("value", "seconds"),
    [
        (1893502800, HOUR),
        (1893502800.0, HOUR),
        (1893502800000, HOUR),
        ("1893502800", HOUR),
        ("2030-01-01T13:00:00Z", HOUR),
        ("2030-01-01T13:00:00+00:30", HOUR / 2),
        ("2030-01-01 13:00", HOUR),
        (0, 0),
        (-5, 0),
        ("", None),
        ("soon", None),
        (None, None),
        (True, None),
        ([1], None),
        (float("inf"), None),
        (9e14, None),
    ],
)
def test_instants_of_records(value: object, seconds: float | None) -> None:
    found = retry_time.instant(value, at("2030-01-01 12:00"))
    assert isinstance(found, Unknown) if seconds is None else found == seconds


def test_words_are_looked_up_in_any_spelling() -> None:
    assert word_of(" P.M. ") == "p.m"
    assert (WORDS.units["hours"], WORDS.months["sept"], WORDS.halves["pm"], WORDS.zones["utc"]) == (
        3600,
        9,
        12,
        0,
    )


PARTS = ("epoch", "seconds", "span", "hour", "minute", "second", "half", "day", "month", "year", "zone")
PIECES = (
    st.text(max_size=6) | st.integers(-5, 99999).map(str) | st.sampled_from(["pm", "UTC", "+99:99", "/x"])
)


@settings(max_examples=100, deadline=None)
@given(
    parts=st.dictionaries(st.sampled_from(PARTS), PIECES),
    now=st.floats(-1e10, 1e12),
    offset=st.integers() | st.none(),
)
def test_no_parts_raise(parts: dict[str, str], now: float, offset: int | None) -> None:
    found = retry_time.seconds_until(parts, WORDS, now, offset)
    assert isinstance(found, Unknown) or 0 <= found <= retry_time.LONGEST + 1
