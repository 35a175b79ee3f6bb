"""The tree of a YAML text that may be broken: `sketch` makes it, everything about a cursor reads it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

Path = tuple[str | int, ...]


MAPPING, SEQUENCE, SCALAR, NOTHING = "mapping", "sequence", "scalar", "nothing"


class Entry(Struct, eq=False):
    """
    One key of a mapping, or one item of a sequence, with its value.

    Args:
        key: The key; the index of an item; None for a word that may become a key.
        start: Offset of its first character, the dash of an item included.
        key_start, key_end: Offsets of the key as written, quotes included; both `start` for an item.
        value: What is there.
    """

    key: str | int | None
    start: int
    key_start: int
    key_end: int
    value: Node


class Node:
    """
    A mapping, a sequence, a scalar or nothing.

    Args:
        kind: `MAPPING`, `SEQUENCE`, `SCALAR` or `NOTHING`.
        start: Offset of its first character, quotes, brackets and signs included.
        end: Offset behind its last one.
        column: Of block mappings and sequences: where their entries begin, in characters from 0.
        style: Of scalars: ``plain``, ``'``, ``"``, ``|`` or ``>``.
        flow: It is in brackets or braces, or is one.
        alone: A scalar that no key precedes on its line: it may be meant to become a key.
    """

    __slots__ = ("alone", "column", "end", "entries", "flow", "kind", "start", "style")

    def __init__(
        self,
        kind: str,
        start: int,
        end: int,
        column: int = -1,
        style: str = "",
        flow: bool = False,
        alone: bool = False,
    ) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.column = column
        self.style = style
        self.flow = flow
        self.alone = alone
        self.entries: list[Entry] = []

    def get(self, key: str | int) -> Node | None:
        """Return the value of a key or index, None where there is none."""
        return next((entry.value for entry in self.entries if entry.key == key), None)

    def entry(self, key: str | int) -> Entry | None:
        """Return the entry of a key or index, None where there is none."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def at(self, path: Path) -> Node | None:
        """Return the value at the end of `path`, None where there is none."""
        twig: Node | None = self
        for step in path:
            if twig is None:
                return None
            twig = twig.get(step)
        return twig

    def keys(self) -> tuple[str, ...]:
        """Return the keys of a mapping, in order."""
        return tuple(entry.key for entry in self.entries if isinstance(entry.key, str))

    def walk(self, path: Path = ()) -> Iterator[tuple[Path, Entry]]:
        """Yield every entry below, with the path that leads to its value, parents first."""
        stack = [(path, self)]
        while stack:
            here, twig = stack.pop()
            for entry in twig.entries:
                if entry.key is not None:
                    yield (*here, entry.key), entry
            below = [((*here, e.key), e.value) for e in twig.entries if e.key is not None]
            stack.extend(reversed(below))
