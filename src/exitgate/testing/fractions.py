"""Fractions given for percentages in a file of tests: they are asked about, as in policies (EP446)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.policy.findings import Findings
from exitgate.policy.fractions import ask_about_value

if TYPE_CHECKING:
    from exitgate.model.diagnostic import Diagnostic
    from exitgate.testing.suite import Suite


def fractions(suite: Suite) -> tuple[Diagnostic, ...]:
    """Return a warning for each fact or parameter of type percent that a test gives as a fraction."""
    findings = Findings()
    findings.know(suite.document.lines)
    types = {name: spec.type for name, spec in suite.policy.facts.items()}
    types |= {name: parameter.type for name, parameter in suite.policy.parameters.items()}
    for part in suite.document.root.walk():
        for name, value in part.fields.items():
            if name in types:
                ask_about_value(types[name], value.value, value.text, value.place, findings)
    return findings.sorted()
