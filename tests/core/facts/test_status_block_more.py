"""Status blocks: evidence, sources, records, what a policy may get wrong."""

from __future__ import annotations

import pytest
from cases import each
from fact_reading import facts
from status_forms import DOYAKEN, LEXICON, RALPH

from exitgate.core.facts.extractors import status_block
from exitgate.core.facts.status.faults import faults
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import BOOL, Type, Unknown

BLOCK = "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---\n"


def extracted(text: str | None, fields: dict | None = None) -> dict[str, object]:
    sources = {"output": Source("output", text, reason="no output was given")}
    if fields is not None:
        sources["result"] = Source("result", record={"fields": fields})
    found = status_block.extract("s", "output", JsonObject(RALPH), Iteration(1, "r#1", 0.0, sources))
    return {fact.name[2:]: fact.value for fact in found}


def test_specs_are_of_the_policys_own_fields() -> None:
    specs = {spec.name: spec for spec in status_block.specs(JsonObject(RALPH))}
    assert list(specs)[:4] == ["present", "count", "contradictory", "unread"]
    assert specs["exit_signal"].type == BOOL
    assert specs["status"].type == Type("enum", ("IN_PROGRESS", "COMPLETE", "BLOCKED"))
    assert (specs["files_modified"].low, specs["files_modified"].high) == (0, None)
    assert all(spec.unknown_when for name, spec in specs.items() if name in RALPH["fields"])
    tests = next(spec for spec in status_block.specs(JsonObject(DOYAKEN)) if spec.name == "tests_status")
    assert tests.type.members == ("PASS", "FAIL", "SKIP", "NOT_SAID")


def test_evidence_is_the_field_and_the_block() -> None:
    text = f"Über.\r\n\r\n{BLOCK}".replace("\n", "\r\n").replace("\r\r", "\r")
    found = facts("status_block", RALPH, response=text)
    (seen,) = found["x.exit_signal"].evidence
    assert text[seen.start : seen.end] == "EXIT_SIGNAL: true"
    assert (seen.line, seen.column, seen.source) == (5, 1, "response")
    (block,) = found["x.present"].evidence
    assert text[block.start : block.end].rstrip() == BLOCK.replace("\n", "\r\n").rstrip()


def test_refused_blocks_are_shown_with_their_guard() -> None:
    text = BLOCK.replace("COMPLETE", "IN_PROGRESS | COMPLETE").replace("true", "true | false")
    found = facts("status_block", RALPH, response=text)
    (seen,) = found["x.present"].rejected
    assert (seen.guard, text[seen.start : seen.end]) == ("template", text.rstrip())
    assert found["x.exit_signal"].value is False
    assert "not filled in" in found["x.exit_signal"].note


def test_three_ways_of_having_no_value_are_told_apart() -> None:
    def reason(body: str) -> str:
        value = facts("status_block", RALPH, response=f"RALPH_STATUS:\n{body}")["x.status"].value
        assert isinstance(value, Unknown)
        return value.reason

    assert reason("EXIT_SIGNAL: true") == "no `STATUS` in the last `RALPH_STATUS` block"
    assert reason("EXIT_SIGNAL: true\nSTATUS:") == "`STATUS` is empty"
    assert reason("EXIT_SIGNAL: true\nSTATUS: A | COMPLETE | BLOCKED") == "`STATUS` is not filled in"
    assert reason("STATUS: almost") == "`STATUS` says `almost`, which is not a valid enum"
    assert reason("STATUS: COMPLETE\nSTATUS: BLOCKED") == "`STATUS` says both `COMPLETE` and `BLOCKED`"
    assert reason("nothing") == "no `RALPH_STATUS` block found in the response"


def test_a_stand_in_says_what_it_stands_for() -> None:
    found = facts("status_block", RALPH, response="RALPH_STATUS:\nEXIT_SIGNAL: perhaps\n")
    assert found["x.exit_signal"].value is False
    assert found["x.exit_signal"].note == (
        "`EXIT_SIGNAL` says `perhaps`, which is not a valid bool; treated as `false`"
    )
    assert found["x.unread"].value == ("EXIT_SIGNAL: perhaps",)
    assert [e.note for e in found["x.unread"].evidence] == ["EXIT_SIGNAL"]


def test_a_missing_source_is_unknown_everywhere() -> None:
    found = extracted(None)
    assert {type(value) for value in found.values()} == {Unknown}
    assert found["exit_signal"] == Unknown("no output was given", "s.exit_signal")


def test_an_empty_response_is_readable() -> None:
    found = extracted("")
    assert (found["present"], found["count"], found["contradictory"], found["unread"]) == (
        False,
        0,
        False,
        (),
    )
    assert isinstance(found["exit_signal"], Unknown)


FIELDS = {"STATUS": "complete", "EXIT_SIGNAL": True, "FILES_MODIFIED": 3, "SUMMARY": "all of it"}


def test_a_record_stands_in_place_of_a_block() -> None:
    for text in ("Fine.", None):
        found = extracted(text, FIELDS)
        assert (found["present"], found["count"], found["status"]) == (True, 1, "COMPLETE")
        assert (found["exit_signal"], found["files_modified"]) == (True, 3)


def test_a_block_goes_before_a_record() -> None:
    found = extracted(BLOCK.replace("true", "false"), FIELDS)
    assert (found["exit_signal"], found["count"]) == (False, 1)


@pytest.mark.parametrize("fields", [{}, {"OTHER": 1}, {"EXIT_SIGNAL": None}, {"STATUS": ["COMPLETE"]}])
def test_a_record_without_the_fields_is_none(fields: dict) -> None:
    assert extracted("Fine.", fields)["present"] is False


