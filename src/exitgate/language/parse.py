"""From the text of a condition to its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lark.exceptions import UnexpectedInput

from exitgate.language.grammar import read
from exitgate.language.problem import LanguageError, Problem
from exitgate.language.syntax_problems import problems_of

if TYPE_CHECKING:
    from exitgate.language.tree import Node

#: Characters a condition may have.
LENGTH_LIMIT = 4000

#: Levels a tree may have, the leaves included. `and` and `or` are flat: a long chain is two levels.
DEPTH_LIMIT = 50


def parse(text: str) -> Node:
    """
    Return the tree of a condition, untyped, with offsets in characters.

    Raises `LanguageError` with every problem of syntax that can be told apart (EP301 to EP318), for
    any text at all, and for one longer than `LENGTH_LIMIT` or nested deeper than `DEPTH_LIMIT`.
    """
    if len(text) > LENGTH_LIMIT:
        message = f"the condition has {len(text)} characters; {LENGTH_LIMIT} is the limit"
        help_ = "give parts of it names under `conditions:` and use them as `@name`"
        raise LanguageError([Problem("EP302", message, LENGTH_LIMIT, len(text), help_)])
    try:
        node = read(text)
    except (UnexpectedInput, LanguageError):
        raise LanguageError(problems_of(text)) from None
    deep = _too_deep(node)
    if deep is not None:
        message = f"the condition is nested deeper than {DEPTH_LIMIT} levels here"
        help_ = "give the inner part a name under `conditions:` and use it as `@name`"
        raise LanguageError([Problem("EP303", message, deep.start, deep.end, help_)])
    return node


def _too_deep(node: Node) -> Node | None:
    """Return the first node below `DEPTH_LIMIT` levels, or None; without recursion."""
    level = [node]
    for _ in range(DEPTH_LIMIT):
        level = [child for parent in level for child in parent.children()]
    return level[0] if level else None
