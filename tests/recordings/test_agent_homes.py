"""Where agents keep sessions: each folder of the table, links, and where a session was held."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from exitgate.recordings import agent_homes
from exitgate.recordings.agent_homes import AGENTS, Session, is_of, sessions_here

#: Agent -> a session as it is in its folder, and a file beside it that is none.
FILES = {
    "claude-code": (".claude/projects/-work-a/one.jsonl", ".claude/history.jsonl"),
    "codex": (".codex/sessions/2031/01/02/rollout-1.jsonl", ".codex/auth.json"),
    "gemini": (".gemini/tmp/abc/chats/session-1.json", ".gemini/tmp/abc/logs.json"),
    "copilot": (".copilot/session-state/x/events.jsonl", ".copilot/session-state/x/workspace.yaml"),
    "opencode": (".local/share/opencode/storage/session/p/s.json", ".local/share/opencode/auth.json"),
    "pi": (".pi/agent/sessions/--a--/1.jsonl", ".pi/agent/auth.json"),
}


def write(path: Path, text: str = "{}\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_each_agent_of_the_table_is_found_and_nothing_beside_its_sessions(tmp_path: Path) -> None:
    assert set(FILES) == {one.id for one in AGENTS}
    for session, other in FILES.values():
        write(tmp_path / session)
        write(tmp_path / other, "secret")
    found = sessions_here({"HOME": str(tmp_path)})
    assert {one.agent.id: [each.path for each in one.found] for one in found} == {
        id: [str(tmp_path / session)] for id, (session, _) in FILES.items()
    }


@pytest.mark.parametrize("agent", AGENTS, ids=lambda one: one.id)
def test_the_variable_of_an_agent_moves_its_folder(agent: agent_homes.AgentHome, tmp_path: Path) -> None:
    write(tmp_path / "home" / FILES[agent.id][0])
    below = FILES[agent.id][0].removeprefix(f"{agent.home}/")
    elsewhere = write(tmp_path / "else" / agent.base / below)
    found = sessions_here({"HOME": str(tmp_path / "home"), agent.variable: str(tmp_path / "else")})
    assert [each.path for one in found for each in one.found] == [str(elsewhere)]
    relative = sessions_here({"HOME": str(tmp_path / "home"), agent.variable: "else"})
    assert [one.agent.id for one in relative] == [agent.id]


def test_links_lead_nowhere_and_the_newest_is_first(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside" / "secret.jsonl")
    home = tmp_path / "home"
    old, new = (write(home / f".claude/projects/p/{name}.jsonl") for name in ("old", "new"))
    os.utime(old, (1000, 1000))
    os.utime(new, (2000, 2000))
    (home / ".claude/projects/p/link.jsonl").symlink_to(outside)
    (home / ".claude/projects/out").symlink_to(outside.parent)
    os.mkfifo(home / ".claude/projects/p/pipe.jsonl")
    (found,) = sessions_here({"HOME": str(home)})
    assert found.found == (Session(str(new), 2000), Session(str(old), 1000))


def test_a_folder_without_end_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_homes, "MOST", 5)
    for number in range(9):
        write(tmp_path / f".claude/projects/p/{number}.jsonl")
    (found,) = sessions_here({"HOME": str(tmp_path)})
    assert len(found.found) < 6
    assert "more than 5" in found.trouble


@pytest.mark.parametrize(
    "told",
    [
        lambda cwd: json.dumps({"type": "summary"}) + "\n" + json.dumps({"cwd": cwd}),
        lambda cwd: json.dumps({"type": "session_meta", "payload": {"cwd": cwd}}),
        lambda cwd: json.dumps({"type": "session.start", "data": {"context": {"cwd": cwd}}}),
        lambda cwd: json.dumps({"id": "s", "directory": cwd}, indent=2),
    ],
)  # fmt: skip
def test_a_session_says_where_it_was_held(told: object, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    for folder, expected in ((here, True), (there, False)):
        path = write(tmp_path / "s.jsonl", told(str(folder)))  # type: ignore[operator]
        assert is_of(Session(str(path), 0), str(here)) is expected


@pytest.mark.parametrize("text", ["", "{", '{"cwd": 3}', '{"cwd": "relative"}', "\x00\xff", "[" * 70000])
def test_one_that_does_not_say_is_not_guessed(text: str, tmp_path: Path) -> None:
    path = write(tmp_path / "x" / "y" / "s.jsonl", text)
    assert is_of(Session(str(path), 0), str(tmp_path)) is None
    assert is_of(Session(str(tmp_path / "gone"), 0), str(tmp_path)) is None


def test_gemini_names_its_project_by_a_digest_or_a_marker(tmp_path: Path) -> None:
    digest = hashlib.sha256(str(tmp_path).encode()).hexdigest()
    by_digest = write(tmp_path / "tmp" / digest / "chats" / "session-1.json")
    assert is_of(Session(str(by_digest), 0), str(tmp_path)) is True
    marked = write(tmp_path / "tmp" / "slug" / "chats" / "session-1.json")
    write(tmp_path / "tmp" / "slug" / ".project_root", f"{tmp_path}\n")
    assert is_of(Session(str(marked), 0), str(tmp_path)) is True
    assert is_of(Session(str(marked), 0), str(tmp_path / "tmp")) is False
