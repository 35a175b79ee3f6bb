"""Every decision of a ledger made again from what it was made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from exitgate.core.engine.breaker import FACTS, read_state
from exitgate.core.engine.evaluation import Before as Earlier
from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import signals_of
from exitgate.core.engine.stages import BEFORE
from exitgate.core.gate.breaker import stopped_by_hand
from exitgate.core.gate.idempotency import response_of
from exitgate.core.gate.overrides import NOTE as GIVEN
from exitgate.core.ledger.decisions import facts_of_line
from exitgate.core.ledger.line import DECISION, encode_decision, encode_fact
from exitgate.core.ledger.read import Damage
from exitgate.core.ledger.runs import name_of
from exitgate.core.ledger.typed import LedgerLine, LineDecision, typed
from exitgate.core.model.decision import Warned
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Fact
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.probes import trust
from exitgate.core.state.history import History, look_back
from exitgate.core.state.policy_snapshots import kept
from exitgate.core.state.tracked import REMARK, for_review
from exitgate.core.system.quick_json import dumps
from exitgate.recordings.ledger.walk import Before, walk, walk_back


def replay(
    directory: str,
    policy: CompiledPolicy | None = None,
    name: str | None = None,
    damages: list[Damage] | None = None,
    newest: int | None = None,
) -> Iterator[Replayed]:
    """
    Yield the decisions of the ledger in `directory`, oldest first, each beside the one made again.

    What goes in again: the facts that were extracted or given, the run's earlier lines as they were
    found then, remarks on what was observed, and the policy. What comes out must be the recorded
    decision, byte for byte as JSON.

    Args:
        directory: The state directory; nothing in it is changed.
        policy: Decides in place of the one kept under each line's digest.
        name: Only runs of this name; None for all.
        damages: Where given, damaged lines are reported here; they are passed over.
        newest: So many decisions at most, the newest: the rest of the ledger is not read. None for all.

    Raises:
        ExitgateError: 74 when the ledger cannot be read.
    """
    programs: dict[str, Program] = {} if policy is None else {"": Program(policy)}
    walked = walk(directory, damages) if newest is None else walk_back(directory, newest, name, damages)
    for plain, before in walked:
        line = typed(plain)
        if line.kind != DECISION or (name is not None and name_of(line.run) != name):
            continue
        digest = "" if policy is not None else _digest(line)
        try:
            if digest not in programs:
                programs[digest] = Program(kept(directory, digest))
        except ExitgateError as lost:
            yield Replayed(line, None, "; ".join(found.message for found in lost.diagnostics))
            continue
        yield _replayed(line, before, programs[digest])


def _replayed(line: LedgerLine, before: Before, program: Program) -> Replayed:
    """Return one decision made again."""
    policy, recorded = program.policy, line.plain["decision"]
    facts = facts_of_line(line.plain)
    own = {fact.name for fact in policy.derived}
    derived = {name for name in own if not _is_given(facts.get(name))}
    history = _history(line, before, policy)
    stages = _stages(line.decided, policy)
    there = Earlier(
        history.records(policy, line.number),
        history.remembered(signals_of(policy)),
        silent=history.silent(),
    )
    evaluation = Evaluation(program, there)
    # The breaker's state is the state directory's, not the run's: its facts go in as they were.
    given = {*FACTS, *own} - derived
    observed = evaluation.observe(
        [fact for name, fact in facts.items() if name not in derived],
        given=given,
        ended=_ended(line, before, stages),
    )
    again = {name: fact for name, fact in observed.facts.items() if name in derived}
    notes = _notes(line.decided, observed.notes)
    breaker, _ = read_state(line.found("breaker"))
    plain, differs = None, ""
    due = stages if BEFORE in stages else (*stages, BEFORE)
    for one in dict.fromkeys((due, stages)):  # a stage behind an EXIT was due, unless `--stage` was given
        decision = stopped_by_hand(evaluation.decide(one, notes, line.time), breaker)
        decision = for_review(decision, any(note.message == REMARK for note in notes))
        plain = encode_decision(trust.for_review(decision, line.plain.text("gate", ""), line.run))
        differs = difference(recorded, plain)
        if not differs:
            break
    for name, fact in again.items():
        if not differs and written(encode_fact(fact)) != written(line.found("facts", name)):
            differs = f"fact `{name}` has another value"
    return Replayed(line, plain, differs)


def _is_given(fact: Fact | None) -> bool:
    return fact is not None and fact.note == GIVEN


def _ended(line: LedgerLine, before: Before, stages: tuple[str, ...]) -> bool:
    """Return whether an iteration had ended, by what `exitgate.core.gate.check` goes by."""
    response = response_of(line.plain)
    left_over = not before.begun and response is not None and response == before.response
    return stages != (BEFORE,) and not left_over


def _history(line: LedgerLine, before: Before, policy: CompiledPolicy) -> History:
    """Return the run as far back as the policy reads; what the time was then has no part in it."""
    newest = before.tail(line.run, 1)
    last = newest[0] if newest else None
    then = None if last is None else typed(last).time
    return look_back(policy, last, name_of(line.run), then or 0.0, before.tail)


def _stages(decision: LineDecision, policy: CompiledPolicy) -> tuple[str, ...]:
    """
    Return the stages that were asked, in order. That a stage behind them was due is not recorded.

    A line has a step for every rule of a stage that was asked. A stage without rules leaves none,
    and matters only if it was the first stage and decided.
    """
    stage_of = {rule.id: rule.stage for rule in policy.rules}
    asked = dict.fromkeys(stage_of[step.rule] for step in decision.steps if step.rule in stage_of)
    stood = decision.stage or ""
    return tuple(asked) if stood in asked else (stood, *asked)


def _notes(decision: LineDecision, stand_ins: tuple[Warned, ...]) -> tuple[Warned, ...]:
    """Return the remarks that were handed in, those on what was taken for something unreadable made again."""
    told = tuple(Warned(one.message) for one in decision.warnings if one.rule is None)
    last = len(told)
    # behind them there is at most the remark that nothing could be read
    end = last if last == 0 or not stand_ins or told[last - len(stand_ins) : last] == stand_ins else last - 1
    return (*told[: max(0, end - len(stand_ins))], *stand_ins, *told[end:])


def _digest(line: LedgerLine) -> str:
    return "none" if line.policy is None else str(line.found("policy", "digest"))


# A recorded decision beside the one made again, and the first place where they differ.

_SHOWN = 80


class Replayed(Struct, frozen=True):
    """
    One decision made again.

    Args:
        line: Of the ledger, of kind `decision`.
        decision: As it came out now, in the form the ledger keeps; None when it could not be made.
        difference: Where it is not the recorded one, or why it could not be made; else empty.
    """

    line: LedgerLine
    decision: Mapping[str, object] | None
    difference: str

    @property
    def same(self) -> bool:
        """Whether the decision came out as recorded, byte for byte."""
        return not self.difference


def written(value: object) -> str:
    """Return a value as the bytes of a ledger line hold it, key order included."""
    return dumps(value)


def difference(recorded: object, again: object) -> str:
    """Return the first place at which two JSON values differ as text, empty when they are the same."""
    return "" if written(recorded) == written(again) else _first(recorded, again, "decision")


def _first(recorded: object, again: object, place: str) -> str:
    if isinstance(recorded, dict) and isinstance(again, dict) and list(recorded) == list(again):
        pairs = [(f"{place}.{key}", recorded[key], again[key]) for key in recorded]
    elif isinstance(recorded, list) and isinstance(again, list) and len(recorded) == len(again):
        pairs = [(f"{place}[{n}]", *pair) for n, pair in enumerate(zip(recorded, again, strict=True))]
    else:
        return f"`{place}` was {_cut(recorded)}, now {_cut(again)}"
    return next(_first(old, new, at) for at, old, new in pairs if written(old) != written(new))


def _cut(value: object) -> str:
    text = written(value)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"
