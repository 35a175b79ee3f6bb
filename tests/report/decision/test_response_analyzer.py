"""The result object of the response analyzer: its field names, its types, and what stands behind them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from report_golden import same

from exitgate.core.gate.check import check
from exitgate.core.policy.shipped import policies
from exitgate.core.state.request import Request
from exitgate.report.decision.response_analyzer import analysis_result, error_frequency, keywords
from exitgate.report.formats.json import json_text

if TYPE_CHECKING:
    from pathlib import Path

BOTH = pytest.mark.parametrize("policy", ["response-analyzer", "response-analyzer-faithful"])
DONE = """\
Modified 3 files, 12 tests passing, 2 errors fixed.
All tests passing, no remaining issues. Ready for  review. All tests passing.
"""
#: The interface: name -> type, as TypeScript has it; `number` is no bool, `null` only where it says so.
INTERFACE: dict[str, Any] = {
    "shouldExit": bool,
    "exitReason": (str, type(None)),
    "confidence": float,
    "completionSignal": {"detected": bool, "keywords": [str], "testOnly": bool, "confidence": float},
    "stuckSignal": {
        "detected": bool,
        "repeatedPatterns": [str],
        "errorFrequency": {str: float},
        "confidence": float,
    },
    "workSummary": str,
}


def hold(value: object, type_: Any, where: str = "result") -> None:
    """Hold a value of parsed JSON against `INTERFACE`; names and their order are part of it."""
    if isinstance(type_, dict) and str in type_:
        assert isinstance(value, dict), where
        for key, each in value.items():
            hold(each, type_[str], f"{where}[{key!r}]")
    elif isinstance(type_, dict):
        assert isinstance(value, dict), where
        assert list(value) == list(type_), where
        for key, each in type_.items():
            hold(value[key], each, f"{where}.{key}")
    elif isinstance(type_, list):
        assert isinstance(value, list), where
        for each in value:
            hold(each, type_[0], f"{where}[]")
    elif type_ is float:
        assert isinstance(value, int | float), where
        assert not isinstance(value, bool), where
        assert value >= 0, where
    else:
        assert isinstance(value, type_), where


def ask(folder: Path, response: str | None, policy: str = "response-analyzer", **more: Any) -> dict[str, Any]:
    """Return the object after one recorded check of `folder`, as a program would read it."""
    (folder / ".ralph").mkdir(exist_ok=True)
    place = folder / ".ralph/last-response.md"
    place.unlink(missing_ok=True)
    if response is not None:
        place.write_text(response, encoding="utf-8")
    checked = check(Request(root=str(folder), policy=policy, **more))
    said = checked.iteration.source("response").text
    plain = analysis_result(checked.policy, checked.decision, checked.facts, checked.records, said)
    found: dict[str, Any] = json.loads(json_text(plain))
    hold(found, INTERFACE)
    return found


@BOTH
def test_a_report_of_completion(policy: str, tmp_path: Path) -> None:
    found = ask(tmp_path, DONE, policy)
    assert (found["shouldExit"], found["exitReason"]) == (True, "done_signals")
    assert found["completionSignal"] == {
        "detected": True,
        "keywords": ["all tests passing", "no remaining issues", "ready for review"],
        "testOnly": False,
        "confidence": 100,
    }
    assert found["workSummary"] == "Modified 3 files, 12 tests passing, 2 errors fixed"
    same(f"{policy}-complete.json", json_text(found))


@BOTH
def test_a_loop_of_errors(policy: str, tmp_path: Path) -> None:
    texts = (
        "KeyError: 'name'\nTypeError: undefined is not a function\n",
        "KeyError: 'name'\n",
        "KeyError: 'name'\nTypeError: undefined is not a function\n",
    )
    first, second, third = (ask(tmp_path, text, policy) for text in texts)
    assert [one["stuckSignal"]["confidence"] for one in (first, second, third)] == [33.33, 66.67, 100]
    assert first["exitReason"] is None
    assert first["stuckSignal"]["repeatedPatterns"] == []
    assert third["exitReason"] == "repeated_errors"
    assert third["stuckSignal"] == {
        "detected": True,
        "repeatedPatterns": ["keyerror: 'name'"],
        "errorFrequency": {"keyerror: 'name'": 3, "typeerror: undefined is not a function": 2},
        "confidence": 100,
    }
    same(f"{policy}-stuck.json", json_text(third))


@BOTH
def test_a_loop_of_tests_is_stuck_rather_than_complete(policy: str, tmp_path: Path) -> None:
    text = "PASS src/a.test.ts\n12 tests passed\n"
    found = [ask(tmp_path, text + f"{n} specs passed\n", policy) for n in range(1, 4)]
    assert [one["completionSignal"]["testOnly"] for one in found] == [True] * 3
    assert [one["shouldExit"] for one in found] == [False, False, True]
    last = found[-1]
    assert (last["exitReason"], last["stuckSignal"]["detected"]) == ("test_only_loop", True)
    assert last["completionSignal"]["detected"] is False
    assert last["stuckSignal"]["errorFrequency"] == {}


def test_the_window_and_the_number_of_repeats_are_those_of_the_policy(tmp_path: Path) -> None:
    given_ = {"error_window": "2", "error_repeats": "2"}
    texts = ("KeyError: 'name'\n", "All quiet.\n", "KeyError: 'name'\n", "KeyError: 'name'\n")
    found = [ask(tmp_path, text, settings=given_) for text in texts]
    assert [one["stuckSignal"]["errorFrequency"].get("keyerror: 'name'", 0) for one in found] == [1, 1, 1, 2]
    assert [one["shouldExit"] for one in found] == [False, False, False, True]


@BOTH
def test_without_a_response_only_the_reason_is_null(policy: str, tmp_path: Path) -> None:
    assert ask(tmp_path, None, policy) == {
        "shouldExit": False,
        "exitReason": None,
        "confidence": 0,
        "completionSignal": {"detected": False, "keywords": [], "testOnly": False, "confidence": 0},
        "stuckSignal": {"detected": False, "repeatedPatterns": [], "errorFrequency": {}, "confidence": 0},
        "workSummary": "",
    }


@each("policy", policies())
def test_any_policy_gives_the_object(policy: str, tmp_path: Path) -> None:
    found = ask(tmp_path, DONE, policy)
    assert found["shouldExit"] is (found["exitReason"] is not None)


def test_another_policy_detects_by_the_class_of_its_exit(tmp_path: Path) -> None:
    (tmp_path / "fix_plan.md").write_text("- [x] a\n", encoding="utf-8")
    found = ask(tmp_path, "I am confident.", "bb3")
    assert found["exitReason"] == "all_tasks_done"
    assert found["completionSignal"]["detected"] is True
    assert found["confidence"] == 90
    assert found["stuckSignal"]["detected"] is False


def test_the_summary_is_in_the_record_and_in_the_log(tmp_path: Path) -> None:
    """The episode's recording is the ledger; the stream of progress are its log and its messages."""
    want = "Modified 3 files, 12 tests passing, 2 errors fixed"
    ask(tmp_path, want + "\n")
    recorded = json.loads((tmp_path / ".ralph/exitgate/ledger.jsonl").read_text().splitlines()[-1])
    assert recorded["facts"]["work_summary"]["v"] == want
    assert want in recorded["decision"]["message"]
    (log,) = (tmp_path / ".ralph/logs").glob("exit-decisions_*.log")
    logged = json.loads(log.read_text().splitlines()[-1])
    assert logged["facts"]["work_summary"]["v"] == want


LISTS = st.lists(st.one_of(st.none(), st.lists(st.sampled_from("abc"), max_size=4)), max_size=8)


@given(rows=LISTS, window=st.integers(1, 10))
@settings(max_examples=100, deadline=None)
def test_frequencies_count_iterations_and_come_largest_first(rows: list[Any], window: int) -> None:
    records = [{} if row is None else {"errors.patterns": tuple(row)} for row in rows]
    found = error_frequency(records, window)
    last = [row for row in rows[-window:] if row is not None]
    assert found == {p: sum(p in row for row in last) for p in "abc" if any(p in row for row in last)}
    assert list(found.values()) == sorted(found.values(), reverse=True)


@BOTH
@given(response=st.text(max_size=200))
@settings(max_examples=8, deadline=None)
def test_any_text_gives_the_object(
    policy: str, response: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ask(tmp_path_factory.mktemp("any"), response.encode("utf-8", "replace").decode(), policy)


def test_keywords_without_evidence() -> None:
    assert keywords(None, "done") == []
