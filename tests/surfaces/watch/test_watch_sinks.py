"""Slack, ntfy and webhooks: told once and without secrets; a failure is told once and ends nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE
from sink_server import SinkServer
from watched_loops import Loop

from exitgate.cli.notified import notified
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.ledger.typed import LedgerLine, typed
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.incidents import incidents
from exitgate.reference.output_schemas import output_schema
from exitgate.report.notification import TEXT, notification
from exitgate.surfaces.watch.sinks import KINDS, Sink, Sinks, request_of, sink_of

KEY = "sk-ant-" + "api03-" + "A" * 95
HOSTILE = f"<!channel> & \x1b[2J\r\nX-Evil: 1\u202e\ud800 {KEY} " + "y" * 5000


@pytest.fixture
def serve() -> Iterator[Callable[..., SinkServer]]:
    started: list[SinkServer] = []

    def start(status: int = 200, headers: dict[str, str] | None = None) -> SinkServer:
        started.append(SinkServer(status, headers))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def ended(folder: Path, sequence: int = 7, **decision: object) -> LedgerLine:
    line = dict(Loop(folder, "bb3", "nightly").step("all done", 6).line or {})
    assert line["decision"]["verdict"] == "EXIT"  # type: ignore[index]
    return typed({**line, "sequence": sequence, "decision": {**line["decision"], **decision}})  # type: ignore[dict-item]


@pytest.mark.parametrize("kind", KINDS)
def test_a_service_is_told_once_in_its_own_form(
    kind: str, serve: Callable[..., SinkServer], tmp_path: Path
) -> None:
    server = serve()
    line = ended(tmp_path)
    sinks = Sinks([Sink(kind, server.url)], str(tmp_path))
    assert (*sinks.tell(line), *sinks.tell(line), *sinks.wait()) == ()
    (sent,) = server.sent
    assert sent.path == "/secret-path"
    message = line.decided.message
    if kind == "slack":
        assert json.loads(sent.body) == {"text": f"nightly: EXIT complete in iteration 1: {message}"}
    elif kind == "ntfy":
        assert sent.body == f"nightly: EXIT complete in iteration 1: {message}"
        assert sent.headers["Title"] == "nightly: EXIT complete"
        assert sent.headers["Priority"] == "default"
        assert sent.headers["Tags"] == "white_check_mark"
    else:
        told = json.loads(sent.body)
        jsonschema.Draft202012Validator(output_schema("notification")).validate(told)
        assert (told["run"], told["class"], told["policy"]) == ("nightly#1", "complete", "bb3")


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_agent_wrote_is_masked_safe_and_short(
    kind: str, serve: Callable[..., SinkServer], tmp_path: Path
) -> None:
    server = serve()
    sinks = Sinks([Sink(kind, server.url)], str(tmp_path))
    line = ended(tmp_path, message=HOSTILE, outcome=HOSTILE)
    assert (*sinks.tell(line), *sinks.wait()) == ()
    (sent,) = server.sent
    assert KEY not in sent.body
    assert "[masked: " in sent.body
    assert "\x1b" not in sent.body
    assert "X-Evil" not in sent.headers
    assert len(sent.body) < 6 * TEXT
    if kind == "slack":
        assert "<!channel>" not in json.loads(sent.body)["text"]
        assert "&lt;!channel&gt; &amp;" in json.loads(sent.body)["text"]


@given(st.text(), st.text())
def test_any_text_makes_a_request(message: str, name: str) -> None:
    line = typed(
        {
            "run": f"{name}#1",
            "iteration": 1,
            "decision": {"verdict": "EXIT", "class": "x", "message": message},
        }
    )  # type: ignore[dict-item]
    told = notification(line, Mask(load_policy("bb3").mask))
    for kind in KINDS:
        request = request_of(Sink(kind, "https://a.example/b"), told)
        for header in request.headers.values():
            header.encode("latin-1")
            assert "\n" not in header
            assert "\r" not in header
        assert isinstance(request.data, bytes)


def test_a_failure_is_told_once_until_it_has_worked(serve: Callable[..., SinkServer], tmp_path: Path) -> None:
    server = serve(500)
    sinks = Sinks([Sink("slack", server.url)], str(tmp_path))

    def told(sequence: int) -> tuple[str, ...]:
        line = ended(tmp_path / str(sequence), sequence)
        return (*sinks.tell(line), *sinks.wait())

    (trouble,) = told(1)
    assert "slack at 127.0.0.1 did not hear" in trouble
    assert "it answered 500" in trouble
    assert "secret-path" not in trouble
    assert told(2) == ()
    server.status = 200
    assert told(3) == ()
    server.status = 404
    assert len(told(4)) == 1
    kept = incidents(str(tmp_path))
    assert len(kept) == 2
    assert "secret-path" not in str(kept)


def test_a_redirect_is_not_followed(serve: Callable[..., SinkServer], tmp_path: Path) -> None:
    other = serve()
    server = serve(307, {"Location": other.url})
    sinks = Sinks([Sink("webhook", server.url)], str(tmp_path))
    (trouble,) = (*sinks.tell(ended(tmp_path)), *sinks.wait())
    assert "it answered 307" in trouble
    assert other.sent == []


def test_nobody_there_and_an_answer_that_never_comes(
    serve: Callable[..., SinkServer], tmp_path: Path
) -> None:
    server = serve()
    server.hold.clear()
    now = [0.0]
    gone = Sink("ntfy", "http://127.0.0.1:1/topic")
    sinks = Sinks([Sink("slack", server.url), gone], str(tmp_path), clock=lambda: now[0])
    troubles = list(sinks.tell(ended(tmp_path)))
    while not any("ntfy" in text for text in troubles):
        troubles += sinks.done()
    now[0] = 31.0
    troubles += sinks.done()
    assert sinks.under_way is False
    assert "refused" in troubles[0]
    assert "slack at 127.0.0.1" in troubles[1]
    assert "too long" in troubles[1]
    assert "topic" not in " ".join(troubles)


@pytest.mark.parametrize(
    "text",
    [
        "slack", "slack=", "slack=x", "slack=http://example.org/a", "ntfy=ftp://example.org", "webhook=https://",
        "webhook=https://user:pass@example.org/", "slack=https://example.org:port/", "slack=https://[::1",
        "ntfy=https://a b", "ntfy=https://exa\nmple.org/x", "ntfy=file:///etc/passwd", "slack=https://ex\u00e4mple.org",
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_used_is_refused_without_naming_it(text: str) -> None:
    with pytest.raises(ExitgateError) as raised:
        sink_of(text, {})
    assert raised.value.exit_code == 64
    url = text.partition("=")[2]
    assert url in ("", "https://") or url not in str(raised.value)


def test_loopback_may_be_http_and_a_command_is_none_of_it() -> None:
    for host in ("127.0.0.1", "127.1.2.3", "[::1]", "localhost"):
        assert sink_of(f"webhook=http://{host}:8000/x", {}) == Sink("webhook", f"http://{host}:8000/x")
    assert sink_of("notify-send ended", {}) is None
    assert sink_of("FOO=https://example.org", {}) is None


def test_addresses_are_the_users_own_and_a_projects_are_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own, project = tmp_path / "own" / "exitgate", tmp_path / "project"
    for folder in (own, project / ".bb3"):
        folder.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own.parent))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(project)
    theirs = (
        "exit_decision:\n  notify:\n    slack: https://evil.example/steal\n    ntfy: https://evil.example/t\n"
    )
    (project / ".bb3" / "config.yaml").write_text(theirs)
    with pytest.raises(ExitgateError, match="has no address"):
        notified(["slack"])
    (own / "config.yaml").write_text("exit_decision:\n  notify: {slack: https://hooks.example/own}\n")
    capsys.readouterr()
    command, sinks = notified(["slack", "true", "webhook=https://hooks.example/w", "slack"])
    assert command == ("true",)
    assert sinks == (Sink("slack", "https://hooks.example/own"), Sink("webhook", "https://hooks.example/w"))
    said = capsys.readouterr().err
    assert said.count("is ignored") == 1
    assert "evil" not in said
    with pytest.raises(ExitgateError):
        notified(["ntfy"])
    with pytest.raises(ExitgateError):
        notified(["true", "true"])


def test_watch_tells_a_service_and_ends_with_the_run(
    serve: Callable[..., SinkServer], tmp_path: Path
) -> None:
    server, broken = serve(), serve(500)
    loop = Loop(tmp_path, "bb3", "nightly")
    loop.step("all done", 6)
    words = [
        sys.executable, "-m", "exitgate", "watch", "--once",
        "--notify", f"slack={server.url}", "--notify", f"ntfy={broken.url}",
    ]  # fmt: skip
    ran = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, cwd=tmp_path, check=False)
    assert ran.returncode == 0, ran.stderr
    assert len(server.sent) == 1
    assert "ntfy at 127.0.0.1 did not hear" in ran.stderr
    assert "secret-path" not in ran.stdout + ran.stderr
