"""Two policies on all runs: every run is in one group or among those that both stop alike."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.scoring.labels import load
from exitgate.surfaces.studio.workspace.compare import _key, comparison
from exitgate.surfaces.studio.workspace.policies import Draft, Origin
from exitgate.surfaces.studio.workspace.rows import Cells
from exitgate.surfaces.studio.workspace.workspace import Workspace

EXAMPLES = Path(__file__).parents[4] / "examples" / "transcripts"
NAMES = ("bb3", "loop-detection")


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    origins = [Origin(name, name, {}, ".") for name in NAMES]
    made = Workspace([str(EXAMPLES)], origins, [load(str(EXAMPLES / "labels.yaml"))])
    made.load()
    return made


def test_groups_say_what_a_dry_run_says(workspace: Workspace) -> None:
    found = comparison(workspace, *NAMES)
    results = dry_run([str(EXAMPLES)], list(NAMES)).results
    pairs = [results[at : at + 2] for at in range(0, len(results), 2)]
    groups = found["groups"]
    assert isinstance(groups, list)
    runs = [n for group in groups for n, _ in group["runs"]]
    assert len(runs) == len(set(runs)) == found["runs"] - found["same"]  # type: ignore[operator]
    for number, (one, other) in enumerate(pairs, 1):
        stops = [(r.stop.iteration, r.stop.exit_class, r.stop.rule) if r.stop else None for r in (one, other)]
        assert (number in runs) == (stops[0] != stops[1])
    for group in groups:
        example = group["example"]
        stops = [None if stop is None else stop["at"] for stop in example["stops"]]
        assert example["at"] == min(at for at in stops if at is not None)
        if group["kind"] in ("earlier", "later"):
            assert (stops[0] < stops[1]) == (group["kind"] == "earlier")
    mirrored = comparison(workspace, *reversed(NAMES))
    assert mirrored["same"] == found["same"]
    assert mirrored["totals"] == list(reversed(found["totals"]))  # type: ignore[call-overload]
    assert [group["better"] for group in groups] == [
        next(
            one["worse"]
            for one in mirrored["groups"]  # type: ignore[attr-defined]
            if one["example"]["n"] == group["example"]["n"]
        )
        for group in groups
    ]


def test_a_draft_is_compared_with_what_is_saved() -> None:
    done = Event()
    own = Workspace(
        [str(EXAMPLES)],
        [Origin("bb3", "bb3", {}, ".")],
        publish=lambda event: done.set() if event["type"] == "done" else None,
    )
    own.load()
    assert comparison(own, "bb3", "bb3@saved")["same"] == 5
    own.draft("bb3", Draft({"min_completion": 5}, disabled=("stagnation",)))
    assert done.wait(60)
    found = comparison(own, "bb3@saved", "bb3")
    assert found["same"] != 5
    told = {(one["section"], one["name"], one["kind"]) for one in found["changes"]}  # type: ignore[attr-defined]
    assert ("rules", "stagnation", "removed") in told
    assert ("parameters", "min_completion", "changed") in told
    assert found["groups"][0]["kind"] in ("earlier", "later", "only_a", "only_b")  # type: ignore[index]


@pytest.mark.parametrize(("a", "b"), [("bb3", "other"), ("", "bb3"), ("bb3@old", "bb3")])
def test_what_is_not_here_is_refused(workspace: Workspace, a: str, b: str) -> None:
    with pytest.raises(ExitgateError, match="not one of these"):
        comparison(workspace, a, b)


Stop = dict[str, object] | None
STOPS = st.none() | st.builds(
    lambda at, name, rule: {"at": at, "class": name, "rule": rule, "outcome": "o"},
    st.integers(1, 4),
    st.sampled_from(["complete", "stuck"]),
    st.sampled_from(["x", "y", None]),
)


@given(STOPS, STOPS)
def test_every_pair_of_stops_has_one_way_to_part(a: Stop, b: Stop) -> None:
    first, second = (Cells("", one, None, None) for one in (a, b))
    key, mirrored = _key(first, second), _key(second, first)
    assert (key is None) == (mirrored is None)
    alike = a == b if a is None or b is None else all(a[name] == b[name] for name in ("at", "class", "rule"))
    assert (key is None) == alike
    other = {"earlier": "later", "later": "earlier", "only_a": "only_b", "only_b": "only_a"}
    if key is not None and mirrored is not None:
        assert mirrored == (other.get(key.kind, key.kind), key.rule_b, key.rule_a)
