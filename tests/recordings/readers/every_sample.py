"""A small valid transcript for each reader, and for each shape of one: what the damages are done to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import openhands_samples
import openhands_sdk_samples
import test_aider
import test_atif
import test_autoresearch
import test_claude_stream
import test_cline
import test_codex_exec
import test_codex_rollout
import test_copilot
import test_exitgate_run
import test_forge_ledger
import test_gemini_contents
import test_gemini_session
import test_git_history
import test_goose
import test_iteration_files
import test_loop_logs
import test_mini_swe_agent
import test_opencode
import test_orchestrator_recording
import test_pi
import test_ralph_codeharness
import test_ralph_cursor
import test_ralph_frankbria
import test_ralph_iannuttall
import test_ralph_orchestrator
import test_ralph_snarktank
import test_ralph_wiggum
import test_roo
import test_swe_agent
from claude_sessions import two_turns
from cline_samples import HISTORY, SHOWN
from console_logs import FORMS, log_of
from loop_folders import log, result

from exitgate.core.ledger.append import Ledger

#: How a file is made up: a JSON value on each line, one JSON value, lines of text.
LINES, WHOLE, TEXT = "lines", "whole", "text"
ITERATIONS = [{"iteration": n, "response": f"Stone {n} is laid."} for n in (1, 2, 3)]


class Sample(NamedTuple):
    """A transcript in one file, which `reader` reads; `sniffed` is who takes it unasked."""

    reader: str
    shape: str
    name: str
    body: str
    sniffed: str | None = ""

    @property
    def taker(self) -> str | None:
        return self.reader if self.sniffed == "" else self.sniffed

    def at(self, folder: Path, body: bytes | str | None = None) -> Path:
        """Write it, or `body` under its name, and return the path."""
        path = folder / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = self.body if body is None else body
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


def _lines(values: Any) -> str:
    return "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in values)


def _whole(value: Any) -> str:
    return json.dumps(value, indent=1) + "\n"


def _ledger(folder: Path) -> str:
    facts: dict[str, object] = {"tasks.done": {"v": 1}}
    with Ledger(str(folder)) as opened:
        opened.append({"run": "a#1", "kind": "run_start", "time": 1e3, "at": "", "iteration": 0, "facts": {}})
        for number in (1, 2, 3):
            decision = {"verdict": "CONTINUE", "class": None, "outcome": "continue"}
            opened.append(
                {
                    "run": "a#1", "kind": "decision", "time": 1e3 + number, "at": "", "iteration": number,
                    "policy": {"name": "demo", "version": "1.0.0"}, "facts": facts, "totals": {},
                    "decision": decision, "breaker": {"state": "CLOSED"},
                }
            )  # fmt: skip
    return (folder / "ledger.jsonl").read_text(encoding="utf-8")


def _codeharness() -> str:
    turn, good = test_ralph_codeharness.turn, test_ralph_codeharness.GOOD
    body = [*test_ralph_codeharness.START, *turn(1, "12:00:01", "12:10:00", good)]
    return log(*body, *turn(2, "12:10:05", "12:12:00", good))


def _orchestrator() -> str:
    of = test_ralph_orchestrator
    return of.file(of.start(0), of.emit(1, "spec.ready"), of.emit(3, "build.done"), of.end(6, 3))


def samples(scratch: Path) -> dict[str, Sample]:
    """Return name -> sample; `scratch` is a folder to make things in."""
    sdk, row = openhands_sdk_samples.conversation(), openhands_samples
    recorded = [test_orchestrator_recording.write(at, f"said {at}") for at in (0, 1, 2)]
    session = {**test_gemini_session.HEAD, "messages": test_gemini_session.ROWS}
    commits = [test_git_history.commit(n, n) for n in (1, 2, 3)]
    scores = [test_autoresearch.candidate(n, 3.0 - n) for n in (1, 2, 3)]
    called = [test_claude_stream.INIT, *test_claude_stream.EVENTS[2:]]
    found = (
        Sample("exitgate-ledger", LINES, "ledger.jsonl", _ledger(scratch / "state")),
        Sample("exitgate-run", LINES, "nightly.2.jsonl", _lines(test_exitgate_run.LINES)),
        Sample("ralph-codeharness", TEXT, "ralph.log", _codeharness()),
        Sample("ralph-frankbria", TEXT, "ralph.log", log(*test_ralph_frankbria.TWO)),
        Sample("ralph-folder", TEXT, "ralph.log", log(*test_ralph_frankbria.TWO), "ralph-frankbria"),
        Sample("ralph-iannuttall", TEXT, "activity.log", test_ralph_iannuttall.ACTIVITY + "\n"),
        Sample("ralph-cursor", TEXT, "activity.log", test_ralph_cursor.LOG + "\n"),
        Sample("ralph-wiggum", TEXT, "ralph-loop.local.md", test_ralph_wiggum.STATE),
        Sample("forge-ledger", TEXT, "otter.md", test_forge_ledger.LEDGER),
        Sample("bb3-decisions", TEXT, "exit-decisions_20260203.log", test_iteration_files.DECISIONS),
        Sample("iteration-lines", LINES, "all.jsonl", _lines(ITERATIONS)),
        Sample("loop-logs", TEXT, "ralph.log", log_of(FORMS[0], test_loop_logs.TEXTS)),
        Sample("ralph-snarktank", TEXT, "progress.txt", test_ralph_snarktank.LOG),
        Sample("git-history", LINES, "history.jsonl", _lines(commits)),
        Sample("ralph-orchestrator", LINES, "events-20260102-100000.jsonl", _orchestrator()),
        Sample("orchestrator-recording", LINES, "session.jsonl", _lines(recorded)),
        Sample("autoresearch", LINES, "ledger.jsonl", _lines(scores)),
        Sample("atif", WHOLE, "trajectory.json", _whole(test_atif.trajectory())),
        Sample("atif", LINES, "all.jsonl", _lines([test_atif.trajectory(session=s) for s in ("a", "b")])),
        Sample("mini-swe-agent", WHOLE, "x.traj.json", _whole(test_mini_swe_agent.trajectory())),
        Sample("swe-agent", WHOLE, "x.traj", _whole(test_swe_agent.trajectory())),
        Sample("openhands-sdk", LINES, "conversation.jsonl", _lines(sdk)),
        Sample("openhands-sdk", WHOLE, "conversation.json", _whole(sdk)),
        Sample("openhands", WHOLE, "events.json", _whole(row.history())),
        Sample("openhands", LINES, "output.jsonl", _lines([row.row("a"), row.row("b")])),
        Sample("claude-session", LINES, "s.jsonl", two_turns().text()),
        Sample("claude-session-steps", LINES, "s.jsonl", two_turns().text(), "claude-session"),
        Sample("codex-rollout", LINES, "rollout-1.jsonl", _lines(test_codex_rollout.NEW)),
        Sample("codex-exec", LINES, "exec.jsonl", _lines(test_codex_exec.EVENTS)),
        Sample("claude-result", WHOLE, "out.json", result("All of it.") + "\n"),
        Sample("claude-result", WHOLE, "array.json", _whole(called)),
        Sample("claude-stream", LINES, "out.jsonl", _lines(test_claude_stream.EVENTS)),
        Sample("gemini-session", WHOLE, "session-1.json", _whole(session)),
        Sample(
            "gemini-session",
            LINES,
            "session-1.jsonl",
            _lines([test_gemini_session.HEAD, *test_gemini_session.ROWS]),
        ),
        Sample("gemini-contents", WHOLE, "contents.json", _whole(test_gemini_contents.CONTENTS)),
        Sample("pi", LINES, "pi.jsonl", _lines(test_pi.EVENTS)),
        Sample("goose", LINES, "goose.jsonl", _lines(test_goose.EVENTS)),
        Sample("copilot", LINES, "events.jsonl", _lines(test_copilot.EVENTS)),
        Sample("opencode", WHOLE, "export.json", _whole(test_opencode.export(test_opencode.MESSAGES))),
        Sample("opencode", LINES, "run.jsonl", _lines(test_opencode.EVENTS)),
        Sample("aider", TEXT, ".aider.chat.history.md", test_aider.CHAT),
        Sample("cline", WHOLE, "c-1.messages.json", _whole(test_cline.session(test_cline.MESSAGES))),
        Sample("roo", WHOLE, "ui_messages.json", _whole(SHOWN)),
        Sample("roo", WHOLE, "api_conversation_history.json", _whole(HISTORY)),
        Sample("roo", LINES, "log.jsonl", _lines(test_roo.logged())),
    )
    return {f"{one.reader}-{one.name}": one for one in found}
