"""The parser that Lark makes of `grammar.lark`, made once in a process, when first asked for."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from lark import Lark, lexer

from exitgate.language.build import Builder

if TYPE_CHECKING:
    from lark import Token

    from exitgate.language.tree import Node

#: Terminals of this priority and above are keywords.
KEYWORD_PRIORITY = 2
#: Trees are kept for so many texts: settings and mutants of a policy share most conditions.
KEPT = 2048


def grammar_text() -> str:
    """Return the text of `grammar.lark`."""
    path = os.path.join(os.path.dirname(__file__), "grammar.lark")
    with open(path, encoding="utf-8") as file:
        return file.read()


@lru_cache(maxsize=1)
def parser() -> Lark:
    """Return the parser; its `parse` gives a `Node`."""
    from exitgate.language.grammar_tables import kept

    return kept(grammar_text(), Builder(), {"FACT": _no_keyword}) or built()


def built() -> Lark:
    """
    Return the parser made of the grammar itself.

    Where `interegular` is installed, Lark looks for terminals that overlap, for most of a second. The
    tests of the grammar do that once; a check that compiles a policy need not.
    """
    looking, lexer.has_interegular = lexer.has_interegular, False
    try:
        return Lark(
            grammar_text(),
            parser="lalr",
            lexer="contextual",
            propagate_positions=True,
            keep_all_tokens=True,
            maybe_placeholders=False,
            transformer=Builder(),
            lexer_callbacks={"FACT": _no_keyword},
        )
    finally:
        lexer.has_interegular = looking


@lru_cache(maxsize=1)
def _keywords() -> tuple[tuple[str, re.Pattern[str]], ...]:
    terminals = (t for t in parser().terminals if t.priority >= KEYWORD_PRIORITY)
    return tuple((t.name, re.compile(t.pattern.to_regexp())) for t in terminals)


def _no_keyword(token: Token) -> Token:
    """
    Give a keyword read as a fact its own name, so that the parser refuses it.

    The contextual lexer only looks for terminals that fit; `x > and y` would read `and` as a fact.
    A look-ahead in the pattern does the same, and takes Lark a minute where `interegular` is installed.
    """
    for name, pattern in _keywords():
        if pattern.fullmatch(token):
            return token.update(type=name)
    return token


@lru_cache(maxsize=KEPT)
def read(text: str) -> Node:
    """
    Return the tree of a well-formed condition; the same text has the same tree.

    Raises `lark.exceptions.UnexpectedInput`, or `LanguageError` for a literal or a call that the
    grammar lets through.
    """
    return cast("Node", parser().parse(text))
