"""The time of day: recorded with the iteration, the same wherever it is read again."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.gate.check import check
from exitgate.core.observe.local_time import local, machine_zone, recorded, zones_of
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Cairo",
         "America/St_Johns", "Pacific/Apia")  # fmt: skip
POLICY = """\
policy: nights
format: 1
version: 1.0.0
title: Nights
rules:
  - id: night
    when: clock.time >= 22h or clock.time < 6h
    exit: wait
    because: "{clock.hour}, {clock.weekday}, {clock.zone}"
"""


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.yaml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "r.md").write_text("still at it", encoding="utf-8")
    yield tmp_path
    monkeypatch.undo()
    time.tzset()


def facts(now: float, **options: object) -> dict[str, object]:
    asked = {"response": "r.md", "policy": "./p.yaml", "time": now}
    found = check(Request(**{**asked, **options})).facts  # type: ignore[arg-type]
    return {name: fact.value for name, fact in found.items() if name.startswith("clock.")}


def settings(text: str) -> None:
    Path(".bb3").mkdir(exist_ok=True)
    Path(".bb3/config.yaml").write_text(f"exit_decision:\n{text}", encoding="utf-8")


@given(st.integers(0, 4_000_000_000), st.sampled_from(ZONES))
def test_the_record_is_what_a_clock_on_the_wall_shows(now: int, zone: str) -> None:
    shown = local(now + 0.75, (zone,))[zone]
    wall = (datetime.fromtimestamp(0, UTC) + timedelta(seconds=now)).astimezone(ZoneInfo(zone))
    assert shown["time"] == wall.hour * 3600 + wall.minute * 60 + wall.second
    assert shown["weekday"] == wall.weekday()
    midnight = shown["midnight"]
    assert isinstance(midnight, int)
    assert midnight <= now < midnight + 26 * 3600
    # its day is this one, and the second before belongs to another
    first, before = (datetime.fromtimestamp(one, ZoneInfo(zone)).date() for one in (midnight, midnight - 1))
    assert (first, before < first) == (wall.date(), True)


@given(st.integers(0, 2_000_000_000))
def test_the_machines_own_zone_agrees_with_its_name(now: int) -> None:
    own, name = local(now, ("",))[""], machine_zone()
    if name:
        assert own == local(now, (name,))[name] | {"zone": name}


@pytest.mark.parametrize(
    ("written", "hour"),
    [
        ("2027-03-28T01:59:59+01:00", 1),
        ("2027-03-28T03:00:00+02:00", 3),  # the hour from 2 to 3 is skipped
        ("2027-10-31T02:30:00+02:00", 2),
        ("2027-10-31T02:30:00+01:00", 2),  # and comes twice
        ("2027-10-31T03:00:00+01:00", 3),
    ],
)
def test_the_hour_is_the_clocks_when_the_clock_changes(written: str, hour: int) -> None:
    shown = local(datetime.fromisoformat(written).timestamp(), ("Europe/Berlin",))["Europe/Berlin"]
    assert int(str(shown["time"])) // 3600 == hour


OUT_OF_RANGE = {"reason": "the instant is out of range"}


def test_out_of_range_is_a_reason() -> None:
    assert local(1e300, ("", "UTC")) == dict.fromkeys(("", "UTC"), OUT_OF_RANGE)
    assert "does not know" in str(local(0, ("Mars/Olympus",))["Mars/Olympus"]["reason"])


@pytest.mark.parametrize(
    ("variable", "zone", "hour"),
    [
        ("Asia/Tokyo", "Asia/Tokyo", 9),
        (":Asia/Tokyo", "Asia/Tokyo", 9),
        ("XXX-05:45", "+05:45", 5),
        ("XXX3", "-03:00", 21),
    ],
)
def test_the_machines_zone_counts_without_a_setting(
    loop: Path, monkeypatch: pytest.MonkeyPatch, variable: str, zone: str, hour: int
) -> None:
    monkeypatch.setenv("TZ", variable)
    time.tzset()
    found = facts(1_800_057_600.0, record=False)  # midnight in UTC, a Friday
    assert (found["clock.zone"], found["clock.hour"]) == (zone, hour)


def test_setting_entry_and_user_name_a_zone(loop: Path) -> None:
    settings("  zone: Asia/Tokyo\n")
    assert facts(1_800_057_600.0, record=False)["clock.zone"] == "Asia/Tokyo"
    (loop / "p.yaml").write_text(
        POLICY + "facts: {clock: {extract: clock, zone: Asia/Kathmandu}}\n", encoding="utf-8"
    )
    assert facts(1_800_057_600.0, record=False)["clock.zone"] == "Asia/Kathmandu"


def test_a_setting_for_one_policy_goes_before_the_general_one(loop: Path) -> None:
    settings("  zone: Asia/Tokyo\n  policies: {nights: {zone: UTC}}\n")
    assert facts(1_800_057_600.0, record=False)["clock.zone"] == "UTC"


def test_what_was_recorded_counts_when_it_is_read_again(loop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings("  zone: Europe/Berlin\n")
    facts(1_800_057_600.0)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    (one,) = replay(".ralph/exitgate")
    assert one.difference == ""
    line = json.loads(Path(".ralph/exitgate/ledger.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert line["facts"]["clock.hour"] == {"v": 1}
    assert line["facts"]["clock.weekday"] == {"v": "SATURDAY"}


def test_a_policy_that_asks_for_time_gone_by_alone_records_no_time_of_day(loop: Path) -> None:
    other = POLICY.replace("clock.time >= 22h or clock.time < 6h", "clock.elapsed > 2h")
    other = other.replace("{clock.hour}, {clock.weekday}, {clock.zone}", "late")
    (loop / "p.yaml").write_text(other, encoding="utf-8")
    assert set(facts(1_800_057_600.0)) == {"clock.elapsed", "clock.since_last"}
    assert zones_of(load_policy("./p.yaml")) == ()


def test_a_recording_is_read_in_the_zone_that_is_named() -> None:
    assert recorded(1_800_057_600.0, ("", "Asia/Tokyo")) == {
        "": {"reason": "a recording does not tell its time zone; name one with the setting `zone`"},
        **local(1_800_057_600.0, ("Asia/Tokyo",)),
    }
    assert recorded(None, ("UTC",)) == {"UTC": {"reason": "the transcript does not record the time"}}


def test_the_machines_zone_needs_no_database_of_zones(loop: Path) -> None:
    code = (
        "import sys; from exitgate.core.gate.check import check;"
        "from exitgate.core.state.request import Request;"
        "found = check(Request(response='r.md', policy='./p.yaml', record=False)).facts['clock.hour'].value;"
        "print(type(found).__name__, 'zoneinfo' in sys.modules)"
    )
    asked = [sys.executable, "-P", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"]
    assert subprocess.run(asked, capture_output=True, text=True, check=True).stdout == "int False\n"
