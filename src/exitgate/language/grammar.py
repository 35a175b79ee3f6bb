"""The parser that Lark makes of `grammar.lark`, made once in a process, when first asked for."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from lark import Lark

from exitgate.language.build import Builder

if TYPE_CHECKING:
    from exitgate.language.tree import Node


def grammar_text() -> str:
    """Return the text of `grammar.lark`."""
    path = os.path.join(os.path.dirname(__file__), "grammar.lark")
    with open(path, encoding="utf-8") as file:
        return file.read()


@lru_cache(maxsize=1)
def parser() -> Lark:
    """Return the parser; its `parse` gives a `Node`."""
    return Lark(
        grammar_text(),
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        keep_all_tokens=True,
        maybe_placeholders=False,
        transformer=Builder(),
    )


def read(text: str) -> Node:
    """
    Return the tree of a well-formed condition.

    Raises `lark.exceptions.UnexpectedInput`, or `LanguageError` for a literal or a call that the
    grammar lets through.
    """
    return cast("Node", parser().parse(text))
