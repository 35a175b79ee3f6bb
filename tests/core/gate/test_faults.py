"""A fault of exitgate in reading one iteration: set aside and told, and no lasting block."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.envelopes import unwrap
from exitgate.core.facts import registry
from exitgate.core.gate import observation
from exitgate.core.gate.check import check
from exitgate.core.gate.decision import CheckResult
from exitgate.core.model.value import Unknown
from exitgate.core.observe import envelope, git, sources
from exitgate.core.state.incidents import incidents
from exitgate.core.state.request import Request

SAID = '{"type": "result", "subtype": "success", "result": "Sorted the index, round %d.", "session_id": "s"}'


def broken(*_: object, **__: object) -> object:
    raise IndexError("last of an empty list")


def iterate(folder: Path, number: int) -> CheckResult:
    (folder / "out.json").write_text(SAID % number)
    return check(Request(response="out.json", policy="recommended", time=1_900_000_000.0 + 60 * number))


def test_a_response_that_cannot_be_read_is_unknown_told_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(unwrap, "unwrap", broken)
        first = iterate(tmp_path, 1)
        assert (first.decision.verdict, first.iteration.number) == ("CONTINUE", 1)
        assert any("a fault of exitgate" in one.message for one in first.decision.warnings)
        second = iterate(tmp_path, 2)
        assert (second.decision.exit_class, second.decision.verdict) == ("undetermined", "EXIT")
    later = iterate(tmp_path, 3)
    assert later.decision.verdict == "CONTINUE"
    assert not any("a fault of exitgate" in one.message for one in later.decision.warnings)


@pytest.mark.parametrize("name", ["phrases", "tests", "questions", "error_lines", "status_block", "denials"])
def test_an_extractor_that_fails_leaves_its_facts_unknown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry.load(name), "extract", broken)
    found = iterate(tmp_path, 1)
    assert found.decision.verdict == "CONTINUE"
    hit = [entry for entry in found.policy.extractions if entry.extractor == name]
    assert hit
    for entry in hit:
        facts = [fact for full, fact in found.facts.items() if full.startswith(entry.prefix)]
        unknown = [fact.value for fact in facts if isinstance(fact.value, Unknown)]
        assert any("a fault of exitgate" in value.reason for value in unknown)
    assert any(f"a fault of exitgate in `{name}`" in one.message for one in found.decision.warnings)


@pytest.mark.parametrize(
    ("place", "name", "unread"),
    [
        (sources, "read_source", "response"),
        (sources, "text_place", "plan"),
        (envelope, "given_result", "result"),
        (sources, "given_text", "response"),
        (git, "observe", "git"),
        (observation, "without_left_over", "response"),
        (observation, "without_stale", "response"),
        (observation, "reported", "response"),
        (unwrap, "unwrap", "response"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_no_step_that_reads_ends_the_check(
    place: object, name: str, unread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.md").write_text("- [ ] sort the index\n")
    (tmp_path / "result.json").write_text(SAID % 1)
    monkeypatch.setattr(place, name, broken)
    more: dict[str, dict[str, object]] = {
        "given_result": {"response": "result.json", "sources": {"result": "result.json"}},
        "given_text": {"texts": {"response": "Sorted."}},
    }
    asked = more.get(name, {"response": "result.json", "plan": "plan.md"})
    for number in (1, 2):
        found = check(Request(policy="recommended", time=1_900_000_000.0 + 60 * number, **asked))  # type: ignore[arg-type]
        assert found.iteration.number == number
        assert found.decision.exit_class not in ("complete", "failed")
        reason = found.iteration.sources[unread].reason
        assert reason.startswith("a fault of exitgate kept it from being read: IndexError at test_faults.py:")
        assert any(reason in one.message for one in found.decision.warnings)
    kept = incidents(str(tmp_path / ".ralph" / "exitgate"))
    assert {one["kind"] for one in kept} == {"fault"}
    assert len(kept) >= 2
