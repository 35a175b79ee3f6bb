"""Excuses compared with the boundary walk: facts on which the excused thing comes out after all."""

from __future__ import annotations

from exitgate.analysis.coverage.excuses import Excused, claim
from exitgate.analysis.coverage.sites import CONDITION, RULE, sites
from exitgate.language.named import reachable
from exitgate.language.tree import Node
from exitgate.language.written import value_text
from exitgate.model.coverage import DECIDES, FALSE, UNKNOWN
from exitgate.model.type import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.analysis.ask import Answer
    from exitgate.analysis.coverage.excuses import Excuse
    from exitgate.analysis.coverage.sites import Site
    from exitgate.model.diagnostic import Diagnostic
    from exitgate.policy.compiled import CompiledPolicy, Rule

#: Seconds and points that the walk may take for one excuse.
SECONDS, POINTS = 2.0, 50_000


def without_refuted(policy: CompiledPolicy, excused: Excused) -> Excused:
    """
    Return the excuses that no facts disprove; each of the others is a problem (EP512) with such facts.

    An excuse that the walk cannot decide within its limits is, and so does one that holds: that
    nothing was found is only a proof where the walk says so.
    """
    holds, problems = {}, list(excused.problems)
    for (key, leaf, what), (excuse, site) in excused.why.items():
        answer = _ask(policy, site, leaf, what)
        if answer.run is not None:
            problems.append(_problem(policy, excuse, what, answer.run))
        else:
            holds[key, leaf, what] = excuse, site
    return Excused(holds, tuple(problems))


def _ask(policy: CompiledPolicy, site: Site, leaf: str, what: str) -> Answer:
    from exitgate.analysis.ask import Limits, can_be, can_decide

    limits = Limits(seconds=SECONDS, points=POINTS)
    if what == DECIDES:
        return can_decide(policy, site.name, limits)
    if not leaf:
        assert site.rule is not None
        return can_be(policy, site.rule.when, True, limits)
    node = site.texts()[leaf]
    wanted = {
        FALSE: Node("not", (node,), type=BOOL),
        UNKNOWN: Node("unknown", (node,), type=BOOL),
    }.get(what, node)
    return can_be(policy, _joined("and", [*_asked(policy, site), wanted]), True, limits)


def _asked(policy: CompiledPolicy, site: Site) -> list[Node]:
    """Return what must be true for a leaf of the site to be asked; nothing where it always is."""
    if site.rule is not None:
        return _before(policy, site.rule)
    if site.kind != CONDITION:
        return []
    users = [
        one.rule
        for one in sites(policy)
        if one.rule is not None and site.name in reachable(one.rule.when, policy.conditions)
    ]
    if not users or any(
        site.name in reachable(tree, policy.conditions)
        for one in sites(policy)
        if one.kind not in (RULE, CONDITION)
        for tree, _ in one.trees
    ):
        return []
    ways = [_joined("and", before) if (before := _before(policy, rule)) else None for rule in users]
    return [] if None in ways else [_joined("or", [way for way in ways if way is not None])]


def _before(policy: CompiledPolicy, rule: Rule) -> list[Node]:
    """Return, for each enforced rule of the stage before this one, that it is not definitely true."""
    if rule.effect == "warn" or rule.mode == "warn":
        return []
    found: list[Node] = []
    for other in policy.rules:
        if other.id == rule.id:
            return found
        if other.stage == rule.stage and other.effect != "warn" and other.mode == "enforce":
            settled = Node("or_else", (other.when, Node("bool", (False,), type=BOOL)), type=BOOL)
            found.append(Node("not", (settled,), type=BOOL))
    return found


def _joined(op: str, nodes: Sequence[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Node(op, tuple(nodes), type=BOOL)


def _problem(
    policy: CompiledPolicy, excuse: Excuse, what: str, run: Sequence[Mapping[str, object]]
) -> Diagnostic:
    facts = "; then ".join(_facts(policy, values) for values in run)
    message = f"{claim(excuse, what)}, but these facts show it: {facts}"
    return excuse.problem("EP512", message, "give these facts in a case, and remove the excuse")


def _facts(policy: CompiledPolicy, values: Mapping[str, object]) -> str:
    told = [f"{name}: {value_text(value, policy.facts[name].type)}" for name, value in sorted(values.items())]
    return ", ".join(told) or "nothing known"
