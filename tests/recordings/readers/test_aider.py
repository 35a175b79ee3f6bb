"""Chat histories of aider."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reading_steps import any_bytes, cut_anywhere, one_run, runs_of, sniffed, written

from exitgate.recordings.model import AUTH, MODEL, USAGE_LIMIT, FileChange
from exitgate.recordings.replay.dry_run import dry_run

NAME = "demo.aider.chat.history.md"


def started(clock: str = "10:00:00", model: str = "mod-1") -> str:
    return f"\n# aider chat started at 2026-02-01 {clock}\n\n" + notices(
        "aider --x", f"Main model: {model} with diff edit format"
    )


def prompt(*lines: str) -> str:
    return "\n" + "".join(f"#### {line}  \n" for line in lines)


def says(text: str) -> str:
    return f"\n{text.strip()}\n\n"


def notices(*texts: str) -> str:
    return "".join(f"> {text}  \n" for text in texts)


def tokens(sent: str, received: str, cost: str, all: str = "9.99") -> str:
    return notices(f"Tokens: {sent} sent, {received} received. Cost: ${cost} message, ${all} session.")


EDIT = "fix_plan.md\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```"
MADE = EDIT.format(old="", new="- [ ] one\n- [ ] two\n")
TICKED = EDIT.format(old="- [ ] one\n", new="- [x] one\n")
TRICKY = "Two headings:\n\n#### Not a prompt\n\n> Not a notice\n\n```\n#### # a comment in a fence\n```"

CHAT = (
    started()
    + prompt("Begin.", "", "With the list.")
    + says(f"I write.\n\n{MADE}")
    + tokens("3.2k", "21", "0.0082")
    + notices(
        "Applied edit to fix_plan.md",
        "Commit abc1234 feat: a list",
        "# Fix any errors below, if possible.",
        "E999 at line 3",
    )
    + says(TICKED)
    + tokens("1,234", "66", "0.0010")
    + notices("Applied edit to fix_plan.md", "Only 3 reflections allowed, stopping.")
    + prompt("/add a.py b.py")
    + notices("Added a.py to the chat")
    + prompt("Explain.")
    + says(TRICKY)
    + "> Tokens: 2.0k sent, 1M received.\nCost: $1.50 message, $2.00 session. Use --no-stream.  \n"
    + notices("", "", "^C again to exit", "", "", "^C KeyboardInterrupt")
)


def test_a_prompt_with_what_follows_is_an_iteration(tmp_path: Path) -> None:
    path = written(tmp_path, NAME, CHAT)
    assert sniffed(path) == "aider"
    run = one_run("aider", path)
    assert (run.begin.id, run.begin.granularity, run.begin.started_at) == ("demo#1", "turn", 1769940000.0)
    assert (run.end.how, run.end.why) == ("interrupted", "^C KeyboardInterrupt")
    one, two = run.iterations
    assert (one.prompt, one.response) == ("Begin.\n\nWith the list.", TICKED)
    assert one.output == f"I write.\n\n{MADE}\n\n{TICKED}"
    assert one.record == {
        "format": "TEXT",
        "model": "mod-1",
        "cost": pytest.approx(0.0092),
        "tokens": 4521,
        "turns": 2,
        "tool_calls": 2,
        "files_changed": 1,
    }
    assert (one.files_changed, one.tool_calls) == ((FileChange("fix_plan.md"),), None)
    assert one.plan == "- [x] one\n- [ ] two\n"
    assert one.tool_results is not None
    assert "E999 at line 3" in one.tool_results and "#### " not in one.tool_results
    first = CHAT.split("\n").index("#### Begin.  ") + 1
    last = CHAT.split("\n").index("> Only 3 reflections allowed, stopping.  ") + 1
    assert (one.provenance.first, one.provenance.last) == (first, last)
    assert (one.started_at, one.ended_at) == (None, None)
    # Headings and quotes of the model's are its own; a command to aider is no turn.
    assert (two.prompt, two.response, two.output) == ("Explain.", TRICKY, TRICKY)
    assert (two.cost, two.record["tokens"], "truncated" in two.record) == (1.5, 1_002_000, False)


def test_several_chats_are_several_runs(tmp_path: Path) -> None:
    runs, problems = runs_of(
        "aider", written(tmp_path, NAME, CHAT + started("11:00:00", "mod-2") + prompt("x") + says("y"))
    )
    assert problems == ()
    assert [(run.begin.id, len(run.iterations), run.end.how) for run in runs] == [
        ("demo#1", 2, "interrupted"),
        ("demo#2", 1, None),
    ]
    assert runs[1].iterations[0].record["model"] == "mod-2"
    assert runs[1].begin.started_at == 1769943600.0


def test_a_notice_of_many_lines_is_no_word_of_the_models(tmp_path: Path) -> None:
    output = "> ===== session starts =====\n\ncollected 3 items\n    \n#### a heading in it\n\n>   assert x\n"
    output += "3 passed: everything is done  \n"
    body = started() + prompt("/run make test") + output + says("They pass.")
    (one,) = one_run("aider", written(tmp_path, NAME, body)).iterations
    assert (one.response, one.output) == ("They pass.", "They pass.")
    assert "everything is done" in (one.tool_results or "")


def test_answers_to_questions_are_no_prompts(tmp_path: Path) -> None:
    question = "Add file to the chat? (Y)es/(N)o/(S)kip all [Yes]: "
    body = (
        started()
        + prompt("x")
        + notices("a.py", question + "s", "b.py")
        + prompt(question + "skip")
        + says("y")
    )
    (one,) = one_run("aider", written(tmp_path, NAME, body)).iterations
    assert (one.prompt, one.response) == ("x", "y")


def test_requests_in_watched_files_begin_turns(tmp_path: Path) -> None:
    body = started() + prompt("x") + says("one") + tokens("1k", "1", "0.01")
    body += (
        notices("Processing your request...")
        + says("two")
        + notices("Processing your request...")
        + says("three")
    )
    run = one_run("aider", written(tmp_path, NAME, body))
    assert [(one.prompt, one.response) for one in run.iterations] == [
        ("x", "one"),
        (None, "two"),
        (None, "three"),
    ]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("litellm.RateLimitError: VertexError: no more", USAGE_LIMIT),
        ("litellm.AuthenticationError: no key", AUTH),
        ("litellm.BadRequestError: too long", MODEL),
        ("litellm is a library: RateLimitError", None),
    ],
)
def test_errors_of_the_service(tmp_path: Path, error: str, kind: str | None) -> None:
    failed = started() + prompt("x") + notices(error)
    (one,) = one_run("aider", written(tmp_path, NAME, failed)).iterations
    assert (one.error_kind, one.record.get("is_error"), one.response) == (kind, True if kind else None, None)
    (one,) = one_run("aider", written(tmp_path, NAME, failed + says("y"))).iterations
    assert (one.error_kind, one.record.get("is_error"), one.response) == (None, None, "y")


def test_an_answer_that_was_interrupted_is_cut_off(tmp_path: Path) -> None:
    body = started() + prompt("x") + notices("", "^C again to exit") + says("I beg") + prompt("z") + says("w")
    one, two = one_run("aider", written(tmp_path, NAME, body)).iterations
    assert (one.record.get("truncated"), one.response, two.record.get("truncated")) == (True, "I beg", None)


def test_edits_that_were_not_applied_change_no_plan(tmp_path: Path) -> None:
    body = (
        started()
        + prompt("x")
        + says(MADE)
        + notices("Applied edit to fix_plan.md")
        + says(TICKED)
        + notices("# 1 block failed to match!")
    )
    (one,) = one_run("aider", written(tmp_path, NAME, body)).iterations
    assert one.plan == "- [ ] one\n- [ ] two\n"


def test_a_turn_that_edits_or_runs_something_is_not_idle(tmp_path: Path) -> None:
    edit = prompt("x") + says("y") + tokens("1k", "1", "0.01") + notices("Applied edit to a.py")
    run = prompt("x") + says("y") + tokens("1k", "1", "0.01") + notices("Running make test")
    talk = prompt("x") + says("y") + tokens("1k", "1", "0.01")
    found = one_run("aider", written(tmp_path, NAME, started() + edit + run + talk))
    assert [one.record["tool_calls"] for one in found.iterations] == [1, 1, 0]


def test_thoughts_are_left_out(tmp_path: Path) -> None:
    body = (
        started()
        + prompt("x")
        + says("<thinking-content-ab12>\nall done\n\n</thinking-content-ab12>\n\nI go on.")
    )
    (one,) = one_run("aider", written(tmp_path, NAME, body)).iterations
    assert one.output == "I go on."


def test_older_reports_and_line_ends(tmp_path: Path) -> None:
    body = (
        started()
        + prompt("x")
        + says("y")
        + notices("Tokens: 4,982 sent, 807 received. Cost: $0.03 request, $0.10 session.")
    )
    path = tmp_path / NAME
    path.write_bytes(b"\xef\xbb\xbf" + body.replace("\n", "\r\n").encode())
    (one,) = one_run("aider", path).iterations
    assert (one.prompt, one.response, one.cost, one.record["tokens"]) == ("x", "y", 0.03, 5789)


def test_an_editor_may_have_taken_blanks_away(tmp_path: Path) -> None:
    body = "\n".join(line.rstrip() for line in CHAT.split("\n"))
    run = one_run("aider", written(tmp_path, NAME, body))
    assert run.iterations[0].prompt == "Begin.\n\nWith the list."
    assert run.iterations[0].output == f"I write.\n\n{MADE}\n\n{TICKED}"
    assert run.iterations[0].files_changed == (FileChange("fix_plan.md"),)


def test_other_texts_do_not_fit(tmp_path: Path) -> None:
    for text in ("", "# A readme\n\n#### x  \n", '{"a": "\\n# aider chat started at "}', "> quote  \n"):
        assert sniffed(written(tmp_path, "x.md", text)) != "aider"


def test_an_empty_file_is_a_problem(tmp_path: Path) -> None:
    runs, problems = runs_of("aider", written(tmp_path, NAME, b""))
    assert (len(runs), runs[0].iterations, len(problems)) == (1, (), 1)


def test_it_can_be_cut_anywhere() -> None:
    cut_anywhere("aider", NAME, (CHAT + CHAT).encode(), 7)


@given(st.binary(max_size=200))
@settings(max_examples=30, deadline=None)
def test_any_bytes(content: bytes) -> None:
    any_bytes("aider", NAME, CHAT[:200].encode() + content)


@given(
    st.lists(
        st.sampled_from(
            [
                "#### x  ",
                "####   ",
                "> y  ",
                "> y",
                "",
                "  ",
                "z",
                "# aider chat started at x",
                "> Tokens: k sent, 1.1.1 received. Cost: $. message",
                "> Applied edit to ",
            ]
        ),
        max_size=12,
    )
)
@settings(max_examples=50, deadline=None)
def test_any_lines(parts: Any) -> None:
    any_bytes("aider", NAME, "\n".join(parts).encode())


def test_a_dry_run_reads_it(tmp_path: Path) -> None:
    (found,) = dry_run([str(written(tmp_path, NAME, CHAT))], ["recommended"], to_the_end=True).results
    assert (found.run.reader, found.run.iterations) == ("aider", 2)
    assert found.costs == (pytest.approx(0.0092), 1.5)
