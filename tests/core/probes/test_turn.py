"""One check at a time asks the world, and what a killed one left is ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each
from patience import PATIENCE, wait_for

from exitgate.core.probes import turn
from exitgate.core.probes.turn import NAME, HeldError, Turn
from exitgate.core.system import process_group


def test_what_is_asked_is_there_for_others_to_see(tmp_path: Path) -> None:
    first = Turn(str(tmp_path), 0)
    first.note("tests", 60.0, os.getpid())
    with pytest.raises(HeldError, match=r"^verifying `tests`, for \d+ s so far$"):
        Turn(str(tmp_path), 0)
    said = json.loads((tmp_path / NAME).read_bytes())
    assert said["pid"] == os.getpid()
    assert said["until"] - said["since"] == 60.0
    first.note("a", 1.0)  # a shorter line leaves nothing of the longer one
    assert json.loads((tmp_path / NAME).read_bytes())["probe"] == "a"
    first.close()
    first.close()
    assert (tmp_path / NAME).read_bytes() == b""
    second = Turn(str(tmp_path), 0)
    assert not second.waited
    second.close()


def test_one_that_waits_hears_of_the_other_and_then_has_it(tmp_path: Path) -> None:
    first = Turn(str(tmp_path), 0)
    first.note("tests", 60.0)
    heard: list[str] = []

    def watch(_: float, text: str) -> None:
        heard.append(text)
        if len(heard) == 2:
            first.close()

    second = Turn(str(tmp_path), PATIENCE, watch)
    assert second.waited
    assert "`tests`" in heard[0]
    second.close()


def test_one_whose_time_is_long_up_is_not_waited_for(tmp_path: Path) -> None:
    first = Turn(str(tmp_path), 0)
    first.note("tests", -turn._GRACE - 1)
    with pytest.raises(HeldError, match="`tests`"):
        Turn(str(tmp_path), PATIENCE)
    first.close()


@each(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 4000,
        b'{"child": 1, "began": "x"}',
        b'{"child": -1, "began": "x"}',
        b'{"child": "1", "began": 1}',
        b'{"child": 99999999999999999999, "began": "x"}',
        b'{"probe": 3, "until": "x", "since": []}',
        b'{"since": 1e300, "until": -1e300}',
        b" " * 100_000,
    ],
    ids=lambda one: repr(one)[:40],
)
def test_no_content_of_the_lock_ends_a_check_or_a_process(content: bytes, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(content)
    one = Turn(str(tmp_path), 0)
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(HeldError, match=r"^verifying"):
        Turn(str(tmp_path), 0)
    one.close()


def test_a_lock_that_names_somebody_elses_process_ends_nothing(tmp_path: Path) -> None:
    """A clone can write a number; it cannot know when the process of that number began."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as other:
        began = process_group.identity(other.pid)
        assert began is not None
        for wrong in ("", "x", began + "1", began.split()[0], f"{began.split()[0]} 1"):
            (tmp_path / NAME).write_text(json.dumps({"child": other.pid, "began": wrong}))
            Turn(str(tmp_path), 0).close()
            assert other.poll() is None, wrong
        (tmp_path / NAME).write_text(json.dumps({"child": other.pid, "began": began}))
        Turn(str(tmp_path), 0).close()
        assert other.wait(PATIENCE) == -signal.SIGKILL


def planted_link(path: Path) -> None:
    (path.parent / "outside").write_text("kept")
    path.symlink_to("outside")


@pytest.mark.parametrize("plant", [planted_link, os.mkfifo, Path.mkdir])
def test_no_other_file_is_a_lock(plant: object, tmp_path: Path) -> None:
    plant(tmp_path / NAME)  # type: ignore[operator]
    with pytest.raises(OSError, match=r"(?i)is a "):
        Turn(str(tmp_path), 0)
    assert not (tmp_path / "outside").exists() or (tmp_path / "outside").read_text() == "kept"


HOLDER = """
import os, sys, time
from exitgate.core.probes import running
from exitgate.core.probes.turn import Turn
one = Turn(sys.argv[1], 0)
script = "import os, time; open(%r, 'w').write(str(os.getpid())); time.sleep(600)" % sys.argv[2]
words = [sys.executable, "-c", script]
running.run(words, dict(os.environ), sys.argv[1], 600, started=lambda child: one.note("tests", 600, child))
"""


def test_what_a_killed_check_left_running_is_ended_by_the_next(tmp_path: Path) -> None:
    child = tmp_path / "child"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(tmp_path), str(child)]) as holder:
        try:
            wait_for(
                lambda: child.exists() and child.read_text() and b'"tests"' in (tmp_path / NAME).read_bytes()
            )
            with pytest.raises(HeldError, match="`tests`"):
                Turn(str(tmp_path), 0)
        finally:
            holder.kill()
    left = int(child.read_text())
    assert process_group.members(left)
    Turn(str(tmp_path), 0).close()
    wait_for(lambda: not process_group.members(left))


RACER = """
import os, sys, time
from exitgate.core.probes.turn import Turn
for _ in range(20):
    one = Turn(sys.argv[1], 60)
    os.close(os.open(sys.argv[1] + "/inside", os.O_CREAT | os.O_EXCL))
    time.sleep(0.001)
    os.unlink(sys.argv[1] + "/inside")
    one.close()
"""


def test_no_two_have_it_at_once(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, str(tmp_path)], stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [racer.communicate(timeout=PATIENCE)[1].decode()[-300:] for racer in racers] == ["", "", ""]
