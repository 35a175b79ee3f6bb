"""What a page is told about the text of a policy: the language server's own answers, whatever the text is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "lsp"))

from client import Client

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.surfaces.studio.http.app import Api
from exitgate.surfaces.studio.http.events import Events
from exitgate.surfaces.studio.http.json_text import json_bytes
from exitgate.surfaces.studio.workspace.api import api_of
from exitgate.surfaces.studio.workspace.policies import LARGEST, Origin
from exitgate.surfaces.studio.workspace.workspace import Workspace

PARENT = """\
policy: parent
format: 1
version: 1.2.0
parameters:
  goal: {type: percent, default: 80, doc: "Share of *tasks* that is <b>enough</b> 🙂."}
facts:
  tasks: {extract: checklist, from: plan}
conditions:
  finished: {when: tasks.percent >= $goal, doc: Enough is done.}
rules:
  - {id: enough, when: "@finished", exit: complete, because: "{tasks.done} done"}
"""
OWN = """\
policy: own
format: 1
version: 1.0.0
title: "🙂🙂 two emojis"
extends: ./parent.yaml@^1
parameters:
  goal: {default: 70}
rules:
  - {id: talk, when: tasks.done >= 1 and @finished, exit: review, because: "🙂 {tasks.open} left"}
  - {id: some, when: "tasks.done   >=   2", exit: review, because: "{$goal}"}
