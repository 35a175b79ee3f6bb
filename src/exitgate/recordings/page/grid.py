"""Every rule asked in every iteration, those behind the one that decided as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exitgate.core.engine.program import Program
from exitgate.core.model.decision import Step
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compiled import CompiledPolicy, Rule
from exitgate.recordings.page.cells import CONTINUE
from exitgate.recordings.page.view import Alike, Grid, GridCell, GridRow
from exitgate.recordings.replay.result import RunResult
from exitgate.report.decision.explanation import (
    DECIDED,
    FALSE,
    NOT_ASKED,
    PENDING,
    SHADOW,
    TRUE,
    UNKNOWN,
    WARNS,
    state_of,
)
from exitgate.report.policy.description import effect_text

#: States of a rule that is true.
FIRED = (DECIDED, TRUE, WARNS, SHADOW)
WARN = "warn"


def evaluated_steps(result: RunResult, policy: CompiledPolicy) -> list[dict[str, Step]]:
    """Return, for each decision of `result`, a step for every rule of the stages that were asked."""
    program = Program(policy)
    stage_of = {rule.id: rule.stage for rule in policy.rules}
    records = [decided.record for decided in result.decided]
    found = []
    for at, decided in enumerate(result.decided):
        seen = records[max(0, at - policy.lookback) : at + 1]
        stages = dict.fromkeys(stage_of[step.rule] for step in decided.decision.steps)
        found.append({step.rule: step for stage in stages for step in program.trace(seen, stage)})
    return found


def grid(
    result: RunResult,
    policy: CompiledPolicy,
    columns: Sequence[int],
    steps: Sequence[Mapping[str, Step]],
    number: int,
) -> Grid:
    """
    Return the rules over the iterations of `columns`; those that never changed are shown in a word.

    `steps` are those that `evaluated_steps` returned; `number` is that of the policy on the page.
    """
    at = {row.iteration: number for number, row in enumerate(result.rows)}
    rows: list[GridRow] = []
    alike: dict[str, list[tuple[str, str]]] = {}
    for place, rule in enumerate(policy.rules, 1):
        cells = tuple(_cell(rule, result, steps, at.get(number)) for number in columns)
        states = {cell.state for cell in cells}
        still = _still(states)
        if still:
            alike.setdefault(still, []).append((rule.id, _reason(cells) if still == UNKNOWN else ""))
            continue
        fired = sum(cell.state in FIRED for cell in cells)
        rows.append(
            GridRow(rule.id, rule_anchor(number, place), tone_of(rule), effect_text(rule), cells, fired)
        )
    order = (UNKNOWN, FALSE, NOT_ASKED)
    told = tuple(Alike(state, tuple(alike[state])) for state in order if state in alike)
    return Grid(result.policy, tuple(rows), told)


def rule_anchor(policy: int, rule: int) -> str:
    """Return the anchor of a rule in words, by the numbers of policy and rule."""
    return f"rule-{policy}-{rule}"


def tone_of(rule: Rule) -> str:
    """Return what colours a rule: its class, ``continue`` or ``warn``."""
    if rule.effect == "exit" and rule.exit_class is not None:
        return rule.exit_class
    return CONTINUE if rule.effect == "continue" else WARN


def _still(states: set[str]) -> str:
    """Return the state of a rule that has only one where it is asked, the empty text for one that moves."""
    asked_states = states - {NOT_ASKED}
    if not asked_states:
        return NOT_ASKED
    return next(iter(asked_states)) if asked_states in ({FALSE}, {UNKNOWN}) else ""


def _cell(rule: Rule, result: RunResult, steps: Sequence[Mapping[str, Step]], at: int | None) -> GridCell:
    step = steps[at].get(rule.id) if at is not None else None
    if at is None or step is None:
        return GridCell(NOT_ASKED, "", NOT_ASKED)
    state = state_of(rule, step, result.decided[at].decision)
    if state == PENDING:
        nearest = max(step.pending, key=lambda one: one.have / max(one.need, 1))
        return GridCell(state, str(nearest).partition(" ")[0], f"pending {nearest}")
    if state == UNKNOWN:
        return GridCell(state, "", f"unknown: {reasons(step)}")
    return GridCell(state, "", {TRUE: "true", DECIDED: "decided", SHADOW: "true in shadow"}.get(state, state))


def reasons(step: Step) -> str:
    """Return why a step is unknown, each reason once."""
    told = [_reason_text(one) for one in step.unknowns]
    if not told and isinstance(step.truth, Unknown):
        told = [_reason_text(step.truth)]
    return "; ".join(dict.fromkeys(told))


def _reason_text(one: Unknown) -> str:
    return f"{one.origin}: {one.reason}" if one.origin else one.reason


def _reason(cells: Sequence[GridCell]) -> str:
    """Return the reason that all cells of an unknown rule share, or the first with a word that it is."""
    told = list(dict.fromkeys(cell.words.partition(": ")[2] for cell in cells if cell.state == UNKNOWN))
    return told[0] if len(told) == 1 else f"{told[0]}, and other reasons"
