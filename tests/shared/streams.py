"""Events as runners write them, short."""

from __future__ import annotations

import json

INIT = {"type": "system", "subtype": "init", "session_id": "s-1", "model": "large-1", "tools": ["Bash"]}


def lines(*events: object) -> str:
    """Return JSON lines; a text stands for itself."""
    return "".join(f"{e if isinstance(e, str) else json.dumps(e, ensure_ascii=False)}\n" for e in events)


def assistant(*blocks: dict, id: str = "m-1", parent: str | None = None, **more: object) -> dict:
    usage = {"input_tokens": 2, "output_tokens": 3, "cache_read_input_tokens": 10}
    message = {"id": id, "role": "assistant", "model": "large-1", "content": list(blocks), "usage": usage}
    return {
        "type": "assistant",
        "message": message,
        "parent_tool_use_id": parent,
        "session_id": "s-1",
        **more,
    }


def text(said: str) -> dict:
    return {"type": "text", "text": said}


def call(id: str, name: str = "Bash", **input: object) -> dict:
    return {"type": "tool_use", "id": id, "name": name, "input": input or {"command": "ls"}}


def answer(id: str, content: object, *, error: bool = False, parent: str | None = None) -> dict:
    block = {"type": "tool_result", "tool_use_id": id, "content": content, "is_error": error}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "parent_tool_use_id": parent}


def delta(said: str) -> dict:
    event = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": said}}
    return {"type": "stream_event", "event": event, "parent_tool_use_id": None, "session_id": "s-1"}


def starts(id: str) -> dict:
    event = {"type": "message_start", "message": {"id": id, "content": []}}
    return {"type": "stream_event", "event": event, "parent_tool_use_id": None}


def result(said: str | None = "Done.", **more: object) -> dict:
    told = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s-1", "num_turns": 4}
    return {**told, **({} if said is None else {"result": said}), **more}