def test_guards_left_out_let_a_block_count() -> None:
    text = f"For example:\n{BLOCK}"
    assert facts("status_block", RALPH, response=text)["x.present"].value is False
    assert facts("status_block", {**RALPH, "apply": []}, response=text)["x.present"].value is True


@each(
    ("options", "says"),
    [
        ({"fields": {"a": {"type": "bool"}}}, "the block has no name"),
        ({"name": "X"}, "the block has no fields"),
        ({"name": "---", "fields": {"a": {"type": "bool"}}}, "`---` has no letter"),
        ({"name": "X", "fields": {"a": {"type": "enum"}}}, "`a` has no members"),
        ({"name": "X", "fields": {"a": {"type": "bool", "members": ["B"]}}}, "a bool has no members"),
        (
            {
                "name": "X",
                "fields": {"a": {"type": "bool", "key": "A_B"}, "b": {"type": "bool", "key": "a-b"}},
            },
            "`b` has the same key as `a`",
        ),
        (
            {"name": "X", "fields": {"a": {"type": "bool", "also": {"maybe": ["so"]}}}},
            "`maybe` is not a value of `a`",
        ),
        (
            {"name": "X", "fields": {"a": {"type": "bool", "unless": {"maybe": "so"}}}},
            "`maybe` is not a value of `a`",
        ),
        (
            {"name": "X", "fields": {"a": {"type": "bool", "unreadable": "no"}}},
            "`no` is not a valid bool of `a`",
        ),
        (
            {"name": "X", "fields": {"a": {"type": "bool"}}, "contradictions": [{"b": True}]},
            "there is no field `b`",
        ),
        (
            {
                "name": "X",
                "fields": {"a": {"type": "enum", "members": ["B"]}},
                "contradictions": [{"a": "C"}],
            },
            "`a` is never `C`",
        ),
    ],
)
def test_what_is_wrong_with_options_is_told(options: dict, says: str) -> None:
    found = list(faults(JsonObject(options)))
    assert [message for _, message, _ in found] == [says]
    assert all(help for _, _, help in found)


def test_sound_options_have_no_faults() -> None:
    assert list(faults(RALPH)) == list(faults(DOYAKEN)) == []
    assert LEXICON["entries"]


def test_of_a_flood_the_last_are_looked_at_and_it_is_told() -> None:
    found = facts("status_block", RALPH, response=BLOCK.replace("true", "false") * 700 + BLOCK)
    assert found["x.exit_signal"].value is True
    assert found["x.count"].value == 500
    assert found["x.count"].note == "only the last 1000 names of blocks were looked at"
    tags = facts("promise", {}, response="<promise>COMPLETE</promise>\n" * 1_200)
    assert (tags["x.count"].value, tags["x.emitted"].value) == (1_000, True)
    assert tags["x.count"].note == "only the last 1000 of 1200 tags were looked at"


@pytest.mark.parametrize(
    ("body", "status", "signal"),
    [
        ('{"status": "COMPLETE", "exit_signal": true}', "COMPLETE", True),
        ("STATUS: COMPLETE EXIT_SIGNAL: true", "COMPLETE", True),
        ("STATUS: COMPLETE | EXIT_SIGNAL: false", "COMPLETE", False),
        ("**STATUS:** COMPLETE, **EXIT_SIGNAL:** true", "COMPLETE", True),
        ("EXIT_SIGNAL: false (STATUS: COMPLETE is for later)", None, False),
        ("STATUS: IN_PROGRESS until EXIT_SIGNAL: true", None, None),
        ("RECOMMENDATION: leave EXIT_SIGNAL: true for later", None, None),
    ],
)
def test_fields_of_one_line_between_the_marks(body: str, status: object, signal: object) -> None:
    found = extracted(f"---RALPH_STATUS---\n{body}\n---END_RALPH_STATUS---\n")
    assert [None if isinstance(found[n], Unknown) else found[n] for n in ("status", "exit_signal")] == [
        status,
        signal,
    ]


TAKEN_BACK = {
    "name": "X",
    "fields": {
        "done": {
            "type": "bool",
            "also": {"true": ["✅"], "false": ["❌"]},
            "unless": {"true": r"^\W*(once|but)\b"},
        },
        "tests": {
            "type": "enum",
            "members": ["PASS", "FAIL"],
            "also": {"PASS": ["🟢"], "FAIL": ["🔴", "❌"]},
        },
    },
}


@each(
    ("written", "done"),
    [
        ("true (all of it)", True),
        ("true (once it is merged)", None),
        ("true, but the docs are open", None),
        ("true - once more: all", None),
        ("true (all, once more)", True),
        ("false (but nearly)", False),
        ("~true", None),
        ("≈ true", None),
        ("✅", True),
        ("**✅**", True),
        ("✅ (once it is merged)", None),
        ("❌", False),
        ("❌ true", None),
        ("🔴", None),
    ],
)
def test_a_remark_takes_a_value_back_and_marks_are_values(written: str, done: bool | None) -> None:
    found = facts(
        "status_block", TAKEN_BACK, response=f"---X---\nDONE: {written}\nTESTS: 🔴 (3)\n---END_X---\n"
    )
    told = found["x.done"].value
    assert (told if isinstance(told, bool) else None) is done
    assert found["x.tests"].value == "FAIL"


def test_a_pattern_that_re2_refuses_is_told() -> None:
    options = {"name": "X", "fields": {"a": {"type": "bool", "unless": {"true": "(?=x)"}}}}
    ((path, message, _),) = list(faults(JsonObject(options)))
    assert path == ("fields", "a", "unless", "true")
    assert message.startswith("RE2 rejects this pattern")
