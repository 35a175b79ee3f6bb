"""
Lint `unbounded-loop`.

## What it finds

A policy in which no rule ends every run after some number of iterations or some time, no matter what the
agent says.

## Why it matters

Signals may never come, plans can be unticked, and the loop runs all night. `exitgate prove` shows an input
on which it never ends.

## Bad, whole file

```yaml
# yaml-language-server: $schema=policy.schema.json
policy: example
format: 1
version: 1.0.0
title: An example
doc: Ends a run when its plan is done.
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: plan_done
    when: tasks.complete
    exit: complete
    because: Every task of the plan is done
otherwise: {continue: true, because: Work continues}
undetermined: {exit_after: 5}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
```

## Good, whole file

```yaml
# yaml-language-server: $schema=policy.schema.json
policy: example
format: 1
version: 1.0.0
title: An example
doc: Ends a run when its plan is done.
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: plan_done
    when: tasks.complete
    exit: complete
    because: Every task of the plan is done
  - id: iterations_used_up
    when: run.iterations >= 50
    exit: exhausted
    stage: before_iteration
    because: "{run.iterations} iterations are enough"
otherwise: {continue: true, because: Work continues}
undetermined: {exit_after: 5}
invariants:
  - {id: silence_never_exits, given: nothing is known, never: exit}
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.queries import LIMITS, condition
from exitgate.analysis.results.answer import REFUTED
from exitgate.analysis.walk.queries import decides
from exitgate.core.language.measure import facts_of
from exitgate.core.model.decision import CONTINUE
from exitgate.core.model.diagnostic import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "unbounded-loop"
TITLE = "nothing bounds the loop"
SEVERITY = WARNING
KINDS = (POLICY,)
COMPILED = True
#: Facts that grow in every run no matter what the agent does, each with a value beyond any limit.
GROWING = {"run.iterations": "1000000000", "run.elapsed": "100000000h", "clock.elapsed": "100000000h"}
#: `check` asks both after each iteration, so a bound in either is one.
STAGES = ("before_iteration", "after_iteration")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield one finding on a policy that decides and never has to."""
    if not subject.has_rules or any(_bounds(subject, name) for name in GROWING):
        return
    yield Finding(
        "no rule ends a run whose agent never gives a signal",
        subject.root.fields["rules"].label if "rules" in subject.root.fields else subject.head(),
        "add a rule such as `when: run.iterations >= $max_iterations`, or extend `guardrails`",
    )


def _bounds(subject: Subject, name: str) -> bool:
    """Return whether every run ends once the fact is beyond any limit, as far as no run denies it."""
    policy = subject.policy
    if not any(name in facts_of(rule.when, policy.conditions) for rule in policy.rules):
        return False
    given = condition(subject, f"{name} >= {GROWING[name]}")
    return any(
        decides(policy, CONTINUE, given, LIMITS, stage).status != REFUTED
        for stage in STAGES
        if any(rule.stage == stage and rule.effect == "exit" for rule in policy.rules)
    )
