"""`infrastructure`: trouble is read off results and last words after a failure, never off other texts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cases import each
from fact_reading import document, resolved
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps

from exitgate.core.facts.extractors import infrastructure
from exitgate.core.model.fact import EXCERPT_LIMIT, Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

OPTIONS = JsonObject(lexicon=resolved("infrastructure"))
NOON = 1_893_499_200.0  # 2030-01-01 12:00 UTC


def read(record: dict | None, options: dict = OPTIONS, **texts: str) -> dict[str, Fact]:
    sources = {name: Source(name, text) for name, text in texts.items()}
    sources["result"] = Source("result", record=record, reason="nothing was given")
    found = infrastructure.extract("x", "result", JsonObject(options), Iteration(1, "tests#1", NOON, sources))
    assert [f.name for f in found] == [f"x.{s.name}" for s in infrastructure.specs(JsonObject(options))]
    return {f.name.removeprefix("x."): f for f in found}


@each(
    ("record", "kind", "failed", "timed_out"),
    [
        ({}, "NONE", None, False),
        ({"format": "TEXT"}, "NONE", None, False),
        ({"is_error": False}, "NONE", False, False),
        ({"agent_exit": 0}, "NONE", False, False),
        ({"agent_exit": 1}, "OTHER", True, False),
        ({"agent_exit": 1, "is_error": False}, "OTHER", True, False),
        ({"agent_exit": 0, "is_error": True}, "OTHER", True, False),
        ({"agent_exit": 0, "is_error": True, "subtype": "success"}, "OTHER", True, False),
        ({"subtype": "error_during_execution"}, "OTHER", True, False),
        ({"subtype": "error_max_turns", "is_error": False}, "NONE", False, False),
        ({"error": "the store is gone"}, "OTHER", True, False),
        ({"agent_exit": 124}, "TIMEOUT", True, True),
        ({"agent_exit": 137}, "TIMEOUT", True, True),
        ({"agent_exit": -9}, "TIMEOUT", True, True),
        ({"agent_exit": 139}, "CRASH", True, False),
        ({"agent_exit": -11}, "CRASH", True, False),
        ({"agent_exit": 128}, "OTHER", True, False),
        ({"agent_exit": 127}, "CANNOT_START", True, False),
        ({"agent_exit": 127, "tail": "I drew the map."}, "OTHER", True, False),
        ({"agent_exit": 130}, "NONE", False, False),
        ({"agent_exit": 143}, "NONE", False, False),
        ({"agent_exit": 143, "is_error": True, "error": "Not logged in"}, "AUTH", True, False),
        # printed text counts only after a failure
        ({"agent_exit": 0, "tail": "You've hit your limit"}, "NONE", False, False),
        ({"tail": "You've hit your limit"}, "NONE", None, False),
        ({"agent_exit": 1, "tail": "You've hit your limit"}, "USAGE_LIMIT", True, False),
        ({"agent_exit": 2, "tail": "Working.\nError: 503 Service Unavailable"}, "OVERLOADED", True, False),
        ({"agent_exit": 139, "tail": "Segmentation fault (core dumped)"}, "CRASH", True, False),
        ({"agent_exit": 1, "tail": "Not logged in\n\nYou've hit your limit"}, "USAGE_LIMIT", True, False),
        # time that was up says nothing about the words before; a reported error does
        ({"agent_exit": 124, "tail": "You've hit your limit"}, "TIMEOUT", True, True),
        ({"agent_exit": 124, "is_error": True, "error": "You've hit your limit"}, "USAGE_LIMIT", True, True),
        # the last event on limits is the one that holds
        ({"agent_exit": 1, "limits": [{"status": "rejected"}]}, "USAGE_LIMIT", True, False),
        ({"limits": [{"status": "allowed"}, {"status": "rejected"}]}, "USAGE_LIMIT", True, False),
        ({"agent_exit": 1, "limits": [{"status": "rejected"}, {"status": "allowed"}]}, "OTHER", True, False),
        ({"agent_exit": 0, "limits": [{"status": "rejected"}]}, "NONE", False, False),
        ({"is_error": False, "limits": [{"status": "rejected"}]}, "NONE", False, False),
        ({"is_error": True, "error": "API Error: 403 the access token expired"}, "AUTH", True, False),
        ({"is_error": True, "error": "API Error: 404 there is no model own-9"}, "MODEL", True, False),
        ({"is_error": True, "error": "API Error: Request timed out."}, "TIMEOUT", True, False),
        ({"is_error": True, "error": "read ECONNRESET"}, "OTHER", True, False),
    ],
)  # fmt: skip
def test_how_the_turn_ended(record: dict, kind: str, failed: bool | None, timed_out: bool) -> None:
    found = read(record)
    assert found["kind"].value == kind
    assert found["timed_out"].value is timed_out
    assert found["limited"].value is (kind in ("USAGE_LIMIT", "RATE_LIMIT"))
    if failed is None:
        assert isinstance(found["failed"].value, Unknown)
    else:
        assert found["failed"].value is failed


@each(
    "tail",
    [
        "Installed the package @own/ratelimit and committed.",
        "see store_spec.rb:418-429",
        "The usage limit reached message is shown in red now.",
        "I added a test: `You've hit your limit` is printed.",
        "```\nYou've hit your limit · resets 9pm\n```\nwas what the log said",
        "> You've hit your limit",
        "Fixed the error handling for 429 and 503.",
        "Error: 4290 rows do not fit into 5030 bytes",
        "TypeError: x is not a function",
        "The login page asks who is not logged in.",
        "I mended:\n- rate limit exceeded is retried\n- usage limit reached ends the loop",
        "  1. Invalid API key: told to the user now",
    ],
)
def test_words_about_trouble_are_no_trouble(tail: str) -> None:
    found = read({"agent_exit": 1, "tail": tail})
    assert found["kind"].value == "OTHER", found["kind"].evidence


def test_a_shown_message_is_refused_with_its_guard() -> None:
    found = read({"agent_exit": 1, "tail": "> You've hit your limit\n```\nNot logged in\n```"})
    assert [(e.guard, e.note) for e in found["kind"].rejected] == [
        ("quoted", "limit-reached, in `tail`"),
        ("fenced", "login, in `tail`"),
    ]


def test_an_item_of_a_list_is_refused_in_what_was_printed_and_counts_in_the_error() -> None:
    message = "- You've hit your limit"
    (refused,) = read({"agent_exit": 1, "tail": message})["kind"].rejected
    assert (refused.guard, refused.note) == ("quoted", "limit-reached, in `tail`")
    assert read({"is_error": True, "error": message})["kind"].value == "USAGE_LIMIT"


def test_texts_of_other_sources_are_not_looked_at() -> None:
    said = "You've hit your limit · resets 9pm"
    found = read({"agent_exit": 124}, response=said, output=said, tool_results=said)
    assert found["kind"].value == "TIMEOUT"
    assert found["limited"].value is False
    assert read({"agent_exit": 1}, response=said)["kind"].value == "OTHER"


def test_an_error_without_a_text_of_its_own_stands_in_the_response() -> None:
    found = read(
        {"is_error": True, "subtype": "success"}, response="You've hit your limit · resets in 5 minutes"
    )
    assert found["kind"].value == "USAGE_LIMIT"
    assert found["retry_after"].value == 300
    assert read({"is_error": True, "error": "x"}, response="You've hit your limit")["kind"].value == "OTHER"


@each(
    ("record", "seconds"),
    [
        ({"is_error": True, "error": "You've hit your limit · resets 3pm (UTC)"}, 3 * 3600),
        ({"is_error": True, "error": "You've hit your limit · resets 3pm", "utc_offset": 7200}, 3600),
        ({"is_error": True, "error": "You've hit your limit\nSee the plan\nresets in 2 hours"}, 7200),
        ({"is_error": True, "error": "You've hit your limit\n1\n2\n3\nresets in 2 hours"}, None),
        ({"is_error": True, "error": "You've hit your limit · resets 3pm"}, None),
        ({"is_error": True, "error": "You've hit your limit"}, None),
        ({"agent_exit": 1, "tail": "You're out of extra usage · resets 9pm", "utc_offset": 0}, 9 * 3600),
        ({"agent_exit": 1, "limits": [{"status": "rejected", "resets_at": NOON + 60}]}, 60),
        ({"agent_exit": 1, "limits": [{"status": "rejected", "resets_at": (NOON + 60) * 1000}]}, 60),
        ({"agent_exit": 1, "limits": [{"status": "rejected", "resets_at": "2030-01-01T12:01:00Z"}]}, 60),
        ({"agent_exit": 1, "limits": [{"status": "rejected", "resets_at": NOON - 60}]}, 0),
        ({"agent_exit": 1, "limits": [{"status": "rejected", "resets_at": "soon"}]}, None),
        ({"is_error": True, "error": "x", "limits": [{"status": "rejected"}]}, None),
        ({"agent_exit": 1, "tail": "The store resets in 2 hours"}, None),
        ({"agent_exit": 0}, None),
    ],
)  # fmt: skip
def test_when_to_try_again(record: dict, seconds: int | None) -> None:
    value = read(record)["retry_after"].value
    if seconds is None:
        assert isinstance(value, Unknown)
        assert value.reason
    else:
        assert value == seconds


def test_evidence_is_the_line_that_was_said() -> None:
    error = "first\n  You've hit your limit · resets 3pm (UTC)  "
    found = read({"is_error": True, "error": error})
    seen = found["kind"].evidence[0]
    assert (seen.source, seen.line, seen.note) == ("result", 2, "limit-reached, in `error`")
    assert error[seen.start : seen.end].strip() == "You've hit your limit · resets 3pm (UTC)"
    assert "You've hit your limit" in str(found["excerpt"].value)
    assert (
        read({"is_error": True, "error": "\n  the store is gone\n"})["excerpt"].value == "  the store is gone"
    )
    assert read({"agent_exit": 127})["kind"].note == "the agent's command was not found"


def test_a_missing_result_is_unknown() -> None:
    assert {f.value for f in read(None).values()} == {
        Unknown("nothing was given", f"x.{s.name}") for s in infrastructure.specs(OPTIONS)
    }


def test_a_policy_says_which_statuses_mean_that_time_was_up() -> None:
    assert read({"agent_exit": 137}, {**OPTIONS, "timeouts": [124]})["kind"].value == "CRASH"
    assert read({"agent_exit": 99}, {**OPTIONS, "timeouts": [99]})["timed_out"].value is True


def entries(key: str) -> Iterator[object]:
    for entry in document("infrastructure")["entries"]:
        for text in entry.get(key, []) if "kind" in entry else []:
            yield pytest.param(entry, text, id=f"{entry['id']}-{text[:50]}")


def notes(entry: dict, text: str) -> dict[str, Fact]:
    if entry.get("structured"):
        return read({"is_error": True, "error": text})
    if entry.get("alone"):
        return read({"is_error": True, "alone": True, "tail": text})
    return read({"agent_exit": 1, "tail": text})


@each(("entry", "text"), list(entries("examples")))
def test_an_example_is_recognised(entry: dict, text: str) -> None:
    assert notes(entry, text)["kind"].value == entry["kind"].upper().replace("-", "_")


@each(("entry", "text"), list(entries("counterexamples")))
def test_a_counterexample_is_not(entry: dict, text: str) -> None:
    assert [e.note for e in notes(entry, text)["kind"].evidence if e.note.startswith(entry["id"])] == []


SNIPPETS = (
    "You've hit your limit", "resets 9pm", "resets ", "Jan 31, ", "99", "9999-99-99 99:99", " (", "/", "> ",
    "../../etc/passwd", "\x00", "\ud800", "\x1b[31m", "\n", "API Error: 429", "|1893456000", "retry-after: 9",
    "Europe/", "in 5 minutes", "\u0663pm", "e" * 3000, "```",
)  # fmt: skip
SAID = st.lists(st.sampled_from(SNIPPETS) | st.text(st.characters(codec=None), max_size=6), max_size=12).map(
    "".join
)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | SAID
LIMITS = st.lists(
    st.dictionaries(st.sampled_from(["status", "resets_at"]), PLAIN | st.just("rejected")) | PLAIN
)
KEYS = ("is_error", "subtype", "error", "stop_reason", "agent_exit", "tail", "utc_offset")


@settings(max_examples=100, deadline=None)
@given(
    record=st.dictionaries(st.sampled_from(KEYS), PLAIN),
    limits=LIMITS,
    error=SAID,
    status=st.integers(-70, 300),
)
def test_no_record_raises(record: dict, limits: list, error: str, status: int) -> None:
    for one in (
        {**record, "limits": limits},
        {**record, "is_error": True, "error": error},
        {"agent_exit": status, "tail": error},
    ):
        found = read(one, response=error)
        assert found == read(one, response=error)
        wait = found["retry_after"].value
        assert isinstance(wait, Unknown) or wait >= 0
        for fact in found.values():
            for seen in (*fact.evidence, *fact.rejected):
                assert 0 <= seen.start < seen.end
                assert len(seen.excerpt) <= EXCERPT_LIMIT


@each("field", ["error", "tail"])
@each("said", ["API Error: 429 resets ", "You've hit your limit\n", "try again in 5 ", "> \n```\n", "a"])
def test_twice_the_text_is_at_most_twice_the_work(field: str, said: str) -> None:
    def work(size: int) -> int:
        record = {"agent_exit": 1, field: said * (size // len(said))}
        return steps(lambda: read(record))

    work(2_000)
    assert work(40_000) <= 2.3 * work(20_000) + 500
