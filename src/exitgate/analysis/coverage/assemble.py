"""From what decisions have shown to the coverage of a policy, part by part."""

from __future__ import annotations

from collections.abc import Sequence

from exitgate.analysis.coverage.excuses import Excuse, Excused, match, without_refuted
from exitgate.analysis.coverage.sites import Site, WrittenSites, may_be_unknown, sites, written_sites
from exitgate.analysis.coverage.tally import OTHERWISE, Tally
from exitgate.analysis.results.coverage import DECIDES, FALSE, TRUE, UNKNOWN, Aim, Coverage, Leaf, Part
from exitgate.core.language.tree import Node
from exitgate.core.policy.compiled import CompiledPolicy, Rule

UNDETERMINED = "undetermined"


def assemble(
    policy: CompiledPolicy,
    tally: Tally,
    tests: str,
    cases: int,
    excuses: Sequence[Excuse] = (),
    unknown: bool = False,
) -> Coverage:
    """
    Return the coverage of a policy.

    Args:
        policy: It, under its own parameters; its files must be as they were when it was compiled.
        tally: What the decisions of its cases have shown.
        tests: Name of the file of cases, for people.
        cases: How many there were.
        excuses: What that file says cannot be shown.
        unknown: Whether a leaf must come out unknown, too, where it can.
    """
    found = sites(policy)
    places = written_sites(policy.path, found)

    def shown(site: Site, leaf: str, what: str) -> str:
        return tally.leaf(*site.key, leaf).get(what, "") if leaf else tally.rule(site.name)

    excused = without_refuted(policy, match(excuses, found, shown))
    points = frozenset(fact.name for fact in policy.derived if fact.rows)
    parts = []
    for site in found:
        leaves = tuple(
            _leaf(site, text, tally, places, excused, unknown and _open(node, points, policy))
            for text, node in site.texts().items()
        )
        says = "" if site.rule is None else _says(site.rule)
        parts.append(
            Part(site.kind, site.name, says, places.sites.get(site.key), leaves, _aim(site, tally, excused))
        )
    results = {name: Aim(TRUE, tally.result(name)) for name in _results(policy, parts)}
    return Coverage(
        policy.name, policy.version, tests, cases, tuple(parts), results, places.texts, excused.problems
    )


def _open(node: Node, points: frozenset[str], policy: CompiledPolicy) -> bool:
    return may_be_unknown(node, points, policy.conditions)


def _leaf(site: Site, text: str, tally: Tally, places: WrittenSites, excused: Excused, unknown: bool) -> Leaf:
    truths = tally.leaf(*site.key, text)
    aims = tuple(
        Aim(what, truths.get(what, ""), excused.of(site, text, what), what != UNKNOWN or unknown)
        for what in (TRUE, FALSE, UNKNOWN)
    )
    return Leaf(text, places.leaves[(*site.key, text)], aims)


def _aim(site: Site, tally: Tally, excused: Excused) -> Aim | None:
    rule = site.rule
    if rule is None:
        return None
    what = DECIDES if rule.effect != "warn" and rule.mode == "enforce" else TRUE
    return Aim(what, tally.rule(rule.id), excused.of(site, "", what))


def _says(rule: Rule) -> str:
    says = f"exit {rule.exit_class}" if rule.effect == "exit" else rule.effect
    return says if rule.mode == "enforce" or rule.effect == "warn" else f"{says}, {rule.mode}"


def _results(policy: CompiledPolicy, parts: Sequence[Part]) -> list[str]:
    """Return every class that a rule can end a run with, but those whose every rule is excused."""
    free = {
        part.name for part in parts if part.kind == "rule" and part.aim is not None and not part.aim.excused
    }
    classes = [
        rule.exit_class
        for rule in policy.rules
        if rule.exit_class is not None
        and rule.effect == "exit"
        and rule.mode == "enforce"
        and rule.id in free
    ]
    blind = [UNDETERMINED] if policy.exit_after_blind is not None else []
    return list(dict.fromkeys((*classes, *blind, OTHERWISE)))
