"""What all runs of a day used up: what a check says of it is what adding up the whole ledger says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE

from exitgate.core.engine.program import Program
from exitgate.core.gate.check import Steps, check
from exitgate.core.gate.decision import CheckResult, Decided, decide
from exitgate.core.gate.new_run import new_run
from exitgate.core.ledger.read import lines
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.state import day as day_module
from exitgate.core.state.request import Request
from exitgate.recordings.ledger.replay import replay

ZONE = "Europe/Berlin"
MIDNIGHT = datetime(2027, 3, 28, tzinfo=ZoneInfo(ZONE)).timestamp()  # a day of 23 hours
NOON = MIDNIGHT + 11 * 3600
HEAD = """\
policy: budget
format: 1
version: 1.0.0
title: A budget for the day
facts: {day: {extract: day, zone: Europe/Berlin}}
rules:
"""
ASKS = (
    HEAD + '  - {id: used_up, when: day.cost > 20 USD, exit: exhausted, because: "{day.cost} of all runs"}\n'
)
SILENT = HEAD.replace("facts: {day: {extract: day, zone: Europe/Berlin}}\n", "") + (
    '  - {id: used_up, when: run.cost > 2000 USD, exit: exhausted, because: "{run.cost}"}\n'
)
#: What no amount can be.
ODD = (-5, "x", None, [], {}, True, 1e300, float("nan"))
AMOUNTS = ("cost", "tokens", "iterations", "elapsed", "runs")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Program, Program]:
    folder = tmp_path_factory.mktemp("policies")
    made = []
    for name, text in (("asks", ASKS), ("silent", SILENT)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        made.append(Program(load_policy(str(folder / f"{name}.yaml"))))
    return made[0], made[1]


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    return tmp_path


def ask(program: Program, root: Path, now: float, **options: object) -> CheckResult:
    given: dict[str, object] = {"texts": {"response": f"at {now}"}, "ended": True, "agent_exit": 0}
    return check(Request(program=program, root=str(root), time=now, **{**given, **options}))  # type: ignore[arg-type]


def sums(checked: CheckResult) -> dict[str, object]:
    found = {name: checked.facts[f"day.{name}"].value for name in AMOUNTS}
    return {name: None if isinstance(value, Unknown) else value for name, value in found.items()}


def added_up(root: Path, now: float, zone: str = ZONE) -> dict[str, object]:
    """Return the sums of the day of `now` by a reading of the whole ledger from its beginning."""
    day = datetime.fromtimestamp(now, ZoneInfo(zone)).date()
    midnight = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).timestamp()
    last: dict[str, Mapping[str, object]] = {}
    found: dict[str, Fraction] = {}
    runs, in_it = 0, set()
    for line in lines(str(root / ".ralph/exitgate")):
        if line["kind"] != "decision":
            continue
        at, before = float(str(line["time"])), last.get(str(line["run"]), {})
        last[str(line["run"])] = totals = line["totals"]  # type: ignore[assignment]
        if datetime.fromtimestamp(at, ZoneInfo(zone)).date() != day:
            in_it.discard(line["run"])
            continue
        runs += line["run"] not in in_it  # one whose clock went to another day and back counts once more
        in_it.add(line["run"])
        for name in AMOUNTS[:4]:
            if name in totals:
                more = Fraction(repr(totals[name])) - Fraction(repr(before.get(name, 0)))
                more = min(more, Fraction(repr(at)) - Fraction(repr(midnight))) if name == "elapsed" else more
                found[name] = found.get(name, Fraction(0)) + max(Fraction(0), more)
    plain = {name: float(found[name]) if name in found else None for name in AMOUNTS[:4]}
    return {**plain, "runs": runs}


CHECKS = st.tuples(
    st.sampled_from(("a", "a", "b")),
    st.booleans(),
    st.sampled_from((5.5, 600, 600, 7200, 30_000, 100_000, -40, -50_000)),
    st.sampled_from((None, 0.1, 0.3, 1.25)),
    st.sampled_from((None, 7)),
)


@settings(deadline=None)
@given(st.lists(CHECKS, min_size=1, max_size=7))
def test_what_a_check_says_is_what_the_ledger_adds_up_to(
    tmp_path_factory: pytest.TempPathFactory, programs: tuple[Program, Program], checks: list[tuple]
) -> None:
    root, now = tmp_path_factory.mktemp("loop"), NOON
    for run, silent, later, cost, tokens in checks:
        now += later
        checked = ask(programs[silent], root, now, run=run, cost=cost, tokens=tokens)
        if not silent:
            assert sums(checked) == added_up(root, now)
    assert all(one.difference == "" for one in replay(str(root / ".ralph/exitgate"), programs[0].policy)
               if any(name.startswith("day.") for name in one.line.facts))  # fmt: skip


def test_a_budget_for_the_day_ends_every_run(loop: Path, programs: tuple[Program, Program]) -> None:
    for number in range(4):
        checked = ask(programs[0], loop, NOON + number, run=f"r{number}", cost=6)
        assert (checked.decision.verdict, sums(checked)["cost"]) == (
            ("CONTINUE", "EXIT")[number == 3],
            6 * (number + 1),
        )
    assert checked.decision.message == "24 USD of all runs"
    assert sums(ask(programs[0], loop, NOON + 86_400, run="r9", cost=1))["cost"] == 1


def test_a_line_of_today_carries_the_sums_and_is_read_no_further(
    loop: Path, programs: tuple[Program, Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        ask(programs[number % 2], loop, NOON + number, cost=0.1)
    monkeypatch.setattr(day_module, "LIMIT", 2)
    assert sums(ask(programs[0], loop, NOON + 9, cost=0.1))["cost"] == 0.6
    (newest,) = [*lines(str(loop / ".ralph/exitgate"))][-1:]
    assert newest["days"] == [
        {"midnight": int(MIDNIGHT), "cost": 0.6, "iterations": 6, "elapsed": 9, "runs": 1}
    ]


def test_too_many_lines_are_a_reason_and_no_sum(
    loop: Path, programs: tuple[Program, Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        ask(programs[1], loop, NOON + number, cost=0.1)
    monkeypatch.setattr(day_module, "LIMIT", 3)
    checked = ask(programs[0], loop, NOON + 9, cost=0.1)
    value = checked.facts["day.cost"].value
    assert isinstance(value, Unknown)
    assert value.reason.startswith("the day has more than")
    assert checked.decision.verdict == "CONTINUE"


def test_a_damaged_line_makes_the_sums_unknown(loop: Path, programs: tuple[Program, Program]) -> None:
    for number in range(3):
        ask(programs[1], loop, NOON + number, run=f"r{number}", cost=0.1)
    path = loop / ".ralph/exitgate/ledger.jsonl"
    whole = path.read_bytes().splitlines(keepends=True)
    whole[3] = b"x" * (len(whole[3]) - 1) + b"\n"
    path.write_bytes(b"".join(whole))
    value = ask(programs[0], loop, NOON + 9, cost=0.1).facts["day.cost"].value
    assert isinstance(value, Unknown)
    assert value.reason == "a damaged line of the ledger may belong to the day"


def test_another_run_that_comes_between_is_counted(loop: Path, programs: tuple[Program, Program]) -> None:
    came: list[CheckResult] = []

    class Slow(Steps):
        def decide(self, *args: object) -> Decided:  # type: ignore[override]
            if not came:
                came.append(ask(programs[0], loop, NOON, run="other", cost=15))
            return decide(*args)  # type: ignore[arg-type]

    request = Request(
        program=programs[0], root=str(loop), time=NOON, texts={"response": "x"}, cost=6, agent_exit=0
    )
    checked = check(request, Slow())
    assert (sums(came[0])["cost"], sums(checked)["cost"]) == (15, 21)
    assert checked.decision.outcome == "used_up"


def test_a_look_counts_itself_and_writes_nothing(loop: Path, programs: tuple[Program, Program]) -> None:
    ask(programs[0], loop, NOON, cost=1)
    for _ in range(2):
        assert sums(ask(programs[0], loop, NOON + 1, cost=2, record=False))["cost"] == 3


def test_the_same_turn_asked_again_counts_once(loop: Path, programs: tuple[Program, Program]) -> None:
    for _ in range(3):
        ask(programs[0], loop, NOON, cost=1, turn="t1")
    assert sums(ask(programs[0], loop, NOON + 1, cost=1, turn="t2"))["cost"] == 2


def test_each_zone_has_its_own_day(loop: Path) -> None:
    text = ASKS.replace("facts: {", "facts: {away: {extract: day, zone: Asia/Tokyo}, ")
    (loop / "p.yaml").write_text(text.replace("day.cost > 20 USD", "day.cost > 20 USD or away.cost > 20 USD"))
    program = Program(load_policy(str(loop / "p.yaml")))
    for hour in (0, 3, 6):  # in Tokyo it is 17:00, 21:00 and, as summer time ends no day there, 0:00
        checked = ask(program, loop, NOON - 3 * 3600 + hour * 3600, cost=1)
    found = {name: checked.facts[name].value for name in ("day.cost", "away.cost")}
    assert found == {"day.cost": 3, "away.cost": added_up(loop, NOON + 3 * 3600, "Asia/Tokyo")["cost"]}


def test_a_run_that_begins_knows_the_day_before_any_work(
    loop: Path, programs: tuple[Program, Program]
) -> None:
    ask(programs[0], loop, NOON, cost=4)
    (loop / "p.yaml").write_text(ASKS, encoding="utf-8")
    line = new_run(Request(program=programs[0], root=str(loop), time=NOON + 5, policy=str(loop / "p.yaml")))
    assert line["facts"]["day.cost"] == {"v": 4}  # type: ignore[index]


def test_lines_of_a_policy_that_does_not_ask_carry_no_sums(
    loop: Path, programs: tuple[Program, Program]
) -> None:
    ask(programs[1], loop, NOON, cost=4)
    assert not any("days" in line for line in lines(str(loop / ".ralph/exitgate")))


def test_what_a_line_carries_is_checked_before_it_counts() -> None:
    day = day_module.Day(100, 200)
    good = {"midnight": 100, "cost": 2.5, "runs": 1}
    assert day_module.carried(JsonObject({"days": [{"midnight": 5}, good]}), day) == day_module.Sums(
        cost=2.5, runs=1
    )
    for odd in (None, [], [3], [{"midnight": "100"}], {}):
        assert day_module.carried(JsonObject({"days": odd}), day) is None
    for name in AMOUNTS:
        for odd in ODD:
            assert day_module.carried(JsonObject({"days": [{**good, name: odd}]}), day) is None, (name, odd)
    for name in ("tokens", "iterations", "runs"):
        assert day_module.carried(JsonObject({"days": [{**good, name: 1.5}]}), day) is None
    for listed in ([good, good], [good, 3], [{"midnight": 100, "cost": 2.5}], [{**good, "runs": 0}]):
        assert day_module.carried(JsonObject({"days": listed}), day) is None
    assert (
        day_module.carried(JsonObject({"days": [{"midnight": 100, "runs": 1}], "totals": {"cost": 2}}), day)
        is None
    )


@pytest.mark.parametrize("place", ["days", "totals"])
def test_a_damaged_amount_gives_nothing_of_the_budget_back(
    loop: Path, programs: tuple[Program, Program], place: str
) -> None:
    """Each amount of the newest line, damaged in each way: summed up without it, or unknown."""
    for number in range(2):
        ask(programs[0], loop, NOON + number, run=f"r{number}", cost=11, tokens=5)
    path = loop / ".ralph/exitgate/ledger.jsonl"
    kept = path.read_bytes()
    *before, last = kept.decode().splitlines()
    assert sums(ask(programs[0], loop, NOON + 9, cost=1, tokens=1, record=False))["cost"] == 23
    for name in AMOUNTS[: 5 if place == "days" else 4]:
        for odd in (-5, "x", None, 1e300) if place == "days" else (-5, None):
            line = json.loads(last)
            (line["days"][0] if place == "days" else line["totals"])[name] = odd
            if place == "totals":
                del line["days"]
            path.write_text("\n".join([*before, json.dumps(line)]) + "\n", encoding="utf-8")
            found = sums(ask(programs[0], loop, NOON + 9, cost=1, tokens=1, record=False))
            for amount, least in (("cost", 23), ("tokens", 11), ("iterations", 3), ("runs", 3)):
                assert found[amount] is None or found[amount] >= least, (name, odd, amount)  # type: ignore[operator]
            assert place == "totals" or found["cost"] == 23
    path.write_bytes(kept)


def test_runs_at_once_never_pass_the_same_dollar(loop: Path) -> None:
    (loop / "p.yaml").write_text(ASKS, encoding="utf-8")
    script = (
        "import sys\nfrom exitgate.core.gate.check import check\n"
        "from exitgate.core.state.request import Request\n"
        "for number in range(4):\n"
        f"    check(Request(policy='./p.yaml', run=sys.argv[1], time={NOON} + number, cost=0.1, ended=True,"
        " texts={'response': str(number)}))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    asked = [sys.executable, "-P", "-c", script]
    running = [subprocess.Popen([*asked, name], env=environment) for name in ("a", "b", "c")]
    assert [one.wait(PATIENCE) for one in running] == [0, 0, 0]
    told = [line for line in lines(str(loop / ".ralph/exitgate")) if line["kind"] == "decision"]
    carried = [line["days"][0] for line in told]  # type: ignore[index]
    assert [one["cost"] for one in carried] == [round(0.1 * number, 1) for number in range(1, 13)]
    assert [one["iterations"] for one in carried] == list(range(1, 13))
    assert carried[-1]["runs"] == 3
