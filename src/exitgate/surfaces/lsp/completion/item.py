"""One proposal of completion."""

from __future__ import annotations

from msgspec import Struct

from exitgate.core.model.value import Value
from exitgate.surfaces.lsp.policy_index import PolicyIndex, fact_doc, parameter_doc

#: Kinds of proposals; the edge translates them for the protocol.
FACT, PARAMETER, CONDITION, MEMBER, FUNCTION = "fact", "parameter", "condition", "member", "function"
KEYWORD, FORM, KEY, WORD, REFERENCE, RULE = "keyword", "form", "key", "word", "reference", "rule"


class Item(Value):
    """
    A text that may be put in.

    Args:
        label: What the list shows.
        kind: One of the kinds above.
        detail: Short: its type, its signature.
        doc: Markdown.
        insert: What is put in; with `snippet` in the form of the protocol's snippets.
        snippet: Whether it has fields to fill in.
        rank: Smaller ones are shown first; those of a rank by label.
    """

    __slots__ = ("detail", "doc", "insert", "kind", "label", "rank", "snippet")

    def __init__(
        self,
        label: str,
        kind: str,
        detail: str = "",
        doc: str = "",
        insert: str = "",
        snippet: bool = False,
        rank: int = 5,
    ) -> None:
        self.label = label
        self.kind = kind
        self.detail = detail
        self.doc = doc
        self.insert = insert or label
        self.snippet = snippet
        self.rank = rank


class Completed(Struct, frozen=True):
    """Proposals, and the offsets in the text between which one is put in."""

    items: tuple[Item, ...]
    start: int
    end: int


def plain_of(snippet: str) -> str:
    """Return a snippet without its fields, for editors that know no snippets: ``${1:3}`` becomes ``3``."""
    out, at = "", 0
    while at < len(snippet):
        here = snippet[at]
        behind = snippet[at + 1 : at + 2]
        if here == "\\" and behind:
            out += behind
            at += 2
        elif here == "$" and behind.isdigit():
            at += 2
        elif here == "$" and behind == "{":
            end = snippet.find("}", at)
            end = end if end >= 0 else len(snippet)
            out += snippet[at + 2 : end].partition(":")[2]
            at = end + 1
        else:
            out += here
            at += 1
    return out


# The names of a policy as proposals.

#: What a message may do with a fact beside naming it.
_SLOTS = (
    ("history(…)", "history(${1:fact}, last ${2:3})", "The last values of a fact, one iteration per line."),
)


def fact_items(known: PolicyIndex) -> tuple[Item, ...]:
    """Return every fact."""
    return tuple(
        Item(name, FACT, str(spec.type), fact_doc(spec, known), rank=1) for name, spec in known.facts.items()
    )


def parameter_items(known: PolicyIndex, sign: str = "$", rank: int = 2) -> tuple[Item, ...]:
    """Return every parameter, written with `sign` before it."""
    return tuple(
        Item(sign + name, PARAMETER, str(parameter.type), parameter_doc(parameter), rank=rank)
        for name, parameter in known.parameters.items()
    )


def rule_items(known: PolicyIndex) -> tuple[Item, ...]:
    """Return every rule of the policy and of those it extends, in the order of the files."""
    found = []
    for id_, (rule, _) in known.rules.items():
        effect = next((key for key in ("exit", "continue", "warn", "disabled") if key in rule.fields), "")
        word = rule.fields[effect].text if effect == "exit" else ""
        when = rule.get("when")
        doc = f"`{when.text}`" if when is not None and when.text else ""
        found.append(Item(id_, RULE, f"{effect}: {word}" if word else effect, doc, rank=1))
    return tuple(found)


def list_items(known: PolicyIndex) -> tuple[Item, ...]:
    """Return every named list."""
    return tuple(Item(name, WORD, "list", rank=1) for name in known.section("lists"))


def slot_items(known: PolicyIndex) -> tuple[Item, ...]:
    """Return what may be in the braces of a message."""
    forms = tuple(Item(label, WORD, "", doc, snippet, True, 4) for label, snippet, doc in _SLOTS)
    return (*fact_items(known), *parameter_items(known), *forms)
