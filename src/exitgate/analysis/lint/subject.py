"""What lints look at: one file, what it holds, and what can be made of it, each made once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from exitgate.analysis.lint.finding import POLICY
from exitgate.language.problem import LanguageError
from exitgate.policy import marks, suppressions
from exitgate.policy.part import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.uses import Uses
    from exitgate.engine.program import Program
    from exitgate.language.scope import Scope
    from exitgate.language.tree import Node
    from exitgate.model.place import Place
    from exitgate.policy.compiled import CompiledPolicy, Rule
    from exitgate.policy.document import Document
    from exitgate.policy.merged import Merged
    from exitgate.policy.provenance import Settled


class Subject:
    """
    One file to lint; nothing of it is changed after it is made.

    Args:
        kind: ``policy``, ``lexicon`` or ``settings``.
        document: The file with the place of everything.
        policy: A policy compiled with its defaults, or what settings make of theirs; None where there
            is none or it has errors.
        merged: A policy merged with those it extends, its parts at the places of their own files.
        settled: For settings: who set what.
        lexicon: For a lexicon: its entries and guards resolved, plain.
        tests: Path of the policy's tests beside it, or None.
        beside: Files of lexicons in the folder of the policy by name, each with the files that it uses.
        today: The day, ``2027-03-01``; empty where it is not known.
        earlier: Text of the file as it was before; None where there is none.
    """

    def __init__(
        self,
        kind: str,
        document: Document,
        policy: CompiledPolicy | None = None,
        merged: Merged | None = None,
        settled: Settled | None = None,
        lexicon: dict[str, object] | None = None,
        tests: str | None = None,
        beside: tuple[tuple[str, tuple[str, ...]], ...] = (),
        today: str = "",
        earlier: str | None = None,
    ) -> None:
        self.kind = kind
        self.document = document
        self.compiled = policy
        self.merged = merged
        self.settled = settled
        self.lexicon = lexicon
        self.tests = tests
        self.beside = beside
        self.today = today
        self.earlier = earlier

    @property
    def file(self) -> str:
        """Its name, as places have it."""
        return self.document.file

    @property
    def root(self) -> Part:
        """The file's own value, not merged."""
        return self.document.root

    @property
    def policy(self) -> CompiledPolicy:
        """The compiled policy; only asked by lints that declare `COMPILED`."""
        assert self.compiled is not None
        return self.compiled

    @property
    def has_rules(self) -> bool:
        """Whether it is a policy that decides, and not only a piece of one."""
        return self.kind == POLICY and self.compiled is not None and bool(self.compiled.rules)

    @cached_property
    def program(self) -> Program:
        """The engine's program of the policy."""
        from exitgate.engine.program import Program

        return Program(self.policy)

    @cached_property
    def uses(self) -> Uses:
        """What the policy uses of what it declares."""
        from exitgate.analysis.lint.uses import uses

        assert self.merged is not None
        return uses(self.policy, self.merged)

    @cached_property
    def suppressions(self) -> tuple[suppressions.Suppression, ...]:
        """The comments that turn lints off, from top to bottom."""
        return suppressions.read(self.document)

    def is_own(self, place: Place | None) -> bool:
        """Return whether a place is in this file and not in one that the policy extends."""
        return place is not None and place.file == self.file

    def section(self, name: str) -> dict[str, Part]:
        """Return the entries of a mapping of this file, ``parameters``; none where it does not exist."""
        part = self.root.get(name)
        return part.fields if part is not None else {}

    def items(self, name: str) -> tuple[Part, ...]:
        """Return the items of a sequence of this file, ``rules``; none where it does not exist."""
        part = self.root.get(name)
        return part.items if part is not None else ()

    @cached_property
    def chain(self) -> tuple[tuple[Part, Rule], ...]:
        """Every rule of the compiled policy with where it is written, in the order of the chain."""
        parts = self.merged.rules if self.merged is not None else ()
        return tuple(zip(parts, self.policy.rules, strict=True))

    @property
    def rules(self) -> tuple[tuple[Part, Rule], ...]:
        """The rules written in this file, compiled, in the order of the chain."""
        return tuple((part, rule) for part, rule in self.chain if self.is_own(part.place))

    @cached_property
    def scope(self) -> Scope:
        """What conditions may name."""
        from exitgate.language.scope import Scope

        types = {name: parameter.type for name, parameter in self.policy.parameters.items()}
        return Scope(self.policy.facts, types, self.policy.conditions)

    @cached_property
    def parsed(self) -> tuple[tuple[Part, Node], ...]:
        """
        Texts of conditions and formulas of this file, each with its tree, from top to bottom.

        Trees have no types, offsets belong to the text as written. A text that does not parse is left out.
        """
        return tuple(self._parsed())

    @cached_property
    def conditions(self) -> tuple[tuple[Part, Node], ...]:
        """The same with checked trees; only for lints that declare `COMPILED`."""
        from exitgate.language.check import check

        return tuple((leaf, check(node, self.scope, None)) for leaf, node in self.parsed)

    def _parsed(self) -> Iterator[tuple[Part, Node]]:
        from exitgate.language.parse import parse

        for condition in marks.conditions(self.root):
            for leaf in marks.leaves(condition):
                if leaf.written is None or leaf.value is None:
                    continue
                try:
                    yield leaf, parse(leaf.text)
                except LanguageError:
                    continue  # the compiler tells it

    def node_place(self, leaf: Part, node: Node) -> Place:
        """Return where a node of a condition's tree is in this file."""
        return leaf.written.place(node.start, node.end) if leaf.written is not None else leaf.place

    def head(self) -> Place:
        """Return where to point when the whole file is meant: its first key."""
        first = next(iter(self.root.fields.values()), None)
        return first.label if first is not None else self.root.place
