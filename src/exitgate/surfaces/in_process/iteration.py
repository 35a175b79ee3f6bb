"""What a Python program hands to a gate: one turn of its agent."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence

from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.value import Value, is_number, is_whole

Text = str | os.PathLike[str]
One = str | int | float | bool
Plain = One | Sequence[One]


#: Code -> what it means.
CODES = {"EP589": "what is given to a gate, or to an iteration, is not of a kind that it can use"}

#: Number of an iteration, tokens and USD of one, at most, as on the command line; and an exit status,
#: either way.
MOST, MOST_STATUS = 10**12, 2**32
#: Bits of a whole number that is a fact or a setting: as many as a float has room for.
_BITS = 1024
_WANTED = "a text, a number, a bool or a list of them was expected"
_TEXTS = ("response", "plan", "task", "tool_results")


class Iteration(Value):
    """
    One turn of an agent that has ended.

    Everything may be left out: what is not given is not known. A plan and a task that are not given are
    looked for below the gate's root, as `exitgate check` does; a response never is.

    Args:
        response: What the agent said last; or a path to it. The empty text says that it said nothing,
            None that it is not known.
        plan: The task list as it is now, or a path to it.
        task: What the agent was asked to do, or a path to it: what is said there is no signal.
        tool_results: What its tools returned, or a path to it.
        exit_status: Of the agent's process; anything but 0 is a failure.
        cost: USD that this iteration cost, not negative.
        tokens: Tokens that this iteration used, not negative.
        number: Of the iteration within the run, from 1, where the program counts. Asked again with the same
            number and response, a gate gives the decision it made.
        turn: An id of the turn, to the same end: of the message, the step, the request.
        facts: Fact -> value, instead of what would be extracted; None makes a fact unknown.
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
        maps = {"facts": facts, "sources": sources}
        wrong = [one for name, value in maps.items() for one in wrong_names(name, value)]
        self.facts = dict(facts or {}) if not wrong else {}
        self.sources = dict(sources or {}) if not wrong else {}
        refuse([*wrong, *_wrong_texts(self), *_wrong_numbers(self)])


def refuse(wrong: list[str]) -> None:
    """Raise ExitgateError (64) with a diagnostic for each message, if there is one."""
    if wrong:
        raise ExitgateError([Diagnostic("EP589", message) for message in wrong], USAGE)


def wrong_names(name: str, value: object) -> Iterator[str]:
    """Yield what keeps `value` from being a mapping whose keys are texts; None is one without any."""
    if value is None:
        return
    if not isinstance(value, Mapping):
        yield f"`{name}` is a {_kind(value)}; a mapping of names was expected"
        return
    for key in value:
        if not isinstance(key, str):
            yield f"`{name}` has a name that is a {_kind(key)}; a text was expected"


def wrong_kind(name: str, value: object, *kinds: type) -> Iterator[str]:
    """Yield that `value` is neither None, a text, nor of `kinds`, where that is so; for paths and names."""
    if value is None or isinstance(value, (str, *kinds)):
        return
    wanted = "a text or a path" if kinds else "a text"
    yield f"`{name}` is a {_kind(value)}; {wanted} was expected"


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
        if value.bit_length() > _BITS:
            refuse(
                [f"`{name}` is a whole number of {value.bit_length()} bits; at most {_BITS} were expected"]
            )
        return format(value, "d")
    if isinstance(value, float):
        return _decimal(value)
    if isinstance(value, list | tuple):
        refuse(list(_wrong_items(name, value)))
        return f"[{', '.join(_quoted(written(name, item)) for item in value)}]"
    refuse([f"`{name}` is a {_kind(value)}; {_WANTED}"])
    raise AssertionError(name)


def _wrong_items(name: str, items: Sequence[object]) -> Iterator[str]:
    """Yield what keeps items of a list from being values."""
    for number, item in enumerate(items):
        if not isinstance(item, str | int | float):
            yield f"item {number} of `{name}` is a {_kind(item)}; a text, a number or a bool was expected"


def _quoted(text: str) -> str:
    """Return a text in double quotes as YAML has them, which hold any letter."""
    letters = (
        f"\\{letter}" if letter in '"\\' else letter if letter.isprintable() else f"\\U{ord(letter):08x}"
        for letter in text
    )
    return f'"{"".join(letters)}"'


def _decimal(value: float) -> str:
    """Return a float without an exponent, which numbers in policies do not have."""
    if not math.isfinite(value):
        return repr(value)
    from decimal import Decimal

    return format(Decimal(repr(float(value))), "f")


def _wrong_texts(one: Iteration) -> Iterator[str]:
    for name, value in (*((name, getattr(one, name)) for name in _TEXTS), *one.sources.items()):
        if value is not None and not isinstance(value, str | os.PathLike):
            yield f"`{name}` is a {_kind(value)}; a text or a path was expected"
        elif name in _TEXTS and name in one.sources:
            yield f"`{name}` is given among `sources`; `{name}=` was expected"
    if one.turn is not None and not isinstance(one.turn, str):
        yield f"`turn` is a {_kind(one.turn)}; a text was expected"
    elif one.turn == "":
        yield "`turn` is empty; an id or None was expected"
    for name, fact in one.facts.items():
        if isinstance(fact, list | tuple):
            yield from _wrong_items(name, fact)
        elif fact is not None and not isinstance(fact, str | int | float):
            yield f"fact `{name}` is a {_kind(fact)}; {_WANTED}"


def _wrong_numbers(one: Iteration) -> Iterator[str]:
    limits = (("exit_status", -MOST_STATUS, MOST_STATUS), ("tokens", 0, MOST), ("number", 1, MOST))
    for name, lowest, highest in limits:
        value = getattr(one, name)
        if value is None:
            continue
        if not is_whole(value):
            yield f"`{name}` is a {_kind(value)}; a whole number was expected"
        elif not lowest <= value <= highest:
            # Python refuses to write a number of too many digits.
            told = f"is {value}" if value.bit_length() <= _BITS else "has too many digits"
            yield f"`{name}` {told}; a whole number from {lowest} to {highest} was expected"
    cost = one.cost
    if cost is None:
        return
    if not is_number(cost):
        yield f"`cost` is a {_kind(cost)}; a number of USD was expected"
    elif not 0 <= cost <= MOST:
        told = (
            f"is {cost}" if isinstance(cost, float) or cost.bit_length() <= _BITS else "has too many digits"
        )
        yield f"`cost` {told}; a number of USD from 0 to {MOST} was expected"


def _kind(value: object) -> str:
    return f"`{type(value).__name__}`"
