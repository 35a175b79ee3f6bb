"""Results of `--output-format json`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loop_folders import read, reader
from streams import INIT, answer, assistant, call, result, text

from exitgate.recordings.model import AUTH, CRASH, MODEL, USAGE_LIMIT
from exitgate.recordings.readers import claude_result
from exitgate.recordings.replay.dry_run import dry_run

WHOLE = result(
    "All of it is built.",
    total_cost_usd=0.75,
    usage={"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 100},
    permission_denials=[{"tool_name": "Bash", "tool_use_id": "t-1", "tool_input": {"command": "git push"}}],
    modelUsage={"large-1": {"costUSD": 0.7}, "small-1": {"costUSD": 0.05}},
)


def write(folder: Path, value: object, name: str = "out.json") -> Path:
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_a_result_is_one_iteration(tmp_path: Path) -> None:
    path = write(tmp_path, WHOLE)
    (run,), problems = read(path)
    (one,) = run.iterations
    assert (run.reader, run.begin.id, run.begin.granularity, problems) == (
        "claude-result",
        "out",
        "process",
        (),
    )
    assert (run.end.how, run.begin.started_at, run.begin.resumed) == (None, None, None)
    assert (one.index, one.response, one.output) == (1, "All of it is built.", "All of it is built.")
    assert (one.cost, one.record["tokens"], one.record["turns"]) == (0.75, 112, 4)
    assert (one.record["session"], one.record["model"], one.record["is_error"]) == ("s-1", "large-1", False)
    assert one.record["denials"] == [{"tool": "Bash", "input": "git push"}]
    assert (one.tool_calls, one.tool_results, one.files_changed, one.plan) == (None, None, None, None)
    assert (one.started_at, one.ended_at, one.exit_status, one.timed_out) == (None, None, None, None)
    assert (one.provenance.file, one.provenance.first, one.error_kind) == (str(path), 0, None)


def test_an_array_of_messages_tells_calls_and_changed_files(tmp_path: Path) -> None:
    wrote = call("t-1", "Write", file_path="fix_plan.md", content="- [x] a\n- [ ] b\n")
    failed = call("t-2", command="make test")
    messages = [INIT, assistant(text("Now."), wrote, failed), answer("t-1", "ok")]
    messages += [answer("t-2", "Exit code 2\nno", error=True), result("Half of it.")]
    (run,), _ = read(write(tmp_path, messages))
    (one,) = run.iterations
    assert one.tool_calls is not None and one.files_changed is not None
    assert [(c.name, c.is_error, c.exit_status) for c in one.tool_calls] == [
        ("Write", False, None),
        ("Bash", True, 2),
    ]
    assert [change.path for change in one.files_changed] == ["fix_plan.md"]
    assert (one.tool_results, one.plan) == ("ok\nExit code 2\nno", "- [x] a\n- [ ] b\n")


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"is_error": True, "result": "API Error: 403 expired"}, AUTH),
        ({"is_error": True, "api_error_status": 429, "result": "no more"}, USAGE_LIMIT),
        ({"is_error": True, "api_error_status": 529, "result": "overloaded"}, MODEL),
        ({"subtype": "error_during_execution", "is_error": True}, CRASH),
        ({"is_error": True, "result": "You have reached your limit"}, None),
        ({"result": "I fixed the line with API Error: 401"}, None),
    ],
)
def test_kinds_of_errors_rest_on_marks_not_on_words(tmp_path: Path, told: dict, kind: str | None) -> None:
    (run,), _ = read(write(tmp_path, {**result(), **told}))
    assert run.iterations[0].error_kind == kind
    assert run.iterations[0].record["is_error"] is told.get("is_error", False)


def test_an_error_that_calls_itself_a_success_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, {**result("API Error: 401 expired", is_error=True), "total_cost_usd": 0})
    (run,), _ = read(path)
    assert (run.iterations[0].record["subtype"], run.iterations[0].record["is_error"]) == ("success", True)
    (played,) = dry_run([str(path)], ["recommended"]).results
    assert (played.run.reader, played.run.cost, played.rows[0].exit_class) == ("claude-result", 0, "failed")


@pytest.mark.parametrize(
    "value",
    [{"result": "ok"}, {"type": "result"}, [], [{"type": "user"}], {"role": "user"}, [1, 2], "words", ""],
)
def test_other_values_do_not_fit(tmp_path: Path, value: object) -> None:
    assert reader(write(tmp_path, value)) != "claude-result"


def test_words_of_a_shell_around_it_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, f"warning: old version\n{json.dumps(WHOLE)}\nTerminated\n", "out.log")
    assert reader(path) == "claude-result"
    (run,), _ = read(path)
    assert run.iterations[0].response == "All of it is built."


def test_cut_anywhere_it_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = json.dumps(WHOLE)
    for end in range(0, len(whole), 7):
        (run,), problems = read(write(tmp_path, whole[:end]), "claude-result")
        (one,) = run.iterations
        assert "All of it is built.".startswith(one.response or "") and problems
        assert one.record.get("truncated") is True or not one.response


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_an_exception(
    tmp_path_factory: pytest.TempPathFactory, body: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "x.json"
    path.write_bytes(body)
    (run,), _ = read(path, "claude-result")
    assert len(run.iterations) == 1
    assert isinstance(claude_result.TITLE, str)
