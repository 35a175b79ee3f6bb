"""
Lint `rule-beyond-readers`.

## What it finds

A rule that needs a fact whose source no transcript reader supplies: it is passed to `check` with
`--source`.

## Why it matters

Dry runs, scores and tuning never exercise that rule; only tests and the loop itself do.

## Bad

```yaml
facts:
  tasks: {extract: checklist, from: plan}
  approval: {extract: promise, from: review_notes, text: APPROVED}
rules:
  - id: approved
    when: approval.emitted and tasks.complete
    exit: complete
    because: The review says yes
```

## Good

```yaml
facts:
  tasks: {extract: checklist, from: plan}
  approval: {extract: promise, from: output, text: APPROVED}
rules:
  - id: approved
    when: approval.emitted and tasks.complete
    exit: complete
    because: The review says yes
```
"""

from __future__ import annotations

from exitgate.analysis.lint.finding import POLICY, Finding
from exitgate.analysis.lint.queries import LIMITS, PROOFS, condition, proved_none
from exitgate.analysis.walk.queries import REFUTED, all_be, can_be
from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.facts.registry import own_files
from exitgate.core.language.measure import facts_of
from exitgate.core.model import capabilities
from exitgate.core.model.diagnostic import NOTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.analysis.lint.subject import Subject


ID = "rule-beyond-readers"
TITLE = "a rule that can never fire on recorded runs"
SEVERITY = NOTE
KINDS = (POLICY,)
COMPILED = True


def check(subject: Subject) -> Iterator[Finding]:
    """Yield each rule written here that needs a source that no reader gives."""
    policy = subject.policy
    foreign = {
        extraction.prefix: extraction.source
        for extraction in policy.extractions
        if extraction.source not in capabilities.ALL
        and extraction.source not in _OWN
        and extraction.extractor != GIVEN
        and not own_files(extraction.extractor)
    }
    for part, rule in subject.rules:
        names = sorted(n for n in facts_of(rule.when, policy.conditions) if n.partition(".")[0] in foreign)
        if not names:
            continue
        silent = [(condition(subject, f"{name} is unknown"), True) for name in names]
        if can_be(policy, rule.when, True, LIMITS).status == REFUTED and proved_none(
            all_be(policy, [(rule.when, True), *silent], PROOFS)
        ):
            sources = ", ".join(sorted({f"`{foreign[name.partition('.')[0]]}`" for name in names}))
            yield Finding(
                f"rule `{rule.id}` is never true without {sources}, which no transcript reader supplies",
                part.fields["when"].place,
                "cover it with tests, or read the fact from a source that is recorded",
            )


#: Sources of exitgate's own making, there in every iteration.
_OWN = frozenset(("run", "clock", "day", "history"))
