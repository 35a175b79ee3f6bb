"""What the tests of a policy say that no case can show, compared with what the cases did show."""

from __future__ import annotations

from msgspec import Struct

from exitgate.analysis.coverage.sites import CONDITION, RULE, sites
from exitgate.analysis.results.coverage import DECIDES, FALSE, TRUE, UNKNOWN
from exitgate.core.language.measure import reachable
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.language.tree import Node
from exitgate.core.language.unparse import unparse, value_text
from exitgate.core.model.diagnostic import Diagnostic
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from exitgate.analysis.coverage.sites import Site
    from exitgate.core.model.diagnostic import Location

    #: Site and text of a leaf (empty for the rule itself) and what -> the first case that shows it, or "".
    Shown = Callable[[Site, str, str], str]

    from exitgate.analysis.coverage.sites import Site
    from exitgate.analysis.walk.queries import Answer
    from exitgate.core.model.diagnostic import Diagnostic
    from exitgate.core.policy.compiled import CompiledPolicy, Rule


#: Codes of this package, one line each; `docs` reads them.
CODES = {
    "EP510": "a coverage excuse names something that the policy does not have",
    "EP511": "a coverage excuse for something that a case shows",
    "EP512": "a coverage excuse for something that can happen",
}

#: Key of an excuse -> kinds of sites it may name.
KINDS = {
    "rule": ("rule",),
    "condition": ("condition",),
    "fact": ("points", "formula"),
    "circuit": ("circuit",),
}


class Excuse(Struct, frozen=True):
    """
    One excuse.

    Args:
        key: ``rule``, ``condition``, ``fact`` or ``circuit``; empty where it names none of them, or several.
        name: Of that part.
        leaf: Text of the leaf, or empty for the rule itself.
        never: What is never shown: `DECIDES`, ``true``, ``false`` or ``unknown``; empty where it says none
            and ought to.
        why: Why that is impossible, for readers.
        place: Where it is written.
        source: The line it is written in.
    """

    key: str
    name: str
    leaf: str
    never: str
    why: str
    place: Location
    source: str = ""

    def problem(self, code: str, message: str, help: str) -> Diagnostic:
        """Return a diagnostic on it."""
        return Diagnostic(code, message, self.place, help, source=self.source)


class Excused(Struct, frozen=True):
    """
    Excuses matched with the policy.

    Args:
        why: Key of a site, text of a leaf or "", and what -> the excuse that holds.
        problems: Excuses that name nothing, or that a case disproves.
    """

    why: Mapping[tuple[tuple[str, str], str, str], tuple[Excuse, Site]]
    problems: tuple[Diagnostic, ...]

    def of(self, site: Site, leaf: str, what: str) -> str:
        """Return why that cannot be shown, or the empty text."""
        found = self.why.get((site.key, leaf, what))
        return found[0].why if found is not None else ""


def match(excuses: Iterable[Excuse], sites: Sequence[Site], shown: Shown) -> Excused:
    """
    Match excuses with the parts and leaves of a policy.

    One that names no part or leaf is a problem (EP510), and so is one for what a case shows (EP511).
    """
    why: dict[tuple[tuple[str, str], str, str], tuple[Excuse, Site]] = {}
    problems: list[Diagnostic] = []
    for excuse in excuses:
        if not (excuse.key and excuse.never):
            problems.append(_incomplete(excuse))
            continue
        found = [site for site in sites if site.kind in KINDS[excuse.key] and site.name == excuse.name]
        if not found:
            problems.append(_no_part(excuse, sites))
            continue
        site = found[0]
        leaf = _canonical(excuse.leaf)
        if leaf not in site.texts() and excuse.leaf:
            help = suggestion(excuse.leaf, site.texts(), "leaves there")
            message = f"`{excuse.name}` has no leaf `{excuse.leaf}`"
            problems.append(excuse.problem("EP510", message, help))
            continue
        what = TRUE if not leaf and site.rule is not None and not _decides(site) else excuse.never
        case = shown(site, leaf, what)
        if case:
            problems.append(_disproved(excuse, what, case))
        else:
            why[site.key, leaf, what] = excuse, site
    return Excused(why, tuple(problems))


def _decides(site: Site) -> bool:
    return site.rule is not None and site.rule.effect != "warn" and site.rule.mode == "enforce"


def _canonical(text: str) -> str:
    """Return the canonical text of a leaf, or the text as it is where it is not a condition."""
    if not text:
        return ""
    try:
        return unparse(parse(text))
    except LanguageError:
        return text


def _incomplete(excuse: Excuse) -> Diagnostic:
    if not excuse.key:
        help = "write `rule: ID`, or one of `condition`, `fact`, `circuit` with `leaf` and `never`"
        return excuse.problem("EP510", "an excuse names exactly one part of the policy", help)
    message = "an excuse for a rule as a whole has no `leaf` and no `never`, every other one has both"
    return excuse.problem("EP510", message, 'write `leaf: "TEXT", never: true` (or false, or unknown)')


def _no_part(excuse: Excuse, sites: Iterable[Site]) -> Diagnostic:
    noun = {"circuit": "part of the breaker"}.get(excuse.key, excuse.key)
    names = [site.name for site in sites if site.kind in KINDS[excuse.key]]
    help = suggestion(excuse.name, names, f"{excuse.key}s")
    return excuse.problem("EP510", f"the policy has no {noun} `{excuse.name}`", help)


def claim(excuse: Excuse, what: str) -> str:
    """Return what an excuse says: ```x` is excused as never deciding``."""
    about = f"`{excuse.leaf}` of `{excuse.name}`" if excuse.leaf else f"`{excuse.name}`"
    return f"{about} is excused as {'never deciding' if what == DECIDES else f'never {what}'}"


def _disproved(excuse: Excuse, what: str, case: str) -> Diagnostic:
    return excuse.problem("EP511", f"{claim(excuse, what)}, but case `{case}` shows it", "remove the excuse")


def read_excuses(plain: object, place: Callable[[int], tuple[Location, str]]) -> Iterator[Excuse]:
    """
    Yield the excuses that a tests.yaml gives under `coverage:`, which fits its schema.

    Args:
        plain: What is under `excused`.
        place: From the number of an excuse to its place and the line there.
    """
    for number, one in enumerate(plain if isinstance(plain, list) else ()):
        keys = [key for key in KINDS if key in one]
        key = keys[0] if len(keys) == 1 else ""
        leaf = str(one.get("leaf", ""))
        where, source = place(number)
        name, why = str(one.get(key, "")), str(one["why"]).strip()
        yield Excuse(key, name, leaf, _never(key, leaf, one.get("never")), why, where, source)


def _never(key: str, leaf: str, said: object) -> str:
    """Return what an excuse says is never shown; empty where it does not say, or says too much."""
    if said is None:
        return DECIDES if key == "rule" and not leaf else ""
    return (str(said).lower() if isinstance(said, bool) else str(said)) if leaf else ""


# Excuses compared with the boundary walk: facts on which the excused thing comes out after all.

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
    from exitgate.analysis.walk.queries import Limits, can_be, can_decide

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
    return can_be(policy, _joined("and", [*_prerequisites(policy, site), wanted]), True, limits)


def _prerequisites(policy: CompiledPolicy, site: Site) -> list[Node]:
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
