"""The server as an editor sees it: started once, spoken to over its protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import Client, Refused
from workspace import BASE, CHILD, SETTINGS, TESTS, lay_out

from exitgate.surfaces.lsp.document import LineIndex
from exitgate.surfaces.lsp.server import Server

POLICY, TESTS_FILE = "base/policy.yaml", "base/tests.yaml"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    root = tmp_path_factory.mktemp("workspace")
    lay_out(root)
    client = Client(root)
    client.capabilities = client.start()["capabilities"]  # type: ignore[attr-defined]
    yield client
    assert client.stop() == 0


@pytest.fixture
def opened(server: Client) -> Iterator[Client]:
    """Return the server with the policy open as it is on the disk."""
    assert server.open(POLICY, BASE) == []
    yield server
    server.close(POLICY)


def position(text: str, around: str) -> tuple[int, int]:
    plain = around.replace("│", "")
    assert text.count(plain) == 1
    return LineIndex(text).position(text.index(plain) + around.index("│"))


def texts(edits: list[dict[str, Any]], text: str) -> str:
    """Return a text with edits made as an editor makes them."""
    sheet = LineIndex(text)
    spans = [
        (sheet.offset(*place(e["range"]["start"])), sheet.offset(*place(e["range"]["end"])), e["newText"])
        for e in edits
    ]
    for start, end, new in sorted(spans, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def place(at: dict[str, int]) -> tuple[int, int]:
    return at["line"], at["character"]


def test_it_says_what_it_can(server: Client) -> None:
    can: Any = server.capabilities  # type: ignore[attr-defined]
    assert can["completionProvider"]["triggerCharacters"]
    assert can["renameProvider"] == {"prepareProvider": True}
    assert can["positionEncoding"] == "utf-16"
    for feature in (
        "hover",
        "definition",
        "references",
        "documentSymbol",
        "documentFormatting",
        "codeAction",
    ):
        assert can[f"{feature}Provider"]


def test_diagnostics_follow_the_text(opened: Client) -> None:
    wrong = opened.change(POLICY, BASE.replace("tasks.percent >= $goal,", "tasks.percnt >= $goal,"))
    assert [one["code"] for one in wrong] == ["EP401"]
    assert wrong[0]["source"] == "exitgate"
    assert wrong[0]["severity"] == 1
    assert wrong[0]["message"].endswith("\nhelp: did you mean `tasks.percent`?")
    line, column = place(wrong[0]["range"]["start"])
    assert place(wrong[0]["range"]["end"]) == (line, column + len("tasks.percnt"))
    assert opened.change(POLICY, BASE) == []


def test_only_the_newest_text_of_a_fast_typist_is_looked_at(opened: Client) -> None:
    versions = [BASE.replace("$goal,", f"$goal{'x' * n},") for n in range(1, 9)]
    for text in versions:
        opened.type(POLICY, text)
    wrong = opened.diagnostics(POLICY)
    assert "`$goalxxxxxxxx`" in wrong[0]["message"]


@pytest.mark.usefixtures("own_event_loop")
def test_a_look_that_has_not_begun_gives_way_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exitgate.surfaces.lsp.server.QUIET", 0)
    monkeypatch.setattr("exitgate.surfaces.lsp.server.CALM", 0)
    looked: list[tuple[str, bool]] = []

    async def publish(uri: str, thorough: bool) -> None:
        looked.append((uri, thorough))

    async def type_fast() -> None:
        server = Server("1")
        monkeypatch.setattr(server, "_publish", publish)
        for _ in range(8):
            server.look_soon("file:///a.yaml")
        await server._waiting["file:///a.yaml"]

    asyncio.run(type_fast())
    assert looked == [("file:///a.yaml", False), ("file:///a.yaml", True)]


def test_positions_count_utf_16(opened: Client) -> None:
    text = BASE.replace('because: "the breaker is open"', 'because: "😀漢 {circuit.reson} 😀 {$gaol}"')
    wrong = opened.change(POLICY, text)
    line = next(i for i, said in enumerate(text.splitlines()) if "circuit.reson" in said)
    head = text.splitlines()[line]
    spans = []
    for word in ("{circuit.reson}", "{$gaol}"):
        start = len(head[: head.index(word)].encode("utf-16-le")) // 2
        spans.append((line, start, start + len(word)))
    assert [
        (o["range"]["start"]["line"], o["range"]["start"]["character"], o["range"]["end"]["character"])
        for o in wrong
    ] == spans
    fixed = opened.ask("textDocument/codeAction", {
        "textDocument": {"uri": opened.uri(POLICY)}, "range": wrong[1]["range"],
        "context": {"diagnostics": wrong},
    })  # fmt: skip
    assert [one["kind"] for one in fixed] == ["quickfix"] * len(fixed)
    hovered = opened.at("hover", POLICY, line, spans[0][1] + 3)
    assert hovered is None or hovered["contents"]


def test_completion_puts_in_what_was_meant(opened: Client) -> None:
    text = BASE.replace("circuit.state is OPEN", "circuit.state is HALF")
    opened.change(POLICY, text)
    found = opened.at("completion", POLICY, *position(text, "state is HALF│"))
    item = next(one for one in found["items"] if one["label"] == "HALF_OPEN")
    assert texts([item["textEdit"]], text) == BASE.replace("state is OPEN", "state is HALF_OPEN")
    text = BASE.replace("tasks.done unchanged for $loops iterations", "tasks.done ")
    opened.change(POLICY, text)
    found = opened.at("completion", POLICY, *position(text, "when: tasks.done │\n    exit: stuck"))
    item = next(one for one in found["items"] if one["label"].startswith("unchanged"))
    assert item["insertTextFormat"] == 2
    assert item["textEdit"]["newText"] == "unchanged for ${1:3} iterations"


def test_hover_definition_references_and_outline(opened: Client) -> None:
    at = position(BASE, "tasks.percent >= $go│al")
    hovered = opened.at("hover", POLICY, *at)
    assert "Now `90%`, set by project `.bb3/config.yaml:3`." in hovered["contents"]["value"]
    assert hovered["contents"]["kind"] == "markdown"
    (target,) = opened.at("definition", POLICY, *at)
    assert target["uri"] == opened.uri(POLICY)
    assert place(target["range"]["start"]) == position(BASE, "  │goal: {type")
    every = opened.at("references", POLICY, *at, context={"includeDeclaration": True})
    uses = opened.at("references", POLICY, *at, context={"includeDeclaration": False})
    assert len(every) == len(uses) + 1 == 6
    outline = opened.ask("textDocument/documentSymbol", {"textDocument": {"uri": opened.uri(POLICY)}})
    assert [one["name"] for one in outline] == ["parameters", "lists", "facts", "conditions", "rules"]


def test_definition_in_the_parent(opened: Client) -> None:
    opened.open("child/policy.yaml", CHILD)
    (target,) = opened.at("definition", "child/policy.yaml", *position(CHILD, "@fini│shed"))
    assert target["uri"] == opened.uri(POLICY)
    opened.close("child/policy.yaml")


def test_rename_and_its_refusals(opened: Client) -> None:
    at = position(BASE, "tasks.percent >= $go│al")
    span = opened.at("prepareRename", POLICY, *at)
    assert place(span["start"]) == position(BASE, "tasks.percent >= $│goal")
    changes = opened.at("rename", POLICY, *at, newName="target")["changes"]
    assert {uri.removeprefix(opened.root.as_uri() + "/") for uri in changes} == {
        POLICY, TESTS_FILE, ".bb3/config.yaml",
    }  # fmt: skip
    assert texts(changes[opened.uri(POLICY)], BASE) == BASE.replace("$goal", "$target").replace(
        "  goal:", "  target:"
    )
    assert "set: {target: 85}" in texts(changes[opened.uri(TESTS_FILE)], TESTS)
    assert "  target: 90" in texts(changes[opened.uri(".bb3/config.yaml")], SETTINGS)
    with pytest.raises(Refused, match="always there") as refusal:
        opened.at("prepareRename", POLICY, *position(BASE, "when: circ│uit.state"))
    assert refusal.value.code == -32803
    with pytest.raises(Refused, match=r"`.loops` already exists"):
        opened.at("rename", POLICY, *at, newName="loops")


def test_formatting(opened: Client) -> None:
    text = BASE.replace("tasks.open == 0", "(tasks.open==0)")
    opened.change(POLICY, text)
    options = {"tabSize": 2, "insertSpaces": True}
    asked = {"textDocument": {"uri": opened.uri(POLICY)}, "options": options}
    assert texts(opened.ask("textDocument/formatting", asked), text) == BASE
    opened.change(POLICY, BASE + "rules: [")
    assert opened.ask("textDocument/formatting", asked) == []


def test_what_rests_on_a_text_is_looked_at_again(opened: Client) -> None:
    assert opened.open("child/policy.yaml", CHILD) == []
    opened.type(POLICY, BASE.replace("  finished:", "  through:").replace("@finished", "@through"))
    child = opened.uri("child/policy.yaml")
    codes: list[str] = []
    while "EP403" not in codes:
        told = opened.note("textDocument/publishDiagnostics", lambda note: note["params"]["uri"] == child)
        codes = [one["code"] for one in told["diagnostics"]]
    opened.close("child/policy.yaml")
    while codes:
        told = opened.note("textDocument/publishDiagnostics", lambda note: note["params"]["uri"] == child)
        codes = [one["code"] for one in told["diagnostics"]]


def test_a_fault_of_the_parent_stands_at_its_name(opened: Client) -> None:
    opened.change(POLICY, BASE.replace("exit: halted", "exit: halt"))
    wrong = opened.open("child/policy.yaml", CHILD)
    inside = [one for one in wrong if "in `" in one["message"]]
    assert place(inside[0]["range"]["start"]) == position(CHILD, "extends: │..")
    assert inside[0]["relatedInformation"][0]["location"]["uri"] == opened.uri(POLICY)
    opened.close("child/policy.yaml")


def test_tests_and_settings_and_files_of_others(opened: Client) -> None:
    assert opened.open(TESTS_FILE, TESTS) == []
    assert [o["code"] for o in opened.change(TESTS_FILE, TESTS.replace("tasks.done: 9", "tasks.dome: 9"))]
    assert opened.open(".bb3/config.yaml", SETTINGS.replace("goal: 90", "gaol: 90"))
    assert opened.open("other/compose.yaml") == []
    assert opened.at("completion", "other/compose.yaml", 0, 3)["items"] == []
    assert opened.at("hover", "other/compose.yaml", 0, 3) is None
    for name in (TESTS_FILE, ".bb3/config.yaml", "other/compose.yaml"):
        opened.close(name)


def test_lints_come_after_a_moment_with_their_fixes(server: Client) -> None:
    server.open(POLICY, BASE.replace("because: no task was finished", "advice: go on"))
    found = server.diagnostics(POLICY, lints=True)
    missing = next(one for one in found if one["code"] == "missing-because")
    assert missing["severity"] in (2, 3)
    asked = {"textDocument": {"uri": server.uri(POLICY)}, "range": missing["range"]}
    text = BASE.replace("tasks.open == 0", "(tasks.open==0)")
    server.change(POLICY, text)
    style = next(o for o in server.diagnostics(POLICY, lints=True) if o["code"] == "non-canonical-condition")
    (fix,) = server.ask("textDocument/codeAction", {**asked, "context": {"diagnostics": [style]}})
    assert texts(fix["edit"]["changes"][server.uri(POLICY)], text) == BASE
    server.close(POLICY)


def test_requests_that_go_wrong_end_nothing(opened: Client) -> None:
    with pytest.raises(Refused):
        opened.ask("textDocument/unheardOf", {})
    opened.begin("textDocument/hover", {"position": 7})
    assert opened.at("hover", "never/opened.yaml", 0, 0) is None
    assert opened.at("hover", POLICY, 9999, 9999) is None
    opened.write(b"{ this is no message")
    opened.tell("$/unheardOf", {})
    assert opened.at("completion", POLICY, 0, 0)["items"]


def test_a_cancelled_request_is_answered_as_such(opened: Client) -> None:
    at = {"textDocument": {"uri": opened.uri(POLICY)}, "position": {"line": 0, "character": 0}}
    # The first answer takes long enough that the last request is not begun when it is cancelled.
    opened.type(POLICY, "policy: p\nformat: 1\nversion: 1.0.0\nextends: recommended\n")
    numbers = [f"asked {number}" for number in range(6)]
    asked = {"method": "textDocument/completion", "params": at}
    opened.send(
        *({"id": number, **asked} for number in numbers),
        {"method": "$/cancelRequest", "params": {"id": numbers[-1]}},
    )
    for number in numbers[:-1]:
        assert opened.answer(number)["items"]
    with pytest.raises(Refused) as refusal:
        opened.answer(numbers[-1])
    assert refusal.value.code == -32800


def test_hostile_texts(opened: Client) -> None:
    for text in ("\x00", "\ud800: x", "a: &b [*b]", "- " * 5000, "{" * 5000, "policy: " + "😀" * 50_000):
        opened.change(POLICY, text)
        opened.at("completion", POLICY, 0, 5)
        opened.at("hover", POLICY, 0, 1)
    assert opened.change(POLICY, BASE) == []


@pytest.mark.parametrize("how", ["exit", "killed"])
def test_the_server_ends_with_its_editor(how: str, tmp_path: Path) -> None:
    lay_out(tmp_path)
    client = Client(tmp_path)
    client.start()
    if how == "exit":
        client.tell("exit")
    else:
        assert client.server.stdin is not None
        client.server.stdin.close()
    assert client.end() in (0, 1)
