"""Whatever goes wrong: exit code 0, one JSON object, the agent may stop, the user is told of it."""

from __future__ import annotations

import fcntl
import io
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hosts_calls import HOSTS, Hooks, call
from hosts_children import Child, started

from exitgate.cli.main import main
from exitgate.core.ledger import file
from exitgate.core.ledger.append import Ledger
from exitgate.core.ledger.verify import verify
from exitgate.core.state.incidents import incidents
from exitgate.hosts.hook import answer, session, session_files

#: Seconds after which the least patient host ends a hook (Copilot CLI, without a setting of its own).
HOST_LIMIT = 30.0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["hook"], "EP800"),
        (["hook", "clod"], "EP563"),
        (["hook", "claude-code", "--bogus"], "EP800"),
        (["hook", "--policy"], "EP800"),
        (["hook", "claude-code", "codex"], "EP800"),
        (["hook", "gemini", "--max-blocks", "0"], "EP800"),
        (["hook", "cursor", "--max-blocks", "many"], "EP800"),
        (["hook", "copilot", "--log-level", "loud"], "EP800"),
    ],
)
def test_a_wrong_command_line(hooks: Hooks, words: list[str], code: str) -> None:
    heard = call(words, b"{}")
    assert heard.code == 0
    assert heard.reason == ""
    assert code in heard.note
    assert hooks.kinds() == ["failed_open"]


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    "payload", [b"", b" \n", b"[]", b"7", b'"x"', b"{", b"{}x", b"\xff\xfe", b"[" * 9999]
)
def test_a_payload_that_is_no_object(hooks: Hooks, host: str, payload: bytes) -> None:
    heard = hooks.send(host, payload)
    assert heard.reason == ""
    assert "EP560" in heard.note
    assert hooks.kinds() == ["failed_open"]


def test_a_payload_that_names_no_session(hooks: Hooks) -> None:
    assert "names no session" in hooks.hook("claude-code", session_id=...).note


@pytest.mark.parametrize("host", HOSTS)
def test_a_crash(hooks: Hooks, monkeypatch: pytest.MonkeyPatch, host: str) -> None:
    def crash(*_given: object, **_named: object) -> None:
        raise MemoryError("no room for \x1b[31m anything")

    monkeypatch.setattr(session, "stop_of", crash)
    heard = hooks.hook(host)
    assert heard.reason == ""
    assert "internal error: MemoryError" in heard.note
    assert "\x1b" not in heard.note
    assert hooks.kinds() == ["failed_open"]


