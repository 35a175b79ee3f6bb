"""What is told of the next iteration comes true when it is made."""

from __future__ import annotations

from pathlib import Path

import pytest
from breaker_loop import Loop, state
from hypothesis import HealthCheck, assume, given, settings
from test_search_brute_force import scenes

from exitgate.analysis.counterfactuals.forecast import forecast
from exitgate.analysis.counterfactuals.last_iteration import LastIteration
from exitgate.analysis.counterfactuals.outlook import outlook
from exitgate.analysis.counterfactuals.search import Limits
from exitgate.analysis.counterfactuals.search_space import SearchSpace
from exitgate.analysis.counterfactuals.slots import with_dependents
from exitgate.analysis.results.counterfactual import FOUND, Ahead
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.gate.decision import CheckResult
from exitgate.core.model.fact import FactSpec
from exitgate.core.model.value import NUMBER, Unknown
from exitgate.report.decision.counterfactuals import ahead_rows
from policies import UNKNOWN, compare, node, op, parameter, policy, rule

PATIENT = Limits(tests=10**6, seconds=20.0)
BOTH = ("after_iteration", "before_iteration")


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXITGATE_RUN", raising=False)
    return Loop(tmp_path)


def told(checked: CheckResult) -> Ahead:
    """Return what is told of the iteration after a check."""
    program = Program(checked.policy)
    found = outlook(program, checked.records, checked.decision, limits=PATIENT).ahead
    assert found is not None
    return found


def after(made, *records: dict[str, object], stages: tuple[str, ...] = ("after_iteration",)) -> Ahead:
    program = Program(made)
    *earlier, last = program.complete(records)
    return forecast(LastIteration(program, earlier, stages), Record(last), PATIENT)


# --- with the whole program: what is told is done ---


def test_standing_still_comes_out_as_told_until_the_breaker_opens(loop: Loop) -> None:
    loop.ask()
    checked = loop.iterate(0)
    for left in (3, 2, 1):
        seen = told(checked)
        assert seen.end is not None
        assert (seen.after, seen.end.exit_class, seen.end.rule) == (left, "halted", "open")
        checked = loop.iterate(0)
        assert (checked.decision.verdict, checked.decision.rule) == (seen.same.verdict, seen.same.rule)
    assert state(checked) == "OPEN"


def test_progress_keeps_the_breaker_from_opening_as_told(loop: Loop) -> None:
    loop.ask()
    checked = [loop.iterate(2), *(loop.iterate(2) for _ in range(3))][-1]
    seen = told(checked)
    turns = {turn.result: turn for turn in seen.turns}
    assert seen.same.exit_class == "halted"
    (change,) = [c for c in turns["CONTINUE", None].best if c.name == "tasks.done"]
    assert change.after == 3
    assert (turns["EXIT", "complete"].best[0].name, turns["EXIT", "complete"].best[0].after) == (
        "tasks.done",
        9,
    )
    made = loop.iterate(3)
    assert (made.decision.verdict, state(made)) == ("CONTINUE", "CLOSED")


def test_without_the_change_the_breaker_opens_as_told(loop: Loop) -> None:
    loop.ask()
    checked = [loop.iterate(2), *(loop.iterate(2) for _ in range(3))][-1]
    assert told(checked).same.rule == loop.iterate(2).decision.rule == "open"


def test_what_opened_the_breaker_is_what_would_have_kept_it_closed(loop: Loop) -> None:
    checked = loop.open_it()
    seen = outlook(Program(checked.policy), checked.records, checked.decision, limits=PATIENT)
    going = next(turn for turn in seen.turns if turn.result[0] == "CONTINUE")
    assert [(c.name, c.after) for c in going.best] == [("tasks.done", 1)], "not that the breaker were CLOSED"
    assert seen.ahead is None, "the run has ended"


# --- on records ---


def test_a_budget_that_will_be_used_up_can_no_longer_be_averted() -> None:
    made = policy(
        rule("done", compare("tasks.percent", ">=", 80)),
        rule("spent", compare("run.iterations", ">=", "$most"), "exhausted", stage="before_iteration"),
        parameters=(parameter("most", 5),),
    )
    record = {"tasks.percent": 10, "run.iterations": 4}
    seen = after(made, record, stages=BOTH)
    assert (seen.same.rule, seen.after, seen.bound) == ("spent", 1, True)
    assert ("in any case", "it ends regardless of the next iteration") in ahead_rows(seen, made)
    early = after(made, {**record, "run.iterations": 2}, stages=BOTH)
    assert (early.same.verdict, early.after, early.bound) == ("CONTINUE", 3, False)
    assert early.end is not None
    assert early.end.rule == "spent"


