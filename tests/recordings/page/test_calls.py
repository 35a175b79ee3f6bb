"""Calls of tools on the page: what is recorded of them, shortened, with secrets hidden."""

from __future__ import annotations

import pytest
from page_reading import Reading
from page_runs import iteration, played

from exitgate.recordings.model import RecordedIteration, ToolCall
from exitgate.recordings.page.assemble import page
from exitgate.recordings.page.render import html
from exitgate.recordings.page.view import Calls


def view_of(*calls: ToolCall, **parts: object) -> Calls | None:
    return views([iteration(1, tool_calls=calls, **parts)])[0]


def views(iterations: list[RecordedIteration], room: int | None = None) -> list[Calls | None]:
    found, policies = played({"r": iterations}, ["bb3"])
    return [one.calls for one in page(found, policies, room=room).runs[0].iterations]


def shown(*calls: ToolCall, **parts: object) -> Reading:
    found, policies = played({"r": [iteration(1, tool_calls=calls, **parts)]}, ["bb3"])
    return Reading(html(page(found, policies)))


@pytest.mark.parametrize("recorded", [None, ()])
def test_without_a_call_nothing_is_said(recorded: tuple[ToolCall, ...] | None) -> None:
    assert views([iteration(1, tool_calls=recorded)]) == [None]
    found, policies = played({"r": [iteration(1, tool_calls=recorded)]}, ["bb3"])
    assert "Tool calls" not in html(page(found, policies))


def test_a_call_is_folded_with_its_arguments_and_result() -> None:
    read = shown(ToolCall("Bash", {"command": "pytest -q", "timeout": 5}, "11 passed"))
    text = read.text()
    assert "Tool calls 1" in " ".join(text.split())
    for wanted in ("Bash", "command: pytest -q", "timeout: 5", "11 passed"):
        assert wanted in text
    assert [one for one in read.of("details") if one.get("class") == "folded"] == [{"class": "folded"}]


@pytest.mark.parametrize(
    ("call", "came_out", "failed"),
    [
        (ToolCall("a"), "", False),
        (ToolCall("a", is_error=False), "", False),
        (ToolCall("a", exit_status=0), "exit status 0", False),
        (ToolCall("a", exit_status=2), "exit status 2", True),
        (ToolCall("a", is_error=True), "failed", True),
        (ToolCall("a", is_error=True, exit_status=1), "failed, exit status 1", True),
    ],
)
def test_it_says_as_much_as_is_recorded_of_how_it_came_out(
    call: ToolCall, came_out: str, failed: bool
) -> None:
    view = view_of(call)
    assert view is not None
    assert (view.listed[0].came_out, view.listed[0].failed, view.failed) == (came_out, failed, int(failed))


def test_a_result_that_is_not_recorded_is_not_an_empty_one() -> None:
    view = view_of(ToolCall("a"), ToolCall("b", result=" \n"), ToolCall("c", own=False))
    assert view is not None
    silent = ["no result recorded", "an empty result", "no result recorded"]
    assert [one.silent for one in view.listed] == silent
    assert [one.own for one in view.listed] == [True, True, False]


def test_a_long_result_keeps_its_beginning_and_its_end() -> None:
    view = view_of(ToolCall("a", {"text": "y" * 5_000}, "begin" + "x" * 1_000_000 + "3 failed"))
    assert view is not None
    result = view.listed[0].result
    assert result.startswith("begin")
    assert result.endswith("3 failed")
    assert "999,693 characters left out" in result
    assert len(result) < 400
    assert len(view.listed[0].arguments[0]) == 160


def test_what_failed_is_listed_before_what_did_not() -> None:
    calls = [ToolCall(f"t{at}", {"x": "w" * 500}, "r" * 500, exit_status=int(at == 3)) for at in range(400)]
    view = views([iteration(1, tool_calls=tuple(calls))], room=400_000)[0]
    assert view is not None
    numbers = [one.number for one in view.listed]
    assert len(numbers) == 40
    assert numbers == [4, *range(362, 401)]
    assert (view.made, view.left, view.failed) == (400, 360, 1)


def test_all_calls_of_a_run_share_their_room() -> None:
    big = tuple(ToolCall("t", {"x": "w" * 500}, "r" * 500) for _ in range(40))
    found = views([iteration(at, tool_calls=big) for at in range(1, 61)], room=40_000)
    taken = [
        sum(len(one.result) + len("".join(one.arguments)) + 160 for one in view.listed)
        for view in found
        if view
    ]
    assert sum(taken) <= max(10_000, 60 * 700)
    assert all(view is not None and view.listed for view in found)


def test_secrets_are_hidden_also_where_only_the_name_tells_them() -> None:
    token = "ghp_" + "a1B2" * 9
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIE" * 2_000 + "\n-----END RSA PRIVATE KEY-----"
    read = shown(
        ToolCall(f"curl {token}", {"header": token, "env": {"token": token}}, " ".join([token] * 200)),
        ToolCall("Read", {"path": "id_rsa"}, key),
        not_known={"tool_calls": f"lost {token}"},
    )
    assert token not in read.text()
    assert "MIIEMIIE" not in read.text()
    assert "[masked: " in read.text()


def test_what_may_be_missing_is_said() -> None:
    view = view_of(ToolCall("a"), not_known={"tool_calls": "a line was cut"})
    assert view is not None
    assert view.missing == "a line was cut"


@pytest.mark.parametrize(
    "given", ["text", 7, [1, 2], {"a": {"b": [None]}}, {str(at): at for at in range(99)}]
)
def test_arguments_of_any_shape_are_shown(given: object) -> None:
    view = view_of(ToolCall("a", given))
    assert view is not None
    assert 1 <= len(view.listed[0].arguments) <= 7
