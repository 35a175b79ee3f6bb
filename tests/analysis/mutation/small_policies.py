"""Small policies for tests of mutants, compiled from a condition or from their whole text."""

from __future__ import annotations

from pathlib import Path

from exitgate.analysis.mutation.mutant import Mutant
from exitgate.analysis.mutation.registry import mutants
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

HEAD = """\
policy: small
format: 1
version: 1.0.0
parameters:
  least: {type: percent, default: 80, min: 80, doc: As little as this.}
  loops: {type: count, default: 3, min: 1, doc: So many iterations.}
  limit: {type: duration, default: 30m, doc: So long.}
  strict: {type: bool, default: true, doc: Whether to look twice.}
  unused: {type: count, default: 7, doc: Only messages name it.}
facts:
  tasks: {extract: checklist, from: plan}
  status:
    extract: status_block
    from: response
    name: S
    fields:
      signal: {type: bool}
      state: {type: enum, members: [DONE, BLOCKED, BUSY]}
"""


def compiled(folder: Path, text: str) -> CompiledPolicy:
    """Return the policy whose text is `HEAD` and `text`."""
    path = folder / "policy.yaml"
    path.write_text(HEAD + text)
    return load_policy(str(path))


def rule(when: str, effect: str = "warn: true", more: str = "") -> str:
    """Return one rule with a condition, ready to stand behind `HEAD`."""
    return f"rules:\n  - id: one\n    when: {when}\n    {effect}\n    because: so\n{more}"


def afters(policy: CompiledPolicy, kind: str, subject: str = "") -> list[str]:
    """Return what the mutants of a kind read like."""
    return [one.after for one in mutants(policy, [kind], subject)]


def only(policy: CompiledPolicy, id: str) -> Mutant:
    """Return the mutant of that id."""
    return next(one for one in mutants(policy) if one.id == id)
