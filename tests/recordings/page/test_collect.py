"""From files to a page: ids, sub-agents, what could not be read, more runs than one page shows whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.page import assemble
from exitgate.recordings.page import assemble as pages
from exitgate.recordings.page.assemble import collect
from exitgate.recordings.page.render import html
from exitgate.recordings.scoring.labels import Label, Labels

POLICIES = {"bb3": load_policy("bb3")}


def stream(folder: Path, name: str, said: str = "Went on.", session: str = "s-1", cost: float = 0.5) -> Path:
    """Write what `claude -p --output-format stream-json` writes."""
    message = {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": said}]}
    lines = [
        {"type": "system", "subtype": "init", "session_id": session, "model": "m"},
        {"type": "assistant", "message": message, "session_id": session},
        {"type": "result", "subtype": "success", "is_error": False, "result": said, "session_id": session,
         "total_cost_usd": cost},
    ]  # fmt: skip
    (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder / name


def test_runs_that_begin_while_others_are_read_shift_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream(tmp_path, "b.jsonl", "Said by b.", session="b")
    stream(tmp_path, "c.jsonl", "Said by c.", session="c")
    real = pages.load_runs

    def gather(*words, **more):
        found = real(*words, **more)
        stream(tmp_path, "a.jsonl", "Said by a.", session="a")
        return found

    monkeypatch.setattr(pages, "load_runs", gather)
    found = collect([str(tmp_path)], POLICIES)
    text = html(found.page)
    assert found.runs == 2
    assert {run.id: Path(dict(run.figures)["file"]).name for run in found.page.runs} == {
        "b": "b.jsonl", "c": "c.jsonl",
    }  # fmt: skip
    assert "Said by b." in text
    assert "Said by c." in text
    assert "Said by a." not in text


def test_runs_of_one_name_stay_apart(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        stream(tmp_path, name, session="same")
    found = collect([str(tmp_path)], POLICIES)
    ids = [run.id for run in found.page.runs]
    assert len(set(ids)) == len(ids) == found.runs == 2
    assert html(found.page)


def test_what_is_not_read_is_told_on_the_page(tmp_path: Path) -> None:
    good = stream(tmp_path, "a.jsonl")
    strange = tmp_path / "strange.bin"
    strange.write_bytes(b"\x00\x01 nothing known")
    found = collect([str(good), str(strange)], POLICIES)
    assert found.unread.code == 65
    assert any("strange.bin" in text for text in found.page.remarks)


def test_labels_are_matched_with_runs(tmp_path: Path) -> None:
    path = stream(tmp_path, "a.jsonl", session="night-1")
    id = collect([str(path)], POLICIES).page.runs[0].id
    found = collect([str(path)], POLICIES, Labels((Label(id, 1, 1),)))
    assert found.page.runs[0].label == "right stop: 1"
    with pytest.raises(ExitgateError, match="EP870"):
        collect([str(path)], POLICIES, Labels((Label("another", 1, 1),)))


def test_what_is_most_at_stake_comes_first_and_the_rest_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assemble, "WHOLE", 2)
    for at in range(5):
        stream(tmp_path, f"{at}.jsonl", session=f"s-{at}")
    found = collect([str(tmp_path)], POLICIES)
    assert len(found.page.runs) == 5
    assert [bool(run.columns) for run in found.page.runs].count(True) == 2
    text = html(found.page)
    assert text.count('<article class="run"') == 2
    assert all(run.id in text for run in found.page.runs)


def test_room_is_shared() -> None:
    assert [assemble.text_limit(runs) for runs in (0, 1, 20, 60, 1000)] == [
        90_000,
        90_000,
        90_000,
        30_000,
        20_000,
    ]
