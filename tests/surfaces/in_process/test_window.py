"""A gate keeps what it read of its run: it decides as gates that read it anew, and reads little."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exitgate import Gate, Iteration
from exitgate.core.ledger.file import path_in
from exitgate.core.ledger.window import RUNS
from exitgate.core.system import portable
from exitgate.recordings.ledger.replay import replay

PLANS = ("- [ ] a\n- [ ] b\n", "- [x] a\n- [ ] b\n", "- [x] a\n- [x] b\n")
#: A turn of the gate's run or of another one, by the gate or by someone else; a reset; a damaged line.
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["mine", "mine", "other"]), st.booleans(), st.sampled_from(PLANS)),
        st.sampled_from(["reset", "damage"]),
    ),
    max_size=12,
)


def damage(state: str) -> None:
    """Overwrite the last line but one; the file stays as long as it was."""
    path = Path(path_in(state))
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    if len(lines) > 1:
        lines[-2] = b"x" * (len(lines[-2]) - 1) + b"\n"
        path.write_bytes(b"".join(lines))


def walk(state: str, steps: list[object], *, anew: bool) -> list[str]:
    """Return what came of each step, without the folder and offsets, which times of many digits move."""

    def gate(run: str) -> Gate:
        return Gate("small.yaml", root=None, state_dir=state, run=run, settings={"same": 4, "budget": 8})

    mine = gate("mine")
    kept = {"mine": mine, "other": mine.for_run("other")}
    found: list[object] = []
    for number, step in enumerate(steps):
        if isinstance(step, tuple):
            run, other_process, plan = step
            asked = gate(run) if anew or other_process else kept[run]
            found.append(asked.check(Iteration(f"turn {number}", plan=plan)))
        elif step == "reset":
            found.append(kept["mine"].reset())
        else:
            damage(state)
    return [re.sub(r"offset \d+", "offset", str(one).replace(state, "STATE")) for one in found]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_it_decides_as_gates_that_read_anew(place: Path, steps: list[object]) -> None:
    with tempfile.TemporaryDirectory(dir=place) as one, tempfile.TemporaryDirectory(dir=place) as other:
        assert walk(one, steps, anew=False) == walk(other, steps, anew=True)
        if "damage" not in steps:
            assert [again.difference for again in replay(one) if not again.same] == []


def test_a_check_reads_its_newest_lines_and_no_window(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate("small.yaml", root=None, settings={"same": 60, "budget": 500})
    for number in range(70):
        gate.check(Iteration(f"turn {number}", plan=PLANS[number % 2]))
    line = os.path.getsize(path_in(gate._directory)) // 70
    read: list[int] = []
    real = portable.pread
    monkeypatch.setattr(portable, "pread", lambda *asked: read.append(len(got := real(*asked))) or got)
    gate.check(Iteration("one more", plan=PLANS[0]))
    assert 0 < sum(read) < 20 * max(line, 1 << 13)
    assert 0 < len(read) < 30


def test_no_more_runs_are_kept_than_the_bound(place: Path) -> None:
    gate = Gate("small.yaml", root=None)
    for number in range(RUNS + 5):
        gate.for_run(f"run {number}").check("going on")
    window = gate._asked.window
    assert window is not None
    assert len(window._runs) == RUNS
