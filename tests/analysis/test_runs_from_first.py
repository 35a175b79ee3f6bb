"""Whatever the analysis shows as a run is one that the engine plays from its first iteration on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from cases import each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from looping_policies import HEAD, policies
from random_policies import small_policies

from exitgate.analysis.mutation.equivalence import judge
from exitgate.analysis.mutation.registry import mutants
from exitgate.analysis.prove.backend import BOTH, WALK, Backend
from exitgate.analysis.results.answer import PROVED
from exitgate.analysis.simulation import with_stand_ins
from exitgate.analysis.space.counters import SUSPENDING, number_of_first
from exitgate.analysis.space.domains import domains
from exitgate.analysis.walk.queries import REFUTED, differ
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.breaker import BreakerState
from exitgate.core.engine.evaluation import Before, Evaluation, Observed
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import Record
from exitgate.core.facts.extractors.progress import Remembered, Signal
from exitgate.core.model.decision import STAGES
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

Run = Sequence[Mapping[str, object]]


class Loop:
    """A loop written for this test alone: it settles each iteration and asks the stages that follow it."""

    def __init__(self, policy: CompiledPolicy, breaker: BreakerState | None = None) -> None:
        self.policy, self.program = policy, Program(policy)
        self.records: list[Record] = []
        self.breaker = breaker or BreakerState()
        self.now = 0.0
        self.failures: int | None = None
        self._seen: Remembered | None = None
        self._signals = [
            Signal(name, way)
            for fact in policy.derived
            for name, way in zip(fact.signals, fact.moves, strict=True)
        ]

    def iteration(self, facts: Mapping[str, object], number: int) -> None:
        self.now += 60
        failed, interrupted = facts.get("run.failed"), facts.get("run.interrupted") is True
        if failed is not None and not interrupted:
            self.failures = (self.failures or 0) + 1 if failed else 0
        settled = self._settled(facts, number, self.records)
        self.breaker = settled.breaker
        self.records.append(settled.record)
        if self._signals:
            self._seen = (self._seen or Remembered()).after(self._signals, settled.record)

    def _settled(
        self, facts: Mapping[str, object], number: int, records: Sequence[Record], ended: bool = True
    ) -> Observed:
        [standing] = with_stand_ins(self.policy, [facts])
        counts = {"run.iterations": number}
        counts |= {} if self.failures is None else {"run.failures_in_row": self.failures}
        record = Record({**standing, **counts}, getattr(standing, "stand_ins", frozenset()))
        apart = sum(int(str(past["run.iterations"])) < self.breaker.since for past in records)
        before = Before(tuple(records), self._seen, self.breaker, apart, mark=number)
        return Evaluation(self.program, before).observe(record, self.now, ended=ended)

    def looked(self, facts: Mapping[str, object], number: int) -> str | None:
        """Return the rule that decides on a look before the next iteration, in place of the last one."""
        settled = self._settled(facts, number, self.records[:-1], ended=False)
        return self.program.decide((*self.records[:-1], settled.record), "before_iteration").rule

    def decisions(self) -> Iterator[tuple[str, str | None, bool]]:
        """Yield stage, rule and whether the run ends, for each stage asked."""
        last = self.records[-1]
        failed = last.get("run.failed") is True or last.get("run.interrupted") is True
        after = "after_failure" if failed else "after_iteration"
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
@given(policies(), st.integers(0, 2**20), st.sampled_from((WALK, WALK, BOTH)))
def test_rules_that_can_decide_do_so_in_a_loop_and_others_never_do(
    tmp_path_factory: pytest.TempPathFactory, text: str, seed: int, who: str
) -> None:
    path = tmp_path_factory.mktemp("p") / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        policy = load_policy(str(path))
    except ExitgateError as error:  # a rule that would end a silent run
        assert "EP4" in str(error), error
        return
    asker = Backend(who, Limits(3.0))
    never = set()
    for rule in policy.rules:
        answer = asker.ask("can_decide", policy, rule.id)
        if answer.status == PROVED:
            never.add(rule.id)
        if answer.run is None or policy.breaker is not None or (number_of_first(answer.run) or 2) > 1:
            continue
        if rule.stage == "before_iteration" or "run.failures_in_row" in answer.run[0]:
            continue  # what comes before is not shown: test_runs_on_the_gate.py
        assert plays(policy, answer.run, rule.stage, rule.id), (text, rule.id, answer.run)
    draw = Random(seed)
    for _ in range(20):
        assert never.isdisjoint(decided_in_a_loop(policy, draw)), (text, never)


#: How an agent ended, as far as a check knows; most often it knows nothing.
ENDS: tuple[Mapping[str, object], ...] = (
    {},
    {},
    {},
    {"run.failed": False},
    {"run.failed": True},
    {"run.failed": False, "run.interrupted": False, "run.agent_exit": 0},
    {"run.failed": True, "run.interrupted": False, "run.agent_exit": 0},
    {"run.failed": True, "run.interrupted": False, "run.agent_exit": 1},
    {"run.failed": True, "run.interrupted": True, "run.agent_exit": 130},
)  # fmt: skip


def decided_in_a_loop(policy: CompiledPolicy, draw: Random) -> set[str]:
    """Return the rules that decide in a loop over random facts."""
    values = {
        name: [v for v in found if not isinstance(v, Unknown)]
        for name, found in domains(policy).items()
        if not name.startswith(
            ("circuit.", "run.iterations", "run.fail", "run.interrupted", "run.agent", "progress.")
        )
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
        facts |= draw.choice(ENDS)
        loop.iteration(facts, number)
        if draw.random() < 0.1:
            loop.now += 3600
        for _, rule, ended in loop.decisions():
            found |= {rule} if rule is not None else set()
            if ended:
                return found
        if draw.random() < 0.3:
            seen = {
                name: value
                for name, value in facts.items()
                if not name.startswith(("run.failed", "run.inter", "run.agent"))
            }
            seen |= draw.choice(({}, {"tasks.done": done + 1, "tasks.total": 9, "tasks.open": 8 - done}))
            found |= {rule} if (rule := loop.looked(seen, number)) is not None else set()
    return found


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(), small_policies(), st.sampled_from((WALK, BOTH)))
def test_examples_of_every_question(one: CompiledPolicy, other: CompiledPolicy, who: str) -> None:
    asker = Backend(who, Limits(2.0))
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
        answer = Backend(who, Limits(5.0)).ask("can_decide", policy, "last", small=True)
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
        answer = Backend(who, Limits(5.0)).ask("can_decide", policy, "asked", small=True)
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
