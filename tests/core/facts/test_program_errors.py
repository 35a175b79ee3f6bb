"""An answer that is nothing but a program's own error is one; the same words in an agent's prose are none."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import document, resolved
from hypothesis import given
from hypothesis import strategies as st

from exitgate.core.facts.extractors import infrastructure
from exitgate.core.facts.turn.trouble import watch
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject

OPTIONS = JsonObject(lexicon=resolved("infrastructure"))
KNOWN = watch(OPTIONS)
NOON = 1_893_499_200.0

#: What programs print, with its kind.
MESSAGES = {
    "Claude AI usage limit reached|1893510000": "USAGE_LIMIT",
    "You've hit your limit · resets 7pm (UTC)": "USAGE_LIMIT",
    "5-hour limit reached ∙ resets 3pm": "USAGE_LIMIT",
    "Credit balance is too low": "USAGE_LIMIT",
    "ERROR: You've hit your usage limit. Upgrade to Pro, or try again in 3 hours 2 minutes.": "USAGE_LIMIT",
    "Your workspace is out of credits. Ask your workspace owner to refill it.": "USAGE_LIMIT",
    "[API Error: You have exhausted your daily quota on this model.]": "USAGE_LIMIT",
    "✘ Execution failed: 402 You have no quota": "USAGE_LIMIT",
    "API Error: Rate limit reached": "RATE_LIMIT",
    "litellm.RateLimitError: AnthropicException - too many": "RATE_LIMIT",
    "API Error: Repeated 529 Overloaded errors": "OVERLOADED",
    "API Error: 500 {\"type\":\"error\",\"error\":{\"type\":\"api_error\"}}": "OVERLOADED",
    "API Error: Unable to connect to API (ECONNRESET)": "OTHER",
    "TypeError: fetch failed": "OTHER",
    "socket hang up": "OTHER",
    "Prompt is too long": "OTHER",
    "Execution error": "OTHER",
    "Invalid API key · Please run /login": "AUTH",
    "API Error: 401 the token is not valid · Please run /login": "AUTH",
    "Your organization does not have access to Claude. Please login again.": "AUTH",
    "error: No provider configured. Run 'goose configure' first": "AUTH",
    "ProviderModelNotFoundError: own-9": "MODEL",
    "There's an issue with the selected model (own-9). It may not exist.": "MODEL",
    "claude: command not found": "CANNOT_START",
    "bash: line 1: codex: No such file or directory": "CANNOT_START",
    "zsh: command not found: gemini": "CANNOT_START",
    "env: ‘node’: No such file or directory": "CANNOT_START",  # noqa: RUF001
    "bash: /opt/bin/amp: Permission denied": "CANNOT_START",
    "'amp' is not recognized as an internal or external command,\noperable program or batch file.": (
        "CANNOT_START"
    ),
    "Not inside a trusted directory and --skip-git-repo-check was not specified.": "CANNOT_START",
    "Error: Reached max turns (5)": "CUT_SHORT",
    "/bin/sh: mill: not found": "CANNOT_START",
    "sh: 1: mill: not found": "CANNOT_START",
    "/usr/bin/bash: line 3: mill: command not found": "CANNOT_START",
    "zsh:1: command not found: mill": "CANNOT_START",
    'exec: "mill": executable file not found in $PATH': "CANNOT_START",
    'Error: exec: "mill": executable file not found in %PATH%': "CANNOT_START",
    "fork/exec /opt/mill: no such file or directory": "CANNOT_START",
    "env: mill: No such file or directory": "CANNOT_START",
    "nohup: failed to run command 'mill': No such file or directory": "CANNOT_START",
    "setsid: failed to execute mill: No such file or directory": "CANNOT_START",
    "sudo: mill: command not found": "CANNOT_START",
    "Error: spawn mill ENOENT": "CANNOT_START",
    "Error: Command failed with ENOENT: mill --print": "CANNOT_START",
    "FileNotFoundError: [Errno 2] No such file or directory: 'mill'": "CANNOT_START",
    "PermissionError: [Errno 13] Permission denied: 'mill'": "CANNOT_START",
    "Error: No such file or directory (os error 2)": "CANNOT_START",
    "Error: failed to spawn mill: No such file or directory (os error 2)": "CANNOT_START",
    "The system cannot find the path specified.": "CANNOT_START",
    "mill : The term 'mill' is not recognized as a name of a cmdlet.": "CANNOT_START",
    "Error: No authentication information found.\n\nTo authenticate, you can use /login": "AUTH",
    "Missing environment variable: `MILL_API_KEY`.": "AUTH",
    "Error: When using the service, you must specify the MILL_API_KEY environment variable.": "AUTH",
    "AI_LoadAPIKeyError: the key of the service is missing.": "AUTH",
    "API key not valid. Please pass a valid API key.": "AUTH",
    "Error: Not logged in. Run `mill login` first.": "AUTH",
    "You must be logged in to use this command": "AUTH",
    "Session expired. Please log in again.": "AUTH",
    "Out of credits. Visit https://example.org/settings": "USAGE_LIMIT",
    "Error: Insufficient credits": "USAGE_LIMIT",
    "You have no credits remaining": "USAGE_LIMIT",
    "Your account balance is too low": "USAGE_LIMIT",
    "Your credits have been used up.": "USAGE_LIMIT",
    "ConnectionRefusedError: the service could not reach the API": "OTHER",
    "Connection refused": "OTHER",
    "Error: Could not connect to the server": "OTHER",
    "Error: Unexpected error, check log file at /home/me/mill.log for more details": "OTHER",
    "Killed": "CRASH",
    "./loop.sh: line 7: 411 Killed                  mill -p": "CRASH",
}  # fmt: skip

AROUND = [
    "{}", "{}\n", "\n\n{}\n\n", "\x1b[31m{}\x1b[0m", "{}\nRequest ID: 00-17",
    "Loaded cached credentials.\n{}", "[2030-01-01T10:00:00] {}", "{}\n    at run (cli.js:1:2)",
]  # fmt: skip

PROSE = [
    "I fixed how the client takes `{}`.", "The log says: {}\n\nI added a pause.",
    "{}\n\nThat is handled now; all tests pass.",
    "> {}", "- {}\n- the map is drawn", "```\n{}\n```", "Review of client.py:\n\n1. {}\n2. no pause\n",
    '"{}" is shown on the page.', "The map is drawn.\n{}\nThe legend is next.",
    "| message | kind |\n|---|---|\n| {} | x |",
    "Drew the map of the harbour.\n\n### Notes\n\n{} came from the old run, so I started it anew.",
]  # fmt: skip


def kind_of(text: str, **record: object) -> str:
    told = {"is_error": True, "alone": True, "tail": text, **record}
    sources = {"result": Source("result", record=told), "response": Source("response", text)}
    found = infrastructure.extract("x", "result", OPTIONS, Iteration(1, "t#1", NOON, sources))
    return str(found[0].value)


@each("message", MESSAGES)
def test_alone_it_is_an_error_of_its_kind_whatever_stands_around_it(message):
    for around in AROUND:
        for text in (around.format(message), around.format(message).replace("\n", "\r\n")):
            assert KNOWN.alone(text), text
    for status in (None, 0, 1):
        assert kind_of(message, **({} if status is None else {"agent_exit": status})) == MESSAGES[message]


@each("message", MESSAGES)
def test_in_prose_it_is_none(message):
    for shape in PROSE:
        assert not KNOWN.alone(shape.format(message)), shape.format(message)


PLAIN = (
    "the",
    "map",
    "harbour",
    "crane",
    "lamp",
    "of",
    "a",
    "is",
    "drawn",
    "in",
    "blue",
    "and",
    "gold",
    "near",
    "old",
    "pier",
    "with",
    "rope",
)
WORDS = st.lists(
    st.sampled_from(PLAIN),
    min_size=4, max_size=12,
).map(" ".join)  # fmt: skip


@given(st.sampled_from(sorted(MESSAGES)), st.lists(WORDS, min_size=1, max_size=5), st.data())
def test_no_answer_with_a_line_of_prose_is_one(message, prose, data):
    lines = [*prose]
    lines.insert(data.draw(st.integers(0, len(lines))), message)
    assert not KNOWN.alone("\n".join(lines))


@pytest.mark.parametrize(
    "said",
    [
        "Usage limit reached page is styled and linked from the header.",
        "Rate limit reached: I slowed the requests down.",
        "API Error: 529 is retried with backoff.",
        "Prompt is too long for small screens, so the text now wraps.",
        "Not logged in users are redirected to the start.",
        "Request timed out errors are shown in red now.",
    ],
)
def test_a_sentence_that_only_begins_so_is_none(said):
    assert not KNOWN.alone(said)


@pytest.mark.parametrize(
    "said",
    [
        "Invalid API key errors are now shown to the user.",
        "Expired access token banners are rendered in red.",
        "Out of credits is a page of its own.",
        "Connection refused is handled with a pause.",
        "Killed the slow query on the harbour table.",
        "FileNotFoundError: [Errno 2] No such file or directory: 'maps/harbour.csv' is raised by the reader.",
        "Not logged in users are redirected to the start.",
    ],
)
def test_a_sentence_counts_for_nothing_when_the_program_failed(said):
    record = {"is_error": True, "agent_exit": 1, "tail": said}
    found = infrastructure.extract(
        "x",
        "result",
        OPTIONS,
        Iteration(1, "t#1", NOON, {"result": Source("result", record=record)}),
    )
    assert str(found[0].value) == "OTHER"


def test_each_printed_example_of_the_lexicon_is_one_alone():
    for entry in document("infrastructure")["entries"]:
        if (
            "kind" in entry
            and not entry.get("structured")
            and entry["id"].endswith(("-printed", "not-found"))
        ):
            for example in entry["examples"]:
                if example[0] != "{" and "own" not in example:
                    assert KNOWN.alone(example), (entry["id"], example)


HALT = (
    "A potential loop was detected. This can happen due to repetitive tool calls."
    " The request has been halted."
)


@pytest.mark.parametrize(
    ("said", "halted"),
    [
        (HALT, True), (f"Now the crane.\n{HALT}", True), (f"{HALT}\nNow the crane.", False),
        (f"I look for `{HALT}`", False), ("Now the crane.", False),
    ],
)  # fmt: skip
def test_the_program_stops_its_agent(said, halted):
    sources = {"result": Source("result", record={"format": "TEXT"}), "response": Source("response", said)}
    found = infrastructure.extract("x", "result", OPTIONS, Iteration(1, "t#1", NOON, sources))
    assert {f.name: f.value for f in found}["x.halted"] is halted
