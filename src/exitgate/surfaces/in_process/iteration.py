"""What a Python program hands to a gate: one turn of its agent."""

from __future__ import annotations

import math
import os

from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.value import Value
from exitgate.model.verdict import USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    #: A text as it stands, or a path: the file is read when the gate is asked.
    Text = str | os.PathLike[str]
    #: A value of a fact or of a parameter; a text is read as the command line reads it.
    Plain = str | int | float | bool

#: Code -> what it means.
CODES = {"EP589": "a part of an iteration, or a setting, is not of a kind that a gate can use"}

_TEXTS = ("response", "plan", "task", "tool_results")


class Iteration(Value):
    """
    One turn of an agent that has ended.

    Everything may be left out: what is not given is not known. A plan and a task that are not given are
    looked for below the gate's root, as `exitgate check` does; a response never is.

    Args:
        response: What the agent said last; or a path to it. The empty text says that it said nothing,
            None that it is not known.
        plan: The task list as it stands now, or a path to it.
        task: What the agent was asked to do, or a path to it: what is said there is no signal.
        tool_results: What its tools returned, or a path to it.
        exit_status: Of the agent's process; anything but 0 is a failure.
        cost: USD that this iteration cost, not negative.
        tokens: Tokens that this iteration used, not negative.
        number: Of the iteration within the run, from 1, where the program counts. Asked again with the same
            number and response, a gate gives the decision it made.
        turn: An id of the turn, to the same end: of the message, the step, the request.
        facts: Fact -> value, in the place of what would be extracted; None makes a fact unknown.
        sources: Source -> text or path, for what the policy reads beside the four above.

    Raises:
        ExitgateError: 64, EP589, with everything that is of a wrong type or out of range.
    """

    __slots__ = (
        "cost", "exit_status", "facts", "number", "plan", "response", "sources", "task", "tokens",
        "tool_results", "turn",
    )  # fmt: skip

    def __init__(
        self,
        response: Text | None = None,
        *,
        plan: Text | None = None,
        task: Text | None = None,
        tool_results: Text | None = None,
        exit_status: int | None = None,
        cost: float | None = None,
        tokens: int | None = None,
        number: int | None = None,
        turn: str | None = None,
        facts: Mapping[str, Plain | None] | None = None,
        sources: Mapping[str, Text] | None = None,
    ) -> None:
        self.response = response
        self.plan = plan
        self.task = task
        self.tool_results = tool_results
        self.exit_status = exit_status
        self.cost = cost
        self.tokens = tokens
        self.number = number
        self.turn = turn
        self.facts = dict(facts or {})
        self.sources = dict(sources or {})
        refuse([*_wrong_texts(self), *_wrong_numbers(self)])


def refuse(wrong: list[str]) -> None:
    """Raise ExitgateError (64) with a diagnostic for each message, if there is one."""
    if wrong:
        raise ExitgateError([Diagnostic("EP589", message) for message in wrong], USAGE)


def written(name: str, value: object) -> str:
    """
    Return a setting or a fact as ``--set`` and ``--fact`` take it; None is an unknown fact.

    Raises:
        ExitgateError: 64, EP589, for a value of another kind.
    """
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return format(value, "d")
    if isinstance(value, float):
        return _decimal(value)
    refuse([f"`{name}` is a {_kind(value)}; a text, a number or a bool was wanted"])
    raise AssertionError(name)


def _decimal(value: float) -> str:
    """Return a float without an exponent, which numbers in policies do not have."""
    if not math.isfinite(value):
        return repr(value)
    from decimal import Decimal

    return format(Decimal(repr(float(value))), "f")


def _wrong_texts(one: Iteration) -> Iterator[str]:
    for name, value in (*((name, getattr(one, name)) for name in _TEXTS), *one.sources.items()):
        if value is not None and not isinstance(value, str | os.PathLike):
            yield f"`{name}` is a {_kind(value)}; a text or a path was wanted"
        elif name in _TEXTS and name in one.sources:
            yield f"`{name}` is given among `sources`; `{name}=` was wanted"
    if one.turn is not None and not isinstance(one.turn, str):
        yield f"`turn` is a {_kind(one.turn)}; a text was wanted"
    elif one.turn == "":
        yield "`turn` is empty; an id or None was wanted"
    for name, fact in one.facts.items():
        if fact is not None and not isinstance(fact, str | int | float):
            yield f"fact `{name}` is a {_kind(fact)}; a text, a number or a bool was wanted"


def _wrong_numbers(one: Iteration) -> Iterator[str]:
    for name, lowest in (("exit_status", None), ("tokens", 0), ("number", 1)):
        value = getattr(one, name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int):
            yield f"`{name}` is a {_kind(value)}; a whole number was wanted"
        elif lowest is not None and value < lowest:
            yield f"`{name}` is {value}; a whole number from {lowest} was wanted"
    cost = one.cost
    if cost is None:
        return
    if isinstance(cost, bool) or not isinstance(cost, int | float):
        yield f"`cost` is a {_kind(cost)}; a number of USD was wanted"
    elif not (cost >= 0 and math.isfinite(cost)):
        yield f"`cost` is {cost}; a number of USD from 0 was wanted"


def _kind(value: object) -> str:
    return f"`{type(value).__name__}`"
