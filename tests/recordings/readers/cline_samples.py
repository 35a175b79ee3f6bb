"""Small tasks as Cline and Roo Code keep them."""

from __future__ import annotations

import json
from typing import Any

T0 = 1769940000_000
PLAN = "- [x] one\n- [ ] two\n"


def said(second: int, kind: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"ts": T0 + second * 1000, "type": "say", "say": kind, "text": text, **more}


def asks(second: int, kind: str, text: str = "", **more: Any) -> dict[str, Any]:
    return {"ts": T0 + second * 1000, "type": "ask", "ask": kind, "text": text, **more}


def requested(second: int, request: str, cost: float | None = None, **more: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"request": request, **more}
    if cost is not None:
        told |= {"tokensIn": 100, "tokensOut": 10, "cacheWrites": 5, "cacheReads": 50, "cost": cost}
    return said(second, "api_req_started", json.dumps(told))


def tool(second: int, name: str, **more: Any) -> dict[str, Any]:
    partial = {"partial": more.pop("partial")} if "partial" in more else {}
    return asks(second, "tool", json.dumps({"tool": name, **more}), **partial)


ENVIRONMENT = "\n\n<environment_details>\n# Open Tabs\n</environment_details>"
#: A task whose claim of being done is refused.
SHOWN = [
    said(0, "text", "Begin."),
    requested(1, "<task>\nBegin.\n</task>" + ENVIRONMENT, 0.5),
    said(2, "reasoning", "everything is done"),
    said(3, "text", "I write."),
    tool(4, "newFileCreated", path="fix_plan.md", content=PLAN),
    requested(5, "[write_to_file for 'fix_plan.md'] Result:\n\nwritten" + ENVIRONMENT, 0.25),
    tool(6, "readFile", path="b.py", content="/w/b.py"),
    requested(7, "[read_file for 'b.py'] Result:\n\n1 | text of b" + ENVIRONMENT, 0.25),
    asks(8, "command", "make"),
    said(9, "command_output", "built"),
    said(10, "condense_context", contextCondense={"summary": "all is done", "cost": 0.125}),
    requested(11, "[execute_command for 'make'] Result:\n\nexit 0: built" + ENVIRONMENT, 0.25),
    said(12, "completion_result", "One is built."),
    asks(13, "completion_result"),
    said(60, "user_feedback", "Two is not."),
    requested(
        61, "[attempt_completion] Result:\n\nThe user has provided feedback", 0.5, apiProtocol="openai"
    ),
    tool(62, "appliedDiff", path="c.py", diff="<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE", partial=True),
    asks(63, "resume_task"),
]


def user(second: int, *texts: str) -> dict[str, Any]:
    return {"role": "user", "ts": T0 + second * 1000, "content": [{"type": "text", "text": t} for t in texts]}


def agent(second: int, text: str, **more: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "ts": T0 + second * 1000,
        "content": [{"type": "text", "text": text}],
        **more,
    }


#: The same task as it was sent to the model.
HISTORY = [
    user(1, "<task>\nBegin.\n</task>", ENVIRONMENT.strip()),
    agent(
        4,
        "<thinking>\nall done\n</thinking>\n\nI write.\n\n<write_to_file>\n<path>fix_plan.md</path>\n"
        f"<content>\n{PLAN}\n</content>\n</write_to_file>",
    ),
    user(5, "[write_to_file for 'fix_plan.md'] Result:", "written", ENVIRONMENT.strip()),
    agent(6, "<read_file>\n<path>b.py</path>\n</read_file>"),
    user(7, "[read_file for 'b.py'] Result:", "1 | text of b", ENVIRONMENT.strip()),
    agent(8, "<execute_command>\n<command>make</command>\n</execute_command>"),
    user(11, "[execute_command for 'make'] Result:", "exit 0: built", ENVIRONMENT.strip()),
    agent(12, "<attempt_completion>\n<result>\nOne is built.\n</result>\n</attempt_completion>"),
    user(
        61,
        "[attempt_completion] Result:",
        "The user says:\n<feedback>\nTwo is not.\n</feedback>",
        ENVIRONMENT.strip(),
    ),
]
