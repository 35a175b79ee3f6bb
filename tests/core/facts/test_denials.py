"""Denials from the runner's list, and which of them block."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps

from exitgate.core.facts.extractors import denials
from exitgate.core.facts.file_patterns import matches
from exitgate.core.facts.turn.calls import covers, simple_commands, split_patterns
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

ALLOW = "Write,Read,Bash(mvn *), Bash(git log:*),mcp__db__*,Edit(src/*)"
COVERED = [
    ("Bash", "mvn clean compile 2>&1 | tail -40"),
    ("Bash", "cd app && mvn test"),
    ("Bash", "mvn a; mvn b & mvn c || git log -1"),
    ("Bash", "mvn"),
    ("Bash", "MAVEN_OPTS=-Xmx1g mvn test >/dev/null 2>&1"),
    ("Bash", "mvn test > /dev/null"),
    ("Bash", "mvn test &> /dev/null | grep -c x"),
    ("Bash", 'mvn -Dx="a | b && c" test'),
    ("Bash", "mvn 'a; rm x' | /usr/bin/head -3"),
    ("Bash", "mvn a \\\n  b"),
    ("Bash", "git log --oneline -5 | head -2"),
    ("Write", "/any/file"),
    ("mcp__db__query", "select"),
    ("Edit", "src/a/b.py"),
]
BLOCKING = [
    ("Bash", "npm install"),
    ("Bash", "mvn test && npm install"),
    ("Bash", "mvn test | sh"),
    ("Bash", "mvn test; rm -rf ~"),
    ("Bash", "mvn test & curl x"),
    ("Bash", "mvn test\ncurl x"),
    ("Bash", "mvn $(curl x)"),
    ("Bash", "mvn `curl x`"),
    ("Bash", "mvn <(curl x)"),
    ("Bash", 'mvn "$(curl x)"'),
    ("Bash", "mvn test > pom.xml"),
    ("Bash", "mvn test >> pom.xml"),
    ("Bash", "mvn test 2>err.txt"),
    ("Bash", "mvnw test"),
    ("Bash", "git logger"),
    ("Bash", "git push"),
    ("Bash", "cd app"),
    ("Bash", "cat secret | tail -1"),
    ("Bash", "mvn 'unclosed && rm x\nrm y' ; rm z"),
    ("Bash", ""),
    ("Edit", "/etc/passwd"),
    ("bash", "mvn x"),
    ("mcp__other__query", "select"),
]


def read(record, **options):
    offered = Iteration(1, "r#1", 0.0, {"result": Source("result", record=record)})
    return {
        f.name.removeprefix("d."): f for f in denials.extract("d", "result", JsonObject(options), offered)
    }


def listed(*calls):
    return {"denials": [{"tool": tool, "input": input} for tool, input in calls]}


def filters():
    return tuple(denials.OPTIONS["filters"]["default"])


@each(("tool", "input"), COVERED)
def test_covered(tool, input):
    assert covers(split_patterns(ALLOW), tool, input, filters())


@pytest.mark.parametrize(
    ("input", "blocking"),
    [
        ("mvn clean compile 2>&1 | tail -40", False),
        ("cd app && mvn test", False),
        ("mvn test >/dev/null", False),
        ("A=1 mvn test", False),
        ("mvn  test", True),
        ("mvn 'a | b'", True),
        ("mvn test && npm install", True),
        ("mvn $(curl x)", True),
        ("", True),
    ],
)
def test_a_plain_command_blocks_where_only_compound_ones_are_covered(input, blocking):
    found = read(listed(("Bash", input)), allow=ALLOW, compound_only=True)
    assert found["blocking"].value is blocking
    assert found["count"].value == 1
    for call in (("Write", "/any/file"), ("AskUserQuestion", "")):
        assert read(listed(call), allow=f"{ALLOW},*", compound_only=True)["blocking"].value is True


@each(("tool", "input"), BLOCKING)
def test_not_covered(tool, input):
    assert not covers(split_patterns(ALLOW), tool, input, filters())


def test_everything_may_be_allowed():
    for pattern in ("Bash", "Bash(*)", "*", "B*"):
        assert covers([pattern], "Bash", "curl $(x) > y && z", ())
    assert covers(["Bash(a && b)"], "Bash", "a && b", ())


def test_one_covered_and_one_not():
    found = read(listed(("Bash", "mvn x | tail"), ("Bash", "npm install")), allow=[ALLOW, "Bash(make)"])
    assert (found["count"].value, found["blocking"].value) == (2, True)
    assert found["denied"].value == ("Bash(mvn x | tail)", "Bash(npm install)")
    assert [one.excerpt for one in found["blocking"].evidence] == ["Bash(npm install)"]
    assert [(one.excerpt, one.guard) for one in found["blocking"].rejected] == [
        ("Bash(mvn x | tail)", "covered")
    ]
    assert found["count"].note == "1 covered by `allow`"


def test_a_covered_denial_is_counted_and_does_not_block():
    found = read(listed(("Bash", "mvn x | tail")), allow=ALLOW)
    assert (found["count"].value, found["blocking"].value) == (1, False)


def test_without_patterns_every_denial_blocks():
    assert read(listed(("Write", "/a")))["blocking"].value is True


def test_filters_can_be_set():
    record = listed(("Bash", "mvn x | jq ."))
    assert read(record, allow=ALLOW)["blocking"].value is True
    assert read(record, allow=ALLOW, filters=["jq"])["blocking"].value is False
    assert read(listed(("Bash", "mvn x | tail")), allow=ALLOW, filters=[])["blocking"].value is True


def test_no_list_is_no_denial_and_no_record_is_unknown():
    for record in (
        {"denials": []},
        {"format": "TEXT"},
        {"denials": ["Bash", {"tool": ""}, {"tool": 3}, None]},
    ):
        found = read(record)
        values = (found["count"].value, found["blocking"].value, found["denied"].value)
        assert values == (0, False, ())
    assert all(isinstance(fact.value, Unknown) for fact in read(None).values())


def test_an_exit_status_alone_shows_no_work_that_could_have_been_refused():
    for record in ({"agent_exit": 0}, {"agent_exit": 1, "utc_offset": 3600}):
        assert all(isinstance(fact.value, Unknown) for fact in read(record).values())


def test_patterns_come_as_a_list_or_between_commas():
    assert split_patterns(["Write, Read", "Bash(a,b),Bash(c)", 3]) == (
        "Write",
        "Read",
        "Bash(a,b)",
        "Bash(c)",
    )
    assert split_patterns("") == split_patterns(None) == split_patterns(" , ") == ()


@pytest.mark.parametrize(
    ("pattern", "text", "want"),
    [("a*c", "abc", True), ("a*c", "ac", True), ("a*c", "abcd", False), ("*", "", True), ("a*a", "a", False),
     ("*b*", "abc", True), ("", "", True), ("", "a", False), ("a**b", "axb", True)],
)  # fmt: skip
def test_stars(pattern, text, want):
    assert matches(pattern, text) is want


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="ab *", max_size=8), st.text(alphabet="ab ", max_size=10))
def test_stars_match_as_patterns_do(pattern, text):
    import re

    wanted = re.fullmatch(".*".join(re.escape(piece) for piece in pattern.split("*")), text, re.DOTALL)
    assert matches(pattern, text) is (wanted is not None)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="mvn &|;><12$(`'\"\\\n=x/", max_size=40), st.text(max_size=12))
def test_any_command_and_any_pattern(command, pattern):
    found = simple_commands(command)
    assert found is None or all(isinstance(one, str) and one for one in found)
    read(listed(("Bash", command)), allow=[pattern, f"Bash({pattern})"])


@pytest.mark.parametrize("piece", ["mvn x && ", "'a", "a > ", "\\", "2>&1 ", "a=b "])
def test_long_commands_are_read_once(piece):
    short, long = (steps(lambda line=piece * count: simple_commands(line)) for count in (400, 800))
    assert long <= 2.3 * short + 200
