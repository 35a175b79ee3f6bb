"""Where a gate looks and what it leaves behind: with a project, without one, with a ledger for a while."""

from __future__ import annotations

import gc
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from patience import PATIENCE

from exitgate import TEMPORARY, ExitgateError, Gate, Iteration
from exitgate.surfaces.in_process.directory import directory_of
from exitgate.surfaces.in_process.gate import _QUEUE

DONE = "- [x] a\n"
SETTINGS = "exit_decision:\n  policy: small.yaml\n  same: 1\n"


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_a_gate_in_a_project_obeys_its_settings(place: Path) -> None:
    (place / ".bb3").mkdir()
    (place / ".bb3/config.yaml").write_text(SETTINGS.replace("small.yaml", str(place / "small.yaml")))
    turn = Iteration("going on", plan="- [ ] a\n")
    assert [Gate(run="r").check(turn).outcome for _ in range(2)] == ["otherwise", "same"]
    assert Gate(run="s", settings={"same": 2}).check(turn).go_on


def test_a_gate_without_a_project_looks_for_nothing_and_leaves_nothing(place: Path, temporary: Path) -> None:
    (place / ".bb3").mkdir()
    (place / ".bb3/config.yaml").write_text("not: [a, setting\n")
    (place / "fix_plan.md").write_text(DONE)
    before = sorted(place.rglob("*"))
    gate = Gate("small.yaml", root=None)
    decision = gate.check("going on")
    assert decision.outcome == "otherwise"
    assert "no plan was given" in gate.explain()
    assert sorted(place.rglob("*")) == before
    (folder,) = temporary.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    del gate
    gc.collect()
    assert list(temporary.iterdir()) == []
    assert decision.message == ""


def test_settings_of_the_user_count_without_a_project_too(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = place.parent / "home" / "exitgate"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("exit_decision: {same: 1}\n")
    turn = Iteration("going on", plan="- [ ] a\n")
    gate = Gate("small.yaml", root=None)
    assert [gate.check(turn).outcome for _ in range(2)] == ["otherwise", "same"]
    monkeypatch.setenv("EXITGATE_SET_SAME", "2")
    gate = Gate("small.yaml", root=None)
    assert [gate.check(turn).outcome for _ in range(3)] == ["otherwise", "otherwise", "same"]


def test_a_temporary_ledger_in_a_project(place: Path, temporary: Path) -> None:
    (place / "fix_plan.md").write_text("- [ ] a\n")
    gate = Gate("small.yaml", state_dir=TEMPORARY, settings={"same": 1})
    assert [gate.check("going on").outcome for _ in range(2)] == ["otherwise", "same"]
    assert not (place / ".ralph/exitgate").exists()
    (place / "fix_plan.md").write_text(DONE)
    assert gate.check("going on").outcome == "done"
    assert Gate("small.yaml", state_dir=TEMPORARY).check("a").go_on is False


def test_each_temporary_ledger_is_a_history_of_its_own(place: Path, temporary: Path) -> None:
    gates = [Gate("small.yaml", root=None, settings={"same": 1}) for _ in range(3)]
    assert [gate.check(Iteration("a", plan="- [ ] a\n")).outcome for gate in gates] == ["otherwise"] * 3
    assert len(list(temporary.iterdir())) == 3


def test_a_temporary_ledger_stays_for_a_gate_on_another_run(place: Path, temporary: Path) -> None:
    other = Gate("small.yaml", root=None).for_run("other")
    gc.collect()
    assert other.check("one").go_on and other.check("two").go_on
    assert "other#1 iteration 2" in other.explain()
    del other
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_gates_that_come_and_go_leave_nothing_in_the_process(place: Path, temporary: Path) -> None:
    def one() -> None:
        Gate("small.yaml", root=None).check("going on")

    one()  # compiles the policy and keeps it in the user's cache
    one()  # reads it from there
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(12):
        one()
    gc.collect()
    assert len(gc.get_objects()) - before < 12
    assert len(_QUEUE.locks) == 0
    assert list(temporary.iterdir()) == []


def test_a_ledger_somewhere_else_stays_there(place: Path, tmp_path: Path, temporary: Path) -> None:
    state = tmp_path / "state"
    assert Gate("small.yaml", root=None, state_dir=state).check("one").go_on
    gate = Gate("small.yaml", root=None, state_dir=state)
    assert "iteration 1" in gate.explain()


def test_a_process_that_ends_takes_its_temporary_ledger_along(place: Path, tmp_path: Path) -> None:
    code = "import exitgate; g = exitgate.Gate('small.yaml', root=None); print(g.check('one').verdict)"
    folder = tmp_path / "of-the-process"
    folder.mkdir()
    environment = {**os.environ, "TMPDIR": str(folder)}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert ran.stdout == "CONTINUE\n"
    assert list(folder.iterdir()) == []


def test_places_are_absolute(place: Path) -> None:
    found = directory_of(object(), ".", "state")
    assert (found.layers, found.root, found.ledger) == (str(place), str(place), str(place / "state"))
    assert found.not_looked_for == ("response",)


def test_a_ledger_that_cannot_be_written_is_an_error_and_not_a_decision(place: Path) -> None:
    (place / "state").write_text("a file is in the way\n")
    gate = Gate("small.yaml", state_dir="state")
    with pytest.raises(ExitgateError, match="EP831") as refused:
        gate.check("one")
    assert refused.value.exit_code == 73
    assert gate.last is None
    (place / "state").unlink()
    assert gate.check("one").go_on


def test_where_no_temporary_folder_can_be_made(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(place / "nowhere"))
    with pytest.raises(ExitgateError, match="EP831") as refused:
        Gate("small.yaml", root=None)
    assert refused.value.exit_code == 73