"""
TEXTS = {
    "right": OWN,
    "wrong key": OWN.replace("version:", "versoin:"),
    "wrong value": OWN.replace("default: 70", "default: 700"),
    "wrong name": OWN.replace("tasks.done >= 1", "tasks.doen >= 1"),
    "not yaml": OWN + "  - {id: [\n",
    "half a condition": OWN.replace("tasks.done >= 1 and @finished", "tasks.done >="),
    "windows": OWN.replace("\n", "\r\n"),
    "a parent that is not there": OWN.replace("./parent.yaml@^1", "./nowhere.yaml"),
    "another kind": "lexicon: mine\nentries: []\n",
    "empty": "",
}
KINDS = ("completion", "hover", "diagnostics", "format")
#: A place in each kind of thing: a line of the text and a column behind its emoji.
PLACES = [
    (0, 3),
    (3, 12),
    (4, 12),
    (6, 3),
    (8, 12),
    (8, 24),
    (8, 30),
    (8, 44),
    (8, 84),
    (9, 22),
    (99, 0),
    (3, 999),
]


def made(folder: Path) -> Path:
    """Write the two policies into a folder."""
    (folder / "parent.yaml").write_text(PARENT, encoding="utf-8")
    (folder / "own.yaml").write_text(OWN, encoding="utf-8")
    return folder


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return made(tmp_path)


def api_at(place: Path) -> Api:
    origins = [
        Origin("own", str(place / "own.yaml"), {}, str(place)),
        Origin("bb3", "bb3", {}, str(place)),
    ]
    return api_of(Workspace([str(place)], origins), Events(), read_only=False)


@pytest.fixture
def api(place: Path) -> Api:
    return api_at(place)


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Api:
    """Return a studio for those who write nothing."""
    return api_at(made(tmp_path_factory.mktemp("reading")))


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, Client]]:
    """Give a studio and a language server on the same folder."""
    place = made(tmp_path_factory.mktemp("beside"))
    one = Client(place)
    one.start()
    yield api_at(place), one
    one.stop()


def ask(
    api: Api, what: str, text: str, line: int = 0, column: int = 0, policy: str = "own"
) -> dict[str, object]:
    body = {"what": what, "policy": policy, "text": text, "line": line, "column": column}
    found = api.actions["language"].do(JsonObject(body))
    assert json_bytes(found)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_each_answer_is_the_one_of_the_language_server(beside: tuple[Api, Client], text: str) -> None:
    api, server = beside
    told = server.open("own.yaml", text)
    found = ask(api, "diagnostics", text)["items"]
    assert isinstance(found, list)
    lints = [one for one in found if not str(one["code"]).startswith("EP")]
    assert [one for one in found if one not in lints] == told
    if lints:
        assert lints == server.diagnostics("own.yaml", lints=True)
    for line, column in PLACES:
        proposed = server.at("completion", "own.yaml", line, column)
        assert ask(api, "completion", text, line, column) == proposed
        hovered = server.at("hover", "own.yaml", line, column)
        assert ask(api, "hover", text, line, column) == (hovered or {})
    named = {"textDocument": {"uri": server.uri("own.yaml")}, "options": {"tabSize": 2, "insertSpaces": True}}
    assert ask(api, "format", text)["edits"] == server.ask("textDocument/formatting", named)


def test_the_answers_are_not_empty(api: Api) -> None:
    line = OWN.splitlines()[8]
    column = len(line[: line.index("tasks.done")].encode("utf-16-le")) // 2 + 3
    assert "tasks.done" in str(ask(api, "hover", OWN, 8, column))
    assert any(one["label"] == "tasks.done" for one in ask(api, "completion", OWN, 8, column)["items"])  # type: ignore[attr-defined]
    wrong = ask(api, "diagnostics", TEXTS["wrong key"])["items"]
    assert [(one["code"], one["range"]["start"]) for one in wrong][:1] == [
        ("EP201", {"line": 2, "character": 0})
    ]  # type: ignore[attr-defined]
    assert ask(api, "format", OWN)["edits"]
    assert ask(api, "format", TEXTS["half a condition"]) == {"edits": [], "refused": True}
    assert ask(api, "format", PARENT) == {"edits": [], "refused": False}


def test_a_text_counts_and_nothing_is_written(api: Api, place: Path) -> None:
    before = {path: path.read_bytes() for path in place.iterdir()}
    renamed = OWN.replace("goal: {default: 70}", "aim: {type: count, default: 7}").replace(
        "{$goal}", "{$aim}"
    )
    line = renamed.splitlines()[9]
    assert "$aim" in str(ask(api, "hover", renamed, 9, line.index("aim")))
    for what in KINDS:
        ask(api, what, renamed)
    assert {path: path.read_bytes() for path in place.iterdir()} == before


def test_a_shipped_policy_is_explained_where_its_file_is(api: Api) -> None:
    text = str(api.reads["policy"]("bb3", {})["text"])  # type: ignore[index]
    at = next(n for n, line in enumerate(text.splitlines()) if line.startswith("  min_completion:"))
    assert "percent" in str(ask(api, "hover", text, at, 4, "bb3"))
    errors = [one for one in ask(api, "diagnostics", text, policy="bb3")["items"] if one["severity"] == 1]  # type: ignore[attr-defined]
    assert errors == []


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]\n"
    for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
HOSTILE = {
    "nul": "policy: x\x00\n\x1b[2J: \u202e\n",
    "half an emoji": OWN.replace("two", "\ud83d two \udc00"),
    "byte order mark": "\ufeff" + OWN,
    "other line ends": OWN.replace("\n", "\r").replace("own", "own\u2028\u0085"),
    "brackets": "rules: " + "[" * 20_000,
    "braces": "rules: " + "{a: " * 20_000,
    "indents": "".join(" " * n + "a:\n" for n in range(400)),
    "dashes": "rules:\n" + "- " * 10_000,
    "parentheses": OWN.replace("tasks.done >= 1", "(" * 20_000 + "tasks.done"),
    "not not": OWN.replace("tasks.done >= 1", "not " * 20_000 + "tasks.done"),
    "bomb": BOMB,
    "quotes": "title: \"" + "\\" * 9_999,
    "a device": OWN.replace("./parent.yaml@^1", "/dev/zero"),
    "another file": OWN.replace("./parent.yaml@^1", "../../../../../../../../etc/passwd"),
    "itself": OWN.replace("./parent.yaml@^1", "./own.yaml"),
    "one line of 1 MB": OWN + "# " + "🙂x" * 200_000,
    "a text of 1 MB": OWN + "doc: |\n" + "  some words of a long text\n" * 37_000,
    "1 MB of rules": OWN + "".join(
        f"  - {{id: r{n}, when: tasks.done >= {n}, exit: review, because: b}}\n" for n in range(1_500)
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", KINDS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_has_an_answer(reading: Api, what: str, text: str) -> None:
    lines = text.count("\n")
    places = ((0, 0), (lines // 2, 9), (8, 40), (lines, 10**9), (-5, -5), (10**30, 10**30))
    # what is about the whole text is the same for every place
    for line, column in places if what in ("completion", "hover") else places[-1:]:
        ask(reading, what, text, line, column)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_a_pipe_is_not_waited_for(api: Api, place: Path) -> None:
    os.mkfifo(place / "pipe.yaml")
    for what in KINDS:
        ask(api, what, OWN.replace("./parent.yaml@^1", "./pipe.yaml"))


@pytest.mark.parametrize(
    "part",
    [{"what": "rename"}, {"policy": "other"}, {"text": "x" * (LARGEST + 1)}, {"text": 7}, {"line": "1"},
     {"column": 1.5}, {"path": "/etc/passwd"}, {"text": "🙂" * (LARGEST // 4 + 1)}],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(api: Api, part: dict[str, object]) -> None:
    body = {"what": "hover", "policy": "own", "text": OWN, **part}
    with pytest.raises(ExitgateError) as caught:
        api.actions["language"].do(JsonObject(body))
    assert [one.code for one in caught.value.diagnostics] == ["EP557"]


def test_a_file_that_changes_is_seen_and_taken(api: Api, place: Path) -> None:
    before = api.reads["stamp"]("own", {})
    assert api.reads["stamp"]("own", {}) == before
    assert api.reads["stamp"]("nothing", {}) is None
    (place / "own.yaml").write_text(OWN.replace("default: 70", "default: 7"), encoding="utf-8")
    assert api.reads["stamp"]("own", {}) != before
    assert api.actions["renew"].do(JsonObject({})) == {"problems": []}
    policy = api.reads["policy"]("own", {})
    assert isinstance(policy, dict)
    assert "default: 7}" in policy["text"]
    assert [(one["name"], one["value"]) for one in policy["parameters"]] == [("goal", 7)]
    (place / "own.yaml").write_text("policy: [", encoding="utf-8")
    problems = api.actions["renew"].do(JsonObject({}))["problems"]  # type: ignore[index]
    assert len(problems) == 1
    assert problems[0].startswith("own: ")
    (place / "own.yaml").unlink()
    assert api.reads["stamp"]("own", {}) == {"stamp": ""}
    gone = api.reads["policy"]("own", {})
    assert isinstance(gone, dict)
    assert not gone["editable"]
