"""Exceptions: where a policy or settings weaken a rule, or remove it."""

from __future__ import annotations

from msgspec import Struct

from exitgate.analysis.lint.finding import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.yaml.node import YamlNode


ENFORCE, DISABLED = "enforce", "disabled"


class Weakened(Struct, frozen=True):
    """
    A rule that does less than it would.

    Args:
        rule: Its id.
        mode: What is made of it: ``warn``, ``shadow`` or ``disabled``; ``enforce`` for a rule lifted.
        part: The rule in a policy, the change in settings.
        said: Where the mode is.
    """

    rule: str
    mode: str
    part: YamlNode
    said: YamlNode


def exceptions(subject: Subject) -> Iterator[Weakened]:
    """Yield every exception written in a file, from top to bottom."""
    for rule, part in _rules(subject):
        disabled, mode = part.get("disabled"), part.get("mode")
        if disabled is not None and disabled.value is True:
            yield Weakened(rule, DISABLED, part, disabled)
        elif mode is not None:
            yield Weakened(rule, mode.text, part, mode)


def _rules(subject: Subject) -> Iterator[tuple[str, YamlNode]]:
    if subject.kind != SETTINGS:
        for rule in subject.items("rules"):
            if "id" in rule.fields:
                yield rule.fields["id"].text, rule
        return
    section = subject.root.get("exit_decision")
    scopes = [section] if section is not None else []
    others = section.get("policies") if section is not None else None
    scopes += others.fields.values() if others is not None else ()
    for scope in scopes:
        rules = scope.get("rules")
        yield from rules.fields.items() if rules is not None else ()
