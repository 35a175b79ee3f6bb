"""The parser that Lark makes of `grammar.lark`, made once in a process, when first asked for."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any, cast

import lark
from lark import Lark, lexer
from lark.grammar import Rule
from lark.lexer import TerminalDef

from exitgate.core.language.syntax.build import Builder
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lark import Token

    from exitgate.core.language.tree import Node


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


# The parser's tables, worked out once: Lark needs most of a cold check's time to make them of the grammar.
#
# `grammar.tables.json` holds what Lark's own `serialize` gives, for one version of Lark and one text of the
# grammar. With any other, Lark reads the grammar as usual. A test holds file and grammar together; after a
# change of either:
#
# python -P -m exitgate.core.language.grammar

PATH = os.path.join(os.path.dirname(__file__), "grammar.tables.json")
#: Comes before the pairs of a mapping whose keys are numbers, which JSON does not have.
_PAIRS = "pairs"


def made_of(parser: lark.Lark, grammar: str) -> dict[str, object]:
    """Return the tables of a parser and what they hold for, as plain JSON."""
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    options = {**data["options"], "transformer": None, "lexer_callbacks": {}}
    return {
        "lark": lark.__version__,
        "grammar": hex_digest(grammar.encode("utf-8")),
        "data": _pack({**data, "options": options}),
        "memo": _pack(memo),
    }


def kept(
    grammar: str, transformer: object, lexer_callbacks: Mapping[str, Callable[..., Any]]
) -> lark.Lark | None:
    """Return the parser that the kept tables give, None where they are of another Lark or grammar."""
    try:
        with open(PATH, encoding="utf-8") as file:
            plain = loads(file.read())
    except FileNotFoundError:
        return None
    if plain["lark"] != lark.__version__ or plain["grammar"] != hex_digest(grammar.encode("utf-8")):
        return None
    load: Callable[..., lark.Lark] = lark.Lark._load_from_dict
    return load(
        _unpack(plain["data"]),
        _unpack(plain["memo"]),
        transformer=transformer,
        lexer_callbacks=dict(lexer_callbacks),
    )


def _pack(value: Any) -> Any:
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _pack(item) for key, item in value.items()}
        return {_PAIRS: [[key, _pack(item)] for key, item in value.items()]}
    if isinstance(value, list | tuple):
        return [_pack(item) for item in value]
    return value


def _unpack(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {_PAIRS}:
            return {key: _unpack(item) for key, item in value[_PAIRS]}
        return {key: _unpack(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_unpack(item) for item in value]
    return value


def write() -> None:
    """Write the tables of the grammar as it is now."""

    with open(PATH, "w", encoding="utf-8", newline="") as file:
        file.write(dumps(made_of(built(), grammar_text())) + "\n")


if __name__ == "__main__":
    write()
