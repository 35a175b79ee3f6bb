"""`exitgate dry-run`: what people see, exit codes, wrong uses; what it finds is tested with dry runs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_golden import same
from cli_loops import loop, policy
from cli_program import LOUD, run, run_apart
from cli_terminal import run_on_terminal
from patience import PATIENCE, wait_for
from sessions_on_disk import session

from exitgate.recordings.replay import dry_run
from exitgate.recordings.replay.transcript import ReplayedTranscript

WORDS = ["unsure", "likely", "certain", "unsure"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    loop(tmp_path / "runs", "one", WORDS)
    loop(tmp_path / "runs", "two", ["unsure", "unsure"], cost=None)
    session(tmp_path / "runs", "talk", ["likely", "unsure"])
    policy(tmp_path)
    return tmp_path


DRY = ("dry-run", "runs", "-p", "./sure.yaml", "-p", "./sure.yaml:enough=50", "--no-cache")


def test_the_page(place: Path) -> None:
    ran = run_apart(*DRY, cwd=place)
    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 80
    same("dry_run.txt", ran.out)


@pytest.mark.parametrize("done", [0, 1, 2])
def test_an_interrupted_one_says_how_far_it_came(
    place: Path, done: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked: list[object] = []

    def walk(*given: object) -> ReplayedTranscript:
        if len(walked) == done:
            raise KeyboardInterrupt
        walked.append(given[0])
        return whole(*given)  # type: ignore[arg-type]

    whole = dry_run.replay_transcript
    monkeypatch.setattr(dry_run, "replay_transcript", walk)
    ran = run(*DRY[:4], "--no-cache", "--jobs", "1", cwd=place)
    assert ran.code == 130
    assert f"interrupted after {done} of " in ran.err
    assert ran.out.count("interrupted: results so far") == 1


def test_every_iteration(place: Path) -> None:
    ran = run(*DRY[:4], "--no-cache", "--detail", "--all", cwd=place)
    assert (ran.code, ran.err) == (0, "")
    same("dry_run_detail.txt", ran.out)


def test_markdown(place: Path) -> None:
    same("dry_run.md", run(*DRY, "--format", "markdown", cwd=place).out)


def test_what_was_expected(place: Path) -> None:
    ran = run(*DRY[:4], "-e", "one=complete@3", "-e", "two=never", cwd=place)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "2 expectations met")
    (place / "labels.yaml").write_text("labels: [{run: one, stop: 2}, {run: talk, stop: never}]\n", "utf-8")
    ran = run(*DRY, "--expect", "labels.yaml", cwd=place)
    assert ran.code == 69
    same("dry_run_expect.txt", ran.out[ran.out.index("4 expectations") - 5 :])


def test_labels_of_runs_that_are_not_there(place: Path) -> None:
    ran = run(*DRY, "-e", "tow=never", cwd=place)
    assert (ran.code, ran.out) == (65, "")
    assert "did you mean `two`?" in ran.err


def test_wrong_uses_are_told_all_at_once(place: Path) -> None:
    words = ("-p", "bb33", "-p", "./sure.yaml:enuff=1", "-e", "one=done", "--reader", "claude-sesion")
    ran = run("dry-run", "runs", *words, cwd=place)
    assert (ran.code, ran.out) == (65, "")
    for told in ("no policy `bb33`", "`enuff`", "`done` is not a class", "no reader `claude-sesion`"):
        assert told in ran.err, ran.err
    assert ran.err.count("error[") == 4


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--jobs", "0"), 64, "`--jobs 0` is less than 1"),
        (("--all", "--stop-at-first"), 64, "exclude each other"),
        (("--format", "parquet"), 64, "is not text"),
        (("-o", "runs/talk.jsonl"), 64, "would overwrite"),
        (("-o", "runs"), 73, "is a folder"),
        (("-o", "no/file.txt"), 73, "there is no folder `no`"),
        (("--set", "enuff=3", "-p", "./sure.yaml"), 65, "enuff"),
        (("-e", "gone.yaml"), 66, "gone.yaml"),
    ],
)
def test_wrong_uses(place: Path, words: tuple[str, ...], code: int, told: str) -> None:
    before = hashed(place)
    ran = run("dry-run", "runs/talk.jsonl", *words, cwd=place)
    assert (ran.code, ran.out) == (code, "")
    assert told in ran.err
    assert hashed(place) == before


def test_nothing_there(place: Path) -> None:
    (place / "empty").mkdir()
    ran = run("dry-run", "empty", cwd=place)
    assert (ran.code, ran.out) == (66, "")
    assert "no recorded runs in `empty`" in ran.err
    (place / "notes.txt").write_text("# Notes\n", encoding="utf-8")
    ran = run("dry-run", "notes.txt", cwd=place)
    assert (ran.code, ran.out) == (65, "")
    assert "no reader recognises the format of `notes.txt`: it looks like" in ran.err


def test_what_cannot_be_read_does_not_stop_the_rest(place: Path) -> None:
    ran = run(*DRY, "gone.jsonl", cwd=place)
    assert ran.code == 66
    assert "cannot read `gone.jsonl`" in ran.err
    assert "one  4 iterations" in ran.out
    broken = (place / "runs" / "talk.jsonl").read_bytes()
    (place / "runs" / "talk.jsonl").write_bytes(broken.replace(b'{"type": "user"', b'{"type: "user"', 1))
    ran = run(*DRY, cwd=place)
    assert ran.code == 0
    assert "talk.jsonl:1:" in ran.err


def test_the_policy_in_force_is_the_projects(place: Path) -> None:
    (place / ".bb3").mkdir()
    text = "exit_decision: {policy: ../sure.yaml, enough: 50}\n"
    (place / ".bb3" / "config.yaml").write_text(text, encoding="utf-8")
    plain = json.loads(run("dry-run", "runs", "--format", "json", cwd=place).out)
    assert {row["run"]: row["stop"] for row in plain["stops"]} == {"one": 2, "two": None, "talk": 1}
    more = json.loads(run("dry-run", "runs", "--set", "enough=95", "--format", "json", cwd=place).out)
    assert {row["stop"] for row in more["stops"]} == {None}


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "csv", "parquet", "markdown", "junit", "github"])
def test_a_file_of_every_form(place: Path, form: str) -> None:
    ran = run(*DRY, "--format", form, "-o", "out", cwd=place)
    assert (ran.code, ran.out, ran.err) == (0, "wrote out\n", "")
    if form != "parquet":
        assert (place / "out").read_bytes().decode() == run(*DRY, "--format", form, cwd=place).out
    else:
        assert (place / "out").read_bytes()[:4] == b"PAR1"


@pytest.mark.parametrize("form", ["text", "json", "junit", "github", "markdown"])
def test_what_is_wrong_with_the_cache_is_a_remark_and_no_result(place: Path, form: str) -> None:
    for number in range(6):
        session(place / "runs", f"more-{number}", ["likely"])
    cache = place / "cache"
    cache.mkdir(mode=0o700)
    words = (*DRY[:4], "--format", form)
    first = run(*words, cwd=place, XDG_CACHE_HOME=str(cache))
    for path in cache.rglob("*.facts"):
        path.write_bytes(b"{}")
    damaged = run(*words, cwd=place, XDG_CACHE_HOME=str(cache))
    assert (damaged.code, damaged.out) == (0, first.out)
    assert damaged.err.count("are damaged") == 3
    assert damaged.err.endswith("note: 6 more remarks like these\n")
    assert run(*words, cwd=place, XDG_CACHE_HOME=str(cache)) == first
    assert first.err == ""


def hashed(folder: Path) -> dict[str, tuple[str, int]]:
    """Return content and time of change of everything below a folder."""
    return {
        str(path.relative_to(folder)): (
            hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest(),
            path.lstat().st_mtime_ns,
        )
        for path in sorted(folder.rglob("*"))
    }


NO_NETWORK = """
import os, socket, sys
def refuse(*_, **__):
    raise AssertionError("a dry run asked for the network")
