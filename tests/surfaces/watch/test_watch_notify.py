"""A command told of an EXIT: once, without a shell, bounded, its failure told and kept."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from pathlib import Path

import pytest
from watched_loops import Loop

from exitgate.core.ledger.typed import LedgerLine, typed
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.incidents import incidents
from exitgate.surfaces.watch.notify import TEXT, Notices, command_of, environment_of
from exitgate.surfaces.watch.wakeups import EndedBySignalError

HOSTILE = (
    "$(touch pwned) `touch pwned`; touch pwned\nEXITGATE_CLASS=complete \x1b[2J\x00 \u202e\ud800" + "x" * 9000
)


def ended(folder: Path, **decision: object) -> LedgerLine:
    """The line of an EXIT, with parts of its decision put in."""
    loop = Loop(folder, "bb3", "nightly")
    line = dict(loop.step("all done", 6).line or {})
    assert line["decision"]["verdict"] == "EXIT"  # type: ignore[index]
    return typed({**line, "decision": {**line["decision"], **decision}})  # type: ignore[dict-item]


def script(folder: Path, body: str) -> tuple[str, ...]:
    """The words of a command: Python with `body`, which finds `folder` in `out`."""
    file = folder / "told.py"
    file.write_text(f"import os, sys, json\nout = {str(folder)!r}\n{body}\n", encoding="utf-8")
    return (sys.executable, "-I", "-S", str(file))


KEEPS = """
told = {k[9:]: v for k, v in os.environ.items() if k.startswith("EXITGATE_")}
with open(os.path.join(out, "told.jsonl"), "a") as file:
    file.write(json.dumps([told, json.load(sys.stdin)]) + "\\n")
"""


def test_what_the_command_is_told(tmp_path: Path) -> None:
    line = ended(tmp_path)
    notices = Notices(script(tmp_path, KEEPS), str(tmp_path))
    assert (*notices.tell(line), *notices.tell(line), *notices.wait()) == ()
    (told, stdin), *more = [json.loads(raw) for raw in (tmp_path / "told.jsonl").read_text().splitlines()]
    assert more == [], "once for each EXIT"
    assert stdin == line.plain
    assert told == {
        "VERDICT": "EXIT", "CLASS": "complete", "OUTCOME": "all_tasks_done", "RULE": "all_tasks_done",
        "MESSAGE": told["MESSAGE"], "FIRM": "true", "RUN": "nightly", "RUN_ID": "nightly#1",
        "ITERATION": "1", "AT": line.at, "POLICY": "bb3",
    }  # fmt: skip
    assert "6" in told["MESSAGE"]


def test_what_an_agent_wrote_cannot_run_or_pretend_anything(tmp_path: Path) -> None:
    line = ended(tmp_path, message=HOSTILE, outcome=HOSTILE)
    words = command_of(f"{shlex.join(script(tmp_path, KEEPS))} $EXITGATE_MESSAGE '; touch pwned'")
    assert words[-2:] == ("$EXITGATE_MESSAGE", "; touch pwned")
    notices = Notices(words, str(tmp_path))
    assert (*notices.tell(line), *notices.wait()) == ()
    told, stdin = json.loads((tmp_path / "told.jsonl").read_text())
    assert told["CLASS"] == "complete"
    assert len(told["MESSAGE"]) == TEXT
    assert told["MESSAGE"].isprintable()
    assert stdin["decision"]["message"] == HOSTILE
    assert not list(tmp_path.rglob("pwned"))


def test_going_on_is_not_told(tmp_path: Path) -> None:
    line = typed(Loop(tmp_path, "bb3").step("one", 1).line or {})
    notices = Notices(script(tmp_path, KEEPS), str(tmp_path))
    assert (*notices.tell(line), *notices.wait()) == ()
    assert not (tmp_path / "told.jsonl").exists()


@pytest.mark.parametrize("kind", ["wait", "interrupted"])
def test_suspensions_are_told(kind: str, tmp_path: Path) -> None:
    notices = Notices(script(tmp_path, KEEPS), str(tmp_path))
    assert (*notices.tell(ended(tmp_path, **{"class": kind})), *notices.wait()) == ()
    assert json.loads((tmp_path / "told.jsonl").read_text())[0]["CLASS"] == kind


def test_a_failure_is_told_and_kept(tmp_path: Path) -> None:
    notices = Notices(script(tmp_path, "print('no net\\x1b[2J'); sys.exit(3)"), str(tmp_path))
    told = (*notices.tell(ended(tmp_path)), *notices.wait())
    assert len(told) == 1
    assert told[0].startswith(
        "the command notified of the EXIT of nightly#1 iteration 1 failed with 3: no net"
    )
    (kept,) = incidents(str(tmp_path))
    assert (kept["kind"], kept["run"], kept["program"]) == ("notify", "nightly#1", sys.executable)
    assert str(kept["message"]).isprintable()


def test_of_many_words_few_are_told(tmp_path: Path) -> None:
    notices = Notices(script(tmp_path, "print('x' * 10**6); sys.exit(1)"), str(tmp_path))
    (told,) = (*notices.tell(ended(tmp_path)), *notices.wait())
    assert told.endswith(": " + "x" * 200)


def test_one_that_hangs_is_ended_with_all_it_started(tmp_path: Path) -> None:
    body = """
