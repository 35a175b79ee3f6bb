"""Transcripts that grow, shrink, go away or appear while the studio shows them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from patience import PATIENCE, wait_for
from sessions_on_disk import session

from exitgate.cli.main import main
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.workspace.api import api_of
from exitgate.surfaces.studio.workspace.live import FRESH, RESTS, SEARCH, Live
from exitgate.surfaces.studio.workspace.policies import Draft, Origin
from exitgate.surfaces.studio.workspace.workspace import Workspace

SAID = [
    "I am unsure.",
    "Likely right.",
    "Confidence: 95%. All done, all tests pass.",
    "Done.",
    "Done.",
    "Done.",
]


class Followed:
    """A studio on a folder, looked at by hand, with a clock of its own."""

    def __init__(self, folder: Path, *policies: str) -> None:
        self.folder = folder
        self.events: list[Mapping[str, object]] = []
        self.clock = 0.0
        self.now = 0.0
        origins = [Origin(name, name, {}, ".") for name in policies or ("bb3", "recommended")]
        self.workspace = Workspace([str(folder)], origins, publish=self.events.append)
        self.live = Live(self.workspace, lambda: [str(folder)], lambda: self.now, lambda: self.clock)
        self.workspace.load()
        self.look()

    def look(self) -> list[Mapping[str, object]]:
        """Look once, as if much time had passed; return the rows that were told."""
        self.events.clear()
        self.clock += SEARCH + 1000 * RESTS
        self.now = max([0.0, *(path.stat().st_mtime for path in self.folder.rglob("*") if path.is_file())])
        self.live.look()
        return [event["row"] for event in self.events if event["type"] == "live"]  # type: ignore[misc]

    @property
    def remarks(self) -> str:
        return " ".join(self.workspace.remarks.values())


def fresh(folder: Path) -> list[object]:
    """Return the rows of a studio that begins now."""
    return Followed(folder).workspace.rows()["rows"]  # type: ignore[return-value]


def test_a_run_grows_in_every_column_as_a_new_studio_would_read_it(tmp_path: Path) -> None:
    path = session(tmp_path, "a", SAID[:1])
    session(tmp_path, "b", SAID[:2])
    studio = Followed(tmp_path)
    for count in range(2, len(SAID) + 1):
        session(tmp_path, "a", SAID[:count])
        (row,) = studio.look()
        assert (row["n"], row["iterations"], row["live"]) == (1, count, True)
        assert [len(strip) for strip in row["strips"]] == [count, count]  # type: ignore[attr-defined]
    assert studio.workspace.rows()["rows"] == fresh(tmp_path)
    assert studio.look() == []
    assert "unsure" in (api_of(studio.workspace, Events(), True).fragment(1) or "")
    path.touch()
    assert studio.look() == []


@given(st.lists(st.integers(0, 6000), min_size=1, max_size=5))
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_wherever_the_writer_is_interrupted_the_end_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    whole = session(tmp_path_factory.mktemp("whole"), "a", SAID[:4])
    raw = whole.read_bytes()
    folder = tmp_path_factory.mktemp("half")
    path = folder / whole.name
    path.write_bytes(raw[: len(raw) // 3])
    studio = Followed(folder)
    for cut in sorted(min(one, len(raw)) for one in cuts):
        path.write_bytes(raw[:cut] if cut > len(raw) // 3 else raw[: len(raw) // 3])
        studio.look()
    path.write_bytes(raw)
    studio.look()
    assert studio.workspace.rows()["rows"] == fresh(folder)
    assert studio.workspace.remarks == {}


def test_new_transcripts_appear_behind_the_others(tmp_path: Path) -> None:
    session(tmp_path / "m", "m", SAID[:2])
    studio = Followed(tmp_path)
    session(tmp_path / "a", "a", SAID[:3])
    (tmp_path / "notes.md").write_text("no transcript")
    (row,) = studio.look()
    assert (row["n"], row["id"], row["iterations"], row["live"]) == (2, "a", 3, True)
    session(tmp_path / "b", "a", SAID[:1])
    (row,) = studio.look()
    assert row["n"] == 3
    assert row["id"] != "a", "ids stay unique"


def test_a_transcript_that_is_less_than_it_was_is_told(tmp_path: Path) -> None:
    path = session(tmp_path, "a", SAID[:4])
    studio = Followed(tmp_path)
    session(tmp_path, "a", SAID[:2])
    (row,) = studio.look()
    assert row["iterations"] == 2
    assert "shortened" in studio.remarks
    session(tmp_path, "a", SAID[:4])
    studio.look()
    assert studio.remarks == ""
    kept = path.read_bytes()
    path.unlink()
    studio.look()
    assert "cannot be read as before" in studio.remarks
    assert [line.run.iterations for line in studio.workspace.lines] == [4]
    path.write_bytes(kept.replace(b'"a"', b'"another"'))
    (row,) = studio.look()
    assert row["id"] == "another"
    assert "replaced" in studio.remarks
    assert any(event["type"] == "notes" for event in studio.events)


def test_a_run_is_live_for_ten_minutes_after_its_last_line(tmp_path: Path) -> None:
    path = session(tmp_path, "a", SAID[:2])
    studio = Followed(tmp_path)
    assert [one["n"] for one in studio.live.json()] == [1]
    studio.now = path.stat().st_mtime + FRESH + 1
    studio.events.clear()
    studio.live.look()
    assert [event["row"]["live"] for event in studio.events if event["type"] == "live"] == [False]  # type: ignore[index]
    assert studio.live.json() == []


def test_one_that_takes_long_to_read_is_read_less_often(tmp_path: Path) -> None:
    session(tmp_path, "a", SAID[:1])
    studio = Followed(tmp_path)
    session(tmp_path, "a", SAID[:2])
    ticks = iter(range(10_000))
    studio.live._clock = lambda: studio.clock + 2 * next(ticks)  # every question for the time takes long
    assert len(studio.look()) == 1
    studio.live._clock = lambda: studio.clock
    session(tmp_path, "a", SAID[:3])
    studio.live.look()
    assert studio.workspace.lines[0].run.iterations == 2
    assert len(studio.look()) == 1


def test_a_draft_decides_on_what_comes_too(tmp_path: Path) -> None:
    session(tmp_path, "a", SAID[:3])
    studio = Followed(tmp_path, "bb3")
    studio.workspace.draft("bb3", Draft(values={"min_completion": 10}))
    wait_for(lambda: any(event["type"] == "done" for event in studio.events), "the draft's decisions")
    session(tmp_path, "a", SAID)
    (row,) = studio.look()
    other = Followed(tmp_path, "bb3")
    other.workspace.draft("bb3", Draft(values={"min_completion": 10}))
    wait_for(lambda: any(event["type"] == "done" for event in other.events), "the draft's decisions")
    assert row["strips"] == other.workspace.rows()["rows"][0]["strips"]  # type: ignore[index]


def test_the_page_is_told_verdicts_reasons_and_budgets(tmp_path: Path) -> None:
    session(tmp_path, "a", SAID[:2])
    studio = Followed(tmp_path, "recommended")
    (loop,) = studio.live.json()
    (policy,) = loop["policies"]  # type: ignore[misc]
    assert policy["verdict"]["class"] is None
    assert policy["verdict"]["message"]
    assert any(one["fact"] == "run.iterations" for one in policy["budgets"])
    assert all(0 <= one["share"] <= 1 for one in policy["budgets"])
    json.dumps(loop)


def test_an_open_run_of_a_ledger_is_live_with_what_watch_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.md").write_text("I am unsure. There is more to do.\n")
    (tmp_path / "plan.md").write_text("- [x] a\n- [ ] b\n")
    main(["check", "r.md", "plan.md"])
    studio = Followed(tmp_path / ".ralph", "recommended")
    (loop,) = studio.live.json()
    labels = [one["label"] for one in loop["ledger"]]  # type: ignore[attr-defined]
    assert {"says", "used"} <= set(labels)
    assert "now" not in labels, "nothing in particular happens"
    main(["check", "r.md", "plan.md"])
    rows = studio.look()
    assert [row["iterations"] for row in rows] == [2]


def test_nothing_is_looked_at_while_no_page_listens(tmp_path: Path) -> None:
    session(tmp_path, "a", SAID[:1])
    events = Events()
    live = Live(Workspace([str(tmp_path)], [Origin("bb3", "bb3", {}, ".")]), lambda: [])
    looked: list[int] = []
    live.look = lambda: looked.append(1)  # type: ignore[method-assign]
    crashed: list[Exception] = []
    thread = threading.Thread(target=live.follow, args=(events, crashed.append))
    thread.start()
    assert events.pause(0.05)
    assert looked == []
    events.close()
    thread.join(PATIENCE)
    assert not thread.is_alive()
    assert crashed == []


def test_a_folder_that_is_a_transcript_grows_by_any_of_its_files(tmp_path: Path) -> None:
    from exitgate.surfaces.studio.workspace.stamps import stamp_of

    (tmp_path / "deep").mkdir()
    first = stamp_of(str(tmp_path))
    (tmp_path / "deep" / "a").write_text("x")
    second = stamp_of(str(tmp_path))
    os.utime(tmp_path / "deep" / "a", (1, 10**9))
    assert len({first, second, stamp_of(str(tmp_path))}) == 3
    assert stamp_of(str(tmp_path / "gone")) is None
