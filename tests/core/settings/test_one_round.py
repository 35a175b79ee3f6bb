"""Faults of settings, any number of any kinds at once: all of them are reported in the first round."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cases import EVERY, each, some

from exitgate.cli.parsing.usage import pairs
from exitgate.core.model.diagnostic import ERROR, WARNING, Diagnostic, ExitgateError
from exitgate.core.settings.files import SettingsRequest
from exitgate.core.settings.load import load_settled

POLICY = """\
policy: p
format: 1
version: 1.0.0
parameters:
  limit: {type: count, default: 3, min: 1, max: 9}
  goal: {type: percent, default: 80, min: 1}
  pause: {type: duration, default: 30m}
  budget: {type: money, currency: USD, default: 5 USD}
  strict: {type: bool, default: false}
  mood: {type: enum, members: [GOOD, BAD], default: GOOD}
profiles: {relaxed: {limit: 9}}
lists: {later: [Later, Someday], other: [Ice]}
facts:
  tasks: {extract: checklist, optional_sections: {list: later}}
  said: {extract: output, from: response}
  score: {points: [{id: few, when: tasks.open < 3, add: 1}]}
conditions: {late: tasks.open > 3}
rules:
  - {id: first, when: tasks.open > 9, warn: true}
  - {id: breaker, when: circuit.state is OPEN, exit: halted, locked: true}
  - {id: done, when: tasks.percent >= $goal, exit: complete}
  - {id: stuck, when: tasks.done unchanged for $limit iterations, exit: stuck}
"""
BROKEN = POLICY.replace("type: bool", "type: bol").replace("tasks.open > 9", "tasks.opne > 9")

#: Code and the line of a fault, below its heading if it has one. Every line is a fault of its own.
FAULTS = {
    "": [
        ("EP468", "limmit: 4"), ("EP469", "limit: -3"), ("EP469", "goal: 120"), ("EP469", "pause: soon"),
        ("EP469", "budget: 5 EUR"), ("EP469", "strict: maybe"), ("EP469", "mood: so-so"),
        ("EP478", "profile: nosuch"), ("EP204", "mode: off"), ("EP488", "preset: gone.yaml"),
    ],
    "hooks": [("EP205", "max_blocks: -2"), ("EP201", "releas: 3"), ("EP210", "enabled: yes"),
              ("EP205", "marker: abc"), ("EP203", "servers: many")],
    "lists": [("EP460", "later: [a, b]"), ("EP473", "nosuch: {append: [a]}"),
              ("EP203", "other: {append: 5}")],
    "rules": [
        ("EP204", "done: {mode: bogus, why: x}"), ("EP457", "stuck: {mode: warn}"),
        ("EP487", "nosuch: {mode: warn, why: x}"), ("EP458", "breaker: {disabled: true, why: x}"),
        ("EP201", "first: {becuase: text}"), ("EP203", "own1: {when: 5, warn: true}"),
        ("EP401", "own2: {when: tasks.opne > 1, warn: true}"),
        ("EP209", "own3: {when: tasks.open > 1, warn: true, exit: stuck}"),
        ("EP313", "own4: {when: tasks.open > > 1, warn: true}"),
        ("EP455", "own5: {when: tasks.open > 1, warn: true, after: nosuch}"),
        ("EP462", "own6: {when: tasks.open > 1, warn: true, because: '{nosuch}'}"),
        ("EP463", "own7: {when: tasks.open > 1, warn: true, because: 'a } b'}"),
    ],
    "facts": [("EP487", "nosuch: {optional_sections: [a]}"), ("EP471", "said: {nosuch_option: 3}"),
              ("EP203", "score: {points: 5}"), ("EP401", "mine: {formula: nosuch.x + 1}")],
    "conditions": [("EP401", "slow: nosuch.x > 1"), ("EP203", "late: 5")],
    "sources": [("EP444", "response: ../out.md"), ("EP203", "plan: 5")],
    "views": [("EP201", "exit_stat: {path: a.json}")],
    "policies": [("EP201", "p: {hooks: {enabled: true}}"), ("EP203", "bb3: 7")],
}  # fmt: skip
#: Codes that a policy which is not there leaves open: they are about names that it alone knows.
OPEN = {"EP468", "EP473", "EP478", "EP487", "EP401", "EP455", "EP458", "EP462", "EP471"}
OTHERS = [
    ("EP469", "--set", "limit=0"), ("EP468", "--set", "nosuch=1"), ("EP469", "EXITGATE_SET_GOAL", "much"),
    ("EP468", "EXITGATE_SET_NOSUCH", "1"),
]  # fmt: skip

Fault = tuple[str, str, str]


def every() -> list[Fault]:
    return [(code, head, line) for head, lines in FAULTS.items() for code, line in lines] + OTHERS


def found(
    folder: Path, faults: list[Fault], policy: str = "policy.yaml"
) -> tuple[set[tuple[str, str]], set[str]]:
    """Return code and line of each planted fault, and code and line of all that is reported as an error."""
    lines = ["exit_decision:", f"  policy: ../{policy}"]
    for head in FAULTS:
        below = [line for _, where, line in faults if where == head]
        lines += [f"  {head}:"] if head and below else []
        lines += [f"    {line}" if head else f"  {line}" for line in below]
    (folder / ".bb3").mkdir(exist_ok=True)
    (folder / ".bb3/config.yaml").write_text("\n".join(lines) + "\n")
    (folder / "policy.yaml").write_text(POLICY)
    (folder / "broken.yaml").write_text(BROKEN)
    typed = dict(line.split("=") for _, where, line in faults if where == "--set")
    names = {where: line for _, where, line in faults if where.startswith("EXITGATE")}
    asked = SettingsRequest("recommended", None, typed, str(folder), {**names, "HOME": str(folder)})
    with pytest.raises(ExitgateError) as caught:
        load_settled(asked)
    told = set()
    for one in caught.value.diagnostics:
        if one.severity == ERROR and one.place is not None:
            if one.place.file.endswith("config.yaml"):
                assert one.place.column > 0 and one.source == lines[one.place.line - 1]
                told.add((one.code, one.source.strip()))
            elif one.place.file.startswith("<"):
                told.add((one.code, one.place.file))
            else:
                told.add((one.code, ""))
    wanted = set()
    for code, where, line in faults:
        if where == "--set":
            wanted.add((code, "<command line>"))
        else:
            wanted.add((code, f"<environment {where}>" if where.startswith("EXITGATE") else line))
    return wanted, told


@each("fault", some(every(), 12), ids=lambda fault: "-")
def test_alone(fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wanted, told = found(tmp_path, [fault])
    assert told == wanted


def draws() -> list[list[Fault]]:
    chosen = random.Random(15)
    sizes = [len(every()), *(chosen.randint(2, 12) for _ in range(200 if EVERY else 4))]
    return [chosen.sample(every(), size) for size in sizes]


@each("faults", draws(), ids=[str(number) for number in range(len(draws()))])
def test_together(faults: list[Fault], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wanted, told = found(tmp_path, faults)
    assert told == wanted


@each("faults", draws()[:2], ids=["all", "some"])
def test_while_the_policy_is_not_there(
    faults: list[Fault], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can be judged without the policy is reported, and nothing that may not be so."""
    monkeypatch.chdir(tmp_path)
    wanted, told = found(tmp_path, faults, "p.yaml")
    judged = {one for one in wanted if one[0] not in OPEN and one[0] != "EP469"}
    assert judged | {("EP810", "policy: ../p.yaml")} <= told
    assert told - wanted == {("EP810", "policy: ../p.yaml")}


