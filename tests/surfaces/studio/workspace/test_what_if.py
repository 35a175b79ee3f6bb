"""Facts and parameters that are pulled: what the policy would decide then, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from sessions_on_disk import session

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compile import load_policy
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.surfaces.studio.workspace.live import Live
from exitgate.surfaces.studio.workspace.policies import Draft, Origin
from exitgate.surfaces.studio.workspace.what_if import what_if
from exitgate.surfaces.studio.workspace.workspace import Workspace

EXAMPLES = Path(__file__).parents[4] / "examples" / "transcripts"
NAMES = ("recommended", "bb3")


class Desk:
    """A workspace that is asked about decisions which were not made."""

    def __init__(self, paths: list[str], names: Mapping[str, str]) -> None:
        origins = [Origin(name, reference, {}, ".") for name, reference in names.items()]
        self.workspace = Workspace(paths, origins)
        self.workspace.load()
        self.part = what_if(self.workspace)

    def controls(self, n: int, at: object, policy: str) -> dict[str, object]:
        found = self.part.reads["controls"](str(n), {"at": str(at), "policy": policy})
        assert isinstance(found, dict)
        return found

    def ask(self, n: int, at: int, policy: str, **pulled: object) -> dict[str, object]:
        body = {"n": n, "at": at, "policy": policy, **pulled}
        found = self.part.actions["what-if"].do(JsonObject(json.loads(json.dumps(body))))
        assert isinstance(found, dict)
        return found

    def refused(self, **body: object) -> str:
        with pytest.raises(ExitgateError) as caught:
            self.part.actions["what-if"].do(JsonObject({"n": 1, "at": 3, "policy": "bb3", **body}))
        return "; ".join(f"{one.code} {one.message} {one.help}" for one in caught.value.diagnostics)


@pytest.fixture(scope="module")
def desk() -> Desk:
    return Desk([str(EXAMPLES)], {name: name for name in NAMES})


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str], Desk]:
    """Give a function that opens the examples under a policy of our own."""

    def make(text: str) -> Desk:
        path = tmp_path / "own.yaml"
        path.write_text(text, encoding="utf-8")
        return Desk([str(EXAMPLES)], {"own": str(path)})

    return make


def named(controls: Mapping[str, object], name: str) -> dict[str, object]:
    both = (*controls["facts"], *controls["parameters"])  # type: ignore[misc]
    return next(one for one in both if one["name"] == name)


def test_with_nothing_pulled_every_iteration_is_decided_as_it_was(desk: Desk) -> None:
    found = dry_run([str(EXAMPLES)], NAMES, to_the_end=True)
    rows = [result for result in found.results if result.policy == "recommended"]
    for n, result in enumerate(rows, 1):
        for row in result.rows:
            now = desk.ask(n, row.iteration, "recommended")
            words = f"{row.verdict} {row.exit_class}" if row.exit_class else row.verdict
            assert str(now["words"]).removesuffix(", tentative") == words
            assert (now["rule"] or None, now["turned"], now["follows"]) == (row.rule, False, [])


def test_every_marked_change_does_what_it_says(desk: Desk) -> None:
    tried = 0
    for n, at in ((1, 3), (1, 5), (2, 6), (3, 5), (4, 2)):
        for policy in NAMES:
            found = desk.controls(n, at, policy)
            assert found["remark"] == ""
            for one in found["facts"]:  # type: ignore[attr-defined]
                for turn in one["turns"]:
                    answer = desk.ask(n, at, policy, facts={one["name"]: turn["value"]})
                    assert (answer["words"], answer["rule"]) == (turn["words"], turn["rule"]), one["name"]
                    tried += 1
            for one in found["parameters"]:  # type: ignore[attr-defined]
                for turn in one["turns"]:
                    own = {one["name"].removeprefix("$"): turn["value"]}
                    answer = desk.ask(n, at, policy, parameters=own)
                    assert (answer["words"], answer["rule"]) == (turn["words"], turn["rule"]), one["name"]
                    tried += 1
            for way in found["ways"]:  # type: ignore[attr-defined]
                facts = {edit["name"]: edit["value"] for edit in way["edits"]}
                answer = desk.ask(n, at, policy, facts=facts)
                assert (answer["words"], answer["rule"]) == (way["words"], way["rule"]), facts
                tried += 1
    assert tried > 60


def test_what_a_run_has_used_up_cannot_be_less(desk: Desk) -> None:
    for at in (2, 5, 8):
        for way in desk.controls(1, at, "recommended")["ways"]:  # type: ignore[attr-defined]
            counts = [edit["value"] for edit in way["edits"] if edit["name"] == "run.iterations"]
            assert all(count > at for count in counts), way


def test_shares_follow_from_counts_and_are_not_pulled_themselves(desk: Desk) -> None:
    controls = desk.controls(1, 3, "bb3")
    assert "tasks.percent" not in [one["name"] for one in controls["facts"]]  # type: ignore[attr-defined]
    answer = desk.ask(1, 3, "bb3", facts={"tasks.done": 4})
    assert (answer["words"], answer["rule"], answer["turned"]) == ("EXIT complete", "all_tasks_done", True)
    assert {"name": "tasks.percent", "before": "75%", "after": "100%"} in answer["follows"]  # type: ignore[operator]
    assert "`tasks.percent` cannot be pulled here" in desk.refused(facts={"tasks.percent": 90})


def test_the_ladder_shows_how_each_rule_came_out(desk: Desk) -> None:
    ladder = desk.ask(1, 3, "bb3", facts={"errors.count": 9})["ladder"]
    states = {one["rule"]: one["state"] for one in ladder}  # type: ignore[attr-defined]
    rules = [rule.id for rule in load_policy("bb3").rules]
    assert [one["rule"] for one in ladder] == [rule for rule in rules if rule in states]  # type: ignore[attr-defined]
    assert states["too_many_errors"] == "decided"
    row = next(one for one in ladder if one["rule"] == "too_many_errors")  # type: ignore[attr-defined]
    assert "errors.count (9) > $max_errors (5)" in row["condition"]
    assert (row["tone"], row["effect"]) == ("review", "EXIT review")


def test_what_is_unknown_stays_so_until_it_is_set(desk: Desk) -> None:
    found = named(desk.controls(1, 3, "bb3"), "confidence")
    assert (found["value"], found["text"]) == (None, "unknown")
    assert found["why"]
    other = desk.ask(1, 3, "bb3", facts={"errors.count": 1})
    low = desk.ask(1, 3, "bb3", facts={"confidence": 10})
    assert (low["words"], low["rule"]) == ("EXIT review", "low_confidence")
    assert other["rule"] != "low_confidence"
    assert desk.ask(1, 3, "bb3", facts={"confidence": None})["turned"] is False


def test_a_known_fact_can_be_taken_for_unknown(desk: Desk) -> None:
    done = desk.ask(1, 5, "bb3")
    assert done["words"] == "EXIT complete"
    lost = desk.ask(1, 5, "bb3", facts={"tasks.done": None, "tasks.total": None})
    assert str(lost["words"]).startswith("CONTINUE")


def test_parameters_are_pulled_alone_and_with_facts(desk: Desk) -> None:
    assert desk.ask(1, 3, "bb3")["words"] == "CONTINUE, tentative"
    lower = desk.ask(1, 3, "bb3", parameters={"min_completion": 75})
    assert (lower["words"], lower["rule"]) == ("EXIT complete", "high_completion")
    both = desk.ask(1, 3, "bb3", parameters={"min_completion": 75}, facts={"tasks.done": 2})
    assert str(both["words"]).startswith("CONTINUE")


def test_amounts_and_times_are_numbers_of_their_unit(desk: Desk) -> None:
    controls = desk.controls(1, 3, "recommended")
    assert (named(controls, "run.cost")["type"], named(controls, "run.cost")["unit"]) == ("money", "USD")
    for pulled in (
        {"facts": {"run.cost": 250}}, {"parameters": {"max_cost": 0.5}},
        {"facts": {"run.elapsed": 28_800.5}}, {"parameters": {"max_elapsed": 60}},
    ):  # fmt: skip
        assert desk.ask(1, 3, "recommended", **pulled)["words"] == "EXIT exhausted", pulled


def test_the_draft_is_what_is_asked() -> None:
    desk = Desk([str(EXAMPLES)], {"bb3": "bb3"})
    before = desk.controls(1, 3, "bb3")
    desk.workspace.draft("bb3", Draft(values={"min_completion": 90, "max_errors": 2}))
    after = desk.controls(1, 3, "bb3")
    assert (named(before, "$min_completion")["value"], named(after, "$min_completion")["value"]) == (80, 90)
    assert desk.ask(1, 3, "bb3", facts={"errors.count": 3})["rule"] == "too_many_errors"
    still = desk.ask(1, 3, "bb3", facts={"errors.count": 3}, parameters={"min_completion": 75})
    assert still["rule"] != "", "the draft's other values count below what is pulled"


def test_a_run_that_grew_is_asked_as_it_is_now(tmp_path: Path) -> None:
    session(tmp_path, "a", ["I am unsure.", "Likely right."])
    desk = Desk([str(tmp_path)], {"bb3": "bb3"})
    assert desk.ask(1, 2, "bb3")["turned"] is False
    assert "has 2 iterations: 3 is none" in desk.refused(at=3)
    session(tmp_path, "a", ["I am unsure.", "Likely right.", "Confidence: 10%."])
    live = Live(desk.workspace, lambda: [str(tmp_path)], lambda: 0.0, lambda: 1e6)
    live.look()
    assert desk.controls(1, 3, "bb3")["now"]["turned"] is False  # type: ignore[index]
    assert desk.ask(1, 3, "bb3", facts={"confidence": 5})["rule"] == "low_confidence"


def test_nothing_is_written_and_no_draft_is_made(desk: Desk) -> None:
    before = desk.workspace.revision
    desk.ask(1, 3, "bb3", parameters={"min_completion": 75}, facts={"tasks.done": 1})
    column = desk.workspace.columns["bb3"]
    assert (desk.workspace.revision, column.is_draft) == (before, False)
    assert column.settled.policy.parameters["min_completion"].value == 80
    assert not any(action.writes for action in desk.part.actions.values())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({"facts": {"tasks.done": "many"}}, "EP841"),
        ({"facts": {"tasks.done": 1.5}}, "EP841"),
        ({"facts": {"tasks.done": -1}}, "tasks.done"),
        ({"facts": {"tasks.done": True}}, "EP841"),
        ({"facts": {"tasks.done": 5}}, "`tasks.done` is more than `tasks.total` set both"),
        ({"facts": {"confidence": 101}}, "confidence"),
        ({"facts": {"confidence": 10**400}}, "confidence"),
        ({"facts": {"circuit.state": "AJAR"}}, "`OPEN`"),
        ({"facts": {"taks.done": 1}}, "did you mean `tasks.done`"),
        ({"facts": {"<b>": 1}}, "EP840"),
        ({"facts": {"tasks.done": [1]}}, "cannot be used"),
        ({"facts": {"tasks.present": True}}, "cannot be pulled here"),
        ({"parameters": {"min_completion": 0}}, "min_completion"),
        ({"parameters": {"min_completion": "x"}}, "`x` is not a percentage"),
        ({"parameters": {"nothing_like_it": 1}}, "nothing_like_it"),
        ({"n": 99}, "run 99"),
        ({"n": 0}, "run 0"),
        ({"at": 99}, "has 9 iterations: 99 is none"),
        ({"at": 0}, "0 is none of them"),
        ({"policy": "other"}, "`other`"),
        ({"more": 1}, "cannot be used"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(desk: Desk, body: dict[str, object], says: str) -> None:
    assert says in desk.refused(**body)


@pytest.mark.parametrize(("rest", "at"), [("", "1"), ("x", "1"), ("1", ""), ("1", "-1"), ("9" * 99, "1")])
def test_an_address_without_numbers_is_refused(desk: Desk, rest: str, at: str) -> None:
    with pytest.raises(ExitgateError, match="EP557"):
        desk.part.reads["controls"](rest, {"at": at, "policy": "bb3"})


OWN = """\
policy: own
format: 1
version: 1.0.0
title: Own
parameters:
  window: {type: count, default: 3, min: 1, doc: Iterations.}
  goal: {type: count, default: 9, doc: Tasks.}
