"""Whatever the analysis shows as a run is one that the engine plays from its first iteration on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from cases import each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_policies import small_policies

from exitgate.analysis.ask import REFUTED, differ
from exitgate.analysis.mutation.equivalence import judge
from exitgate.analysis.mutation.registry import mutants
from exitgate.analysis.prove.asker import BOTH, WALK, Asker
from exitgate.analysis.space.domains import domains
from exitgate.analysis.space.stand_ins import stood_in
from exitgate.analysis.walk.first import SUSPENDING, number_of_first
from exitgate.analysis.walk.search import Limits
from exitgate.engine.breaker_state import BreakerState
from exitgate.engine.program import Program
from exitgate.engine.record import Record
from exitgate.engine.settle import Before, settle
from exitgate.facts.signals import Remembered, Signal
from exitgate.model.answer import PROVED
from exitgate.model.diagnostic import ExitgateError
from exitgate.model.value import Unknown
from exitgate.model.verdict import STAGES
from exitgate.policy.compile import load_policy
from exitgate.policy.compiled import CompiledPolicy

Run = Sequence[Mapping[str, object]]

HEAD = """\
policy: x
format: 1
version: 1.0.0
title: x
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, words: [error]}
  progress: {extract: progress, signals: [tasks.done]}
"""
CONDITIONS = (
    "errors.count > 0",
    "(errors.count > 0) for 2 consecutive iterations",
    "(errors.count > 0) for 3 consecutive iterations",
    "tasks.done unchanged for 2 iterations",
    "not progress.made",
    "(not progress.made) for 3 consecutive iterations",
    "count(errors.count > 0, last 3) >= 2",
    "tasks.done > previous(tasks.done)",
    "after 3 iterations and errors.count == 0",
    "run.iterations >= 4",
    "run.iterations >= 7 and errors.count == 0",
    "circuit.state is OPEN",
    "circuit.state is HALF_OPEN",
    "circuit.state is CLOSED and (errors.count > 0) for 2 consecutive iterations",
    "run.failed",
    "run.failures_in_row >= 2",
    "tasks.complete",
    "errors.count is unknown",
    "run.cost >= 5 USD",
)  # fmt: skip
EFFECTS = (
    "exit: stuck", "exit: review", "exit: complete", "exit: wait", "exit: interrupted", "continue: true",
)  # fmt: skip
STAGE = ("after_iteration", "after_iteration", "before_iteration", "after_failure")


@st.composite
def policies(draw: st.DrawFn) -> str:
    """Return a policy of budgets, windows, stages, silence and a breaker of its own."""
    lines = [HEAD]
    if draw(st.booleans()):
        openings = draw(st.lists(st.sampled_from(CONDITIONS[:7]), min_size=1, max_size=2, unique=True))
        lines.append("circuit:\n  open:\n")
        lines += [f'    - {{id: o{n}, when: "{when}"}}\n' for n, when in enumerate(openings)]
        if draw(st.booleans()):
            lines.append("  watch: not progress.made\n  close: progress.made\n")
        if draw(st.booleans()):
            lines.append("  cooldown: 30m\n")
    lines.append("rules:\n")
    for number, when in enumerate(draw(st.lists(st.sampled_from(CONDITIONS), min_size=2, max_size=4))):
        stage = draw(st.sampled_from(STAGE))
        effect = draw(st.sampled_from(EFFECTS))
        lines.append(f'  - {{id: r{number}, when: "{when}", {effect}, stage: {stage}, because: x}}\n')
    limit = draw(st.sampled_from((None, None, 1, 2)))
    if limit is not None:
        lines.append(f"undetermined: {{exit_after: {limit}}}\n")
    return "".join(lines)


class Loop:
    """A loop written for this test alone: it settles each iteration and asks the stages that follow it."""

    def __init__(self, policy: CompiledPolicy, breaker: BreakerState | None = None) -> None:
        self.policy, self.program = policy, Program(policy)
        self.records: list[Record] = []
        self.breaker = breaker or BreakerState()
        self.now = 0.0
        self.failures = 0
        self._seen: Remembered | None = None
        self._signals = [
            Signal(name, way)
            for fact in policy.derived
            for name, way in zip(fact.signals, fact.moves, strict=True)
        ]

    def iteration(self, facts: Mapping[str, object], number: int) -> None:
        self.now += 60
        [standing] = stood_in(self.policy, [facts])
        self.failures = self.failures + 1 if facts.get("run.failed") is True else 0
        counts = {"run.iterations": number, "run.failures_in_row": self.failures}
        record = Record({**standing, **counts}, getattr(standing, "stand_ins", frozenset()))
        before = Before(tuple(self.records), self._seen, self.breaker, mark=number)
        settled = settle(self.program, record, before, self.now)
        self.breaker = settled.breaker
        self.records.append(settled.record)
        if self._signals:
            self._seen = (self._seen or Remembered()).after(self._signals, settled.record)

    def decisions(self) -> Iterator[tuple[str, str | None, bool]]:
        """Yield stage, rule and whether the run ends, for each stage asked."""
        after = "after_failure" if self.records[-1].get("run.failed") is True else "after_iteration"
        for stage in (after, "before_iteration"):
            made = self.program.decide(tuple(self.records), stage)
            begins = any(rule.stage == "before_iteration" for rule in self.policy.rules)
            if stage == "before_iteration" and not begins:
                return
            ended = made.verdict == "EXIT" and made.exit_class not in SUSPENDING
            yield stage, made.rule, ended
            if made.verdict == "EXIT":
                return

    def ended(self) -> bool:
        return any(ended for _, _, ended in self.decisions())


def plays(policy: CompiledPolicy, run: Run, stage: str, rule: str) -> bool:
    """Return whether a run without a breaker comes to its last iteration, and `rule` decides there."""
    assert policy.breaker is None
    loop = Loop(policy)
    for at, facts in enumerate(run):
        if at and loop.ended():
            return False
        loop.iteration(facts, at + 1)
    made = loop.program.decide(tuple(loop.records), stage)
    return made.rule == rule or made.exit_class == "undetermined"  # silence ends it in place of the rule


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(policies(), st.integers(0, 2**20))
def test_rules_that_can_decide_do_so_in_a_loop_and_others_never_do(
    tmp_path_factory: pytest.TempPathFactory, text: str, seed: int
) -> None:
    path = tmp_path_factory.mktemp("p") / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        policy = load_policy(str(path))
    except ExitgateError as error:  # a rule that would end a silent run
        assert "EP4" in str(error), error
        return
    asker = Asker(WALK, Limits(3.0))
    never = set()
    for rule in policy.rules:
        answer = asker.ask("can_decide", policy, rule.id)
        if answer.status == PROVED:
            never.add(rule.id)
        if answer.run is None or policy.breaker is not None or (number_of_first(answer.run) or 2) > 1:
            continue
        assert plays(policy, answer.run, rule.stage, rule.id), (text, rule.id, answer.run)
    draw = Random(seed)
    for _ in range(20):
        assert never.isdisjoint(decided_in_a_loop(policy, draw)), (text, never)


def decided_in_a_loop(policy: CompiledPolicy, draw: Random) -> set[str]:
    """Return the rules that decide in a loop over random facts."""
    values = {
        name: [v for v in found if not isinstance(v, Unknown)]
        for name, found in domains(policy).items()
        if not name.startswith(("circuit.", "run.iterations", "run.fail", "progress."))
    }
    loop, found = Loop(policy), set[str]()
    done = 0
    for number in range(1, 10):
        facts = {name: draw.choice(some) for name, some in values.items() if some and draw.random() < 0.7}
        facts = {name: value for name, value in facts.items() if not name.startswith("tasks.")}
        done += draw.choice((0, 0, 1))
        if draw.random() < 0.7:
            facts |= {
                "tasks.done": done,
                "tasks.total": 9,
                "tasks.open": 9 - done,
                "tasks.complete": done == 9,
            }
        if draw.random() < 0.2:
            facts["run.failed"] = True
        loop.iteration(facts, number)
        if draw.random() < 0.1:
            loop.now += 3600
        for _, rule, ended in loop.decisions():
            found |= {rule} if rule is not None else set()
            if ended:
                return found
    return found


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(), small_policies(), st.sampled_from((WALK, BOTH)))
def test_examples_of_every_question(one: CompiledPolicy, other: CompiledPolicy, who: str) -> None:
    asker = Asker(who, Limits(2.0))
    for rule in one.rules:
        if rule.mode != "enforce" or rule.effect == "warn":
            continue
        answer = asker.ask("can_decide", one, rule.id, small=True)
        assert answer.run is None or plays(one, answer.run, rule.stage, rule.id)
    for stage in STAGES:
        answer = asker.ask("reaches", one, "CONTINUE", stage=stage)
        if answer.run is not None:
            loop = Loop(one)
            for at, facts in enumerate(answer.run):
                assert not at or not loop.ended()
                loop.iteration(facts, at + 1)
    answer = differ(one, other, Limits(2.0))
    if answer.status == REFUTED:
        loops = Loop(one), Loop(other)
        for at, facts in enumerate(answer.run or ()):
            assert not at or not any(loop.ended() for loop in loops)
            for loop in loops:
                loop.iteration(facts, at + 1)


#: Stages of one rule, its condition, that of the rule before it, and whether this can decide.
ENDED_BEFORE = {
    "an earlier window ends the run": (
        ("after_iteration", "after_failure"),
        "(errors.count > 0) for 2 consecutive iterations",
        "(errors.count > 0) for 3 consecutive iterations",
        False,
    ),
    "unless the agent failed": (
        ("after_iteration",),
        "(errors.count > 0) for 2 consecutive iterations",
        "(errors.count > 0) for 3 consecutive iterations",
        True,
    ),
    "the next iteration does not begin": (
        ("before_iteration",),
        "errors.count >= 5",
        "(errors.count >= 5) for 2 consecutive iterations",
        False,
    ),
}


@each("name", ENDED_BEFORE)
def test_a_rule_that_an_earlier_iteration_keeps_from_deciding(name: str, tmp_path: Path) -> None:
    stages, first, last, can = ENDED_BEFORE[name]
    rules = [f'  - {{id: last, when: "{last}", exit: review, because: x}}\n']
    rules += [
        f'  - {{id: e{n}, when: "{first}", exit: stuck, stage: {stage}, because: x}}\n'
        for n, stage in enumerate(stages)
    ]
    (tmp_path / "policy.yaml").write_text(HEAD + "rules:\n" + "".join(rules), encoding="utf-8")
    policy = load_policy(str(tmp_path / "policy.yaml"))
    for who in (WALK, BOTH):
        answer = Asker(who, Limits(5.0)).ask("can_decide", policy, "last", small=True)
        assert answer.status == (REFUTED if can else PROVED), (who, answer.why)
    if can:
        assert [facts.get("run.failed") for facts in answer.run or ()].count(True) >= 1


FOUR = "errors.count > 0 and count(errors.count is unknown and tasks.done is unknown, last 4) >= 3"
#: Rest of a policy, a rule, and whether it can decide in a loop.
LOOPS = {
    "no next stage is asked after an exit that suspends": ("""
