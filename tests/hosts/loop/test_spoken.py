"""What people see of an agent whose program prints JSON: what it said, never the JSON, and text as it is."""

from __future__ import annotations

import io
import json
from pathlib import Path

from cases import each
from cli_program import run_apart
from hypothesis import given
from hypothesis import strategies as st

from exitgate.hosts.loop.console import AgentText

SAID = {
    "type": "assistant",
    "message": {"role": "assistant", "content": [{"type": "text", "text": "Hello."}]},
}
RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "Hello.", "session_id": "x"}
START = {"type": "system", "subtype": "init", "session_id": "x"}


def shown(*pieces: bytes) -> str:
    stream = io.StringIO()
    spoken = AgentText(stream)
    for piece in pieces:
        spoken.add(piece)
    spoken.finish()
    return stream.getvalue()


@each(
    ("written", "seen"),
    [
        (json.dumps(RESULT), "Hello.\n"),
        (json.dumps(RESULT, indent=2) + "\n", "Hello.\n"),
        ("".join(json.dumps(one) + "\n" for one in (START, SAID, RESULT)), "Hello.\n"),
        (json.dumps([START, SAID, RESULT]) + "\n", "Hello.\n"),
        ('{"type":"item.completed","item":{"type":"agent_message","text":"Hi."}}\n', "Hi.\n"),
        ('{"status": "ok", "files": 3, "more": {"a": 1}}\n', "status: ok, files: 3\n"),
        ("{}\n", ""),
        ("plain\n{ not JSON\n[info] text\n", "plain\n{ not JSON\n[info] text\n"),
        ("{\nnot JSON\n", "{\nnot JSON\n"),
        ("{\nnot JSON\n}\nmore", "{\nnot JSON\n}\nmore"),
        (f"before\n{json.dumps(SAID)}\nafter", "before\nHello.\nafter"),
        ("[1, 2]\n", "[1, 2]\n"),
    ],
)
def test_json_is_shown_as_what_it_says(written: str, seen: str) -> None:
    assert shown(written.encode()) == seen
    assert shown(*(bytes([one]) for one in written.encode())) == seen


@given(st.text(alphabet='{}[]\n a"1:,', max_size=60), st.integers(0, 60))
def test_text_in_any_pieces_comes_out_the_same(text: str, at: int) -> None:
    whole = text.encode()
    assert shown(whole) == shown(whole[:at], whole[at:])


@given(st.text(alphabet="a b.\n", max_size=60))
def test_text_without_json_is_not_touched(text: str) -> None:
    assert shown(text.encode()) == text


def test_a_loop_shows_no_json(tmp_path: Path) -> None:
    (tmp_path / "says.json").write_text("\n".join(map(json.dumps, (START, SAID, RESULT))), encoding="utf-8")
    ran = run_apart("run", "--max-iterations", "1", "--", "cat", "says.json", cwd=tmp_path)
    assert ran.out == "Hello.\n"
    assert '{"' not in ran.err


def test_a_flood_is_passed_on_by_the_piece_not_by_the_line() -> None:
    writes: list[str] = []

    class Counted(io.StringIO):
        def write(self, text: str) -> int:
            writes.append(text)
            return len(text)

    spoken = AgentText(Counted())
    for _ in range(3):
        spoken.add(b"[info] a line\nanother {line}\n" * 2000 + b"\n")
    assert len(writes) <= 3 * 2002  # a line that may be JSON is passed on apart
    writes.clear()
    for _ in range(3):
        spoken.add(b"a line (no JSON)\n" * 2000)
    assert writes == ["a line (no JSON)\n" * 2000] * 3
