"""Expectations rewritten to what was found: only they change, the rest of the file stays to the character."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each
from expectation_tables import GIVEN, RIGHT_AND_WRONG, WINNING, WINNING_RIGHT_AND_WRONG

from exitgate.analysis.yaml_values import flow
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.testing.cases.load import Suite, load_suite
from exitgate.testing.runner import run_case
from exitgate.testing.update import Updated, update

Make = Callable[..., Suite]


def updated(suite: Suite) -> Updated:
    return update(suite, [run_case(case, suite.program(case)) for case in suite.cases])


def again(text: str, folder: Path) -> list[str]:
    suite = load_suite(text, "tests.yaml", str(folder))
    return [
        failure.want.key for case in suite.cases for failure in run_case(case, suite.program(case)).failures
    ]


CASES = """\
  # what a plan says
  - name: first   # in one line
    facts: {tasks.total: 10, tasks.done: 7, circuit.state: CLOSED}
    expect: {verdict: EXIT, rule: "enough",   firm: true}  # kept
  - name: second
    facts: {tasks.total: 10, tasks.done: 9, circuit.state: CLOSED}
    expect:
      verdict: CONTINUE   # a comment behind it
      class: ~
      warnings:
        - nobody
      facts:
        tasks.percent: 12%
        left: unknown
      message: {exact: 'no'}
      pending: {still: 2 of 3}
"""
UPDATED = """\
  # what a plan says
  - name: first   # in one line
    facts: {tasks.total: 10, tasks.done: 7, circuit.state: CLOSED}
    expect: {verdict: CONTINUE, rule: ~,   firm: true}  # kept
  - name: second
    facts: {tasks.total: 10, tasks.done: 9, circuit.state: CLOSED}
    expect:
      verdict: EXIT   # a comment behind it
      class: complete
      warnings:
        [few_left]
      facts:
        tasks.percent: 90
        left: 1
      message: {exact: 9 of 10}
      pending: {still: ~}
