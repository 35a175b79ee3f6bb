"""JSON lines with several events for each iteration: what they are called, what is not the agent's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st
from loop_folders import folder, read, reader

from exitgate.recordings.formats.loops import json_records

TEXTS = ["Oats are sown.", "Barley is sown.\n\nRye is next.", "Rye is sown. Nothing is left to sow."]
Row = dict[str, object]

KEYS = ("event", "type", "phase", "kind", "role")
NUMBERS = ("iteration", "loop", "iter", "round", "loop_number")
AGENTS = ("agent_output", "agent", "assistant", "claude", "agentResponse", "model-output")
TOLD = ("text", "output", "stdout", "content", "message")


def rows_of(key: str, number: str, kind: str, text: str, texts: list[str] = TEXTS) -> list[Row]:
    rows: list[Row] = []
    for n, said in enumerate(texts, 1):
        rows += [
            {key: "iteration_start", number: n, "ts": f"2026-02-03T1{n}:00:00Z"},
            {key: kind, number: n, text: said},
            {key: "test", number: n, text: "All tests passed, all is done.", "exit_code": 4},
            {key: "iteration_end", number: n, "ts": f"2026-02-03T1{n}:30:00Z", "exit_code": n % 2},
        ]
    return rows


def lines(root: Path, rows: list[Row]) -> Path:
    return folder(root, {"a.jsonl": "".join(json.dumps(row) + "\n" for row in rows)}) / "a.jsonl"


@each("key", KEYS)
@each("nth", range(6))
def test_events_of_an_iteration_are_put_together(tmp_path: Path, key: str, nth: int) -> None:
    rows = rows_of(key, NUMBERS[nth % 5], AGENTS[nth], TOLD[nth % 5])
    first: Row = {key: "loop_start", "max_iterations": 9}
    place = lines(tmp_path, [first, *rows, {key: "loop_end", "reason": "x"}])
    assert reader(place) == "iteration-lines"
    (run,), problems = read(place)
    assert problems == () and [one.response for one in run.iterations] == TEXTS
    assert [one.exit_status for one in run.iterations] == [1, 0, 1]
    assert all(one.ended_at - one.started_at == 1800 for one in run.iterations)  # type: ignore[operator]


def test_a_number_that_begins_anew_is_another_run(tmp_path: Path) -> None:
    rows = rows_of("event", "loop", "agent", "text")
    runs, _ = read(lines(tmp_path, [*rows, *rows[:8], *rows[:4], *rows[:4]]))
    assert [[one.response for one in run.iterations] for run in runs] == [
        TEXTS,
        TEXTS[:2],
        TEXTS[:1],
        TEXTS[:1],
    ]


def test_what_tests_and_prompts_say_is_not_the_agents(tmp_path: Path) -> None:
    rows: list[Row] = []
    for n in (1, 2, 3):
        rows += [
            {"role": "user", "loop": n, "text": "Sow all."},
            {"role": "reviewer", "loop": n, "text": "ok"},
        ]
        rows += [
            {"role": "tool", "loop": n, "text": "done"},
            {"role": "agent", "loop": n, "text": TEXTS[n - 1]},
        ]
    (run,), _ = read(lines(tmp_path, rows))
    assert [one.response for one in run.iterations] == TEXTS


@pytest.mark.parametrize(
    "rows",
    [
        [{"event": "tick", "loop": n // 2, "text": "a"} for n in range(8)],
        [{"event": kind, "loop": 1, "n": n} for n in range(3) for kind in ("start", "end")],
        [{"event": kind, "turn": n, "text": "a"} for n in range(3) for kind in ("call", "assistant")],
        [{"event": kind, "loop": n, "text": "a"} for n in (4, 9, 2) for kind in ("start", "agent")],
        [{"event": kind, "text": "a"} for _ in range(3) for kind in ("start", "agent")],
    ],
)
def test_other_events_are_none(rows: list[Row]) -> None:
    assert not json_records.is_event(rows)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["event", "loop", "iteration", "text", "output", "ts"]),
            st.none()
            | st.booleans()
            | st.integers(-1, 3)
            | st.sampled_from(["agent", "start", "end", "x y"]),
        ),
        max_size=12,
    )
)
def test_any_events_lose_none_that_is_numbered(rows: list[Row]) -> None:
    json_records.is_event(rows)
    found = json_records.groups((row, at) for at, row in enumerate(rows))
    numbered = [at for at, row in enumerate(rows) if json_records.event_number(row) is not None]
    covered = {at for group in found for at in range(group.first, group.last + 1)}
    assert covered.issuperset(numbered)
    assert all(group.value()["iteration"] == group.number for group in found)
