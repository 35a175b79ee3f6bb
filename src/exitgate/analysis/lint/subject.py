"""What lints look at: one file, what it holds, and what can be made of it, each made once."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from exitgate.analysis.lint import suppressions as suppressions_module
from exitgate.analysis.lint.finding import POLICY
from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.language.measure import reachable
from exitgate.core.language.problem import LanguageError
from exitgate.core.policy.compiled import NUMBER
from exitgate.core.policy.extending import condition_sites
from exitgate.core.policy.sections.views import facts_in
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.core.engine.program import Program
    from exitgate.core.language.checker.context import Scope
    from exitgate.core.language.tree import Node
    from exitgate.core.model.diagnostic import Location
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.compiled import CompiledPolicy, Rule, Template
    from exitgate.core.policy.extending.merged import Merged
    from exitgate.core.policy.yaml.document import Document
    from exitgate.core.policy.yaml.node import YamlNode
    from exitgate.core.settings.provenance import Settled


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
        lexicon: JsonObject | None = None,
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
    def root(self) -> YamlNode:
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
        from exitgate.core.engine.program import Program

        return Program(self.policy)

    @cached_property
    def uses(self) -> Uses:
        """What the policy uses of what it declares."""

        assert self.merged is not None
        return uses(self.policy, self.merged)

    @cached_property
    def suppressions(self) -> tuple[suppressions_module.Suppression, ...]:
        """The comments that turn lints off, from top to bottom."""
        return suppressions_module.read(self.document)

    def is_own(self, place: Location | None) -> bool:
        """Return whether a place is in this file and not in one that the policy extends."""
        return place is not None and place.file == self.file

    def section(self, name: str) -> dict[str, YamlNode]:
        """Return the entries of a mapping of this file, ``parameters``; none where it does not exist."""
        part = self.root.get(name)
        return part.fields if part is not None else {}

    def items(self, name: str) -> tuple[YamlNode, ...]:
        """Return the items of a sequence of this file, ``rules``; none where it does not exist."""
        part = self.root.get(name)
        return part.items if part is not None else ()

    @cached_property
    def chain(self) -> tuple[tuple[YamlNode, Rule], ...]:
        """Every rule of the compiled policy with where it is written, in the order of the chain."""
        parts = self.merged.rules if self.merged is not None else ()
        return tuple(zip(parts, self.policy.rules, strict=True))

    @property
    def rules(self) -> tuple[tuple[YamlNode, Rule], ...]:
        """The rules written in this file, compiled, in the order of the chain."""
        return tuple((part, rule) for part, rule in self.chain if self.is_own(part.place))

    @cached_property
    def scope(self) -> Scope:
        """What conditions may name."""
        from exitgate.core.language.checker.context import Scope

        types = {name: parameter.type for name, parameter in self.policy.parameters.items()}
        return Scope(self.policy.facts, types, self.policy.conditions)

    @cached_property
    def parsed(self) -> tuple[tuple[YamlNode, Node], ...]:
        """
        Texts of conditions and formulas of this file, each with its tree, from top to bottom.

        Trees have no types, offsets belong to the text as written. A text that does not parse is left out.
        """
        return tuple(self._parsed())

    @cached_property
    def conditions(self) -> tuple[tuple[YamlNode, Node], ...]:
        """The same with checked trees; only for lints that declare `COMPILED`."""
        from exitgate.core.language.checker.check import check

        return tuple((leaf, check(node, self.scope, None)) for leaf, node in self.parsed)

    def _parsed(self) -> Iterator[tuple[YamlNode, Node]]:
        from exitgate.core.language.syntax.parse import parse

        for condition in condition_sites.conditions(self.root):
            for leaf in condition_sites.leaves(condition):
                if leaf.written is None or leaf.value is None:
                    continue
                try:
                    yield leaf, parse(leaf.text)
                except LanguageError:
                    continue  # the compiler tells it

    def node_place(self, leaf: YamlNode, node: Node) -> Location:
        """Return where a node of a condition's tree is in this file."""
        return leaf.written.place(node.start, node.end) if leaf.written is not None else leaf.place

    def head(self) -> Location:
        """Return where to point when the whole file is meant: its first key."""
        first = next(iter(self.root.fields.values()), None)
        return first.label if first is not None else self.root.place


# What a compiled policy uses of what it declares.


class Uses(Struct, frozen=True):
    """Names that some rule, breaker, invariant, computed fact, message, view or option needs."""

    facts: frozenset[str]
    parameters: frozenset[str]
    conditions: frozenset[str]


def uses(policy: CompiledPolicy, merged: Merged) -> Uses:
    """Return what a policy uses; `merged` is the same policy as text, for options and the cooldown."""
    trees = list(_trees(policy))
    conditions = {name for tree in trees for name in reachable(tree, policy.conditions)}
    trees += [policy.conditions[name] for name in conditions]
    named = _named(trees, "fact") | {signal for fact in policy.derived for signal in fact.signals}
    parameters = _named(trees, "parameter")
    for template in _templates(policy):
        for slot in template:
            if isinstance(slot, tuple):
                (parameters if slot[0].startswith("$") else named).add(slot[0].removeprefix("$"))
                if len(slot) == 2:
                    named.add(NUMBER)
                    parameters |= {slot[1][1:]} if slot[1].startswith("$") else set()
    for extraction in policy.extractions:
        parameters |= set(extraction.parameters)
        if extraction.extractor != GIVEN:  # whose options are its own declaration
            named |= {word for option in extraction.options.values() for word in _texts(option)}
    for key in ("circuit", "undetermined", "views"):
        for part in merged.root.fields[key].walk() if key in merged.root.fields else ():
            if part.is_text and part.text.startswith("$"):
                parameters.add(part.text[1:])
    return Uses(frozenset(named | facts_in(policy.views)), frozenset(parameters), frozenset(conditions))


def _trees(policy: CompiledPolicy) -> Iterator[Node]:
    for rule in policy.rules:
        yield rule.when
        if rule.retry_after is not None:
            yield rule.retry_after
    yield from (invariant.given for invariant in policy.invariants)
    if policy.breaker is not None:
        yield from policy.breaker.conditions()
    for fact in policy.derived:
        yield from (row.when for row in fact.rows)
        if fact.formula is not None:
            yield fact.formula


def _templates(policy: CompiledPolicy) -> Iterator[Template]:
    yield policy.otherwise_message
    for rule in policy.rules:
        yield from (rule.because, rule.advice, rule.escalation)


def _named(trees: list[Node], op: str) -> set[str]:
    return {str(part.args[0]) for tree in trees for part in tree.walk() if part.op == op}


def _texts(option: object) -> Iterator[str]:
    """Yield texts of an option in which facts may be named: itself, or the items of a list."""
    for one in option if isinstance(option, list) else (option,):
        if isinstance(one, str):
            yield one


def lists_named(part: YamlNode) -> set[str]:
    """Return the names of lists that a part of a policy asks for, ``{list: name}``."""
    found = set()
    for below in part.walk():
        if list(below.fields) == ["list"] and isinstance(below.fields["list"].value, str):
            found.add(below.fields["list"].text)
    return found