@pytest.mark.parametrize("error", [RuntimeError("early"), KeyboardInterrupt()])
def test_trouble_before_anything_is_read(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(*_given: object) -> None:
        raise error

    monkeypatch.setattr(answer, "answer", fail)
    heard = hooks.hook("codex")
    assert (heard.code, heard.reason) == (0, "")
    assert hooks.kinds() == ([] if isinstance(error, KeyboardInterrupt) else ["failed_open"])


def test_an_interrupt_behind_the_reply_says_no_second_one(
    hooks: Hooks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session_files.PendingCall, "__exit__", interrupted)
    assert hooks.hook("claude-code").reason


def test_a_broken_policy(hooks: Hooks) -> None:
    (hooks.project / "policy.yaml").write_text("policy: broken\nrules: 7\n")
    heard = hooks.hook("claude-code")
    assert heard.note.startswith("exitgate: the agent may stop; no decision was made: [EP")
    assert "policy.yaml:" in heard.note
    assert hooks.kinds() == ["failed_open"]


@pytest.mark.parametrize(
    "place", [".ralph", ".ralph/exitgate", ".ralph/exitgate/hooks", "hooks of the session"]
)
def test_something_in_the_way_of_what_is_kept(hooks: Hooks, place: str) -> None:
    """As on a disk that cannot be written, which does not stop the user root."""
    path = hooks.project / place
    if place == "hooks of the session":
        path = hooks.state / "hooks" / f"{hooks.payload('claude-code')['session_id']}.json"
        path.mkdir(parents=True)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("in the way")
    heard = hooks.hook("claude-code")
    assert heard.reason == ""
    assert "cannot write" in heard.note
    assert hooks.kinds() == ["failed_open"]
    assert hooks.decisions() == []


def test_a_link_in_the_place_of_the_folder_is_not_followed(hooks: Hooks) -> None:
    elsewhere = hooks.project.parent / "elsewhere"
    elsewhere.mkdir()
    hooks.state.mkdir(parents=True)
    (hooks.state / "hooks").symlink_to(elsewhere)
    assert "EP564" in hooks.hook("claude-code").note
    assert list(elsewhere.iterdir()) == []


def test_nothing_can_be_kept_anywhere(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    (hooks.project / ".ralph").write_text("in the way")
    monkeypatch.setenv("TMPDIR", str(hooks.project / "policy.yaml"))
    assert "this could not be recorded" in hooks.hook("claude-code").note


def test_without_a_home_and_a_cache_it_is_decided(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = hooks.project / "policy.yaml" / "below"
    for name in ("EXITGATE_CACHE_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(blocked))
    assert hooks.hook("claude-code").reason
    assert hooks.kinds() == []


def test_a_memory_that_cannot_be_read_begins_anew_and_says_so(hooks: Hooks) -> None:
    hooks.hook("claude-code")
    [path] = (hooks.state / "hooks").glob("*.json")
    for content in (b"", b"{}", b"\xff" * 1024, b'{"format":1,"row":"7"}', b"[" * 1024):
        path.write_bytes(content)
        heard = hooks.hook("claude-code", "stop_held_back")
        assert "blocks are counted again from 0" in heard.note
        assert "blocked 2 of 7" in heard.reason  # the host's flag counts


def limited(size: int) -> Callable[[Child], None]:
    """No file of the child grows beyond `size` bytes: a disk that is full."""

    def before(_child: Child) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return before


@pytest.mark.parametrize("size", [0, 64, 1023, 1100, 4096])
def test_a_full_disk(hooks: Hooks, size: int) -> None:
    payload = hooks.payload("claude-code")
    with started([Child("claude-code", payload, limited(size))]) as [child]:
        reply = child.reply()
    assert "no decision was made" in str(reply["systemMessage"])
    assert hooks.decisions() == []
    assert hooks.kinds() == (["failed_open"] if size > 512 else [])
    assert "iteration 1); blocked 1 of 7" in hooks.send("claude-code", payload).reason
    assert len(hooks.decisions()) == 1
    assert verify(str(hooks.state)).whole


def test_a_disk_that_fills_up_within_a_session(hooks: Hooks) -> None:
    hooks.hook("claude-code")
    size = (hooks.state / "ledger.jsonl").stat().st_size
    payload = hooks.payload("claude-code", "stop_held_back")
    with started([Child("claude-code", payload, limited(size + 10))]) as [child]:
        assert "no decision was made" in str(child.reply()["systemMessage"])
    assert "iteration 2); blocked 2 of 7" in hooks.send("claude-code", payload).reason
    assert verify(str(hooks.state)).whole


def test_a_reply_that_nobody_can_hear(hooks: Hooks) -> None:
    def into_nowhere(_child: Child) -> None:
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
        sys.stderr = None  # type: ignore[assignment]

    with started([Child("claude-code", hooks.payload("claude-code"), into_nowhere)]) as [child]:
        assert child.end() == (0, b"", b"")
    assert hooks.kinds() == ["failed_open"]
    assert len(hooks.decisions()) == 1


def test_streams_that_are_closed(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["hook", "clod"]) == 0


def test_words_that_a_stream_cannot_write(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks.plan("- [x] one\n")
    out, err = io.BytesIO(), io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "ascii", write_through=True))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(err, "ascii", write_through=True))
    (hooks.project / "policy.yaml").write_text(
        (hooks.project / "policy.yaml").read_text().replace("are done", "sont achevées")
    )
    from hosts_calls import standing_input

    with standing_input(b'{"conversation_id": "s", "status": "completed", "text": "fini"}'):
        assert main(["hook", "cursor"]) == 0
    assert out.getvalue() == b"{}\n"
    assert b"achev\\xe9es" in err.getvalue()


def test_a_ledger_that_another_process_holds(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks.hook("claude-code")
    monkeypatch.setattr(Ledger.__init__, "__defaults__", (0.05, None))
    payload = hooks.payload("claude-code", "stop_held_back")
    with (hooks.state / "ledger.lock").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        heard = hooks.send("claude-code", payload)
    assert heard.reason == ""
    assert "no decision was made" in heard.note
    assert "iteration 2); blocked 2 of 7" in hooks.send("claude-code", payload).reason
    assert hooks.kinds() == ["failed_open"]


def test_a_session_that_another_call_holds(hooks: Hooks, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks.hook("claude-code")
    monkeypatch.setattr(session_files, "WAIT", 0.05)
    name = hooks.payload("claude-code")["session_id"]
    with (hooks.state / "hooks" / f"{name}.call").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another call for this session" in hooks.hook("claude-code").note


def test_all_waiting_together_is_shorter_than_any_host_waits() -> None:
    assert session_files.WAIT + file.WAIT < HOST_LIMIT


def test_an_incident_names_host_and_session(hooks: Hooks) -> None:
    hooks.hook("claude-code", "stop_without_message", transcript_path=None)
    [told] = incidents(str(hooks.state))
    assert told["host"] == "claude-code"
    assert told["session"] == hooks.payload("claude-code")["session_id"]


def test_a_folder_that_is_gone(hooks: Hooks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    payload = hooks.payload("claude-code")
    monkeypatch.chdir(gone)
    gone.rmdir()
    heard = hooks.send("claude-code", payload)
    assert (heard.code, heard.reason) == (0, "")
    assert "the current folder is gone" in heard.note
