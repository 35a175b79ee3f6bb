"""The breaker's record, the clock and the run's totals as sources."""

from __future__ import annotations

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.observe import breaker_file, clock


def test_a_record_is_read(tmp_path):
    path = tmp_path / "state.json"
    path.write_text('{"state": "OPEN", "reason": "x"}')
    source = breaker_file.read(str(path))
    assert (source.record, source.reason, source.warnings) == ({"state": "OPEN", "reason": "x"}, "", ())


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("not json {", "is not JSON"),
        ("", "is empty"),
        ("[1]", "does not hold a JSON object"),
        ('"OPEN"', "does not hold a JSON object"),
        ("[" * 100_000, "is not JSON"),
        ('{"state": ' + "9" * 5000 + "}", "is not JSON"),
        ("{" + '"a":{' * 50_000, "is not JSON"),
    ],
    ids=["words", "empty", "list", "text", "deep list", "long number", "deep object"],
)
def test_a_lost_record_is_unknown_and_warned_about(tmp_path, content, why):
    path = tmp_path / "state.json"
    path.write_text(content)
    source = breaker_file.read(str(path))
    assert source.record is None
    assert source.reason == f"{path} {why}"
    assert source.warnings == (f"the state of the breaker at `{path}` is lost: {why}",)


def test_a_missing_record_is_a_reason_without_a_warning(tmp_path):
    source = breaker_file.read(str(tmp_path / "none.json"))
    assert source.record is None
    assert source.reason.startswith("no circuit at")
    assert source.warnings == ()
    with pytest.raises(ExitgateError) as caught:
        breaker_file.read(str(tmp_path / "none.json"), named=True)
    assert caught.value.exit_code == 66


def test_totals_add_up_and_silence_stays_silence():
    assert clock.run(1, {}, None).record == {"iterations": 1, "started_at": None}
    assert clock.run(3, {"cost": 1.5, "tokens": 10}, 5.0, 2, 0.5, None).record == {
        "iterations": 3, "started_at": 5.0, "cost": 2.0, "tokens": 10, "agent_exit": 2,
        "interrupted": False, "failures_in_row": 1,
    }  # fmt: skip
    assert clock.run(1, {}, 5.0, 0, None, 7).record["tokens"] == 7


@pytest.mark.parametrize(
    ("before", "status", "after"),
    [
        (None, None, None),
        (None, 0, 0),
        (None, 3, 1),
        (2, 1, 3),
        (2, 0, 0),
        (2, 130, 2),
        (None, 143, 0),
        (2, None, 2),
    ],
)
def test_failures_in_a_row_end_with_a_success_and_pass_over_interruptions(before, status, after):
    totals = {} if before is None else {"failures_in_row": before}
    assert clock.run(1, totals, None, status).record.get("failures_in_row") == after


def test_instants():
    assert clock.clock(1.0, None).record == {"started_at": 1.0, "last_at": None}
