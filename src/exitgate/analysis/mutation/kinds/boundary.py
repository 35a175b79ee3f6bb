"""Thresholds and other constants, one step off."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from exitgate.analysis.mutation.sites import NodeSite, with_args
from exitgate.core.language.literals import UNITS, duration, pieces, shown
from exitgate.core.language.tree import Node

KIND = "boundary"
DOC = "a constant or the value of a parameter one step lower and one step higher"


def of_node(site: NodeSite) -> Iterator[Node]:
    """Yield the constant one step lower and higher; numbers of iterations are another kind."""
    node = site.node
    if site.is_size:
        return
    if node.op in ("number", "percent", "money"):
        for value in steps(node.args[0]):
            yield with_args(node, value, *node.args[1:])
    elif node.op == "duration":
        for text in duration_steps(str(node.args[1])):
            yield with_args(node, duration(text, 0), text)


def steps(value: object) -> tuple[int | float, ...]:
    """
    Return a number one step lower and higher, a step being one in its last decimal.

    A negative one is left out: the language writes it as another operation.
    """
    assert isinstance(value, int | float)
    exact = Decimal(shown(value))
    exponent = exact.as_tuple().exponent
    step = Decimal(1).scaleb(exponent if isinstance(exponent, int) and exponent < 0 else 0)
    return tuple(_plain(moved) for moved in (exact - step, exact + step) if moved >= 0)


def _plain(value: Decimal) -> int | float:
    return int(value) if value == int(value) else float(value)


def duration_steps(text: str) -> tuple[str, ...]:
    """Return a duration such as ``1h30m`` one of its smallest unit shorter and longer."""
    *before, (amount, unit) = pieces(text)
    head = "".join(number + name for number, name in before)
    number: int | float = float(amount) if "." in amount else int(amount)
    return tuple(f"{head}{shown(moved)}{unit}" for moved in steps(number))


def unit_of(seconds: float) -> float:
    """Return the seconds of the largest unit that a duration is a multiple of."""
    return next((size for size in UNITS.values() if seconds and seconds % size == 0), 1)
