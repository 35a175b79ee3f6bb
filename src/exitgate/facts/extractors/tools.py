"""Whether and how much the agent used its tools."""

from __future__ import annotations

from exitgate.facts.record_values import count
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import BOOL, COUNT
from exitgate.model.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.model.iteration import Iteration

NAME = "tools"
SOURCE = "result"
OPTIONS: dict[str, object] = {}

_SPECS = (
    FactSpec(
        "turns", COUNT, "Turns of the agent in this iteration.", "when the response does not say it", low=0
    ),
    FactSpec(
        "calls",
        COUNT,
        "Calls of tools by the agent itself, refused ones included, those of its sub-agents not.",
        "when the response tells of no single calls: plain text, and one result alone",
        low=0,
    ),
    FactSpec(
        "none",
        BOOL,
        "The agent called no tool at all. Where single calls are not told it follows from the turns: "
        "each further turn answers a tool.",
        "when neither calls nor turns are told",
    ),
)


def specs(options: Mapping[str, object]) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return the facts behind the prefix."""
    return _SPECS


def extract(
    prefix: str,
    source: str,
    options: Mapping[str, object],  # noqa: ARG001
    iteration: Iteration,
) -> tuple[Fact, ...]:
    """Return turns and calls in the source's record: `turns`, `tool_calls` and the list `denials`."""
    given = iteration.source(source)
    record: Mapping[str, object] = given.record if given.record is not None else {}
    turns, calls = count(record.get("turns")), count(record.get("tool_calls"))
    values: dict[str, object] = {"turns": turns, "calls": calls, "none": _none(turns, calls, record)}
    reasons = {
        "turns": "the response does not say how many turns there were",
        "calls": "the response tells of no single calls",
        "none": "the response tells neither of calls nor of turns",
    }
    return tuple(
        Fact(name, value if value is not None else Unknown(_why(given.reason, reasons[short]), name))
        for short, value in values.items()
        for name in (f"{prefix}.{short}",)
    )


def _none(turns: int | None, calls: int | None, record: Mapping[str, object]) -> bool | None:
    if calls is not None:
        return calls == 0
    if record.get("denials"):
        return False
    return None if turns is None else turns <= 1


def _why(missing: str, unsaid: str) -> str:
    return missing or unsaid
