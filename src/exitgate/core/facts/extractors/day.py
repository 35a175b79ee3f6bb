"""What all runs in this state directory used up today, as `observe` summed it from the ledger."""

from __future__ import annotations

from exitgate.core.facts.extractors.clock import ZONE, faults
from exitgate.core.facts.records import amount, count
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import COUNT, DURATION, Type, Unknown, micro

__all__ = ["NAME", "OPTIONS", "SOURCE", "extract", "faults", "specs"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration

NAME = "day"
SOURCE = "day"
OPTIONS: dict[str, object] = {"zone": ZONE}

_MONEY = Type("money", currency="USD")
_ALONE = "in a recording, which shows its own run alone; where a line of the ledger is damaged"

#: Each fact with the reason for which it is unknown when its field is missing.
_FACTS = (
    (
        FactSpec(
            "cost",
            _MONEY,
            "Cost of all runs today, this iteration included.",
            f"if no cost was reported today; {_ALONE}",
            low=0,
            read=False,
        ),
        "no cost was reported today",
    ),
    (
        FactSpec(
            "tokens",
            COUNT,
            "Tokens of all runs today.",
            f"if no tokens were reported today; {_ALONE}",
            low=0,
            read=False,
        ),
        "no tokens were reported today",
    ),
    (
        FactSpec("iterations", COUNT, "Iterations of all runs today.", _ALONE, low=0, read=False),
        "no iteration was counted today",
    ),
    (
        FactSpec("runs", COUNT, "Runs that were decided on today, this one included.", _ALONE, 1, read=False),
        "no run was counted today",
    ),
    (
        FactSpec(
            "elapsed",
            DURATION,
            "Time that the runs took today, each for itself: two that run at once count twice.",
            _ALONE,
            low=0,
            read=False,
        ),
        "the start of the run is not known",
    ),
)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return tuple(spec for spec, _ in _FACTS)


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:
    """
    Return the sums in the source's record.

    Under `days` it holds for each zone that is asked for the sums of its day (`cost` in USD, `tokens`,
    `iterations`, `runs`, `elapsed` in seconds), or the `reason` why they are not known.
    """
    given = iteration.source(source)
    record = JsonObject(reason=given.reason) if given.record is None else given.record
    sums = record.object("days").object(options.text("zone", "")) if given.record is not None else record
    return tuple(
        Fact(name, _value(spec, sums.get(spec.name), sums.text("reason", missing), name))
        for spec, missing in _FACTS
        for name in (f"{prefix}.{spec.name}",)
    )


def _value(spec: FactSpec, value: object, reason: str, name: str) -> object:
    number = count(value) if spec.type == COUNT else amount(value)
    return Unknown(reason, name) if number is None or number < (spec.low or 0) else micro(number)
