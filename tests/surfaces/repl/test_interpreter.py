"""Lines of the repl: what each is taken for, what is answered, what is wrong with it and where."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from exitgate.analysis.second_opinion import word
from exitgate.core.language.literals import KEYWORDS, SIGNS
from exitgate.core.model.decision import BAD_POLICY
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.report.terminal import Style
from exitgate.surfaces.repl.interpreter import COMMANDS, answer_line, value_of, words
from exitgate.surfaces.repl.session import Session


def session() -> Session:
    return Session("bb3", {})


def say(lines: str, to: Session | None = None) -> list[str]:
    """Return what is answered to the last of several lines."""
    talk, found = to or session(), [""]
    for number, line in enumerate(lines.split("\n"), 1):
        found = answer_line(line, number, talk, Style())
    return found


@each(
    ("lines", "want"),
    [
        ("tasks.done = 1 _ 3\ntasks.done", "3"),
        ("tasks.done = 1 _\ntasks.done", "unknown"),
        ("tasks.done = 3\ntasks.done * 2", "6"),
        ("tasks.done = 3x4\ntasks.done unchanged for 3 iterations", "true"),
        ("tasks.done = 3 _ 3x2\ntasks.done unchanged for 3 iterations", "unknown"),
        ("tasks.done = 3\ntasks.total = 1 2 3\n(tasks.done >= 3) for 3 consecutive iterations", "true"),
        ("tasks.done = 2 4\ntasks.total = 9x3\ncount(tasks.done >= 0, last 3) >= 2", "true"),
        ("tasks.done = 5\ntasks.done =\ntasks.done is known", "false"),
        ("tasks.done = 3\ntasks.total = 4\ntasks.percent", "75%"),
        ("tasks.done = 3x4\n:reset\ntasks.done is known", "false"),
        (":set stagnation_loops 7\n$stagnation_loops + 1", "8"),
        (":set stagnation_loops=7\n:reset\n$stagnation_loops", "3"),
        ("circuit.state is OPEN", "false"),
    ],
)
def test_values(lines: str, want: str) -> None:
    assert say(lines)[0] == want


def test_a_condition_with_all_it_rests_on() -> None:
    asked = "tasks.done unchanged for 4 iterations and not errors.count > 2"
    missing = "errors.count (unknown: given as unknown)"
    assert say(f"tasks.done = 1 3x4\nerrors.count = 2 _\n{asked}") == [
        "false",
        f"  false   tasks.done (3) unchanged for 4 iterations and not ({missing} > 2)",
        "  false     tasks.done (3) unchanged for 4 iterations  pending 3 of 4",
        f"  unknown   not ({missing} > 2)",
        f"  unknown     {missing} > 2",
        "rests on",
        "  tasks.done    1 3x4",
        "  errors.count  _x3 2 _",
    ]


def test_what_makes_it_unknown() -> None:
    assert say("errors.count > 2")[-2:] == ["unknown because", "  errors.count: no response was given"]


def test_a_rule_by_its_id() -> None:
    found = say("tasks.done = 2x3\ntasks.total = 4\nstagnation")
    assert found[:2] == ["stagnation  EXIT stuck, after_iteration", "false"]
    assert found[2].endswith("pending 2 of 3")
    assert say("tasks.done = 2x4\ntasks.total = 4\nstagnation")[1] == "true"


def test_rules_facts_and_the_decision() -> None:
    talk = session()
    say("tasks.done = 2x4\ntasks.total = 4", talk)
    rules = {line.split()[1]: line.split()[0] for line in say(":rules", talk)}
    assert rules["stagnation"] == "true"
    assert rules["low_confidence"] == "unknown"
    assert list(rules) == [rule.id for rule in talk.policy.rules]
    assert any(line.split()[:2] == ["tasks.percent", "50%x4"] for line in say(":facts percent", talk))
    assert say(":decide", talk)[0] == "EXIT stuck · stagnation"
    assert say(":decide before_iteration", talk)[0].startswith("CONTINUE")


@pytest.mark.parametrize("line", ["", "   ", "# tasks.done = 3"])
def test_lines_that_say_nothing(line: str) -> None:
    assert say(line) == []


@each(
    ("line", "code", "columns"),
    [
        ("  tasks.done >", "EP314", (15, 16)),
        ("tasks.don > 1", "EP401", (1, 10)),
        ("tasks.done > yes", "EP401", (14, 17)),
        (" tasks.don = 3", "EP490", (2, 11)),
        ("tasks.done =  3 x", "EP491", (15, 18)),
        ("tasks.done = 3 'x", "EP492", (16, 17)),
        ("tasks.done = 3x0", "EP492", (14, 15)),
        ("tasks.done = -1", "EP491", (14, 16)),
        (":rule", "EP552", (1, 6)),
        (" :rules all", "EP552", None),
        (":set stagnation_loop 3", "EP493", None),
        (":set stagnation_loops", "EP552", None),
        (":set stagnation_loops many", "EP469", None),
        (":decide later", "EP552", None),
    ],
)
def test_what_is_wrong_is_told_at_its_place(line: str, code: str, columns: tuple[int, int] | None) -> None:
    talk = session()
    with pytest.raises(ExitgateError) as caught:
        answer_line(line, 7, talk, Style())
    one = caught.value.diagnostics[0]
    assert (one.code, caught.value.exit_code) == (code, BAD_POLICY)
    assert one.help
    if columns is not None:
        assert one.place is not None
        assert (one.place.line, one.place.column, one.place.end_column) == (7, *columns)
        assert one.source == line
    assert talk.given == {}
    assert talk.settings == {}


_PIECES = st.sampled_from(
    [
        *KEYWORDS.values(), *SIGNS.values(), "=", "tasks.done", "tasks.percent", "errors.count", "confidence",
        "circuit.state", "OPEN", "$max_errors", "stagnation", "3", "70%", "5m", '"x"', "_", "truex3", "last",
        *(f":{name}" for name in COMMANDS), "streak(", "count(", "max_errors", "'", "\t",
    ]
)  # fmt: skip


@given(st.lists(st.lists(_PIECES, min_size=1, max_size=7).map(" ".join), max_size=4))
def test_any_line_is_answered_or_refused(lines: list[str]) -> None:
    talk = session()
    for number, line in enumerate(lines, 1):
        try:
            answer_line(line, number, talk, Style())
        except ExitgateError as error:
            assert error.exit_code == BAD_POLICY


_COUNTS = st.lists(st.sampled_from(["0", "1", "2", "7", "_"]), min_size=1, max_size=5).map(" ".join)


@given(st.dictionaries(st.sampled_from(["tasks.done", "errors.count", "confidence", "tasks.total"]), _COUNTS))
def test_rules_come_out_as_they_do_in_a_decision(given: dict[str, str]) -> None:
    talk = session()
    for name, samples in given.items():
        say(f"{name} = {samples}", talk)
    steps = {
        step.rule: step.truth
        for stage in ("after_iteration", "before_iteration", "after_failure")
        for step in talk.program.trace(talk.records, stage)
    }
    for rule in talk.policy.rules:
        asked = value_of(talk.read(rule.text), talk)
        assert word(asked) == word(steps[rule.id]), rule.id


def test_words_that_are_completed() -> None:
    found = set(words(session()))
    assert {":rules", ":quit", "tasks.done", "$max_errors", "stagnation", "unchanged", "streak"} <= found


#: A policy, what is typed, and a condition or formula of each kind of form.
TYPED = (
    "tasks.done = 1 _ 3x2", "tasks.percent = 40% 50", "clock.elapsed = 10m 45m 1h30m 2h", "run.cost = 1.5 2",
    "tests.failed = 3 _", 'tools.commands = [a, "git push"] ["x, y", b]x2', "clock.time = 14h30m",
    'status.recommendation = "two words" _ stop', "status.status = COMPLETE", "tests.passing = true false",
)  # fmt: skip
ASKED = (
    "tasks.done > 2", "tasks.percent between 50% and 60%", "clock.elapsed > 1h", "run.cost + 1 USD",
    "tests.failed > previous(tests.failed)", "max(tests.failed, last 3)", "streak(tests.failed > 1)",
    'any of tools.commands where (item contains "git")', "clock.time in [14h30m, 15h]",
    'count of tools.commands where (item matches "^x") >= 1', "status.status is COMPLETE",
    "tasks.done unchanged for 1 iteration", "(tests.passing) for 45m", "after 2h",
    "tasks.percent rose by 10% over last 2h", "tasks.done repeats 2 times within last 4",
    "at least 1 of last 3 where (tests.passing)", "sum(run.cost, last 2)", "median(tasks.done, last 4)",
    'status.recommendation is "stop" or (status.recommendation or else "") contains "two"',
    "count(tests.passing, last 45m) >= 1", "deviation(tasks.done, last 4)",
)  # fmt: skip


@each("asked", ASKED)
def test_what_is_shown_can_be_typed_and_gives_the_same_answer(asked: str) -> None:
    first = say("\n".join([*TYPED, asked]), Session("recommended", {}))
    at = first.index("rests on") if "rests on" in first else len(first)
    end = first.index("unknown because") if "unknown because" in first else len(first)
    names = {line.split(" = ")[0] for line in TYPED}
    shown = [line.strip().split("  ", 1) for line in first[at + 1 : end]]
    again = [f"{name} = {series.strip()}" for name, series in shown if name in names]
    assert again
    second = say("\n".join([*again, asked]), Session("recommended", {}))
    assert second[:at] == first[:at]
    facts = Session("recommended", {}).policy.facts
    assert [line for line in first[end + 1 :] if line.strip().split(":")[0] not in facts] == []
