"""One proposal of completion."""

from __future__ import annotations

from exitgate.model.value import Value

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


class Completed(Value):
    """Proposals, and the offsets in the text between which one is put in."""

    __slots__ = ("end", "items", "start")

    def __init__(self, items: tuple[Item, ...], start: int, end: int) -> None:
        self.items = items
        self.start = start
        self.end = end


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