rules:
  - {id: asked, when: "(errors.count > 0) for 2 consecutive iterations", exit: stuck, because: x}
  - {id: one, when: "errors.count > 0", exit: wait, because: x}
  - {id: before, when: "errors.count > 0", exit: review, stage: before_iteration, because: x}
""", True),
    "a failed agent is not silent": (f"""
undetermined: {{exit_after: 2}}
rules:
  - {{id: asked, when: "{FOUR}", exit: stuck, because: x}}
  - {{id: budget, when: "run.cost >= 50 USD", exit: exhausted, because: x}}
""", True),
    "failures in a row are counted": ("""
rules:
  - {id: three, when: run.failures_in_row >= 3, exit: failed, stage: after_failure, because: x}
  - id: asked
    when: (run.failed) for 4 consecutive iterations
    exit: review
    stage: after_failure
    because: x
""", False),
    "a breaker opens by itself within a run": ("""
circuit: {open: [{id: many, when: errors.count > 50}]}
rules:
  - id: asked
    when: >-
      (circuit.state is OPEN) for 2 consecutive iterations and count(circuit.state is CLOSED, last 3) >= 1
      and errors.count == 0
    exit: halted
    because: x
  - {id: many, when: errors.count > 40, exit: stuck, because: x}
""", False),
}  # fmt: skip


@each("name", LOOPS)
def test_rules_that_a_loop_can_and_cannot_come_to(name: str, tmp_path: Path) -> None:
    rest, can = LOOPS[name]
    (tmp_path / "policy.yaml").write_text(HEAD + rest.lstrip("\n"), encoding="utf-8")
    policy = load_policy(str(tmp_path / "policy.yaml"))
    for who in (WALK, BOTH):
        answer = Asker(who, Limits(5.0)).ask("can_decide", policy, "asked", small=True)
        assert answer.status != (PROVED if can else REFUTED), (who, answer.why, answer.run)


def test_what_keeps_silence_from_ending_a_run_keeps_mutants_apart(tmp_path: Path) -> None:
    rules = f"""\
undetermined: {{exit_after: 2}}
rules:
  - {{id: four, when: "{FOUR}", exit: stuck, because: x}}
  - {{id: w, when: errors.count is unknown, exit: wait, on_silence: exit, why: x, because: x}}
"""
    (tmp_path / "policy.yaml").write_text(HEAD + rules, encoding="utf-8")
    policy = load_policy(str(tmp_path / "policy.yaml"))
    for mutant in mutants(policy):
        if mutant.id in ("four:dropped_rule:1", "four:effect:1"):
            assert judge(policy, mutant, Limits(5.0)).status != PROVED, mutant.id
