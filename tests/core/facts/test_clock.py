"""Time gone by as facts."""

from __future__ import annotations

from zoneinfo import available_timezones

import pytest

from exitgate.core.facts.extractors import clock
from exitgate.core.facts.extractors.clock import fault_of, zone_of
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

NOW = 1_800_000_000.0


OF_DAY = ("clock.hour", "clock.time", "clock.weekday", "clock.zone")


def read_all(record, options=None):
    sources = {} if record is None else {"clock": Source("clock", record=record)}
    facts = clock.extract("clock", "clock", JsonObject(options or {}), Iteration(3, "loop#1", NOW, sources))
    assert [fact.name for fact in facts] == [f"clock.{spec.name}" for spec in clock.specs(JsonObject())]
    return {fact.name: fact.value for fact in facts}


def read(record):
    return {name: value for name, value in read_all(record).items() if name not in OF_DAY}


def test_time_since_the_start_and_the_last_decision():
    found = read({"started_at": NOW - 7200, "last_at": NOW - 30})
    assert found == {"clock.elapsed": 7200, "clock.since_last": 30}


def test_the_first_decision_has_none_before_it():
    found = read({"started_at": NOW, "last_at": None})
    assert found["clock.elapsed"] == 0
    assert found["clock.since_last"] == Unknown("this is the run's first decision", "clock.since_last")


def test_a_clock_that_was_set_back_is_unknown_and_never_negative():
    found = read({"started_at": NOW + 1, "last_at": NOW + 1})
    assert set(found.values()) == {Unknown("the clock was set back", name) for name in found}


def test_odd_records_and_no_record_are_unknown():
    for record in (None, {}, {"started_at": "noon", "last_at": True}, {"started_at": float("nan")}):
        assert all(isinstance(value, Unknown) for value in read(record).values())


def test_clocks_are_not_read_from_the_agent():
    assert not any(spec.read for spec in clock.specs(JsonObject()))


BERLIN = {"time": 81_045, "weekday": 6, "zone": "Europe/Berlin", "midnight": 1_799_967_600}


def test_the_time_of_day_is_that_of_the_zone_asked_for():
    local = {"": {"time": 5, "weekday": 0, "zone": "+05:30"}, "Europe/Berlin": BERLIN}
    here, there = read_all({"local": local}), read_all({"local": local}, {"zone": "Europe/Berlin"})
    assert [here[name] for name in OF_DAY] == [0, 5, "MONDAY", "+05:30"]
    assert [there[name] for name in OF_DAY] == [22, 81_045, "SUNDAY", "Europe/Berlin"]


@pytest.mark.parametrize(
    "shown",
    [
        None,
        {},
        {"time": 86_400, "weekday": 0, "zone": "UTC"},
        {"time": 1, "weekday": 7, "zone": "UTC"},
        {"time": 1, "weekday": 0, "zone": 2},
        {"time": 1.5, "weekday": 0, "zone": "UTC"},
    ],
)
def test_a_time_that_no_clock_shows_is_unknown(shown):
    found = read_all({"local": {"": shown}})
    assert [found[name] for name in OF_DAY] == [
        Unknown("the time of day is not known", name) for name in OF_DAY
    ]


def test_the_reason_is_the_records():
    found = read_all({"local": {"": {"reason": "no zone"}}})
    assert found["clock.hour"] == Unknown("no zone", "clock.hour")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Europe/Berln", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("new york", "America/New_York"),
    ],
)
def test_a_wrong_zone_is_met_with_the_nearest_name(wrong, right):
    assert fault_of(wrong) == (f"there is no time zone `{wrong}`", f"did you mean `{right}`?")


@pytest.mark.parametrize("wrong", ["../../etc/passwd", "/etc/localtime", "a\0b", "x" * 4000, "Mars/Olympus"])
def test_no_text_reads_another_file(wrong):
    assert fault_of(wrong)[0] == f"there is no time zone `{wrong}`"


def test_good_zones_have_no_fault():
    assert fault_of("UTC") is None
    assert fault_of("Asia/Kathmandu") is None


#: Names that are not of a place, in any database of zones.
PLACELESS = {
    "CET", "CST6CDT", "EET", "EST", "EST5EDT", "Factory", "GMT+0", "GMT-0", "GMT0", "HST", "MET", "MST",
    "MST7MDT", "PST8PDT", "WET", "localtime", "posixrules", "posix/Europe/Berlin", "right/UTC",
}  # fmt: skip


def test_a_zone_is_that_of_a_place_or_utc() -> None:
    """What the machine's own zone is called in the database would mean another time on another machine."""
    for name in PLACELESS:
        fault = fault_of(name)
        assert fault is not None
        there = zone_of(name) is not None  # databases differ
        assert fault[0] == (
            f"the time zone `{name}` is not that of a place" if there else f"there is no time zone `{name}`"
        )
    for name in available_timezones() - PLACELESS:
        offset = name.startswith("Etc/GMT") and name != "Etc/GMT"
        assert (fault_of(name) is not None) == (offset or name == "Etc/Unknown"), name