def test_what_a_run_has_used_up_grows_as_it_did_and_never_shrinks() -> None:
    made = policy(
        rule("spent", compare("run.cost", ">=", 10), "exhausted"),
        rule("odd", compare("run.cost", "<", 2), "review"),
        facts={"run.cost": FactSpec("run.cost", NUMBER, "", low=0, read=False)},
    )
    seen = after(made, {"run.cost": 2}, {"run.cost": 5})
    assert (seen.same.verdict, seen.after) == ("CONTINUE", 2), "5, then 8, then 11"
    assert {turn.result[1]: turn.status for turn in seen.turns}["review"] == "none"


@pytest.mark.parametrize(
    ("records", "after_"),
    [
        ([{"run.cost": 2, "day.cost": 12}, {"run.cost": 5, "day.cost": 15}], 2),  # 15, then 18, then 21
        ([{"run.cost": 5, "day.cost": 15}], 1),  # the first iteration cost 5, and what was before it 10
        ([{"run.cost": 3, "day.cost": 2}, {"run.cost": 5, "day.cost": 16}], 2),  # others used up the rest
        ([{"day.cost": 12}, {"day.cost": 18}], 1),
        ([{"day.cost": 18}], None),
    ],
)
def test_a_budget_of_the_day_is_used_up_by_what_this_run_takes(
    records: list[dict[str, object]], after_: int | None
) -> None:
    names = ("run.cost", "day.cost")
    made = policy(
        rule("spent", compare("day.cost", ">=", 20), "exhausted"),
        facts={name: FactSpec(name, NUMBER, "", low=0, read=False) for name in names},
    )
    assert after(made, *records).after == after_


def test_a_form_that_fills_up_is_told_with_what_averts_it() -> None:
    made = policy(rule("still", op("unchanged", "tasks.done", 3), "stuck"), rule("done", node("flag")))
    records = [{"tasks.done": 2, "flag": False}] * 3
    seen = after(made, *records)
    assert (seen.same.rule, seen.after) == ("still", 1)
    rows = dict(ahead_rows(seen, made))
    assert rows["the same again"] == "EXIT stuck · still"
    assert rows["CONTINUE"] == "(otherwise) if 3 tasks are done (now 2)"
    assert rows["EXIT complete"] == (
        "(done) if 3 tasks are done (now 2) and `flag` is true (is false); no single change would do it"
    )


def test_blind_decisions_in_a_row_end_the_run_as_told() -> None:
    made = policy(rule("done", node("flag")), exit_after_blind=3)
    silent = {"flag": UNKNOWN, "run.iterations": 1}
    made = made.but(facts={name: spec for name, spec in made.facts.items() if name in silent})
    seen = after(made, silent)
    assert (seen.after, seen.end.exit_class if seen.end is not None else None) == (2, "undetermined")


GROWING = frozenset(("clock.elapsed", "run.elapsed", "run.cost", "run.tokens"))


@given(scenes())
@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_is_told_is_decided_when_such_a_record_is_appended(scene: SearchSpace) -> None:
    program, records = scene.played.program, (*scene.played.earlier, scene.whole(scene.start))
    assume(GROWING.isdisjoint(records[-1]))  # the next iteration has more of them
    seen = forecast(LastIteration(program, scene.played.earlier, scene.played.stages), records[-1], PATIENT)
    again = Record(records[-1], records[-1].stand_ins)
    assert decided(program, records, again) == (seen.same.verdict, seen.same.exit_class)
    for turn in seen.turns:
        assert turn.result != (seen.same.verdict, seen.same.exit_class)
        for change in turn.changes if turn.status == FOUND else ():
            record = again
            for edit in change.edits:
                changed = with_dependents(record, edit.name, edit.after) or {edit.name: edit.after}
                if isinstance(edit.after, Unknown) and edit.name.startswith("tasks."):
                    changed = {name: edit.after for name in record if name.startswith("tasks.")}  # no plan
                if edit.name.startswith("status.") and record.get("status.present") is False:
                    changed |= {"status.present": True}
                record = Record({**record, **changed}, record.stand_ins - changed.keys())
            if any(edit.name.startswith("status.") for edit in change.edits):
                continue  # what goes with a block is settled by the scene, and tested there
            assert decided(program, records, record) == turn.result, change


def decided(program: Program, records: tuple[object, ...], record: Record) -> tuple[str, str | None]:
    """Return what the engine decides where the record is appended, computed facts made anew."""
    found = program.decide(program.complete((*records, record)))  # type: ignore[arg-type]
    return found.verdict, found.exit_class
