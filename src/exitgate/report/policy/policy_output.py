"""Policies as JSON: the list of those that are shipped, and one with everything in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, UnsetType

from exitgate.core.language.unparse import unparse
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.decision.counterfactuals import plain
from exitgate.report.formats.output import Output, output_text
from exitgate.report.policy.description import template_text


class ShippedOutput(Output, frozen=True):
    """
    A policy that is shipped.

    Args:
        policy: Its name.
        version: Its version.
        title: What it is, in a line.
    """

    policy: str
    version: str
    title: str


class ParameterOutput(Output, frozen=True):
    """
    A parameter.

    Args:
        name: Its name.
        type: Its type.
        value: Its value with all settings; null where it is unknown.
        default: Its value in the policy; null where that is unknown.
        doc: What it is for.
    """

    name: str
    type: str
    value: Any
    default: Any
    doc: str


class FactOutput(Output, frozen=True):
    """
    A fact.

    Args:
        name: Its name.
        type: Its type.
        doc: What it says.
    """

    name: str
    type: str
    doc: str


class RuleOutput(Output, frozen=True, rename={"exit_class": "class"}):
    """
    A rule.

    Args:
        id: Its id.
        effect: What it does when it is true.
        exit_class: The class of its exit; null for other effects.
        outcome: The reason code.
        mode: Whether it decides, only warns, or is off.
        stage: When it is asked.
        when: Its condition.
        because: Its message.
        retry_after: For how long a loop waits, as an expression.
        locked: Whether settings may not change it.
    """

    id: str
    effect: str
    exit_class: str | None
    outcome: str
    mode: str
    stage: str
    when: str
    because: str
    retry_after: str | UnsetType
    locked: bool


class InvariantOutput(Output, frozen=True):
    """
    A promise of the policy.

    Args:
        id: Its id.
        given: On which inputs.
        claim: What is promised of them.
        verdict: The verdict that is meant.
        stage: When it is asked.
    """

    id: str
    given: str
    claim: str
    verdict: Any
    stage: str


class PolicyOutput(Output, frozen=True):
    """
    What `exitgate policies show --format json` prints.

    Args:
        policy: Its name.
        version: Its version.
        title: What it is, in a line.
        digest: Hex digest of all that was read to make it.
        path: Where it was read from.
        parameters: With effective values.
        facts: Those that it extracts and computes.
        rules: In the order of the chain.
        invariants: Its promises.
    """

    policy: str
    version: str
    title: str
    digest: str
    path: str
    parameters: tuple[ParameterOutput, ...]
    facts: tuple[FactOutput, ...]
    rules: tuple[RuleOutput, ...]
    invariants: tuple[InvariantOutput, ...]


def shipped_json(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return the list of shipped policies: name, version and title of each."""
    return output_text(tuple(ShippedOutput(*row) for row in rows))


def policy_json(policy: CompiledPolicy) -> str:
    """Return parameters with effective values, rules in order, and invariants."""
    return output_text(
        PolicyOutput(
            policy.name,
            policy.version,
            policy.title,
            policy.digest,
            policy.path,
            tuple(
                ParameterOutput(one.name, str(one.type), plain(one.value), plain(one.default), one.doc)
                for one in policy.parameters.values()
            ),
            tuple(FactOutput(name, str(spec.type), spec.doc) for name, spec in policy.facts.items()),
            tuple(
                RuleOutput(
                    one.id,
                    one.effect,
                    one.exit_class,
                    one.outcome,
                    one.mode,
                    one.stage,
                    one.text,
                    template_text(one.because),
                    UNSET if one.retry_after is None else unparse(one.retry_after),
                    one.locked,
                )
                for one in policy.rules
            ),
            tuple(
                InvariantOutput(one.id, one.text, one.claim, one.verdict, one.stage)
                for one in policy.invariants
            ),
        )
    )
