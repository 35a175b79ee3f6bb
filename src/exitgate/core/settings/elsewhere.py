"""What policies declare that do not decide here: their parameters, rules, lists and facts."""

from __future__ import annotations

from exitgate.core.model.value import Value
from exitgate.core.policy import shipped
from exitgate.core.policy.extending.merged import read_merged
from exitgate.core.policy.extending.rule_chain import id_of
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import Library
from exitgate.core.settings.files import DEFAULT
from exitgate.core.settings.sections import SECTION, parameters_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.core.policy.compiled import Parameter
    from exitgate.core.policy.extending.merged import Merged
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.node import YamlNode
    from exitgate.core.settings.choose import Chosen, Scope


PARAMETERS, RULES, LISTS, FACTS = "parameters", "rules", "lists", "facts"


class Elsewhere:
    """Looks for names in other policies. They are read only when a name is not known, each once."""

    def __init__(self, references: Sequence[str], base: str | None = None) -> None:
        self._references = tuple(dict.fromkeys((*references, *shipped.policies())))
        self._base = base
        self._declared: tuple[Declared, ...] | None = None
        self._roots: dict[str, YamlNode | None] = {}

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


# Short keys of a layer that was written for another policy, in which they mean something else.

#: Policies in which the keys of the first scheme's file of settings are documented to work as they are.
FAMILY = ("recommended", "bb3")
#: Those keys.
KEYS = ("min_confidence", "min_completion", "max_errors", "stagnation_loops")
#: Types of values that mean nothing without the scale of their policy.
_SCALES = ("percent", "number")

_FAITHFUL = "-faithful"


def foreign_keys(
    scope: Scope, declared: Mapping[str, Parameter], policy: str, elsewhere: Elsewhere, findings: Findings
) -> frozenset[str]:
    """
    Return the short keys of a scope that do not count, because they mean something else here; warn of each.

    A key counts where the policy that decides is the one its layer was written for, and where that one
    has no such parameter, or one of the same meaning: of a share or a score that is said by its
    description, and counts, times and budgets mean the same in every policy.

    Args:
        scope: Settings of one layer.
        declared: The parameters of the policy that decides.
        policy: Its name.
        elsewhere: Knows the parameters of other policies.
        findings: Takes EP448 (warning).
    """
    found: set[str] = set()
    for key, part in parameters_in(scope.section) if scope.written_for is not None else ():
        parameter = declared.get(key)
        other = elsewhere.parameter(str(scope.written_for), key) if parameter is not None else None
        if parameter is None or other is None or _family(other.policy) == _family(policy):
            continue
        kind = parameter.type.kind
        if kind == other.kind and (kind not in _SCALES or parameter.doc == other.doc):
            continue
        found.add(key)
        message = f"`{key}` was set for `{other.policy}`, but means something else in `{policy}`"
        help = f"it has no effect here; to set it, write `policies: {{{policy}: {{{key}: ...}}}}`"
        findings.warning("EP448", message, part.label, help)
    return frozenset(found)


def note_on_family(scopes: Sequence[Scope], chosen: Chosen, findings: Findings) -> None:
    """Note that a section with nothing but the first scheme's keys does not choose that scheme (EP449)."""
    if len(chosen.chain) > 1 or chosen.chain[0].layer != DEFAULT or chosen.reference != FAMILY[0]:
        return
    for scope in scopes:
        keys = [key for key, _ in parameters_in(scope.section)]
        if len(keys) > 1 and set(keys) <= set(KEYS) and scope.section.fields.keys() == set(keys):
            message = f"these are parameters of `{FAMILY[0]}`, which decides if no `policy:` is named"
            help = f"write `policy: {FAMILY[1]}` under `{SECTION}:` for the rules of `{FAMILY[1]}`"
            findings.note("EP449", message, scope.section.label, help)


def _family(policy: str) -> str:
    """Return what two policies share whose parameters of one name mean the same."""
    name = policy.removesuffix(_FAITHFUL)
    return FAMILY[0] if name in FAMILY else name
