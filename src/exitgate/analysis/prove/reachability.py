"""Can each rule ever decide?"""

from __future__ import annotations

from msgspec import Struct

from exitgate.analysis.prove.proof import BROKEN, CLASS, NOTED, RULE, SHOWN, Proof
from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED, together
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.queries import NOT_TRUE, only_elsewhere
from exitgate.analysis.walk.questions import AFTER_ITERATION, OTHERWISE
from exitgate.core.language.measure import facts_of, parameters_of
from exitgate.core.model.decision import CONTINUE, STAGES
from exitgate.core.model.display import shown
from exitgate.core.policy.compiled import CompiledPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.prove.backend import Backend
    from exitgate.analysis.results.answer import Answer
    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy, Parameter, Rule


def prove_rules(policy: CompiledPolicy, backend: Backend, only: str | None = None) -> Iterator[Proof]:
    """
    Yield a proof for each enforced rule that decides; `only` names one.

    One that no input lets decide, with the parameters as they are and with each other value that is tried, is
    BROKEN; where another value does, or it is not decided whether it does, it is NOTED.
    """
    for stage in STAGES:
        for rule in deciding(policy, stage):
            if only is None or rule.id == only:
                yield _prove_rule(policy, rule, backend)


def _prove_rule(policy: CompiledPolicy, rule: Rule, backend: Backend) -> Proof:
    answer = backend.ask("can_decide", policy, rule.id, small=True)
    if answer.status == REFUTED:
        status, says = SHOWN, "can decide"
    elif answer.status == UNDECIDED:
        status, says = UNDECIDED, answer.why
    else:
        shadow = shadow_of(policy, rule, backend)
        status, says = shadow.status, f"never decides: {shadow.told()}"
    return Proof(RULE, rule.id, status, says, answer, place=rule.place, stage=rule.stage)


# Does every result that a policy names remain reachable?


def prove_classes(policy: CompiledPolicy, backend: Backend) -> Iterator[Proof]:
    """Yield a proof for CONTINUE, for `otherwise`, and for each class that some rule names."""
    named: dict[str, list[str]] = {CONTINUE: [AFTER_ITERATION], OTHERWISE: [AFTER_ITERATION]}
    for stage in STAGES:
        for rule in deciding(policy, stage):
            if rule.exit_class is not None and stage not in named.setdefault(rule.exit_class, []):
                named[rule.exit_class].append(stage)
    for result, stages in named.items():
        yield _prove_class(policy, result, stages, backend)


def _prove_class(policy: CompiledPolicy, result: str, stages: list[str], backend: Backend) -> Proof:
    answers: list[Answer] = []
    for stage in stages:
        answers.append(backend.ask("reaches", policy, result, stage=stage))
        if answers[-1].status == REFUTED:
            where = "" if stage == AFTER_ITERATION else f" ({stage})"
            return Proof(CLASS, result, SHOWN, f"can be reached{where}", answers[-1], stage=stage)
    answer = together(answers)
    if answer.status == UNDECIDED:
        return Proof(CLASS, result, UNDECIDED, answer.why, answer)
    return Proof(CLASS, result, NOTED if result == OTHERWISE else BROKEN, "is never reached", answer)


# Why a rule never decides: its condition is never true, or earlier rules are true whenever it is.


class Shadow(Struct, frozen=True):
    """
    Why a rule never decides.

    Args:
        by: Earlier rules, one of which is true whenever the rule is; () where it is never true itself.
        open: Whether that could not be reported.
        why: Another reason, as a sentence part; empty for none.
        other: What other settings do.
    """

    by: tuple[str, ...]
    open: bool
    other: Settings
    why: str = ""

    @property
    def status(self) -> str:
        """BROKEN where it is proved that no other setting that was tried lets it decide; else NOTED."""
        return NOTED if self.other.lets or self.other.open else BROKEN

    def told(self) -> str:
        """Return it as a sentence part."""
        why, other = self._why(), self.other
        if other.lets:
            return f"{why}; with {other.lets} it can"
        names = ", ".join(f"${name}" for name in other.parameters)
        if other.open:
            return f"{why}; whether another value of {names} lets it is not decided: {other.open}"
        values = "one other value" if other.tried == 1 else f"{other.tried} other values"
        return (
            f"{why}; {values} of {names} {'changes' if other.tried == 1 else 'change'} nothing"
            if other.tried
            else why
        )

    def _why(self) -> str:
        if self.why:
            return self.why
        if self.open:
            return "no run of a loop gets there"
        if not self.by:
            return "its condition is never true"
        names = " or ".join(f"`{name}`" for name in self.by)
        return f"whenever it is true, {names} is true before it"


class Settings(Struct, frozen=True):
    """
    What other values of parameters do to a rule that never decides.

    Args:
        lets: The first setting found under which it can decide, as `$NAME VALUE`; else empty.
        open: Why that is not decided of some setting; empty where it is decided of all that were tried.
        tried: How many other settings were tried.
        parameters: Names of the parameters that were tried.
    """

    lets: str
    open: str
    tried: int
    parameters: tuple[str, ...]


