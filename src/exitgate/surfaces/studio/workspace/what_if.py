"""What a policy would decide on one iteration if it had shown something else, or with other parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from exitgate.analysis.counterfactuals.last_iteration import LastIteration
from exitgate.analysis.counterfactuals.pulled import CountsError, pulled
from exitgate.core.engine.record import Record
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.gate.overrides import given_facts
from exitgate.core.model.decision import Decision
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.display import shown
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import ends_of, is_number, with_unit
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.page.evidence import read_names
from exitgate.recordings.page.grid import tone_of
from exitgate.recordings.page.room import shortened
from exitgate.report.decision.explanation import rungs
from exitgate.report.policy.description import effect_text
from exitgate.surfaces.in_process.iteration import written
from exitgate.surfaces.studio.http.app import Action
from exitgate.surfaces.studio.workspace.asked import Part, body_as, column_of
from exitgate.surfaces.studio.workspace.controls import (
    controls_json,
    pullable,
    settable,
    values_text,
    verdict_json,
)
from exitgate.surfaces.studio.workspace.decided_on import DecidedOn, finder
from exitgate.surfaces.studio.workspace.policies import Value
from exitgate.surfaces.studio.workspace.policy_view import plain
from exitgate.surfaces.studio.workspace.refusal import refusal
from exitgate.surfaces.studio.workspace.workspace import Workspace

#: Answers with controls that are kept.
KEPT = 64
#: Characters of a condition and a message, facts that follow, digits of a number in an address.
CONDITION, FOLLOWING, DIGITS = 400, 20, 9


class _Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """An iteration under a policy, and what is pulled; a fact that is null is unknown."""

    n: int
    at: int
    policy: str
    facts: Mapping[str, bool | int | float | str | None] = {}
    parameters: Mapping[str, Value] = {}


def what_if(workspace: Workspace) -> Part:
    """Return what a page can ask about decisions that were not made. Nothing is written."""
    find = finder(workspace)

    @lru_cache(KEPT)
    def found(n: int, at: int, name: str, _version: tuple[int, ...], _grown: int) -> dict[str, object]:
        one = find(n, at, name)
        now = _answer(one, one.policy, one.played(), one.base, workspace.mask)

        def fit(parameter: str, value: object) -> bool:
            try:
                _tried(workspace, name, {parameter: msgspec.convert(plain(value), Value)})
            except ExitgateError:
                return False
            return True

        return {"n": n, "at": at, "policy": name, **controls_json(one, workspace.mask, fit), "now": now}

    def controls(rest: str, query: Mapping[str, str]) -> object:
        n, at = _number(rest, "a run"), _number(query.get("at", ""), "an iteration")
        return found(n, at, query.get("policy", ""), workspace.version, workspace.grown[n])

    def pull(body: JsonObject) -> object:
        asked = body_as(_Asked, body)
        one = find(asked.n, asked.at, asked.policy)
        policy = _with_parameters(workspace, one, asked)
        values = _values(one, policy, asked)
        try:
            record = pulled(policy, one.base, values)
        except CountsError as error:
            raise refusal(str(error), "set both") from None
        return _answer(one, policy, one.played(policy), record, workspace.mask, values)

    return Part({"controls": controls}, {"what-if": Action(pull)})


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
        raise refusal(f"`{text[:DIGITS]}` does not number {what}", "load the page again")
    return int(text)


def _with_parameters(workspace: Workspace, one: DecidedOn, asked: _Asked) -> CompiledPolicy:
    """Return the policy with the parameters that are pulled; the draft's own values are below them."""
    if not asked.parameters:
        return one.policy
    allowed = {parameter.name for parameter in pullable(one.policy)}
    for name in asked.parameters:
        if name in one.policy.parameters and name not in allowed:
            help = "set it in the view of the policy: the transcripts are read again there"
            raise refusal(f"`${name}` cannot be pulled here: extractors read it", help)
    return _tried(workspace, asked.policy, asked.parameters)


def _tried(workspace: Workspace, name: str, values: Mapping[str, Value]) -> CompiledPolicy:
    """Return a policy with values over those of its draft. Raises `ExitgateError` where it refuses them."""
    column = column_of(workspace, name)
    draft = replace(column.draft, values={**column.draft.values, **values})
    return column.tried(draft).policy


def _values(one: DecidedOn, policy: CompiledPolicy, asked: _Asked) -> dict[str, object]:
    """Return the facts that are pulled, each of its type and within its range."""
    texts = {name: _text(name, value, policy) for name, value in asked.facts.items()}
    found = {name: fact.value for name, fact in given_facts(texts, policy).items()}
    allowed = settable(one) if found else frozenset()
    for name, value in found.items():
        if name not in allowed:
            help = "pull what it follows from" if name in policy.facts else ""
            raise refusal(f"`{name}` cannot be pulled here", help)
        spec = policy.facts[name]
        low, high = ends_of(spec.type.kind, spec.low, spec.high)
        if not is_number(value):
            continue
        if (low is not None and value < low) or (high is not None and value > high):
            ends = [f"at least {shown(low, spec.type)}"] if low is not None else []
            ends += [f"at most {shown(high, spec.type)}"] if high is not None else []
            raise refusal(
                f"fact `{name}`: {shown(value, spec.type)} is outside its range", " and ".join(ends)
            )
    return found


def _text(name: str, value: object, policy: CompiledPolicy) -> str:
    """Return a value as a person writes it; a number of a unit has its unit."""
    spec = policy.facts.get(name)
    found = value if spec is None else with_unit(value, spec.type)
    return found if isinstance(found, str) else written(name, found)


def _answer(
    one: DecidedOn,
    policy: CompiledPolicy,
    played: LastIteration,
    record: Record,
    mask: Mask,
    given: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """Return what is decided on a record: the verdict, the ladder of rules, and which facts follow."""
    whole = played.whole(record)
    decision = played.decide(whole)
    before = one.decision
    return {
        **verdict_json(decision),
        "outcome": decision.outcome, "message": shortened(mask.mask(decision.message), CONDITION),
        "turned": (decision.verdict, decision.exit_class, decision.rule)
        != (before.verdict, before.exit_class, before.rule),
        "ladder": _ladder(policy, decision, (*played.earlier, whole), mask),
        "follows": _following(one, policy, whole, given or {}, mask),
    }  # fmt: skip


def _ladder(
    policy: CompiledPolicy, decision: Decision, records: tuple[Mapping[str, object], ...], mask: Mask
) -> list[dict[str, object]]:
    return [
        {
            "rule": rung.rule.id, "state": rung.state, "tone": tone_of(rung.rule),
            "effect": effect_text(rung.rule),
            "condition": shortened(mask.mask(rung.written), CONDITION),
        }
        for rung in rungs(policy, decision, records)
    ]  # fmt: skip


def _following(
    one: DecidedOn, policy: CompiledPolicy, whole: Record, given: Mapping[str, object], mask: Mask
) -> list[dict[str, str]]:
    """Return the facts of rules that are others now, beside those that are given."""
    found = []
    for name in sorted(read_names(policy) - given.keys()):
        before, after = (values_text(record, policy, name, mask) for record in (one.base, whole))
        if before != after:
            found.append({"name": name, "before": before, "after": after})
    return found[:FOLLOWING]
