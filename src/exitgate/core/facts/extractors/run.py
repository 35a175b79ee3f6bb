"""What the run has used up so far, and how its agent's last turn ended."""

from __future__ import annotations

from exitgate.core.facts.records import amount, count
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import BOOL, COUNT, DURATION, NUMBER, Type, Unknown, micro

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.fact import Iteration


NAME = "run"
SOURCE = "run"
OPTIONS: dict[str, object] = {}

#: Exit statuses of an agent that was interrupted: 128 and the number of SIGINT or SIGTERM, or its negative.
INTERRUPTED = (130, 143, -2, -15)

_MONEY = Type("money", currency="USD")
_COST = "if no cost was reported"
_TOKENS = "if no tokens were reported"
_EXIT = "if the agent's exit status was not given"

#: Each fact with the reason for which it is unknown when its field is missing.
_FACTS = (
    (FactSpec("iterations", COUNT, "Iterations of the run, this one included.", low=0, read=False), ""),
    (
        FactSpec("cost", _MONEY, "Cost of the run so far.", _COST, low=0, read=False),
        "no cost was reported",
    ),
    (
        FactSpec("tokens", COUNT, "Tokens of the run so far.", _TOKENS, low=0, read=False),
        "no tokens were reported",
    ),
    (
        FactSpec(
            "elapsed", DURATION, "Time since the run started.", "if the start is not known", 0, read=False
        ),
        "the start of the run is not known",
    ),
    (
        FactSpec("agent_exit", NUMBER, "Exit status of the agent in this iteration.", _EXIT, read=False),
        "the agent's exit status was not given",
    ),
    (
        FactSpec(
            "failed",
            BOOL,
            "The agent ended with a status other than 0, or its result is an error.",
            "if neither the agent's exit status nor its result shows it",
            read=False,
        ),
        "the agent's exit status was not given",
    ),
    (
        FactSpec(
            "failures_in_row",
            COUNT,
            "Iterations in a row, up to this one, in which the agent failed; interruptions do not count.",
            "if neither an exit status nor a result ever showed it",
            low=0,
            read=False,
        ),
        "no exit status of the agent was given",
    ),
    (
        FactSpec(
            "interrupted",
            BOOL,
            "The agent was interrupted: it ended by SIGINT or SIGTERM (status 130 or 143).",
            _EXIT,
            read=False,
        ),
        "the agent's exit status was not given",
    ),
)


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return tuple(spec for spec, _ in _FACTS)


def extract(
    prefix: str,
    source: str,
    options: JsonObject,  # noqa: ARG001
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """
    Return the totals in the source's record.

    Fields of the record: `iterations`, `cost` (USD), `tokens`, `started_at` or `elapsed` (seconds),
    `agent_exit`, `failed`, `failures_in_row`, `interrupted`. Without `iterations` the iteration's own
    number counts; without `failed` and `interrupted` the exit status says it.
    """
    given = iteration.source(source)
    record = given.record if given.record is not None else JsonObject()
    values: dict[str, object] = {
        "iterations": _first(count(record.get("iterations")), iteration.number),
        "cost": _not_negative(record.get("cost")),
        "tokens": count(record.get("tokens")),
        "elapsed": _elapsed(record, iteration.time),
        "agent_exit": amount(record.get("agent_exit")),
        "failed": record.flag("failed"),
        "failures_in_row": count(record.get("failures_in_row")),
        "interrupted": record.flag("interrupted"),
    }
    status = amount(record.get("agent_exit"))
    if status is not None:
        ended = {"failed": status != 0, "interrupted": status in INTERRUPTED}
        values |= {name: one for name, one in ended.items() if values[name] is None}
    return tuple(
        Fact(f"{prefix}.{spec.name}", _known(values[spec.name], missing, f"{prefix}.{spec.name}"))
        for spec, missing in _FACTS
    )


def _known(value: object, missing: str, origin: str) -> object:
    return Unknown(missing, origin) if value is None else value


def _first(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


def _not_negative(value: object) -> float | int | None:
    number = amount(value)
    return micro(number) if number is not None and number >= 0 else None


def _elapsed(record: JsonObject, now: float) -> float | int | None:
    given = _not_negative(record.get("elapsed"))
    started = amount(record.get("started_at"))
    if given is not None or started is None or started > now:
        return given
    return micro(now - started)