"""


def test_only_values_change(make_suite: Make, tmp_path: Path) -> None:
    found = updated(make_suite(CASES))
    assert found.new == f"format: 1\ntests:\n{UPDATED}"
    assert found.refused == ()
    assert found.count == 9
    assert again(found.new, tmp_path) == []


@pytest.mark.parametrize("given", [GIVEN, WINNING])
def test_every_wrong_value_becomes_a_right_one(given: str, make_suite: Make, tmp_path: Path) -> None:
    table = RIGHT_AND_WRONG if given is GIVEN else WINNING_RIGHT_AND_WRONG
    wrong = [(key, value) for key, values in table.items() for value in values[1]]
    text = "".join(
        given.replace("a case", f"case {number}") % f"{key}: {value}"
        for number, (key, value) in enumerate(wrong)
    )
    found = updated(make_suite(text))
    refused = [d.place.line for d in found.refused if d.place is not None]
    assert len(again(found.new, tmp_path)) == len(refused)
    assert found.count == len(wrong) - len(refused)
    # what only a person can choose: the part of a text that is not there, or of a list of parts
    assert {d.message.partition(": ")[2][:20] for d in found.refused} <= {
        "there is no message:", "there is no escalati", "there is no advice: ", "choose the part of t",
    }  # fmt: skip


def test_cells_of_a_table(make_suite: Make, tmp_path: Path) -> None:
    rows = "        - [{0}, 'EXIT', enough, 'x']  # row {0}\n"
    text = (
        "  - name: a\n    facts: {circuit.state: CLOSED, tasks.total: 10}\n    table:\n"
        "      columns: [tasks.done, verdict, rule, message]\n      rows:\n"
        + "".join(rows.format(done) for done in (8, 7))
    )
    found = updated(make_suite(text))
    assert "- [8, 'EXIT', enough, 8 of 10]  # row 8\n" in found.new
    assert "- [7, CONTINUE, enough, 'x']  # row 7\n" in found.new
    assert [d.message for d in found.refused] == [
        "cannot be updated: a cell cannot expect an absent value: `~` is an empty cell",
        "cannot be updated: there is no message: remove the expectation",
    ]
    assert [(d.place.line, d.source) for d in found.refused if d.place] == [
        (9, "        - [7, 'EXIT', enough, 'x']  # row 7"),
        (9, "        - [7, 'EXIT', enough, 'x']  # row 7"),
    ]


def test_what_cases_share_is_updated_only_where_they_agree(make_suite: Make, tmp_path: Path) -> None:
    table = "    table: {columns: [tasks.done], rows: [[%s], [%s]]}\n"
    text = "  - name: %s\n    facts: {circuit.state: CLOSED, tasks.total: 10}\n    expect: {verdict: %s}\n"
    agree = updated(make_suite(text % ("a", "CONTINUE") + table % (8, 9)))
    assert "verdict: EXIT" in agree.new
    differ = updated(make_suite(text % ("a", "CONTINUE") + table % (7, 9)))
    assert differ.new == differ.old
    assert "2 cases share it and got different results" in differ.refused[0].message
    suite = make_suite(text % ("a", "CONTINUE") + table % (8, 9))
    first = suite.cases[0]
    some = update(suite, [run_case(first, suite.program(first))])
    assert "shared with 1 case that did not run" in some.refused[0].message


def test_grids_and_blocks_are_told(make_suite: Make) -> None:
    text = (
        "  - name: a\n    facts: {circuit.state: CLOSED, tasks.total: 10, tasks.done: 9}\n"
        "    expect:\n      message:\n        exact: |\n          two\n          lines\n"
        "    grid: {verdict: [CONTINUE]}\n"
        "  - name: b\n    facts: {circuit.state: CLOSED, tasks.total: 10, tasks.done: 9}\n"
        "    expect:\n      warnings:\n        - one\n        # why\n        - two\n"
    )
    found = updated(make_suite(text))
    assert found.new == found.old
    told = " ".join(d.message for d in found.refused)
    for part in ("values of a grid", "comment in it", "block of several lines"):
        assert part in told


def test_line_ends_and_other_scripts_stay(make_suite: Make, tmp_path: Path) -> None:
    text = CASES.replace("# what a plan says", "# ½ 日本 🎉")
    suite = make_suite(text.replace("\n", "\r\n"))
    found = updated(suite)
    assert found.new.count("\r\n") == found.old.count("\r\n")
    assert "½ 日本 🎉" in found.new
    assert again(found.new, tmp_path) == []


def test_nothing_to_update_changes_nothing(make_suite: Make) -> None:
    found = updated(make_suite("  - name: a\n    expect: {verdict: CONTINUE}\n"))
    assert (found.count, found.new, found.refused) == (0, found.old, ())


@each(
    "plain",
    [
        None, True, 0, 1.5, 66.66666666666667, "plain", "", "true", "70", "~", "no", "a, b", "a: b", "a #b",
        "{x}", "- a", "it's", 'say "so"', "back\\slash", "tab\there", "two\nlines", "日本",
        "\x85\u2028", "🎉", [], ["a", "b, c"], {"exact": "x: y"}, {"text": "unknown"}, {"unknown": "no plan"},
    ],
)  # fmt: skip
def test_plain_values_in_yaml(plain: object) -> None:
    document = load_yaml(f"a: [{flow(plain)}]\nb: {flow(plain)}\n", "x.yaml")
    assert document.data == {"a": [plain], "b": plain}


def test_a_list_may_begin_where_its_key_does(make_suite: Make, tmp_path: Path) -> None:
    text = (
        "  - name: a\n    facts: {tasks.total: 10, tasks.done: 9, circuit.state: CLOSED}\n    expect:\n"
        "      warnings:\n      - nobody\n      - none\n      undetermined:\n      - enough\n"
        "      evidence:\n        tasks.done:\n        - x\n"
    )
    found = updated(make_suite(text))
    assert found.refused == ()
    assert found.count == 3
    assert "      warnings:\n        [few_left]\n      undetermined:\n        []\n" in found.new
    assert again(found.new, tmp_path) == []
