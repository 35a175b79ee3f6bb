"""exitgate's contenders: the shipped policy `bb3-faithful`, compiled."""

from __future__ import annotations

from cases import RECORDS, WANTED
from timing import Contender

from exitgate.core.engine.program import Program
from exitgate.core.language.evaluation.chain import compile_chain, compile_truths
from exitgate.core.policy.compile import load_policy

#: Within these many times the hand-written chain.
GOALS = {
    "exitgate, result included": 5.0,
    "exitgate, full trace": 25.0,
    "exitgate, `Program.decide` with its steps read": 25.0,
}


def contenders() -> list[Contender]:
    policy = load_policy("bb3-faithful")
    whens = [rule.when for rule in policy.rules]
    ids = [rule.id for rule in policy.rules]
    chain = compile_chain(whens, policy.values(), policy.conditions)
    truths = compile_truths(whens, policy.values(), policy.conditions)
    program = Program(policy)
    results = (
        *((rule.effect, rule.exit_class, rule.outcome) for rule in policy.rules),
        ("continue", None, ""),
    )

    def result_included(records: object) -> object:
        index = chain(records)
        results[index]
        return index

    def full_trace(records: object) -> object:
        kept = truths(records)
        index = kept.index(True) if True in kept else -1
        results[index]
        return index

    def winner(records: object) -> object:
        return program.winner(records)

    def decide(records: object) -> object:
        return program.decide(records).rule

    def steps(records: object) -> object:
        decision = program.decide(records)
        assert len(decision.steps) == len(ids)
        return decision.rule

    def everything(records: object) -> object:
        decision = program.decide(records)
        assert decision.message is not None
        assert len(decision.steps) == len(ids)
        return decision.rule

    rules = [ids[index] if index >= 0 else None for index in WANTED]
    found = [
        Contender("exitgate, result included", result_included, RECORDS),
        Contender("exitgate, `Program.winner`", winner, RECORDS),
        Contender("exitgate, full trace", full_trace, RECORDS),
        Contender("exitgate, `Program.decide`, firm or tentative", decide, RECORDS),
        Contender("exitgate, `Program.decide` with its steps read", steps, RECORDS),
        Contender("exitgate, `Program.decide` with steps and message read", everything, RECORDS),
    ]
    for contender in found:
        wanted = list(WANTED) if isinstance(contender.answers()[0], int) else rules
        assert list(contender.answers()) == wanted, (contender.name, contender.answers())
    return found
