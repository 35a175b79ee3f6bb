"""The reference page of extractors and the facts they give, from their own declarations."""

from __future__ import annotations

import inspect

from exitgate.facts import registry
from exitgate.report.schema_page import property_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.facts.registry import Extractor
    from exitgate.model.fact_spec import FactSpec

INTRODUCTION = """# Facts and extractors

A policy names its facts under `facts:`: a prefix of its own, the extractor that fills it, the source it
reads and its options. The facts are the prefix and a name behind it; an empty name is the prefix itself.
Each fact is known, with its evidence, or unknown, with the reason.
"""
ALWAYS = """## Always there

These prefixes need no entry under `facts:`; each is read only where a policy names one of its facts.
"""


def facts_page() -> str:
    """Return the page: the built-in prefixes first, then each extractor with its options and facts."""
    prefixes = {id: prefix for prefix, id in registry.BUILT_IN.items()}
    built_in = [_section(id, registry.load(id), prefixes[id]) for id in registry.names() if id in prefixes]
    others = [_section(id, registry.load(id), "") for id in registry.names() if id not in prefixes]
    return "\n".join(
        [
            INTRODUCTION,
            ALWAYS,
            *built_in,
            "## Extractors\n",
            *others,
        ]
    )


def _section(id: str, extractor: Extractor, prefix: str) -> str:
    doc = inspect.getdoc(extractor) or ""
    lines = [f"### {id}", "", doc.strip(), ""]
    lines.append(f"Reads the source `{extractor.SOURCE}` unless `from:` names another.")
    rows = list(property_rows({"properties": extractor.OPTIONS}))
    if rows:
        lines += ["", "| option | type | meaning |", "|---|---|---|", *rows]
    lines += ["", "| fact | type | meaning | unknown |", "|---|---|---|---|"]
    lines += [_fact(spec, prefix) for spec in extractor.specs({})]
    return "\n".join(lines) + "\n"


def _fact(spec: FactSpec, prefix: str) -> str:
    name = f"{prefix}.{spec.name}" if prefix and spec.name else prefix or spec.name
    shown = f"`{name}`" if name else "the prefix itself"
    bounds = "" if spec.low is None or spec.high is None else f", {spec.low:g} to {spec.high:g}"
    cells = (shown, f"{spec.type}{bounds}", spec.doc, spec.unknown_when or "never on a readable source")
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"
