"""A changed policy decides on what was gathered as it decides on the transcripts themselves."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_loops import loop

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.shipped import policies
from exitgate.recordings.incremental import truths as truths_module
from exitgate.recordings.incremental.runs import Runs
from exitgate.recordings.incremental.verdicts import places
from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.result import RunResult

EXAMPLES = str(Path(__file__).parents[3] / "examples" / "transcripts")
SAID = (
    "unsure", "All tasks are complete.", "Error: it failed\nError: it failed", "<promise>COMPLETE</promise>",
    "", "Should I go on?", "I am 95% confident that the work is done.", "5 passed, 1 failed",
)  # fmt: skip


def gathered(policy: CompiledPolicy, paths: Sequence[str]) -> Runs:
    results = dry_run(paths, {"p": policy}, gather=True).results
    return Runs(policy, [one.records for one in results if one.records is not None])


def whole_of(changes: Sequence[CompiledPolicy], paths: Sequence[str]) -> list[list[RunResult]]:
    """Return the results under each of the policies, of one dry run that reads the transcripts once."""
    named = {str(number): policy for number, policy in enumerate(changes)}
    results = dry_run(paths, named, to_the_end=True).results
    return [[one for one in results if one.policy == name] for name in named]


def compare(runs: Runs, policy: CompiledPolicy, whole: Sequence[RunResult]) -> bool:
    """Compare every decision with a dry run; return whether the policy could be decided without reading."""
    found = runs.under(policy)
    if found is None:
        return False
    assert len(whole) == runs.count
    for number, result in enumerate(whole):
        verdicts = found.of(number)
        mine = [(one.exit_class, one.outcome, one.rule) for one in verdicts.each()]
        assert mine == [(row.exit_class, row.outcome, row.rule) for row in result.rows]
        assert verdicts.stop == (None if result.stop is None else result.stop.iteration)
        assert [verdicts.at(row.iteration) for row in result.rows] == verdicts.each()
    return True


def changed(name: str, rng: random.Random) -> Iterator[CompiledPolicy]:
    """Yield a policy with other values, another order, rules left out, rules in shadow."""
    policy = load_policy(name)
    numbers = [p for p in policy.parameters.values() if p.type.kind in ("count", "percent", "number")]
    for parameter in rng.sample(numbers, min(3, len(numbers))):
        value = max(0, int(str(parameter.value).split(".")[0]) + rng.choice((-1, 1, 7)))
        try:
            yield load_policy(name, settings={parameter.name: str(value)})
        except ExitgateError:
            continue  # out of its bounds
    rules = list(policy.rules)
    rng.shuffle(rules)
    yield policy.but(rules=tuple(rules))
    yield policy.but(rules=tuple(rules[: len(rules) // 2]))
    yield policy.but(rules=tuple(rule.but(mode=rng.choice(("shadow", "enforce"))) for rule in policy.rules))


@pytest.mark.parametrize("name", policies())
def test_changes_of_shipped_policies(name: str) -> None:
    policy = load_policy(name)
    runs = gathered(policy, [EXAMPLES])
    changes = [policy, *changed(name, random.Random(name))]
    done = [compare(runs, *one) for one in zip(changes, whole_of(changes, [EXAMPLES]), strict=True)]
    assert done[0]
    assert all(done[-3:]), "order, absence and mode of rules leave records as they are"


@settings(max_examples=6, deadline=None)
@given(
    said=st.lists(st.lists(st.sampled_from(SAID), min_size=1, max_size=9), min_size=1, max_size=3),
    name=st.sampled_from(("recommended", "guardrails", "loop-detection")),
    seed=st.integers(0, 1_000),
)
def test_changes_over_loops_of_any_kind(said: list[list[str]], name: str, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, one in enumerate(said):
            loop(Path(folder), f"loop-{number}", one)
        runs = gathered(load_policy(name), [folder])
        changes = list(changed(name, random.Random(seed)))
        for policy, whole in zip(changes, whole_of(changes, [folder]), strict=True):
            compare(runs, policy, whole)


def test_one_change_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept of one change does not colour the next; going back asks no condition again."""
    policy = load_policy("recommended")
    runs = gathered(policy, [EXAMPLES])
    steps = [load_policy("recommended", settings={"stuck_loops": n}) for n in ("2", "9", "3")]
    steps += [load_policy("recommended", settings={"min_completion": n}) for n in ("10", "90")]
    steps.append(policy)
    whole = whole_of(steps, [EXAMPLES])
    there = list(range(len(steps)))
    for one in (*there, *reversed(there[:-1])):
        assert compare(runs, steps[one], whole[one])

    def no_more(*_: object) -> None:
        raise AssertionError("a condition is asked again")

    monkeypatch.setattr(truths_module.Leaf, "_found", no_more)
    again = runs.under(load_policy("recommended", settings={"min_completion": "10"}))
    assert again is not None
    assert [again.of(number).length for number in range(runs.count)]


def test_another_order_asks_no_condition(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = load_policy("recommended")
    runs = gathered(policy, [EXAMPLES])
    # a chain stops asking where all iterations are decided: alone, each rule is asked of all of them
    for rule in policy.rules:
        alone = runs.under(policy.but(rules=(rule,)))
        assert alone is not None
        for number in range(runs.count):
            alone.of(number)
    asked: list[object] = []
    monkeypatch.setattr(truths_module.Leaf, "_found", lambda *_: asked.append(1) or (0, 0))
    again = runs.under(policy.but(rules=tuple(reversed(policy.rules))))
    assert again is not None
    assert [again.of(number).length for number in range(runs.count)]
    assert not asked


def test_a_policy_that_extracts_something_else_needs_the_transcripts() -> None:
    runs = gathered(load_policy("loop-detection"), [EXAMPLES])
    assert runs.under(load_policy("loop-detection", settings={"loop_window": "7"})) is None
    assert runs.under(load_policy("bb3")) is None


def test_a_line_more_in_a_policy_changes_nothing(tmp_path: Path) -> None:
    text = "policy: mine\nformat: 1\nversion: 1.0.0\ntitle: Mine\nextends: recommended\n"
    for number, above in enumerate(("", "# a remark\n\n\n")):
        (tmp_path / f"{number}.yaml").write_text(above + text)
    runs = gathered(load_policy(str(tmp_path / "0.yaml")), [EXAMPLES])
    moved = load_policy(str(tmp_path / "1.yaml"))
    found = runs.under(moved)
    assert found is not None
    assert len(runs._grounds) == 1
    assert compare(runs, moved, whole_of([moved], [EXAMPLES])[0])


@given(st.integers(min_value=0, max_value=2**200))
def test_places_are_those_of_the_bits(bits: int) -> None:
    assert sum(1 << place for place in places(bits)) == bits
    assert list(places(bits)) == sorted(places(bits))
