"""Calls of tools that were not allowed, by what came back in place of a result."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts.commands import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.facts.lexicon import Lexicon

#: Calls that are looked at, the last ones, and characters of the first line of a result.
CALLS_LIMIT = 500
LINE_LIMIT = 400


def of_calls(told: Sequence[object], options: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield tool and input of each call whose result says that it was not allowed."""
    lexicon = _lexicons.of(options)
    assert isinstance(lexicon, lexicons.Lexicon)
    for call in told[-CALLS_LIMIT:]:
        if not isinstance(call, dict) or not isinstance(call.get("result"), str):
            continue
        line, end, _ = call["result"].strip().partition("\n")
        if (call.get("error") is True or not end) and _refuses(line[:LINE_LIMIT], lexicon):
            yield str(call.get("tool") or "tool"), shown(call.get("input"))


def _refuses(line: str, lexicon: Lexicon) -> bool:
    return lexicon.patterns is not None and bool(lexicon.patterns.which(line))


def _ready(options: Mapping[str, object]) -> Lexicon:
    return lexicons.ready(lexicons.option(options))


_lexicons = lexicons.Kept(_ready)
