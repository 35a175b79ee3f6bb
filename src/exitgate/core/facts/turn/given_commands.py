"""The simple commands of the command lines that an agent gave, without what is only text in them."""

from __future__ import annotations

from exitgate.core.facts.turn.calls import command_words, whole_line
from exitgate.core.model.json_object import object_of
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


#: Characters of a command line beyond which it is not taken apart.
LINE_LIMIT = 64_000
_QUOTES = "'\""
_HERE, _HERE_TEXT = "<<", "<<<"


class Command(Value):
    """
    One simple command.

    Args:
        words: All of its words, quotes taken off those that are one quoted text.
        line: Its words with a blank between, those left out that hold blanks or were only partly quoted.
        quoted: Its last word if that was left out, as it is within its quotes; else the empty text.
    """

    __slots__ = ("line", "quoted", "words")

    def __init__(self, words: Sequence[str], line: str, quoted: str) -> None:
        self.words = words
        self.line = line
        self.quoted = quoted


def of_call(input: object) -> tuple[Command, ...] | None:
    """Return the commands of a call, none for one that ran no command; None if that is not known."""
    line = _given_to_a_shell(input) or whole_line(input)
    return None if line is None or len(line) > LINE_LIMIT else of_line(line)


def _given_to_a_shell(input: object) -> str:
    """Return what a shell is given, where a call names its command as a list of words."""
    called = object_of(input)
    words = called.texts("command") or called.texts("cmd") or called.texts("script")
    shell = len(words) > 2 and words[1][:1] == "-" and words[1][-1:] == "c"
    return words[2] if shell else ""


def of_line(line: str) -> tuple[Command, ...]:
    """
    Return the commands of a line or of several; lines that are given to a command as its input are none.
    """
    found = []
    until = ""
    for words in command_words(line):
        if until:
            until = "" if words == [until] else until
            continue
        if words:
            found.append(_command(words))
        until = next(_ends(words), "")
    return tuple(found)


def _ends(words: Sequence[str]) -> Iterator[str]:
    """Yield the words at which lines end that follow a command as its input."""
    for at, word in enumerate(words):
        if word.startswith(_HERE) and not word.startswith(_HERE_TEXT):
            named = word[len(_HERE) :].lstrip("-") or "".join(words[at + 1 : at + 2])
            if named:
                yield named.strip(_QUOTES)


def _command(words: Sequence[str]) -> Command:
    bare = [_unquoted(word) for word in words]
    kept = [word for word in bare if not any(mark in word for mark in " \t\n'\"")]
    last = bare[-1] if not kept or kept[-1] is not bare[-1] else ""
    return Command(bare, " ".join(kept), last)


def _unquoted(word: str) -> str:
    whole = len(word) > 1 and word[0] in _QUOTES and word[-1] == word[0] and word[0] not in word[1:-1]
    return word[1:-1] if whole else word
