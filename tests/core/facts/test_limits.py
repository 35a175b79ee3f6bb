"""Reports of limits, as programs print them, and the facts on what is used up."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exitgate.core.envelopes.limits import of_claude, of_codex
from exitgate.core.envelopes.unwrap import unwrap
from exitgate.core.facts.extractors import limits
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

NOW = 1_774_000_000
LATER = NOW + 3600


def claude(**info: object) -> dict[str, object]:
    return {"type": "rate_limit_event", "rate_limit_info": info, "uuid": "u1", "session_id": "s1"}


def printed(*events: dict[str, object]) -> str:
    """Return a stream as Claude Code prints it, with these events before its result."""
    begins = {"type": "system", "subtype": "init", "session_id": "s1", "model": "m"}
    said = {"type": "assistant", "message": {"id": "m1", "content": [{"type": "text", "text": "Parsed."}]}}
    ends = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "session_id": "s1",
        "result": "Parsed.",
    }
    return "\n".join(json.dumps(one) for one in (begins, said, *events, ends))


def of(record: dict[str, object] | None, now: float = NOW) -> dict[str, object]:
    source = Source("result", record=record) if record is not None else Source("result", reason="no result")
    found = limits.extract("x", "result", JsonObject(), Iteration(1, "b#1", float(now), {"result": source}))
    assert [one.name for one in found] == [f"x.{spec.name}" for spec in limits.specs(JsonObject())]
    for one in found:
        if isinstance(one.value, Unknown):
            assert one.value.origin == one.name
            assert one.value.reason
            assert not one.evidence
        else:
            assert one.evidence[0].source == "result"
    return {one.name[2:]: one.value for one in found}


def read(*events: dict[str, object], now: float = NOW) -> dict[str, object]:
    return of(unwrap(printed(*events)).record, now)


def reasons(found: dict[str, object]) -> set[str]:
    assert all(isinstance(one, Unknown) for one in found.values()), found
    return {one.reason for one in found.values()}


WARNED = claude(
    status="allowed_warning",
    resetsAt=LATER,
    rateLimitType="seven_day",
    utilization=0.81,
    isUsingOverage=False,
    surpassedThreshold=0.75,
)
ALLOWED = claude(status="allowed", resetsAt=LATER, rateLimitType="five_hour", overageStatus="rejected")


def test_a_warning_of_the_program_says_all():
    assert read(WARNED) == {"used": 81, "window": "seven_day", "status": "WARNING", "resets_in": 3600}


def test_a_report_without_a_share_leaves_the_share_unknown():
    found = read(ALLOWED)
    assert found.pop("used").reason == "the last report does not say how much is used"
    assert found == {"window": "five_hour", "status": "ALLOWED", "resets_in": 3600}


def test_a_limit_that_rejects_is_full():
    found = read(claude(status="rejected", resetsAt=LATER, rateLimitType="five_hour"))
    assert (found["used"], found["status"]) == (100, "REJECTED")


def test_only_the_last_report_counts():
    assert read(WARNED, ALLOWED)["window"] == "five_hour"
    assert read(ALLOWED, WARNED)["used"] == 81


def test_a_window_that_was_reset_since_is_unknown_and_not_empty():
    for now in (LATER, LATER + 1, LATER + 10**6):
        assert reasons(read(WARNED, now=now)) == {"`seven_day` was reset since the last report"}
    assert read(WARNED, now=LATER - 1)["resets_in"] == 1


def test_what_is_only_mentioned_is_no_report():
    line = json.dumps(WARNED)
    result = {"type": "tool_result", "tool_use_id": "t1", "content": line}
    quoted = [
        {"type": "assistant", "message": {"id": "m2", "content": [{"type": "text", "text": line}]}},
        {"type": "user", "message": {"content": [result]}},
    ]
    assert reasons(read(*quoted)) == {"the response reports no limit"}
    for text in (f"I saw this:\n{line}\nand stopped.", "Usage limit: 99% used", ""):
        assert reasons(of(unwrap(text).record)) == {"the response reports no limit"}
    assert reasons(of(None)) == {"no result"}


def test_a_status_of_another_word_is_unknown_by_itself():
    found = read(claude(status="queued", rateLimitType="five_hour", utilization=0.5, resetsAt=LATER))
    assert found.pop("status").reason == "`queued` is not a known status"
    assert found == {"used": 50, "window": "five_hour", "resets_in": 3600}


def codex(primary: object, secondary: object = None, **more: object) -> dict[str, object]:
    return {"limit_id": "codex", "primary": primary, "secondary": secondary, **more}


FIVE = {"used_percent": 4.0, "window_minutes": 300, "resets_at": LATER}
WEEK = {"used_percent": 91.5, "window_minutes": 10080, "resets_at": NOW + 86_400}


def told(*reports: dict[str, object], now: float = NOW) -> dict[str, object]:
    return of({"limits": list(reports)}, now)


def test_the_fullest_of_codex_windows_counts():
    found = told(of_codex(codex(FIVE, WEEK)))
    assert found.pop("status").reason == "the last report has no status"
    assert found == {"used": 91.5, "window": "secondary", "resets_in": 86_400}
    assert told(of_codex(codex({**FIVE, "used_percent": 95}, WEEK)))["window"] == "primary"


def test_the_other_window_counts_once_the_fullest_was_reset():
    assert told(of_codex(codex(FIVE, WEEK)), now=LATER)["window"] == "secondary"
    assert told(of_codex(codex({**FIVE, "used_percent": 99}, WEEK)), now=LATER)["used"] == 91.5


def test_seconds_to_the_reset_count_from_the_report_where_its_time_is_known():
    window = {"used_percent": 40, "resets_in_seconds": 600}
    assert told(of_codex(codex(window), at=NOW - 100.0))["resets_in"] == 500
    assert told(of_codex(codex(window)))["resets_in"] == 600
    assert reasons(told(of_codex(codex(window), at=NOW - 600.0))) == {
        "`primary` was reset since the last report"
    }


def test_shares_beside_each_other_are_read_too():
    old = {"primary_used_percent": 12.5, "secondary_used_percent": 30, "primary_window_minutes": 300}
    found = told(of_codex(old))
    assert (found["used"], found["window"]) == (30, "secondary")
    assert found["resets_in"].reason == "the last report does not say when the limit is reset"


def test_a_limit_of_codex_that_was_met_is_a_rejection():
    full = {**FIVE, "used_percent": 100.0}
    report = of_codex(codex(full, WEEK, rate_limit_reached_type="rate_limit_reached"))
    assert (report["status"], report["resets_at"]) == ("rejected", LATER)
    assert told(report)["status"] == "REJECTED"
    assert "status" not in of_codex(codex(full, WEEK, rate_limit_reached_type=None))


def test_an_instant_that_cannot_be_is_unknown_by_itself():
    for odd in (10**15, NOW + 40 * 86_400, "tomorrow", [], {}, True):
        found = told({"status": "allowed_warning", "window": "five_hour", "used": 90, "resets_at": odd})
        assert found["used"] == 90
        assert isinstance(found["resets_in"], Unknown)


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([NOW, LATER, "rejected", "allowed", 10**400, -1, "1e999"])
)
NAMES = st.sampled_from(
    [
        "status", "resetsAt", "resets_at", "rateLimitType", "utilization", "primary", "secondary",
        "used_percent", "resets_in_seconds", "rate_limit_reached_type", "primary_used_percent", "windows",
        "used", "window", "resets_in",
    ]
)  # fmt: skip
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=12,
)
EVENTS = st.dictionaries(NAMES, JSON, max_size=8)


@given(EVENTS, JSON, st.none() | st.floats(0, 4e9), st.sampled_from([0.0, float(NOW)]))
@example({"primary": {"used_percent": 1e15, "resets_at": 1e15}}, {}, None, 0.0)
def test_whatever_is_reported_facts_are_within_their_bounds(event, given_by_hand, at, now):
    for report in (of_claude(event), of_codex(event, at), event, given_by_hand):
        found = of({"limits": [WARNED, report]}, now)
        used, wait, status = found["used"], found["resets_in"], found["status"]
        assert isinstance(used, Unknown) or 0 <= used <= 100
        assert isinstance(wait, Unknown) or 0 < wait <= 32 * 86_400
        assert isinstance(status, Unknown) or status in ("ALLOWED", "WARNING", "REJECTED")
        assert isinstance(found["window"], Unknown | str)


@given(st.lists(EVENTS, min_size=1, max_size=3))
def test_a_stream_with_any_events_on_limits_is_read(several):
    whole = unwrap(printed(*(claude(**one) for one in several)))
    assert whole.response == "Parsed."
    assert len(whole.record["limits"]) == len(several)
    assert of(whole.record) == of({"limits": [of_claude(several[-1])]})


@pytest.mark.parametrize("odd", [None, 5, "allowed", [], [5]])
def test_a_last_report_that_is_no_object_is_not_replaced_by_an_earlier_one(odd):
    found = of({"limits": [of_claude(WARNED["rate_limit_info"]), odd]})
    assert reasons(found) == {"the last report of a limit cannot be read"}
