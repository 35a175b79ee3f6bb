"""Why a rule never decides: its condition is never true, or earlier rules are true whenever it is."""

from __future__ import annotations

from exitgate.analysis.another_stage import only_elsewhere
from exitgate.analysis.ask import NOT_TRUE
from exitgate.analysis.prove.alternatives import settings_tried
from exitgate.analysis.prove.proof import BROKEN, NOTED
from exitgate.analysis.walk.chain import deciding
from exitgate.engine.shown import shown
from exitgate.model.answer import PROVED, REFUTED
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.prove.asker import Asker
    from exitgate.language.tree import Node
    from exitgate.policy.compiled import CompiledPolicy, Rule


class Shadow(Value):
    """
    Why a rule never decides.

    Args:
        by: Earlier rules, one of which is true whenever the rule is; () where it is never true itself.
        open: Whether that could not be reported.
        why: Another reason, as a sentence part; empty for none.
        other: What other settings do.
    """

    __slots__ = ("by", "open", "other", "why")

    def __init__(self, by: tuple[str, ...], open: bool, other: Settings, why: str = "") -> None:
        self.by = by
        self.why = why
        self.open = open
        self.other = other

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


class Settings(Value):
    """
    What other values of parameters do to a rule that never decides.

    Args:
        lets: The first setting found under which it can decide, as `$NAME VALUE`; else empty.
        open: Why that is not decided of some setting; empty where it is decided of all that were tried.
        tried: How many other settings were tried.
        parameters: Names of the parameters that were tried.
    """

    __slots__ = ("lets", "open", "parameters", "tried")

    def __init__(self, lets: str, open: str, tried: int, parameters: tuple[str, ...]) -> None:
        self.lets = lets
        self.open = open
        self.tried = tried
        self.parameters = parameters


def shadow_of(policy: CompiledPolicy, rule: Rule, asker: Asker) -> Shadow:
    """Return why a rule that never decides does not, and with which other setting it would."""
    other = _other_settings(policy, rule, asker)
    if asker.ask("can_be", policy, rule.when, True).status == PROVED:
        never = asker.ask("all_be", policy, [(rule.when, True)]).status == PROVED
        return Shadow((), False, other, "" if never else "every run ends before its condition can be true")
    rules = deciding(policy, rule.stage)
    earlier = rules[: [one.id for one in rules].index(rule.id)]
    if elsewhere := elsewhere_only(policy, rule.when, rule.stage, asker):
        return Shadow((), False, other, elsewhere)
    for one in earlier:
        if asker.ask("all_be", policy, [(rule.when, True), (one.when, NOT_TRUE)]).status == PROVED:
            return Shadow((one.id,), False, other)
    needed = _needed(policy, rule, earlier, asker)
    return Shadow(tuple(one.id for one in needed), not needed, other)


def elsewhere_only(policy: CompiledPolicy, when: Node, stage: str, asker: Asker) -> str:
    """Return why a check never asks the stage where the condition is true; the empty text if it may."""
    return only_elsewhere(
        policy, when, stage, lambda wanted: asker.ask("all_be", policy, wanted).status == PROVED
    )


def _needed(policy: CompiledPolicy, rule: Rule, earlier: tuple[Rule, ...], asker: Asker) -> tuple[Rule, ...]:
    """Return earlier rules that cover the rule together, none of which can be left out."""
    left = earlier
    wanted: list[tuple[Node, bool | str]] = [(rule.when, True), *((one.when, NOT_TRUE) for one in earlier)]
    if asker.ask("all_be", policy, wanted).status == REFUTED:
        return ()
    for one in earlier:
        fewer = tuple(other for other in left if other is not one)
        wanted = [(rule.when, True), *((other.when, NOT_TRUE) for other in fewer)]
        if asker.ask("all_be", policy, wanted).status == PROVED:
            left = fewer
    return left


def _other_settings(policy: CompiledPolicy, rule: Rule, asker: Asker) -> Settings:
    tried, names, open_ = 0, [], ""
    for parameter, changed in settings_tried(policy, rule):
        tried += 1
        names.append(parameter.name)
        answer = asker.ask("can_decide", changed, rule.id)
        if answer.status == REFUTED:
            value = changed.parameters[parameter.name].value
            return Settings(f"${parameter.name} {shown(value, parameter.type)}", "", tried, ())
        open_ = open_ or answer.why
    return Settings("", open_, tried, tuple(dict.fromkeys(names)))
