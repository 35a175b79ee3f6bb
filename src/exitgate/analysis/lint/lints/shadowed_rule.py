"""
Lint `shadowed-rule`.

## What it finds

A deciding rule whose condition can be true, but only when an earlier rule of its stage decides first, when
a check without `--stage` asks another stage, or where no run of a loop gets.

## Why it matters

The first rule that is true decides. A rule that is true only when an earlier one is never decides, and its
message and class are never seen. Each question has a second: in a policy with dozens of rules that read the
same facts, some can be left open, and then nothing is reported of the rule. `exitgate prove POLICY --only
rules` asks in full, and names what it leaves open.

## Bad

```yaml
rules:
  - id: mostly_done
    when: tasks.percent >= 80%
    exit: complete
    because: "{tasks.percent} of the plan is done"
  - id: all_done
    when: tasks.percent >= 100%
    exit: complete
    because: Every task of the plan is done
```

## Good

```yaml
rules:
  - id: all_done
    when: tasks.percent >= 100%
    exit: complete
    because: Every task of the plan is done
  - id: mostly_done
    when: tasks.percent >= 80%
    exit: complete
    because: "{tasks.percent} of the plan is done"
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.queries import LIMITS, PROOFS, never_decides, proved_none
from exitgate.analysis.walk.queries import NOT_TRUE, REFUTED, all_be, can_be, only_elsewhere
from exitgate.core.language.tree import Node
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject
    from exitgate.core.policy.compiled import Rule
    from exitgate.core.policy.yaml.node import YamlNode


ID = "shadowed-rule"
TITLE = "a rule that an earlier one always preempts"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True
_TRUE = Node("bool", (True,))
HELP = "put it first, or remove it"


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each deciding rule written here that can never be the first that is true."""
    policy = subject.policy
    deciding = [
        (part, rule) for part, rule in subject.chain if rule.effect != "warn" and rule.mode == "enforce"
    ]

    def none(wanted: list[tuple[Node, bool | str]]) -> bool:
        return proved_none(all_be(policy, wanted, PROOFS))

    for number, (part, rule) in enumerate(deciding):
        if not subject.is_own(part.place) or not never_decides(policy, rule):
            continue  # most rules can decide, and then their conditions can be true
        if all_be(policy, [(rule.when, True)], LIMITS).status != REFUTED:
            continue  # taken alone: whether a run gets there is why it may be shadowed
        shadow = _shadow(subject, rule, deciding[:number])
        before = [one for _, one in deciding[:number] if one.stage == rule.stage]
        if shadow is not None and shadow[1].when in (rule.when, _TRUE):
            continue  # what is written twice, and what is written as `true`, other lints tell
        message, help = f"rule `{rule.id}` never decides: ", HELP
        if elsewhere := only_elsewhere(policy, rule.when, rule.stage, none):
            message, help = message + elsewhere, "give it the `stage` that is asked then, or remove it"
        elif shadow is not None:
            message += f"`{shadow[1].id}` before it is true whenever it is"
        elif none([(rule.when, True), *((one.when, NOT_TRUE) for one in before)]):
            message += "the rules before it cover every case"
        elif can_be(policy, rule.when, True, LIMITS).status != REFUTED:
            continue  # every run may end before its condition can be true: lints of windows tell
        else:
            message += "no run of a loop gets there"
            help = f"ask `exitgate prove POLICY --rule {rule.id}`, or remove it"
        related = (("is true then", shadow[0].fields["when"].place),) if shadow is not None else ()
        yield Finding(message, part.fields["id"].place, help, related=related)


def _shadow(
    subject: Subject, rule: Rule, before: list[tuple[YamlNode, Rule]]
) -> tuple[YamlNode, Rule] | None:
    """Return the first single rule that is true wherever this one is; None where it takes several."""
    for part, other in before:
        if other.stage == rule.stage:
            wanted: list[tuple[Node, bool | str | None]] = [(rule.when, True), (other.when, NOT_TRUE)]
            if proved_none(all_be(subject.policy, wanted, PROOFS)):
                return part, other
    return None