@each("faults", draws()[:2], ids=["all", "some"])
def test_while_the_policy_has_faults_of_its_own(
    faults: list[Fault], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wanted, told = found(tmp_path, faults, "broken.yaml")
    judged = {
        one for one in wanted if one[0] not in {"EP455", "EP473", "EP478", "EP487"} and "strict" not in one[1]
    }
    assert judged | {("EP204", ""), ("EP401", "")} <= told


@each("name", ["no: policy", "policy: 5", "policy: [a]", "policy: {a: b}", "policy: Not A Name"])
def test_while_the_policy_has_no_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _, *rest = POLICY.strip().splitlines()
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").write_text("exit_decision: {policy: ../p.yaml, rules: [x], no_such: 1}\n")
    for text in ("\n".join([name, *rest]), name):
        (tmp_path / "p.yaml").write_text(text + "\n")
        with pytest.raises(ExitgateError) as caught:
            load_settled(SettingsRequest("recommended", None, {}, ".", {"HOME": str(tmp_path)}))
        files = {one.place.file for one in caught.value.diagnostics if one.place is not None}
        assert len(files) == 2, [str(one.message) for one in caught.value.diagnostics]


def test_a_name_near_a_policy_is_taken_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").write_text(
        "exit_decision: {policy: bb4, max_errors: -3, min_complettion: 50, hooks: {lops: 1}, rules: [x]}\n"
    )
    with pytest.raises(ExitgateError) as caught:
        load_settled(SettingsRequest("recommended", None, {}, ".", {"HOME": str(tmp_path)}))
    assert [one.code for one in caught.value.diagnostics] == ["EP810", "EP469", "EP468", "EP201", "EP203"]


def test_settings_for_another_shipped_policy_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".bb3").mkdir()
    (tmp_path / ".bb3/config.yaml").write_text(
        "exit_decision:\n  policies: {bb3: {min_confidence: 120, nosuch: 1, max_errors: 3}}\n"
    )
    found = load_settled(
        SettingsRequest("recommended", None, {}, ".", {"HOME": str(tmp_path)})
    ).policy.warnings
    told = [(one.code, one.severity) for one in found if isinstance(one, Diagnostic)]
    assert told == [("EP469", WARNING), ("EP468", WARNING)]


def test_all_pairs_that_are_none_at_once() -> None:
    with pytest.raises(ExitgateError) as caught:
        pairs("--set", ["a", "b=1", "=2"])
    assert [one.message.split()[0] for one in caught.value.diagnostics] == ["`a`", "`=2`"]


@each(
    "line",
    ["{a: b}", "policy: [1]", "policy:", "{format: 1, version: 1.0.0, rules: []}", "rules: {policy: p}"],
)
def test_a_nameless_file_is_reported(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nameless.yaml").write_text(line + "\n")
    with pytest.raises(ExitgateError) as caught:
        load_settled(
            SettingsRequest("recommended", "./nameless.yaml", {"limit": "x"}, ".", {"HOME": str(tmp_path)})
        )
    assert any(one.severity == ERROR for one in caught.value.diagnostics)
    assert caught.value.exit_code == 65
