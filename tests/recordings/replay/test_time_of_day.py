"""The time of day and the sums of a day in recorded runs: what a recording tells, or why it does not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from exitgate.core.gate.check import check
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state.request import Request
from exitgate.recordings.model import PROCESS, Begin, Provenance, RecordedIteration
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.replay import Extraction, Replay
from exitgate.testing.cases.recordings import Recording, iterations_of

MIDNIGHT = 1_800_057_600.0  # in UTC
HEAD = "policy: p\nformat: 1\nversion: 1.0.0\ntitle: Nights\n"
RULE = 'rules:\n  - {id: night, when: clock.hour == 9, exit: wait, because: "{clock.zone}"}\n'
TOKYO = "facts: {clock: {extract: clock, zone: Asia/Tokyo}}\n"
BUDGET = 'rules:\n  - {id: spent, when: day.cost >= 3 USD, exit: exhausted, because: "{day.cost}"}\n'


def policy(folder: Path, text: str) -> CompiledPolicy:
    (folder / "p.yaml").write_text(HEAD + text, encoding="utf-8")
    return load_policy(str(folder / "p.yaml"))


def iterations(*ended: float | None) -> tuple[RecordedIteration, ...]:
    return tuple(
        RecordedIteration(number, Provenance("loop"), response="x", ended_at=at)
        for number, at in enumerate(ended, 1)
    )


def told(policy: CompiledPolicy, *ended: float | None) -> list[tuple[object, object]]:
    """Return hour and decision of each iteration; a dry run and a case of a recording agree on the hour."""
    begin = Begin("run", PROCESS, "loop")
    extraction, walk = Extraction(policy, begin), Replay(policy, begin)
    steps = [walk.step(extraction.step(one)) for one in iterations(*ended)]
    seen = [
        one.facts["clock.hour"].value
        for one in iterations_of(Recording("loop", begin, iterations(*ended)), policy)
    ]
    assert [one.facts["clock.hour"].value for one in steps] == seen
    return [
        (getattr(hour, "reason", hour), one.decision.verdict) for hour, one in zip(seen, steps, strict=True)
    ]


def test_times_of_a_transcript_are_read_in_the_zone_that_is_named(tmp_path: Path) -> None:
    assert told(policy(tmp_path, TOKYO + RULE), MIDNIGHT - 1, None, MIDNIGHT) == [
        (8, "CONTINUE"),
        ("the transcript does not record the time", "CONTINUE"),
        (9, "EXIT"),
    ]


def test_without_a_zone_they_are_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    reason = "a recording does not tell its time zone; name one with the setting `zone`"
    assert told(policy(tmp_path, RULE), MIDNIGHT) == [(reason, "CONTINUE")]


def stops(folder: Path, *checks: tuple[str, float]) -> dict[str, int | None]:
    """Check iterations of runs, at 2 USD each, and return where each run stops in a dry run of the ledger."""
    for run, at in checks:
        asked = Request(policy=str(folder / "p.yaml"), root=str(folder), run=run, time=at, cost=2, ended=True)
        check(asked.but(texts={"response": f"{run} {at}"}))
    results = dry_run([str(folder / ".ralph/exitgate")], [str(folder / "p.yaml")]).results
    return {one.run.id: one.stop.iteration if one.stop is not None else None for one in results}


def test_a_ledger_has_the_time_of_day_that_was_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    policy(tmp_path, RULE.replace("wait", "review"))
    checks = [("a", MIDNIGHT - 1), ("a", MIDNIGHT)]
    try:
        assert stops(tmp_path, *checks) == {"a#1": 2}
        monkeypatch.setenv("TZ", "UTC")
        time.tzset()
        assert stops(tmp_path) == {"a#1": 2}
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_ledger_has_the_sums_that_were_recorded(tmp_path: Path) -> None:
    policy(tmp_path, BUDGET)
    checks = [("a", MIDNIGHT), ("b", MIDNIGHT + 1), ("a", MIDNIGHT + 2)]
    assert stops(tmp_path, *checks) == {"a#1": 2, "b#1": 1}


def test_sums_of_a_day_are_unknown_in_any_other_recording(tmp_path: Path) -> None:
    begin = Begin("run", PROCESS, "loop")
    one = Extraction(policy(tmp_path, BUDGET), begin).step(iterations(MIDNIGHT)[0])
    reason = "a recording does not tell what other runs of the day used up"
    assert one.facts["day.cost"].value == Unknown(reason, "day.cost")
