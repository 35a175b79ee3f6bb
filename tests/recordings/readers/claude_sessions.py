"""Lines of session files as Claude Code writes them, small."""

from __future__ import annotations

import json
from typing import Any

DAY = "2026-01-31"
SESSION = "5e551017-0000-4000-8000-000000000001"


class Session:
    """Writes lines one behind the other, a second apart."""

    def __init__(self, session: str = SESSION, **always: Any) -> None:
        self.session = session
        self.always = always
        self.lines: list[dict[str, Any]] = []
        self.last: str | None = None
        self.seconds = 0
        self._number = 0

    def add(self, type: str, parent: str | None = "", **more: Any) -> str:
        """Add a line behind the last one, or behind `parent`; return its id."""
        self._number += 1
        self.seconds += 1
        uuid = f"u{self._number:03}-{self.session[-4:]}"
        line = {
            "parentUuid": self.last if parent == "" else parent,
            "isSidechain": False,
            "sessionId": self.session,
            "version": "2.1.5",
            "type": type,
            **self.always,
            **more,
            "uuid": uuid,
            "timestamp": f"{DAY}T10:{self.seconds // 60:02}:{self.seconds % 60:02}.000Z",
        }
        self.lines.append(line)
        if not line["isSidechain"] or self.always:
            self.last = uuid
        return uuid

    def plain(self, **line: Any) -> None:
        """Add a line that is in no tree."""
        self.lines.append(line)

    def user(self, content: Any, **more: Any) -> str:
        return self.add("user", message={"role": "user", "content": content}, **more)

    def says(self, text: str, id: str, **more: Any) -> str:
        return self.block({"type": "text", "text": text}, id, **more)

    def block(
        self, block: dict[str, Any], id: str, stop: str | None = None, tokens: int = 10, **more: Any
    ) -> str:
        usage = {"input_tokens": 1, "cache_read_input_tokens": 5, "output_tokens": tokens - 6}
        message = {
            "model": "mod-1", "id": id, "type": "message", "role": "assistant", "content": [block],
            "stop_reason": stop, "usage": usage,
        }  # fmt: skip
        return self.add("assistant", message=message, **more)

    def calls(self, id: str, call: str, name: str, /, stop: str | None = None, **input: Any) -> str:
        return self.block({"type": "tool_use", "id": call, "name": name, "input": input}, id, stop)

    def gave(self, call: str, content: Any, *, failed: bool | None = None, **more: Any) -> str:
        block = {"tool_use_id": call, "type": "tool_result", "content": content}
        if failed is not None:
            block["is_error"] = failed
        return self.user([block], **more)

    def stops(self, **more: Any) -> str:
        told = {"hookCount": 1, "hookErrors": [], "preventedContinuation": False, "stopReason": "", **more}
        return self.add("system", subtype="stop_hook_summary", **told)

    def takes(self, milliseconds: int = 4000) -> str:
        return self.add("system", subtype="turn_duration", durationMs=milliseconds)

    def text(self, *, spaced: bool = False) -> str:
        """Return the file, as the program writes it or as other writers of JSON do."""
        separators = None if spaced else (",", ":")
        return "".join(json.dumps(line, separators=separators) + "\n" for line in self.lines)


def two_turns() -> Session:
    """Return a session of two prompts with calls, a sub-agent's lines and what stands between."""
    s = Session()
    s.plain(type="summary", summary="All tests pass, everything is done", leafUuid="x-1")
    s.plain(type="file-history-snapshot", messageId="m", snapshot={"messageId": "m", "role": "user"})
    s.add("progress", data={"type": "hook_progress", "message": "done"})
    s.user("Build the reader")
    s.says("I read the plan first.", "m1")
    s.calls("m1", "c1", "Read", file_path="/w/fix_plan.md")
    s.gave("c1", "     1→- [ ] one\n     2→- [ ] two\n")
    s.calls("m2", "c2", "Edit", file_path="/w/fix_plan.md", old_string="- [ ] one", new_string="- [x] one")
    s.gave("c2", "The file has been updated.")
    s.says("The reader is there.", "m3", stop="end_turn")
    s.stops()
    s.takes()
    s.user([{"type": "text", "text": "Now the tests"}, {"type": "image", "source": {}}])
    s.calls("m4", "c3", "Task", prompt="look around")
    s.add("user", None, isSidechain=True, message={"role": "user", "content": "look around"})
    s.says("Everything is done, says the sub-agent.", "x1", isSidechain=True)
    s.block(
        {
            "type": "tool_use",
            "id": "c4",
            "name": "Write",
            "input": {"file_path": "/w/notes.txt", "content": "n"},
        },
        "x2",
        isSidechain=True,
    )
    s.gave("c4", "written by the sub-agent", isSidechain=True)
    s.gave("c3", [{"type": "text", "text": "looked around"}])
    s.calls("m5", "c5", "Bash", command="pytest")
    s.gave("c5", "Exit code 1\n1 failed", failed=True)
    s.says("One test fails.", "m6")
    return s
