"""What policies declare that do not decide here: their parameters, rules, lists and facts."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy import shipped
from exitgate.policy.findings import Findings
from exitgate.policy.library import Library
from exitgate.policy.merged import read_merged
from exitgate.policy.rule_chain import id_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.policy.merged import Merged
    from exitgate.policy.part import Part

PARAMETERS, RULES, LISTS, FACTS = "parameters", "rules", "lists", "facts"


class Elsewhere:
    """Looks for names in other policies. They are read only when a name is not known, each once."""

    def __init__(self, references: Sequence[str], base: str | None = None) -> None:
        self._references = tuple(dict.fromkeys((*references, *shipped.policies())))
        self._base = base
        self._declared: tuple[Declared, ...] | None = None
        self._roots: dict[str, Part | None] = {}

    def owner(self, kind: str, name: str) -> str:
        """Return a policy that has this (`PARAMETERS`, `RULES`, `LISTS`, `FACTS`); else the empty text."""
        if self._declared is None:
            self._declared = tuple(self._read())
        return next((one.policy for one in self._declared if name in getattr(one, kind)), "")

    def parameter(self, reference: str, name: str) -> Declaration | None:
        """Return what a policy declares under the name of a parameter, None where it has none."""
        if reference not in self._roots:
            findings = Findings()
            merged = read_merged(reference, Library(findings, self._base), findings)
            self._roots[reference] = merged.root if merged is not None else None
        root = self._roots[reference]
        section = root.get("parameters") if root is not None else None
        entry = section.get(name) if section is not None else None
        if root is None or entry is None or "type" not in entry.fields:
            return None
        doc = entry.fields["doc"].text if "doc" in entry.fields else ""
        return Declaration(root.fields["policy"].text, entry.fields["type"].text, doc)

    def _read(self) -> list[Declared]:
        found = []
        for reference in self._references:
            # What is wrong with a policy that does not decide does not concern this one.
            findings = Findings()
            merged = read_merged(reference, Library(findings, self._base), findings)
            if merged is not None:
                found.append(declared_by(merged))
        return found


class Declaration(Value):
    """A parameter of a policy: the policy's name, the kind of its type, its description."""

    __slots__ = ("doc", "kind", "policy")

    def __init__(self, policy: str, kind: str, doc: str) -> None:
        self.policy = policy
        self.kind = kind
        self.doc = doc


class Declared(Value):
    """The names that a policy declares."""

    __slots__ = ("facts", "lists", "parameters", "policy", "profiles", "rules")

    def __init__(
        self,
        policy: str,
        parameters: tuple[str, ...],
        rules: tuple[str, ...],
        lists: tuple[str, ...],
        profiles: tuple[str, ...],
        facts: tuple[str, ...],
    ) -> None:
        self.policy = policy
        self.parameters = parameters
        self.rules = rules
        self.lists = lists
        self.profiles = profiles
        self.facts = facts


def declared_by(merged: Merged) -> Declared:
    """Return what a merged policy declares."""
    names = []
    for key in ("parameters", "lists", "profiles", "facts"):
        section = merged.root.get(key)
        names.append(tuple(section.fields) if section is not None else ())
    parameters, lists, profiles, facts = names
    rules = tuple(id_of(rule) for rule in merged.rules)
    return Declared(merged.root.fields["policy"].text, parameters, rules, lists, profiles, facts)
