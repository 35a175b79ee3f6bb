"""One table of all members, texts, signatures and lists that conditions name: each is a number."""

from __future__ import annotations

from functools import partial

from exitgate.analysis.space.domains import TEXTS
from exitgate.analysis.space.items import listed, made, parts
from exitgate.analysis.space.meetings import closed
from exitgate.analysis.space.ties import fields_of_blocks
from exitgate.language.kleene import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy

#: Texts and lists up to this length are among those that a `length` is measured on.
_LONGEST, _LONGEST_LIST = 300, 12
#: More than a policy can name.
_BEYOND = 1_000_000


class Atoms:
    """
    The table.

    Numbers below `size` stand for what is in it, larger ones for texts, signatures and lists that no
    condition names: all that is known of them is whether two are the same.
    """

    def __init__(self, policies: Iterable[CompiledPolicy], trees: Iterable[Node]) -> None:
        self._numbers: dict[object, int] = {}
        self._kinds: dict[str, list[int]] = {"text": [], "list": [], "signature": [], "enum": []}
        for text in TEXTS:
            self.add(text, "text")
            self.add(text, "signature")
        for items in ((), TEXTS[:1], TEXTS):
            self.add(items, "list")
        policies = tuple(policies)
        for policy in policies:
            for parameter in policy.parameters.values():
                self._add_value(parameter.value)
            stand_ins = [value for _, fields in fields_of_blocks(policy) for value in fields.values()]
            for stand_in in (*policy.unreadable.values(), *stand_ins):
                self._add_value(stand_in)
        trees = tuple(trees)
        for part in (part for tree in trees for part in tree.walk() if listed(part) is not None):
            values, _ = parts([part], partial(closed, policy=policies[0]))
            if all(isinstance(value, str) for value in values):
                for chosen in made(values):
                    self.add(chosen, "list")
        for length in _lengths(policies, trees):
            self.add(TEXTS[0] * length, "text")
            if length <= _LONGEST_LIST:
                self.add(TEXTS[:1] * length, "list")
        for kind, value in _named(trees):
            self.add(value, kind)
            if kind == "text":
                self.add(str(value).lower(), kind)
                self.add((value,), "list")

    def add(self, value: object, kind: str) -> int:
        """Return the number of a value, which is put in the table if it does not exist."""
        number = self._numbers.setdefault(value, len(self._numbers))
        if number not in self._kinds[kind]:
            self._kinds[kind].append(number)
        return number

    @property
    def size(self) -> int:
        """Numbers from this one on stand for what is not in the table."""
        return _BEYOND

    def candidates(self, kind: str) -> tuple[tuple[int, object], ...]:
        """Return number and value of what the table holds of a kind."""
        values = list(self._numbers)
        return tuple((number, values[number]) for number in self._kinds[kind])

    def value(self, number: int, kind: str) -> object:
        """Return what a number stands for; beyond the table a text, or list, that it does not hold."""
        if number < _BEYOND:
            return list(self._numbers)[number]
        stem = f"other {number - _BEYOND + 1}"
        while stem in self._numbers:
            stem += " more"
        return (stem,) if kind == "list" else stem

    def _add_value(self, value: object) -> None:
        if isinstance(value, str):
            self.add(value, "text")
        elif isinstance(value, tuple | list):
            self.add(fold(tuple(value)), "list")
            self.add(tuple(value), "list")


def _named(trees: Iterable[Node]) -> Iterator[tuple[str, object]]:
    for tree in trees:
        for part in tree.walk():
            if part.op == "text":
                yield "text", part.args[0]
            elif part.op == "enum":
                yield "enum", part.args[0]
            elif part.op == "list" and all(item.op in ("text", "enum") for item in part.children()):
                yield "list", tuple(item.args[0] for item in part.children())


def _lengths(policies: Iterable[CompiledPolicy], trees: Iterable[Node]) -> set[int]:
    """Return lengths around every whole number of the policies, where a length is asked for at all."""
    parts = [part for tree in trees for part in tree.walk()]
    if not any(part.op == "call" and part.args[0] == "length" for part in parts):
        return set()
    found: list[object] = [part.args[0] for part in parts if part.op == "number"]
    found += [parameter.value for policy in policies for parameter in policy.parameters.values()]
    whole = [int(value) for value in found if isinstance(value, int | float) and 0 <= value <= _LONGEST]
    return {max(0, value + step) for value in whole for step in (-1, 0, 1)}
