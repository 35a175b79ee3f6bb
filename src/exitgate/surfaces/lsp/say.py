"""What facts, parameters, conditions and functions are, in Markdown."""

from __future__ import annotations

from exitgate.facts.given import NAME as GIVEN
from exitgate.language.functions import MAY_WINDOW, MUST_WINDOW, SAME, WINDOWED
from exitgate.language.unparse import unparse
from exitgate.language.written import value_text
from exitgate.policy.points import ADD_NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.language.functions import Function
    from exitgate.model.fact_spec import FactSpec
    from exitgate.policy.compiled import Derived, Parameter
    from exitgate.surfaces.lsp.known import Known


#: A reason for being unknown that begins otherwise is a clause, and needs an `if`.
_BEGINNINGS = ("when ", "if ", "without ", "outside ", "at ")


def _unknown(reason: str) -> str:
    """Return the sentence that says when a fact is unknown."""
    if not reason:
        return "Never unknown on a readable source."
    return f"Unknown {reason}." if reason.startswith(_BEGINNINGS) else f"Unknown if {reason}."


def fact_doc(spec: FactSpec, known: Known) -> str:
    """Return what a fact means, when it is unknown, and its origin."""
    lines = [spec.doc] if spec.doc else []
    if spec.low is not None or spec.high is not None:
        lines.append(f"From {_bound(spec.low)} to {_bound(spec.high)}.")
    lines.append(_unknown(spec.unknown_when))
    entry = known.entry_of(spec.name)
    extraction = known.extractions.get(entry or "")
    derived = known.derived.get(spec.name)
    if derived is not None:
        lines.append(_computed(derived))
    elif extraction is not None and extraction.extractor == GIVEN:
        lines.append(f"Given by the caller of a check: `--fact {spec.name}=VALUE`.")
    elif extraction is not None:
        lines.append(f"Extractor `{extraction.extractor}`, from `{extraction.source}`.")
    return "\n\n".join(lines)


def _bound(value: float | None) -> str:
    return "any" if value is None else f"{value:g}"


def _computed(derived: Derived) -> str:
    if derived.formula is not None:
        return f"Computed: `{unparse(derived.formula)}`"
    if derived.rows:
        rows = "\n".join(f"- {row.add:+g} when `{unparse(row.when)}`" for row in derived.rows)
        unsure = "add nothing" if derived.unknown_rows == ADD_NOTHING else "leave the sum between two bounds"
        return f"Points of the rows that are definitely true; unknown rows {unsure}:\n{rows}"
    return "Progress by " + ", ".join(f"`{signal}`" for signal in derived.signals) + "."


def parameter_doc(parameter: Parameter) -> str:
    """Return what a parameter is for, its default and its bounds."""
    lines = [parameter.doc] if parameter.doc else []
    lines.append(f"Default `{written(parameter.default, parameter)}`{_range(parameter)}.")
    return "\n\n".join(lines)


def _range(parameter: Parameter) -> str:
    words = ""
    if parameter.low is not None:
        words += f", at least `{written(parameter.low, parameter)}`"
    if parameter.high is not None:
        words += f", at most `{written(parameter.high, parameter)}`"
    return words


def written(value: object, parameter: Parameter) -> str:
    """Return a value of a parameter as a condition writes it."""
    return value_text(value, parameter.type)


def condition_doc(name: str, known: Known) -> str:
    """Return the canonical text of a named condition and what its `doc:` says."""
    part = known.section("conditions").get(name)
    doc = part.get("doc") if part is not None else None
    text = f"```\n{unparse(known.conditions[name])}\n```"
    return f"{doc.text}\n\n{text}" if doc is not None else text


def signature(function: Function) -> str:
    """Return the kinds of a function's arguments and what it gives: ``count(bool, last N) → count``."""
    words = [_kinds(kinds) for kinds in function.kinds]
    if function.many:
        words = [*words, "…"]
    if function.window == MUST_WINDOW:
        words.append("last N")
    inner = ", ".join(words) + (" [, last N]" if function.window == MAY_WINDOW else "")
    result = "as its argument" if function.result == SAME else function.result
    windowed = f" or {function.name}({words[0]}, last N)" if function.name in WINDOWED else ""
    return f"{function.name}({inner}){windowed} → {result}"


def _kinds(kinds: tuple[str, ...]) -> str:
    if len(kinds) == 1:
        return kinds[0]
    return "/".join(kinds) if len(kinds) <= 2 else ("number" if "text" not in kinds else "any")