real = socket.socket.connect
def connect(self, address):
    # processes of its own are talked to through a file
    return real(self, address) if self.family == socket.AF_UNIX else refuse()
socket.socket.connect = connect
socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
from exitgate.cli.main import main
# in one process: `bb3` is compiled once for all of them
for number, more in enumerate(%r):
    os.environ["XDG_CACHE_HOME"] = os.path.join(os.environ["CACHES"], str(number))
    code = main([*sys.argv[1:], *more])
    if code:
        sys.exit(f"{code} with {more}")
"""
WAYS = [[], ["--jobs", "2"], ["--no-cache"]]


def test_no_state_is_touched_and_no_network_asked(
    place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home, caches = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("caches")
    (home / ".ralph").mkdir()
    state = place / ".ralph" / "exitgate"
    state.mkdir(parents=True)
    (state / "ledger.jsonl").write_text("", encoding="utf-8")
    (place / ".ralph" / "last-response.md").write_text("certain", encoding="utf-8")
    state.chmod(0o500)
    before = hashed(place), hashed(home)
    environment = {
        **{name: value for name, value in os.environ.items() if name not in LOUD},
        "HOME": str(home), "CACHES": str(caches),
    }  # fmt: skip
    words = ["dry-run", "runs", "-p", "./sure.yaml", "-p", "bb3", "--all", "--detail"]
    for number in range(len(WAYS)):
        (caches / str(number)).mkdir(mode=0o700)
    ran = subprocess.run(
        [sys.executable, "-c", NO_NETWORK % (WAYS,), *words],
        cwd=place, env=environment, capture_output=True, check=False, timeout=PATIENCE,
    )  # fmt: skip
    state.chmod(0o700)
    assert ran.returncode == 0, ran.stderr.decode()
    assert (hashed(place), hashed(home)) == before
    kept = [any((caches / str(number)).rglob("*.facts")) for number in range(len(WAYS))]
    assert kept == ["--no-cache" not in more for more in WAYS]


@pytest.mark.parametrize(("jobs", "short", "enough"), [("1", 24, 20), ("2", 240, 248)])
def test_ctrl_c_ends_with_what_is_done(place: Path, jobs: str, short: int, enough: int) -> None:
    for number in range(short):
        session(place / "many", f"run-{number:03}", ["unsure"] * 8, padding=25_000)
    for number in range(short, short + 20):
        # what nobody waits for takes long: the program is never through before it is interrupted
        session(place / "many", f"run-{number:03}", ["unsure"] * 300)
    words = ["dry-run", "many", "-p", "./sure.yaml", "--jobs", jobs, "--format", "json"]
    environment = {name: value for name, value in os.environ.items() if name not in LOUD}
    child = subprocess.Popen(
        [sys.executable, "-m", "exitgate", *words],
        cwd=place, env={**environment, "XDG_CACHE_HOME": str(place / "cache")},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    # so many are done: with two processes more than one batch of each, all of them taken by the first one
    wait_for(lambda: len(list((place / "cache").rglob("*.facts"))) >= enough, "runs that are done")
    # as a terminal does it: to every process of the group
    os.killpg(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == 130, err.decode()
    plain = json.loads(out)
    assert plain["interrupted"] is True
    done = [row["run"] for row in plain["runs"]]
    told = re.fullmatch(r"interrupted after (\d+) of (\d+) transcripts found so far\n", err.decode())
    assert told is not None, err.decode()
    assert len(done) == int(told[1]) <= int(told[2]) <= short + 20
    assert 0 < len(done) < short + 20
    assert done == [f"run-{number:03}" for number in range(len(done))]
    wait_for(lambda: not of_group(child.pid), "the end of its processes")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_one_that_was_killed(place: Path, how: signal.Signals) -> None:
    for number in range(60):
        session(place / "many", f"run-{number:02}", ["unsure"] * 16, padding=25_000)
    words = ["dry-run", "many", "-p", "./sure.yaml", "--jobs", "2", "--no-cache"]
    environment = {name: value for name, value in os.environ.items() if name not in LOUD}
    child = subprocess.Popen(
        [sys.executable, "-m", "exitgate", *words],
        cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    # this one, and two that walk
    wait_for(lambda: len(of_group(child.pid)) >= 3, "its processes")
    child.send_signal(how)
    child.communicate(timeout=PATIENCE)
    wait_for(lambda: not of_group(child.pid), "the end of its processes")


def of_group(number: int) -> list[str]:
    """Return the processes of a group that still run."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state, _, group = Path("/proc", name, "stat").read_text("utf-8").rpartition(")")[2].split()[:3]
        except OSError:
            continue  # it has ended
        if int(group) == number and state != "Z":
            found.append(name)
    return found


def test_a_bar_on_a_terminal_leaves_nothing_behind(place: Path) -> None:
    shown = run_on_terminal(*DRY, cwd=place)
    assert shown.code == 0
    assert "dry run" in shown.out
    assert shown.out.rstrip().endswith("after its stops")


MEMORY = """
import sys
from exitgate.cli.main import main
code = main(sys.argv[1:])
# The kernel's ru_maxrss would count the process that started this one as well.
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(peak.split()[1], file=sys.stderr)
sys.exit(code)
"""


def test_memory_does_not_grow_with_what_is_read(place: Path) -> None:
    used = []
    for name, size in (("few", 2), ("many", 30)):
        for number in range(size):
            session(place / name, f"{name}-{number:03}", ["unsure"] * 20, padding=50_000)
        words = ["dry-run", name, "-p", "./sure.yaml", "--no-cache", "--jobs", "1"]
        ran = subprocess.run(
            [sys.executable, "-c", MEMORY, *words],
            cwd=place,
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
        assert ran.returncode == 0, ran.stderr
        used.append(int(ran.stderr.split()[-1]))
    few, many = used
    assert sum(path.stat().st_size for path in (place / "many").iterdir()) > 30_000_000
    assert many - few < 10_000, used
