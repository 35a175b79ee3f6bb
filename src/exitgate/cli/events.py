"""What a command did, as events for `--log-level`: derived from what the gate returned."""

from __future__ import annotations

from exitgate.cli.answer import Event
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.gate.checked import Checked
    from exitgate.gate.request import Request

DEBUG, INFO, WARNING = "debug", "info", "warning"


def recalled(request: Request) -> tuple[Event, ...]:
    """
    Load the policy of a request, and return whether the user's cache had it.

    The check that follows finds it there. Raises `ExitgateError` as the check would.
    """
    from exitgate.gate.settings import asked_of
    from exitgate.policy.layers.recall import recall_settled

    loaded = recall_settled(asked_of(request))
    if loaded.recalled:
        return (Event(DEBUG, "cache_hit", {"digest": loaded.policy.digest}),)
    return (Event(INFO, "cache_missed", {"digest": loaded.policy.digest, "note": loaded.note}),)


def events_of(checked: Checked) -> tuple[Event, ...]:
    """Return the stages of one check in order, then its remarks."""
    policy, iteration, decision = checked.policy, checked.iteration, checked.decision
    sources = {
        name: source.reason
        or {"path": source.path, "length": None if source.text is None else len(source.text)}
        for name, source in iteration.sources.items()
    }
    unknown = sorted(name for name, fact in checked.facts.items() if isinstance(fact.value, Unknown))
    loaded = {
        "policy": policy.name,
        "version": policy.version,
        "digest": policy.digest,
        "path": policy.path,
        "rules": len(policy.rules),
        "layers": policy.layers.get("read", []),
    }
    observed = {"run": iteration.run, "iteration": iteration.number, "sources": sources}
    answer = {
        "verdict": decision.verdict,
        "class": decision.exit_class,
        "outcome": decision.outcome,
        "rule": decision.rule,
        "stage": decision.stage,
        "firm": decision.firm,
        "blind": decision.blind,
    }
    events = [
        Event(INFO, "policy_loaded", loaded),
        Event(INFO, "sources_observed", observed),
        Event(DEBUG, "facts_extracted", {"known": len(checked.facts) - len(unknown), "unknown": unknown}),
        Event(INFO, "decided", answer),
    ]
    if checked.line is not None:
        events.append(recorded(checked.line))
    events += [
        Event(WARNING, "remarked", {"rule": one.rule, "message": one.message}) for one in decision.warnings
    ]
    return tuple(events)


def recorded(line: Mapping[str, object]) -> Event:
    """Return the event for a line that was appended to the ledger."""
    return Event(INFO, "recorded", {key: line.get(key) for key in ("sequence", "kind", "run", "iteration")})
