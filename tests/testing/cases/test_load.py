"""What is wrong in a tests.yaml is said with code, line and a way out, all at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.testing.cases.load import load_file

END = "    expect: {verdict: EXIT}\n"

#: Cases, code, line in the file (the first case starts in line 3), part of the message or help.
BROKEN = [
    ("  - name: a\n    facts: {task.done: 1}\n" + END, "EP490", 4, "tasks.done"),
    ("  - name: a\n    facts: {tasks.done: many}\n" + END, "EP491", 4, "whole number"),
    ("  - name: a\n    facts: {tasks.percent: 300}\n" + END, "EP491", 4, "above its largest value, 100%"),
    ("  - name: a\n    facts: {clock.elapsed: -5m}\n" + END, "EP491", 4, "below its smallest value"),
    ("  - name: a\n    history:\n      tasks.percent: 10 120\n" + END, "EP491", 5, "largest value"),
    ("  - name: a\n    expect: {facts: {tasks.percent: 101%}}\n", "EP491", 4, "largest value"),
    ("  - name: a\n    sources: {respons: hi}\n" + END, "EP447", 4, "did you mean `response`?"),
    ("  - name: a\n    earlier:\n      - {plam: ''}\n" + END, "EP447", 5, "did you mean `plan`?"),
    (
        "  - name: a\n    table:\n      columns: [sources.diff, verdict]\n      rows:\n        - [x, EXIT]\n",
        "EP447",
        7,
        "circuit",
    ),
    ("  - name: a\n    facts: {circuit.state: AJAR}\n" + END, "EP491", 4, "CLOSED"),
    ("  - name: a\n    facts: {tasks.present: 1}\n" + END, "EP491", 4, "true or false"),
    ("  - name: a\n    history:\n      tasks.done: 1 2x0\n" + END, "EP492", 5, "0 times"),
    ("  - name: a\n    history:\n      tasks.done: 1 two\n" + END, "EP491", 5, "two"),
    ("  - name: a\n    history:\n      tusks.done: 1\n" + END, "EP490", 5, "tasks.done"),
    ("  - name: a\n    history: {tasks.done: 1 2, tasks.total: 1 2 3}\n" + END, "EP492", 4, "2 samples"),
    (
        '  - name: a\n    earlier: [{plan: ""}, {plan: ""}]\n    history: {tasks.done: 1 2}\n' + END,
        "EP492",
        4,
        "2 earlier iterations",
    ),
    ("  - name: a\n    set: {enuf: 3}\n" + END, "EP493", 4, "enough"),
    ("  - name: a\n    set: {enough: 101}\n" + END, "EP491", 3, "101"),
    ("  - name: a\n    set: {still: -1}\n" + END, "EP491", 4, "whole number"),
    ("  - name: a\n    facts: {tasks.done: 1}\n    history: {tasks.done: 1 2}\n" + END, "EP494", 5, "under"),
    ("  - name: a\n    expect: {rule: enought}\n", "EP497", 4, "enough"),
    ("  - name: a\n    expect: {undetermined: [opened]}\n", "EP497", 4, "open"),
    ("  - name: a\n    expect: {pending: {stil: 1 of 3}}\n", "EP497", 4, "still"),
    ("  - name: a\n    expect: {pending: {still: two}}\n", "EP205", 4, "2 of 3"),
    ("  - name: a\n    expect: {facts: {tasks.dome: 1}}\n", "EP490", 4, "tasks.done"),
    ("  - name: a\n    expect: {evidence: {tasks.dome: x}}\n", "EP490", 4, "tasks.done"),
    ('  - name: a\n    expect_at:\n      "2": {verdict: EXIT}\n', "EP496", 5, "it has 1"),
    ("  - name: a\n" + END + "  - name: a\n" + END, "EP499", 5, "duplicate case"),
    (
        "  - name: a\n    table:\n      columns: [tasks.done, verdict]\n      rows:\n        - [1]\n",
        "EP498",
        7,
        "1 cell",
    ),
    (
        "  - name: a\n    table:\n      columns: [tasks.done, verdict]\n      rows:\n        - [1, EXITS]\n",
        "EP495",
        7,
        "CONTINUE",
    ),
    (
        "  - name: a\n    table:\n      columns: [tasks.dome, verdict]\n      rows:\n        - [1, EXIT]\n",
        "EP490",
        7,
        "tasks.done",
    ),
    (
        "  - name: a\n    table:\n      columns: [expect.rules, verdict]\n      rows:\n        - [a, EXIT]\n",
        "EP495",
        7,
        "rule",
    ),
    (
        "  - name: a\n    table:\n      columns: [tasks.done]\n      rows:\n        - [1]\n",
        "EP496",
        3,
        "nothing",
    ),
    ("  - name: a\n    grid: {$enuf: [1]}\n" + END, "EP493", 4, "enough"),
    ("  - name: a\n    fact: {tasks.done: 1}\n" + END, "EP201", 4, "facts"),
    ("  - name: a\n    expect: {verdikt: EXIT}\n", "EP201", 4, "verdict"),
    ("  - name: a\n    expect: {verdict: exit}\n", "EP204", 4, "EXIT"),
    ("  - name: a\n    expect: {class: done}\n", "EP204", 4, "complete"),
    ("  - expect: {verdict: EXIT}\n", "EP202", 3, "name"),
    ("  - name: a\n    stage: later\n" + END, "EP204", 4, "after_iteration"),
    (
        "  - name: a\n" + END + "coverage: {excused: [{rule: enough, leaf: a, never: 'true', why: b}]}\n",
        "EP204",
        5,
        "`true` is expected here, not the text",
    ),
]


def all_found(make_suite: Callable[..., object], cases: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(ExitgateError) as caught:
        make_suite(cases)
    assert caught.value.exit_code == 65
    return caught.value.diagnostics


@pytest.mark.parametrize(("cases", "code", "line", "part"), BROKEN)
def test_diagnostics(make_suite: Callable[..., object], cases: str, code: str, line: int, part: str) -> None:
    (found,) = all_found(make_suite, cases)
    assert found.code == code, found
    assert found.place is not None
    assert (found.place.file, found.place.line) == ("tests.yaml", line)
    assert part in found.message + found.help
    assert found.source


def test_all_at_once(make_suite: Callable[..., object]) -> None:
    cases = (
        "  - name: a\n    facts: {tasks.dome: 1, tasks.total: x}\n    expect: {rule: no_such}\n"
        "  - name: b\n    set: {unheard_of: 1}\n    expect: {firm: true}\n"
    )
    codes = [found.code for found in all_found(make_suite, cases)]
    assert codes == ["EP490", "EP491", "EP497", "EP493"]


def test_a_case_must_expect_something(make_suite: Callable[..., object]) -> None:
    assert all_found(make_suite, "  - name: a\n    facts: {tasks.done: 1}\n")


def test_a_broken_policy_is_told_about(make_suite: Callable[..., object], policy_text: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        make_suite("  - name: a\n" + END, policy_text.replace("tasks.percent >=", "tasks.percint >="))
    assert caught.value.diagnostics[0].place is not None
    assert caught.value.diagnostics[0].place.file.endswith("policy.yaml")


def test_a_file_that_is_not_there(tmp_path: object) -> None:
    with pytest.raises(ExitgateError) as caught:
        load_file(f"{tmp_path}/tests.yaml")
    assert caught.value.exit_code == 74


def test_a_file_of_a_newer_format_says_which_version_it_needs(tmp_path):
    path = tmp_path / "tests.yaml"
    path.write_text("format: 2\nsuites: []\n")
    with pytest.raises(ExitgateError) as caught:
        load_file(str(path))
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.place.line) == ("EP207", 1)
    assert "format 2" in diagnostic.help