if os.fork() == 0:
    os.write(1, b"child %d\\n" % os.getpid())
while True:
    pass
"""
    now = [0.0]
    notices = Notices(script(tmp_path, body), str(tmp_path), 30.0, lambda: now[0])
    assert notices.tell(ended(tmp_path)) == ()
    assert notices.done() == (), "it is under way, and nobody waits for it"
    now[0] = 31.0
    (told,) = notices.wait()
    assert "took longer than 30 s and was ended" in told
    assert [one["kind"] for one in incidents(str(tmp_path))] == ["notify"]


def test_one_that_is_gone_by_then(tmp_path: Path) -> None:
    notices = Notices((str(tmp_path / "gone"),), str(tmp_path))
    (told,) = notices.tell(ended(tmp_path))
    assert "cannot be started" in told
    assert notices.wait() == ()


@pytest.mark.parametrize("text", ["", "   ", "'no end", "no-such-program-anywhere", "./nothing --here"])
def test_what_is_no_command(text: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        command_of(text)
    assert (caught.value.exit_code, caught.value.diagnostics[0].code) == (64, "EP582")


def test_the_environment_is_kept(tmp_path: Path) -> None:
    found = environment_of(ended(tmp_path), {"PATH": "/bin", "EXITGATE_CLASS": "old"})
    assert (found["PATH"], found["EXITGATE_CLASS"]) == ("/bin", "complete")


def test_waiting_has_a_limit_and_what_is_under_way_can_be_ended(tmp_path: Path) -> None:
    notices = Notices(script(tmp_path, "while True: pass"), str(tmp_path))
    assert notices.tell(ended(tmp_path)) == ()
    assert notices.wait(0.05) == ()
    assert notices.under_way
    (told,) = notices.end()
    assert "was ended because the wait for it was interrupted" in told
    assert not notices.under_way
    assert [one["kind"] for one in incidents(str(tmp_path))] == ["notify"]


def test_a_signal_waits_until_the_question_to_a_command_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One in the middle of it would leave the command's lock taken, and the next question without an end."""
    notices = Notices(script(tmp_path, "sys.stdin.read(); time.sleep(60)"), str(tmp_path))
    assert notices.tell(ended(tmp_path)) == ()
    process = notices._under_way[0].process
    poll, over = process.poll, []

    def interrupted() -> int | None:
        os.kill(os.getpid(), signal.SIGTERM)
        code = poll()
        over.append(True)
        return code

    monkeypatch.setattr(process, "poll", interrupted)
    before = signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(EndedBySignalError(15)))
    try:
        with pytest.raises(EndedBySignalError):
            notices.done()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert over == [True]
    assert len(notices.end()) == 1
