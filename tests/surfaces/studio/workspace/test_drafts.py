"""A draft of a policy decides all runs anew, and says what moves."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.shipped import path
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.scoring.labels import load
from exitgate.surfaces.studio.workspace.policies import Draft, Origin
from exitgate.surfaces.studio.workspace.sweep import Axis, sweep
from exitgate.surfaces.studio.workspace.workspace import Workspace

EXAMPLES = Path(__file__).parents[4] / "examples" / "transcripts"
PATIENCE = 120


class Page:
    """A page that listens."""

    def __init__(self) -> None:
        self.events: list[Mapping[str, object]] = []
        self._done = Event()

    def hear(self, event: Mapping[str, object]) -> None:
        self.events.append(event)
        if event["type"] in ("done", "failed"):
            self._done.set()

    def after(self, ask: Callable[[], object]) -> Mapping[str, object]:
        """Return the last event of what `ask` begins."""
        self.events.clear()
        self._done.clear()
        ask()
        assert self._done.wait(PATIENCE)
        return self.events[-1]


def opened(name: str = "recommended", *, reference: str | None = None) -> tuple[Workspace, Page]:
    page = Page()
    origin = Origin(name, reference or name, {}, ".")
    labels = [load(str(EXAMPLES / "labels.yaml"))]
    workspace = Workspace([str(EXAMPLES)], [origin], labels, publish=page.hear)
    workspace.load()
    return workspace, page


def stops(workspace: Workspace) -> list[object]:
    return [None if row["stops"][0] is None else row["stops"][0]["at"] for row in workspace.rows()["rows"]]


def stops_of(policy: str, settings: Mapping[str, str] | None = None) -> list[object]:
    found = dry_run([str(EXAMPLES)], [policy], settings=settings)
    return [None if one.stop is None else one.stop.iteration for one in found.results]


def test_a_draft_decides_as_a_dry_run_with_its_settings() -> None:
    workspace, page = opened("bb3")
    assert stops(workspace) == stops_of("bb3")
    done = page.after(lambda: workspace.draft("bb3", Draft(values={"min_completion": 10})))
    assert done["type"] == "done"
    assert stops(workspace) == stops_of("bb3", {"min_completion": "10"})
    page.after(lambda: workspace.draft("bb3", Draft()))
    assert stops(workspace) == stops_of("bb3")


def test_it_says_which_runs_move_and_by_which_rule() -> None:
    workspace, page = opened("bb3")
    before = stops(workspace)
    rules = workspace.columns["bb3"].settled.policy.rules
    allowed = tuple(rule.id for rule in rules if rule.effect == "exit" and not rule.locked)
    done = page.after(lambda: workspace.draft("bb3", Draft(disabled=allowed)))
    after = stops(workspace)
    moved = done["moved"]
    assert before != after
    assert {one["n"] for one in moved["moved"]} >= {
        n for n, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b
    }
    assert set(moved["left"]) <= set(allowed)
    assert not set(moved["rules"]) & set(allowed)
    assert moved["runs"] == len(moved["moved"])
    assert moved["worse"] >= 1, "right stops of labelled runs are gone"


def test_rows_in_sight_come_first() -> None:
    workspace, page = opened("bb3")
    page.after(lambda: workspace.draft("bb3", Draft(values={"min_completion": 10}), visible=(4, 2, 99)))
    rows = [event["rows"] for event in page.events if event["type"] == "rows"]
    assert [row["n"] for row in rows[0]] == [4, 2]
    assert sorted(row["n"] for batch in rows for row in batch) == [1, 2, 3, 4, 5]


def test_a_draft_that_cannot_be_used_leaves_the_one_before() -> None:
    workspace, page = opened("bb3")
    page.after(lambda: workspace.draft("bb3", Draft(values={"min_completion": 10})))
    kept = stops(workspace)
    for wrong in ({"min_completion": 1_000}, {"no_such": 1}, {"min_completion": "ten"}):
        with pytest.raises(ExitgateError):
            workspace.draft("bb3", Draft(values=wrong))
    assert stops(workspace) == kept


@pytest.mark.parametrize("name", ["policy", "rules", "policies", "probes", "notify", "preset", "x-mine"])
def test_a_value_is_of_a_parameter_and_of_nothing_else_in_settings(name: str, tmp_path: Path) -> None:
    workspace, _ = opened("bb3")
    for value in (str(tmp_path / "another.yaml"), "ralph", [1]):
        with pytest.raises(ExitgateError, match="is not a parameter"):
            workspace.draft("bb3", Draft(values={name: value}))
    assert not workspace.columns["bb3"].is_draft


def test_a_shipped_policy_has_no_text_to_draft() -> None:
    workspace, _ = opened("bb3")
    with pytest.raises(ExitgateError, match="no file of its own"):
        workspace.draft("bb3", Draft(text="policy: bb3\n"))


def test_a_locked_rule_stays() -> None:
    workspace, _ = opened()
    locked = next(r for r in workspace.columns["recommended"].settled.policy.rules if r.locked)
    with pytest.raises(ExitgateError, match="EP"):
        workspace.draft("recommended", Draft(disabled=(locked.id,)))


def test_what_extractors_read_is_read_again() -> None:
    workspace, page = opened("loop-detection")
    done = page.after(lambda: workspace.draft("loop-detection", Draft(values={"loop_window": 7})))
    assert done["type"] == "done"
    assert any(event["type"] == "progress" for event in page.events)
    assert stops(workspace) == stops_of("loop-detection", {"loop_window": "7"})


def test_the_text_of_a_policy_is_a_draft_too(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    shutil.copyfile(path("bb3"), own)
    text = own.read_text(encoding="utf-8")
    workspace, page = opened("mine", reference=str(own))
    before = stops(workspace)
    changed = text.replace("rules:", "rules:\n  - {id: at_once, when: run.iterations >= 1, exit: review}", 1)
    page.after(lambda: workspace.draft("mine", Draft(text=changed)))
    assert stops(workspace) == [1] * len(before)
    assert own.read_text(encoding="utf-8") == text, "nothing is written"
    with pytest.raises(ExitgateError):
        workspace.draft("mine", Draft(text=text + "\nnonsense: ["))
    page.after(lambda: workspace.draft("mine", Draft(text=text)))
    assert stops(workspace) == before


def test_a_newer_draft_is_the_one_that_counts() -> None:
    workspace, page = opened("bb3")

    def both() -> None:
        workspace.draft("bb3", Draft(values={"min_completion": 10}))
        workspace.draft("bb3", Draft(values={"min_completion": 95}))

    page.after(both)
    done = [event["revision"] for event in page.events if event["type"] == "done"]
    assert done[-1] == workspace.revision
    assert stops(workspace) == stops_of("bb3", {"min_completion": "95"})


def test_a_sweep_counts_what_each_point_comes_to() -> None:
    workspace, _ = opened("bb3")
    points = list(sweep(workspace, "bb3", (Axis("min_completion", (10, 90, 1_000)),)))
    labelled = len(workspace.labelled.marks)
    assert [sum(p[k] for k in ("right", "late", "premature", "missed")) for p in points[:2]] == [labelled] * 2
    assert points[0]["premature"] >= points[1]["premature"]
    assert "problem" in points[2]
    table = list(
        sweep(workspace, "bb3", (Axis("min_completion", (10, 90)), Axis("stagnation_loops", (2, 3))))
    )
    assert [one["values"] for one in table] == [
        {"min_completion": a, "stagnation_loops": b} for a in (10, 90) for b in (2, 3)
    ]
    with pytest.raises(ExitgateError, match="400"):
        list(sweep(workspace, "bb3", (Axis("min_completion", tuple(range(401))),)))
