"""What happens while transcripts are read or runs are decided: runs grow, labels, other drafts, questions."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event

import pytest
from patience import PATIENCE, wait_for
from sessions_on_disk import session

from exitgate.cli.main import main
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.shipped import path as shipped
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.workspace.api import api_of
from exitgate.surfaces.studio.workspace.live import Live
from exitgate.surfaces.studio.workspace.policies import Draft, Origin
from exitgate.surfaces.studio.workspace.reading import Gathered
from exitgate.surfaces.studio.workspace.renewal import renew
from exitgate.surfaces.studio.workspace.sweep import Axis, sweep
from exitgate.surfaces.studio.workspace.workspace import Workspace

SAID = ["I am unsure.", "Likely right.", "Confidence: 95%. All tests pass.", "Done.", "Done.", "Done."]
#: A draft for which transcripts are read again.
READS = Draft(values={"loop_window": 2})


class Studio:
    """A studio whose reading of all transcripts can be held up."""

    def __init__(self, folder: Path, **policies: str) -> None:
        self.events: list[Mapping[str, object]] = []
        self.folder = folder
        origins = [Origin(name, reference, {}, ".") for name, reference in policies.items()]
        self.workspace = Workspace([str(folder)], origins, publish=self.events.append)
        self.workspace.load()
        self.api = api_of(self.workspace, Events(), read_only=False)
        self._gather = self.workspace.gather
        self.begun, self.go = Event(), Event()
        self.go.set()
        self.workspace.gather = self._held  # type: ignore[method-assign]

    def _held(self, policies: Mapping[str, CompiledPolicy]) -> Gathered:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        return self._gather(policies)

    def look(self) -> None:
        """Read what has changed, and what is new."""
        Live(self.workspace, lambda: [str(self.folder)], lambda: 0.0, lambda: 1e9).look()

    def ended(self, policy: str) -> str:
        """Return how the newest draft of a policy ended, once it has."""
        asked = self.workspace.columns[policy].asked

        def ends() -> list[object]:
            return [
                event["type"]
                for event in tuple(self.events)
                if event["type"] in ("done", "failed") and event["revision"] == asked
            ]

        wait_for(ends, "the draft's end")
        return str(ends()[0])

    def strips(self) -> dict[object, object]:
        rows = self.workspace.rows()["rows"]
        assert isinstance(rows, list)
        return {row["id"]: row["strips"] for row in rows}


def strips_of(folder: Path, policy: str, settings: Mapping[str, str]) -> dict[object, object]:
    """What a policy with settings does with each run, by a dry run."""
    found = dry_run([str(folder)], [policy], settings=settings, to_the_end=True).results
    letters = {None: ".", "stuck": "s", "complete": "c", "review": "r"}
    return {one.run.id: ["".join(letters[row.exit_class] for row in one.rows)] for one in found}


def test_runs_that_grow_and_appear_while_a_draft_is_read_are_in_it(tmp_path: Path) -> None:
    session(tmp_path / "m", "m", SAID[:2])
    studio = Studio(tmp_path, p="loop-detection")
    studio.go.clear()
    assert studio.workspace.draft("p", READS)["reads"]
    assert studio.begun.wait(PATIENCE)
    session(tmp_path / "m", "m", SAID)
    session(tmp_path / "a", "a", SAID)
    studio.go.set()
    assert studio.ended("p") == "done"
    wanted = strips_of(tmp_path, "loop-detection", {"loop_window": "2"})
    assert studio.strips() == {"m": wanted["m"]}
    rows = [event["row"] for event in studio.events if event["type"] == "live"]
    assert [(row["n"], row["iterations"]) for row in rows] == [(1, 6)]  # type: ignore[index]
    studio.look()
    assert studio.strips() == wanted


def test_a_transcript_that_went_away_meanwhile_is_told(tmp_path: Path) -> None:
    session(tmp_path, "a", SAID)
    studio = Studio(tmp_path, p="loop-detection")
    before = studio.strips()
    (tmp_path / "a.jsonl").unlink()
    studio.workspace.draft("p", READS)
    assert studio.ended("p") == "failed"
    assert studio.strips() == before
    assert studio.workspace.loading is None


def test_a_file_of_a_policy_that_changed_decides_each_run_by_its_own_records(tmp_path: Path) -> None:
    own, runs = tmp_path / "mine.yaml", tmp_path / "runs"
    shutil.copyfile(shipped("loop-detection"), own)
    session(runs / "m", "m", SAID[:2])
    studio = Studio(runs, p=str(own))
    session(runs / "a", "a", SAID)
    studio.look()
    assert [line.run.id for line in studio.workspace.lines] == ["m", "a"], "a folder is read in another order"
    text = own.read_text(encoding="utf-8")
    own.write_text(re.sub(r"(loop_window:.*default: )\d+", r"\g<1>2", text), encoding="utf-8")
    assert renew(studio.workspace) == ()
    assert studio.workspace.columns["p"].saved.policy.parameters["loop_window"].value == 2
    assert studio.strips() == strips_of(runs, str(own), {})
    own.write_text(text, encoding="utf-8")
    (runs / "m" / "m.jsonl").unlink()
    (wrong,) = renew(studio.workspace)
    assert "have changed since they were read" in wrong


@pytest.mark.parametrize("meanwhile", ["another draft", "a label"])
def test_what_happens_beside_a_draft_does_not_end_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    monkeypatch.chdir(tmp_path)
    session(tmp_path, "a", SAID)
    studio = Studio(tmp_path, p="loop-detection", q="bb3")
    studio.go.clear()
    studio.workspace.draft("p", READS)
    assert studio.begun.wait(PATIENCE)
    if meanwhile == "a label":
        studio.api.actions["label"].do(JsonObject({"n": 1, "stop": "3"}))
    else:
        studio.workspace.draft("q", Draft(values={"min_completion": 10}))
        assert studio.ended("q") == "done"
    studio.go.set()
    assert studio.ended("p") == "done"
    assert studio.workspace.columns["p"].draft == READS
    assert studio.workspace.columns["p"].moved is not None


def test_a_page_that_was_looked_at_meanwhile_is_not_kept(tmp_path: Path) -> None:
    session(tmp_path, "a", ["Done."] * 8)
    studio = Studio(tmp_path, p="loop-detection")
    studio.go.clear()
    studio.workspace.draft("p", Draft(values={"loop_window": 2, "loop_repeats": 7}))
    before = studio.api.fragment(1)
    controls = studio.api.reads["controls"]("1", {"at": "8", "policy": "p"})
    studio.go.set()
    assert studio.ended("p") == "done"
    assert studio.api.fragment(1) != before
    assert studio.api.reads["controls"]("1", {"at": "8", "policy": "p"}) != controls


def test_a_run_that_grows_grows_under_a_draft_after_any_sweep(tmp_path: Path) -> None:
    session(tmp_path, "a", SAID[:2])
    studio = Studio(tmp_path, p="recommended")
    studio.workspace.draft("p", Draft(values={"stuck_loops": 9}))
    assert studio.ended("p") == "done"
    list(sweep(studio.workspace, "p", (Axis("stuck_loops", tuple(range(10, 30))),)))
    session(tmp_path, "a", SAID)
    studio.look()
    assert studio.strips() == strips_of(tmp_path, "recommended", {"stuck_loops": "9"})


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Give a function that decides once more; the second run finds the breaker as the first left it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.md").write_text("I am unsure. There is more to do.\n")
    (tmp_path / "plan.md").write_text("- [x] a\n- [ ] b\n")

    def check() -> None:
        main(["check", "r.md", "plan.md"])

    for _ in range(4):
        check()
    return check


def test_rows_are_shown_while_a_draft_of_the_breaker_is_read(
    tmp_path: Path, ledger: Callable[[], None]
) -> None:
    studio = Studio(tmp_path / ".ralph", p="recommended")
    studio.go.clear()
    studio.workspace.draft("p", Draft(values={"stuck_loops": 9}))
    assert studio.begun.wait(PATIENCE)
    assert studio.strips()["default#2"] == ["-"], "nothing is known of it yet"
    studio.api.actions["label"].do(JsonObject({"n": 2, "stop": "1"}))
    studio.go.set()
    assert studio.ended("p") == "done"
    assert studio.strips()["default#2"] == ["."]


def test_a_sweep_that_needs_the_transcripts_says_so(tmp_path: Path, ledger: Callable[[], None]) -> None:
    studio = Studio(tmp_path / ".ralph", p="recommended")
    with pytest.raises(ExitgateError, match="moved by others"):
        list(sweep(studio.workspace, "p", (Axis("stuck_loops", (3, 4)),)))
