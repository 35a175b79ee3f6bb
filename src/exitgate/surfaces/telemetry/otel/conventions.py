"""
Every name that leaves the program: of the span, its attributes, the events and the metrics.

`gen_ai.*` are names of OpenTelemetry's conventions for generative AI (repository
open-telemetry/semantic-conventions-genai, `model/gen-ai/events.yaml`), which are in development: when
they change, this file does. All others begin with `exitgate.`.
"""

from __future__ import annotations

SCOPE = "exitgate"
SERVICE = "exitgate"

SPAN = "exitgate.decide"

#: The event, and its attributes.
EVALUATION = "gen_ai.evaluation.result"
EVALUATION_NAME = "gen_ai.evaluation.name"
SCORE_VALUE = "gen_ai.evaluation.score.value"
SCORE_LABEL = "gen_ai.evaluation.score.label"
EXPLANATION = "gen_ai.evaluation.explanation"
#: The evaluation that is the decision itself; every other one has the name of its fact.
DECISION = "exitgate.decision"

CONVERSATION = "gen_ai.conversation.id"
ERROR_TYPE = "error.type"

#: Key of a record (`exitgate.surfaces.telemetry.instrumentation`) -> attribute of the span.
ATTRIBUTES = {
    "policy": "exitgate.policy.name",
    "version": "exitgate.policy.version",
    "digest": "exitgate.policy.digest",
    "ledger": "exitgate.ledger.id",
    "sequence": "exitgate.ledger.sequence",
    "run": "exitgate.run.id",
    "iteration": "exitgate.run.iteration",
    "cost": "exitgate.run.cost",
    "tokens": "exitgate.run.tokens",
    "elapsed": "exitgate.run.elapsed",
    "stage": "exitgate.decision.stage",
    "verdict": "exitgate.decision.verdict",
    "class": "exitgate.decision.class",
    "outcome": "exitgate.decision.outcome",
    "rule": "exitgate.decision.rule",
    "firm": "exitgate.decision.firm",
    "blind": "exitgate.decision.blind",
    "warnings": "exitgate.decision.warnings",
    "breaker": "exitgate.circuit.state",
    "conversation": CONVERSATION,
    "error": ERROR_TYPE,
}
#: Keys whose attributes an event carries beside those of the evaluation.
OF_EVENTS = ("policy", "run", "iteration", "verdict", "class", "outcome", "conversation")

DECISIONS = "exitgate.decisions"
DECISIONS_DOC = "Decisions made."
DURATION = "exitgate.decision.duration"
DURATION_DOC = "Time that a decision took."
#: Keys that a point of these two has as attributes.
OF_DECISIONS = ("policy", "verdict", "class", "outcome")
OF_DURATION = ("policy", "verdict")
#: Bounds of the histogram of durations, seconds: a warm check takes some 0.03, a cold one some 0.3.
DURATION_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

#: Key of a record -> gauge, its unit, and what it is.
GAUGES = {
    "iteration": ("exitgate.run.iteration", "{iteration}", "Iterations of the run so far."),
    "cost": ("exitgate.run.cost", "{USD}", "Cost of the run so far."),
    "tokens": ("exitgate.run.tokens", "{token}", "Tokens that the run has used so far."),
    "elapsed": ("exitgate.run.elapsed", "s", "Time since the run began."),
}
OF_GAUGES = ("policy", "run", "ledger")
