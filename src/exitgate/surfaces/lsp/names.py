"""The names of a policy as proposals."""

from __future__ import annotations

from exitgate.surfaces.lsp.item import FACT, PARAMETER, RULE, WORD, Item
from exitgate.surfaces.lsp.say import fact_doc, parameter_doc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.lsp.known import Known


#: What a message may do with a fact beside naming it.
_SLOTS = (
    ("history(…)", "history(${1:fact}, last ${2:3})", "The last values of a fact, one iteration per line."),
)


def fact_items(known: Known) -> tuple[Item, ...]:
    """Return every fact."""
    return tuple(
        Item(name, FACT, str(spec.type), fact_doc(spec, known), rank=1) for name, spec in known.facts.items()
    )


def parameter_items(known: Known, sign: str = "$", rank: int = 2) -> tuple[Item, ...]:
    """Return every parameter, written with `sign` before it."""
    return tuple(
        Item(sign + name, PARAMETER, str(parameter.type), parameter_doc(parameter), rank=rank)
        for name, parameter in known.parameters.items()
    )


def rule_items(known: Known) -> tuple[Item, ...]:
    """Return every rule of the policy and of those it extends, in the order of the files."""
    found = []
    for id_, (rule, _) in known.rules.items():
        effect = next((key for key in ("exit", "continue", "warn", "disabled") if key in rule.fields), "")
        word = rule.fields[effect].text if effect == "exit" else ""
        when = rule.get("when")
        doc = f"`{when.text}`" if when is not None and when.text else ""
        found.append(Item(id_, RULE, f"{effect}: {word}" if word else effect, doc, rank=1))
    return tuple(found)


def list_items(known: Known) -> tuple[Item, ...]:
    """Return every named list."""
    return tuple(Item(name, WORD, "list", rank=1) for name in known.section("lists"))


def slot_items(known: Known) -> tuple[Item, ...]:
    """Return what may be in the braces of a message."""
    forms = tuple(Item(label, WORD, "", doc, snippet, True, 4) for label, snippet, doc in _SLOTS)
    return (*fact_items(known), *parameter_items(known), *forms)
