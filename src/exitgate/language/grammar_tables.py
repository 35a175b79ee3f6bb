"""
The parser's tables, worked out once: Lark needs most of a cold check's time to make them of the grammar.

`grammar.tables.json` holds what Lark's own `serialize` gives, for one version of Lark and one text of the
grammar. With any other, Lark reads the grammar as usual. A test holds file and grammar together;
after a change of either:

    python -P -m exitgate.language.grammar_tables
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from exitgate.model.digest import hex_digest
from exitgate.model.quick_json import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    from exitgate.language.grammar import built, grammar_text

    with open(PATH, "w", encoding="utf-8", newline="") as file:
        file.write(dumps(made_of(built(), grammar_text())) + "\n")


if __name__ == "__main__":
    write()
