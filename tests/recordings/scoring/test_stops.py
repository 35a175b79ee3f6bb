"""`benchmarks/score.py` on recorded runs: shapes of our own, read as they are and otherwise."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from compiled import COMPILED
from judged_loops import loop

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks.stops import CLASS, UNREAD, shape_stops  # noqa: E402

DONE = "The shed is painted.\n\n<promise>COMPLETE</promise>"
PART = "One wall is painted, three are left."


@pytest.fixture(autouse=True)
def compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXITGATE_CACHE_DIR", COMPILED)


def shape(folder: Path, said: list[str], **expected: object) -> None:
    place = loop(folder, "shed", said)
    run = {"started": None, "iterations": len(said), "right_stop": None, "right_class": None, **expected}
    (place / "EXPECTED.yaml").write_text(yaml.safe_dump({"runs": [run]}), encoding="utf-8")


@pytest.mark.parametrize(
    ("said", "expected", "kind"),
    [
        ([PART, DONE], {"right_stop": 2, "right_class": "complete"}, "right"),
        ([PART, DONE], {"right_stop": 1, "right_class": "complete", "ok": [1, 2]}, "right"),
        ([PART, DONE], {"right_stop": 2, "right_class": "blocked"}, CLASS),
        ([PART, DONE], {"right_stop": 1, "right_class": "complete"}, "late"),
        ([PART, DONE, PART], {"right_stop": 3, "right_class": "complete"}, "premature"),
        ([PART, DONE], {}, "premature"),
        ([PART, PART], {"right_stop": 2, "right_class": "complete"}, "missed"),
        ([PART, PART], {}, "right"),
        ([PART, DONE], {"iterations": 3, "right_stop": 2, "right_class": "complete"}, UNREAD),
    ],
)
def test_a_stop_is_beside_the_right_one(
    tmp_path: Path, said: list[str], expected: dict[str, object], kind: str
) -> None:
    shape(tmp_path, said, **expected)
    (one,) = shape_stops(tmp_path, ["recommended"])
    assert (one.run, one.policy, one.kind) == ("shed#1", "recommended", kind), one.detail


def test_a_shape_whose_iterations_nobody_can_count_is_left_out(tmp_path: Path) -> None:
    shape(tmp_path, [PART], iterations="unknown")
    assert list(shape_stops(tmp_path, ["recommended"])) == []


def test_the_command_prints_a_row_for_a_policy_and_fails_on_a_premature_stop(tmp_path: Path) -> None:
    shape(tmp_path, [PART, DONE])
    script = [sys.executable, str(ROOT / "benchmarks/score.py"), "--shapes", str(tmp_path)]
    found = subprocess.run([*script, "--policy", "recommended"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.splitlines()[0][:9]) == (1, "PREMATURE")
    assert found.stdout.splitlines()[-1].split() == ["recommended", "shapes", "1"]
    missing = subprocess.run([*script[:3], str(tmp_path / "no")], capture_output=True, text=True, check=False)
    assert (missing.returncode, "EXPECTED.yaml" in missing.stderr) == (66, True)
