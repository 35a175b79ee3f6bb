"""Why a rule never decides: its condition is never true, or earlier rules are true whenever it is."""

from __future__ import annotations

from exitgate.analysis.ask import NOT_TRUE
from exitgate.analysis.prove.alternatives import settings_tried
from exitgate.analysis.walk.answer import FOUND, NONE
from exitgate.analysis.walk.chain import deciding
from exitgate.engine.shown import shown
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.prove.asker import Asker
    from exitgate.policy.compiled import CompiledPolicy, Rule


class Shadow(Value):
    """
    Why a rule never decides.

    Args:
        by: Earlier rules, one of which is true whenever the rule is; () where it is never true itself.
        open: Whether that could not be reported.
        otherwise: Setting under which it can decide, as `NAME=VALUE`; empty where none was found.
        tried: How many other settings were tried.
        parameters: Names of the parameters that were tried.
    """

    __slots__ = ("by", "open", "otherwise", "parameters", "tried")

    def __init__(
        self, by: tuple[str, ...], open: bool, otherwise: str, tried: int, parameters: tuple[str, ...]
    ) -> None:
        self.by = by
        self.open = open
        self.otherwise = otherwise
        self.tried = tried
        self.parameters = parameters

    def told(self) -> str:
        """Return it as a sentence part."""
        why = self._why()
        if self.otherwise:
            return f"{why}; with {self.otherwise} it can"
        if self.tried:
            names = ", ".join(f"${name}" for name in self.parameters)
            return f"{why}, for every value of {names} ({self.tried} tried)"
        return why

    def _why(self) -> str:
        if self.open:
            return "never decides"
        if not self.by:
            return "its condition is never true"
        names = " or ".join(f"`{name}`" for name in self.by)
        return f"whenever it is true, {names} is true before it"


def shadow_of(policy: CompiledPolicy, rule: Rule, asker: Asker) -> Shadow:
    """Return why a rule that never decides does not, and with which other setting it would."""
    otherwise, tried, names = _otherwise(policy, rule, asker)
    if asker.ask("can_be", policy, rule.when, True).status == NONE:
        return Shadow((), False, otherwise, tried, names)
    rules = deciding(policy, rule.stage)
    earlier = rules[: [one.id for one in rules].index(rule.id)]
    for one in earlier:
        if asker.ask("all_be", policy, [(rule.when, True), (one.when, NOT_TRUE)]).status == NONE:
            return Shadow((one.id,), False, otherwise, tried, names)
    needed = _needed(policy, rule, earlier, asker)
    return Shadow(tuple(one.id for one in needed), not needed, otherwise, tried, names)


def _needed(policy: CompiledPolicy, rule: Rule, earlier: tuple[Rule, ...], asker: Asker) -> tuple[Rule, ...]:
    """Return earlier rules that cover the rule together, none of which can be left out."""
    left = earlier
    for one in earlier:
        fewer = tuple(other for other in left if other is not one)
        wanted = [(rule.when, True), *((other.when, NOT_TRUE) for other in fewer)]
        if asker.ask("all_be", policy, wanted).status == NONE:
            left = fewer
    return left


def _otherwise(policy: CompiledPolicy, rule: Rule, asker: Asker) -> tuple[str, int, tuple[str, ...]]:
    tried, names = 0, []
    for parameter, changed in settings_tried(policy, rule):
        tried += 1
        names.append(parameter.name)
        if asker.ask("can_decide", changed, rule.id).status == FOUND:
            value = changed.parameters[parameter.name].value
            return f"${parameter.name} {shown(value, parameter.type)}", tried, ()
    return "", tried, tuple(dict.fromkeys(names))
