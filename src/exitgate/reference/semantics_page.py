"""One table of what every form and function answers with too little history, with unknown values, negated."""

from __future__ import annotations

from exitgate.language.functions import FUNCTIONS
from exitgate.reference import source
from exitgate.reference.asked import Vocabulary, list_of, load, mapping
from exitgate.reference.entry import Page
from exitgate.reference.tables import code, table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Pages of the language that are no operations: what they say is part of others.
APART = frozenset(("last-n", "list", "named-condition", "parameter", "parentheses"))
HEADS = ("written", "too little history", "unknown among them", "unknown now", "`not`, too little history")
PATH = "semantics.md"


def page() -> Page:
    """
    Return the page, every cell evaluated by both evaluators.

    Raises:
        ValueError: A form or function has no row, or a row belongs to none.
    """
    plain = load(source.HERE, "semantics.yaml")
    rows = [mapping(row) for row in list_of(plain["rows"])]
    wanted = {*source.names("language"), *FUNCTIONS} - APART
    if (found := {str(row["of"]) for row in rows}) != wanted:
        raise ValueError(f"forms and rows differ: {sorted(found ^ wanted)}")
    vocabulary = Vocabulary()
    lines = ["# Unknown values and short histories", "", str(plain["text"]).strip(), ""]
    lines += table(HEADS, [_row(row, vocabulary) for row in rows])
    return Page(PATH, "\n".join([*lines, ""]))


def _row(row: Mapping[str, object], vocabulary: Vocabulary) -> tuple[str, ...]:
    text = str(row["condition"])
    cells = [_cell(text, row.get(key), vocabulary) for key in ("little", "inside", "now")]
    negated = _cell(f"not ({text})", row.get("little"), vocabulary) if vocabulary.is_condition(text) else "-"
    return code(text), *cells, negated


def _cell(text: str, facts: object, vocabulary: Vocabulary) -> str:
    if facts is None:
        return "-"
    asked = vocabulary.ask({"condition": text, "facts": facts})
    return f"{asked.result}<br>{'<br>'.join(code(given) for given in asked.given)}"