def shadow_of(policy: CompiledPolicy, rule: Rule, backend: Backend) -> Shadow:
    """Return why a rule that never decides does not, and with which other setting it would."""
    other = _other_settings(policy, rule, backend)
    if backend.ask("can_be", policy, rule.when, True).status == PROVED:
        never = backend.ask("all_be", policy, [(rule.when, True)]).status == PROVED
        return Shadow((), False, other, "" if never else "every run ends before its condition can be true")
    rules = deciding(policy, rule.stage)
    earlier = rules[: [one.id for one in rules].index(rule.id)]
    if elsewhere := elsewhere_only(policy, rule.when, rule.stage, backend):
        return Shadow((), False, other, elsewhere)
    for one in earlier:
        if backend.ask("all_be", policy, [(rule.when, True), (one.when, NOT_TRUE)]).status == PROVED:
            return Shadow((one.id,), False, other)
    needed = _needed(policy, rule, earlier, backend)
    return Shadow(tuple(one.id for one in needed), not needed, other)


def elsewhere_only(policy: CompiledPolicy, when: Node, stage: str, backend: Backend) -> str:
    """Return why a check never asks the stage where the condition is true; the empty text if it may."""
    return only_elsewhere(
        policy, when, stage, lambda wanted: backend.ask("all_be", policy, wanted).status == PROVED
    )


def _needed(
    policy: CompiledPolicy, rule: Rule, earlier: tuple[Rule, ...], backend: Backend
) -> tuple[Rule, ...]:
    """Return earlier rules that cover the rule together, none of which can be left out."""
    left = earlier
    wanted: list[tuple[Node, bool | str]] = [(rule.when, True), *((one.when, NOT_TRUE) for one in earlier)]
    if backend.ask("all_be", policy, wanted).status == REFUTED:
        return ()
    for one in earlier:
        fewer = tuple(other for other in left if other is not one)
        wanted = [(rule.when, True), *((other.when, NOT_TRUE) for other in fewer)]
        if backend.ask("all_be", policy, wanted).status == PROVED:
            left = fewer
    return left


def _other_settings(policy: CompiledPolicy, rule: Rule, backend: Backend) -> Settings:
    tried, names, open_ = 0, [], ""
    for parameter, changed in settings_tried(policy, rule):
        tried += 1
        names.append(parameter.name)
        answer = backend.ask("can_decide", changed, rule.id)
        if answer.status == REFUTED:
            value = changed.parameters[parameter.name].value
            return Settings(f"${parameter.name} {shown(value, parameter.type)}", "", tried, ())
        open_ = open_ or answer.why
    return Settings("", open_, tried, tuple(dict.fromkeys(names)))


# The same policy with another value of one parameter, within its bounds.

#: A whole number above this one is not tried: it may be the length of a window.
LONGEST = 100
_PERCENT = 100


def settings_tried(policy: CompiledPolicy, rule: Rule) -> Iterator[tuple[Parameter, CompiledPolicy]]:
    """
    Yield the policy with one other value of a parameter that can matter to a rule, and that parameter.

    Those of its own condition come first, then those of the rules of its stage before it. Each is set
    to its ends, beside them, and between them.
    """
    own = _parameters(policy, (rule,))
    before = []
    for one in policy.rules:
        if one.id == rule.id:
            break
        if one.stage == rule.stage:
            before.append(one)
    names = [*own, *(name for name in _parameters(policy, tuple(before)) if name not in own)]
    for name in names:
        parameter = policy.parameters[name]
        for value in _values(parameter):
            if value != parameter.value or type(value) is not type(parameter.value):
                parameters = {**policy.parameters, name: parameter.but(value=value)}
                yield parameter, policy.but(parameters=parameters)


def _parameters(policy: CompiledPolicy, rules: tuple[Rule, ...]) -> list[str]:
    derived = {fact.name: fact for fact in policy.derived}
    found: dict[str, None] = {}
    todo = [rule.when for rule in rules]
    seen: set[str] = set()
    while todo:
        tree = todo.pop(0)
        found |= dict.fromkeys(sorted(parameters_of(tree, policy.conditions)))
        for name in sorted((facts_of(tree, policy.conditions) & derived.keys()) - seen):
            seen.add(name)
            fact = derived[name]
            todo += [row.when for row in fact.rows]
            if fact.formula is not None:
                todo.append(fact.formula)
    return list(found)


def _values(parameter: Parameter) -> Iterator[object]:
    kind, value = parameter.type.kind, parameter.value
    if kind == "bool":
        yield from (False, True)
    elif kind == "enum":
        yield from parameter.type.members
    elif isinstance(value, int | float):
        low = 0 if parameter.low is None else parameter.low
        high = _PERCENT if kind == "percent" and parameter.high is None else parameter.high
        tried: list[float] = [low, low + 1, low + 2, value - 1, value + 1]
        if high is not None and (kind == "percent" or high <= LONGEST):
            tried += [high, high - 1, (low + high) / 2]
        for one in dict.fromkeys(tried):
            whole = int(one) if kind == "count" or float(one).is_integer() else one
            if low <= whole and (high is None or whole <= high):
                yield whole
