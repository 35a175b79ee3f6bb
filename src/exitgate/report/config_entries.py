"""What layers can set, each with its chain and the rules that use it."""

from __future__ import annotations

from exitgate.language.measure import facts_of, parameters_of
from exitgate.model.quick_json import dumps
from exitgate.model.value import Value
from exitgate.policy.layers.places import POLICY
from exitgate.report.safe import safe
from exitgate.report.values import value_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.type import Type
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.provenance import Chain, Setting, Settled


#: Kinds of values that are named by a path.
PATHS = ("rules", "facts", "conditions", "views", "lexicons", "sources")


class Entry(Value):
    """
    A value that layers set: its name, kind, chain and type.

    `used_by` are the rules that depend on it, `read_by` the entries under `facts:` that read with it.
    Kinds are `policy`, `profile`, `mode`, `parameter`, `rule` (its mode), `list`, `hooks`; for values named
    by a path such as ``rules.stagnation.when`` its first part: `rules`, `facts`, `conditions`, `views`,
    `lexicons`, `sources`.
    """

    __slots__ = ("chain", "kind", "name", "read_by", "type", "used_by")

    def __init__(
        self,
        kind: str,
        name: str,
        chain: Chain,
        type: Type | None = None,
        used_by: tuple[str, ...] = (),
        read_by: tuple[str, ...] = (),
    ) -> None:
        self.kind = kind
        self.name = name
        self.chain = chain
        self.type = type
        self.used_by = used_by
        self.read_by = read_by

    @property
    def changed(self) -> bool:
        """Whether a layer set it."""
        return len(self.chain) > 1 or self.chain[0].layer != POLICY

    def value(self, setting: Setting) -> str:
        """Return a value of the chain as text."""
        if self.kind == "parameter":
            return value_text(setting.value, self.type)
        if isinstance(setting.value, bool):
            return "true" if setting.value else "false"
        if self.kind in PATHS and not isinstance(setting.value, str | tuple):
            return safe(dumps(setting.value))
        if isinstance(setting.value, tuple):
            return safe(", ".join(str(item) for item in setting.value)) or "empty"
        return safe(str(setting.value))


def entries(settled: Settled) -> tuple[Entry, ...]:
    """Return all that a layer can set, and of lexicons and sources what one did set, in order."""
    policy = settled.policy
    uses = rules_by_parameter(policy)
    found = [Entry("policy", "policy", settled.chosen)]
    if settled.profile:
        found.append(Entry("profile", "profile", settled.profile))
    if settled.mode:
        found.append(Entry("mode", "mode", settled.mode))
    for name, chain in settled.parameters.items():
        read_by = tuple(e.prefix for e in policy.extractions if name in e.parameters)
        type_ = policy.parameters[name].type
        found.append(Entry("parameter", name, chain, type_, uses.get(name, ()), read_by))
    found += [Entry("rule", name, chain) for name, chain in settled.rules.items()]
    found += [Entry("list", name, chain) for name, chain in settled.lists.items()]
    found += [Entry(path.partition(".")[0], path, chain) for path, chain in settled.changes.items()]
    found += [Entry("hooks", f"hooks.{key}", chain) for key, chain in settled.hooks.items()]
    return tuple(found)


def rules_by_parameter(policy: CompiledPolicy) -> dict[str, tuple[str, ...]]:
    """
    Return parameter -> ids of the rules whose condition or retry time depends on it, in chain order.

    A rule depends on it directly, through named conditions, through facts that are read with it or
    computed, or through the policy's breaker where it asks for its state.
    """
    through = _parameters_behind_facts(policy)
    found: dict[str, list[str]] = {name: [] for name in policy.parameters}
    for rule in policy.rules:
        names: set[str] = set()
        for node in (rule.when, rule.retry_after):
            if node is not None:
                names |= parameters_of(node, policy.conditions)
                names |= set().union(*(through.get(f, set()) for f in facts_of(node, policy.conditions)))
        for name in names & found.keys():
            found[name].append(rule.id)
    return {name: tuple(ids) for name, ids in found.items()}


def _parameters_behind_facts(policy: CompiledPolicy) -> dict[str, set[str]]:
    """Return fact -> parameters it depends on; computed facts come in order of use."""
    through: dict[str, set[str]] = {}
    for extraction in policy.extractions:
        for name in policy.facts if extraction.parameters else ():
            if name == extraction.prefix or name.startswith(extraction.prefix + "."):
                through[name] = set(extraction.parameters)
    for fact in policy.derived:
        nodes = [row.when for row in fact.rows] + ([fact.formula] if fact.formula is not None else [])
        names: set[str] = set().union(*(through.get(signal, set()) for signal in fact.signals))
        for node in nodes:
            names |= parameters_of(node, policy.conditions)
            for other in facts_of(node, policy.conditions):
                names |= through.get(other, set())
        through[fact.name] = names
    if policy.breaker is not None:
        names = set()
        for node in policy.breaker.conditions():
            names |= parameters_of(node, policy.conditions)
            for other in facts_of(node, policy.conditions):
                names |= through.get(other, set())
        through |= {name: names for name in policy.facts if name.startswith("circuit.")}
    return through