facts:
  tasks: {extract: checklist, from: plan}
circuit:
  open: [{id: no_progress, when: tasks.done unchanged for $window iterations}]
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: nothing ticked}
  - {id: goal, when: tasks.done >= $goal, exit: complete, because: done}
otherwise: continue
"""


def test_the_breaker_follows_what_is_pulled(made: Callable[[str], Desk]) -> None:
    desk = made(OWN)
    run = next(line.n for line in desk.workspace.lines if line.run.id == "login-session")
    opened = next(at for at in range(1, 13) if desk.ask(run, at, "own")["rule"] == "open")
    first = desk.controls(run, opened, "own")
    assert "circuit.state" not in [one["name"] for one in first["facts"]]  # type: ignore[attr-defined]
    done = named(first, "tasks.done")["value"]
    moved = desk.ask(run, opened, "own", facts={"tasks.done": done + 1})  # type: ignore[operator]
    assert (moved["rule"], moved["turned"]) == ("", True)
    assert desk.ask(run, opened, "own", parameters={"window": 5})["rule"] == ""
    assert desk.ask(run, opened - 1, "own", parameters={"window": 1})["rule"] == "open"


def test_a_parameter_that_extractors_read_is_not_pulled(made: Callable[[str], Desk]) -> None:
    desk = Desk([str(EXAMPLES)], {"loops": "loop-detection"})
    names = [one["name"] for one in desk.controls(1, 3, "loops")["parameters"]]  # type: ignore[attr-defined]
    assert "$loop_window" not in names
    assert "extractors read it" in desk.refused(policy="loops", parameters={"loop_window": 7})


def test_secrets_in_facts_are_hidden_and_long_ones_shortened(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    advice = f"use {token} <img src=x> \x1b[2J {'x' * 100_000}"
    fields = f"STATUS: BLOCKED\nEXIT_SIGNAL: false\nRECOMMENDATION: {advice}"
    said = f"---RALPH_STATUS---\n{fields}\n---END_RALPH_STATUS---\n"
    session(tmp_path, "a", [said, said])
    desk = Desk([str(tmp_path)], {"recommended": "recommended"})
    controls = desk.controls(1, 2, "recommended")
    answer = desk.ask(1, 2, "recommended", facts={"tasks.done": 1, "tasks.total": 2})
    assert "[masked" in str(named(controls, "status.recommendation")["value"])
    for shown in (json.dumps(controls), json.dumps(answer)):
        assert token not in shown
        assert len(shown) < 100_000
