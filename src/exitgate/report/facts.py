"""Facts found in a text, as people read them: a line a fact, its evidence quoted below."""

from __future__ import annotations

from exitgate.model.value import Unknown
from exitgate.report.evidence import evidence_lines
from exitgate.report.safe import safe
from exitgate.report.style import Style
from exitgate.report.values import value_text
from exitgate.report.width import columns, pad, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.model.evidence import Fact
    from exitgate.model.fact_spec import FactSpec


def facts_text(
    facts: Iterable[Fact],
    specs: Mapping[str, FactSpec],
    texts: Mapping[str, str],
    style: Style,
    shown: int = 5,
) -> str:
    """
    Return the facts as a table with evidence.

    Args:
        facts: In the order to show them.
        specs: Full name -> spec, for types and meanings.
        texts: Source name -> its text, to quote whole lines from.
        style: Colour and width.
        shown: Pieces of evidence quoted of one fact; the rest is counted.
    """
    found = list(facts)
    names = max((columns(fact.name) for fact in found), default=0)
    values = min(24, max((columns(_value(fact, specs)) for fact in found), default=0))
    below = style.narrowed(4)
    quoted: set[tuple[int, int, str]] = set()
    lines: list[str] = []
    for fact in found:
        lines += _row(fact, specs, names, values, style)
        spans = [(one.start, one.end, one.note) for one in (*fact.evidence, *fact.rejected)]
        if spans and quoted.issuperset(spans):
            continue
        quoted |= set(spans)
        lines += ["    " + line for line in evidence_lines(fact.evidence, fact.rejected, texts, below, shown)]
    return "\n".join(lines) + "\n" if lines else ""


def _row(fact: Fact, specs: Mapping[str, FactSpec], names: int, values: int, style: Style) -> list[str]:
    spec = specs.get(fact.name)
    value = _value(fact, specs)
    if isinstance(fact.value, Unknown):
        meaning = fact.value.reason
    else:
        meaning = fact.note or (spec.doc if spec is not None else "")
    role = "unknown" if isinstance(fact.value, Unknown) else "strong"
    name = safe(fact.name)
    indent = " " * (names + values + 4)
    if columns(value) > values:
        first = wrap(value, style.width, " " * (names + 2))
        lines = [f"{style.paint('name', pad(name, names))}  {style.paint(role, first[0].lstrip())}"]
        lines += [style.paint(role, line) for line in first[1:]]
        return lines + ([style.paint("quiet", line) for line in wrap(safe(meaning), style.width, indent)])
    head, *rest = wrap(safe(meaning), style.width, indent)
    row = f"{style.paint('name', pad(name, names))}  {style.paint(role, pad(value, values))}  "
    return [(row + style.paint("quiet", head.lstrip())).rstrip(), *(style.paint("quiet", r) for r in rest)]


def _value(fact: Fact, specs: Mapping[str, FactSpec]) -> str:
    spec = specs.get(fact.name)
    return value_text(fact.value, spec.type if spec is not None else None)
