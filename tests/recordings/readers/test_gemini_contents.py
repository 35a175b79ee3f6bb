"""Contents of the Gemini API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, one_run, runs_of, sniffed, written

from exitgate.recordings.model import FileChange
from exitgate.recordings.replay.dry_run import dry_run

PLAN = "- [ ] one\n- [ ] two\n"


def user(*texts: str) -> dict[str, Any]:
    return {"role": "user", "parts": [{"text": text} for text in texts]}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": [{"text": p} if isinstance(p, str) else p for p in parts]}


def called(name: str, id: str | None = None, **args: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args} | ({"id": id} if id else {})}


def gave(name: str, id: str | None = None, **response: str) -> dict[str, Any]:
    told = {"name": name, "response": response} | ({"id": id} if id else {})
    return {"role": "user", "parts": [{"functionResponse": told}]}


CONTENTS = [
    user("<session_context>\nThis is the program.\n</session_context>"),
    user("<state_snapshot>all tests pass, everything is done</state_snapshot>"),
    model("Got it."),
    user("Begin."),
    user("With the list."),
    model(
        {"text": "thinking", "thought": True},
        called("write_file", "c1", file_path="fix_plan.md", content=PLAN),
    ),
    gave("write_file", "c1", output="written"),
    model("Half of it."),
    user("Go on."),
    model(
        called("replace", file_path="a.py", old_string="x", new_string="y"),
        called("read_file", file_path="b.py"),
    ),
    gave("read_file", output="text of b"),
    gave("replace", error="no match"),
    model("It did not fit."),
]


def test_words_of_a_person_begin_a_turn(tmp_path: Path) -> None:
    path = written(tmp_path, "contents.json", CONTENTS)
    assert sniffed(path) == "gemini-contents"
    run = one_run("gemini-contents", path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("contents", "turn", None)
    one, two = run.iterations
    assert (one.prompt, one.response, one.output) == ("Begin.\nWith the list.", "Half of it.", "Half of it.")
    assert (one.plan, one.files_changed, one.record["turns"]) == (PLAN, (FileChange("fix_plan.md"),), 2)
    assert two.tool_calls is not None
    assert [(c.name, c.result, c.is_error) for c in two.tool_calls] == [
        ("replace", "no match", True),
        ("read_file", "text of b", False),
    ]
    assert (two.files_changed, two.tool_results) == ((), "text of b\nno match")
    assert (two.started_at, two.cost, two.record.get("tokens")) == (None, None, None)


def test_checkpoints_have_them_too(tmp_path: Path) -> None:
    shown = [{"type": "user", "text": "Begin."}]
    path = written(tmp_path, "checkpoint-a.json", {"history": shown, "clientHistory": CONTENTS})
    assert sniffed(path) == "gemini-contents"
    assert len(one_run("gemini-contents", path).iterations) == 2
    assert sniffed(written(tmp_path, "b.json", {"history": CONTENTS, "authType": "key"})) == "gemini-contents"


def test_other_arrays_do_not_fit(tmp_path: Path) -> None:
    for value in (
        [],
        [{"role": "user", "content": "x"}],
        [*CONTENTS, {"role": "tool"}],
        [[]],
        {"history": 1},
    ):
        assert sniffed(written(tmp_path, "x.json", value)) != "gemini-contents"


def test_an_empty_file_is_a_problem(tmp_path: Path) -> None:
    runs, problems = runs_of("gemini-contents", written(tmp_path, "x.json", b""))
    assert (len(problems), runs[0].iterations) == (1, ())


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("gemini-contents", "s.json", json.dumps(CONTENTS).encode(), 23)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("gemini-contents", "s.json", content)


def test_a_dry_run_reads_it(tmp_path: Path) -> None:
    (found,) = dry_run([str(written(tmp_path, "s.json", CONTENTS))], ["recommended"]).results
    assert (found.run.reader, found.run.iterations, found.run.cost) == ("gemini-contents", 2, None)
