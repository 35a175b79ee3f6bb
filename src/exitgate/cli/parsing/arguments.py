"""
The quick reader of command lines: plain uses of declared options, without click.

It reads what it is sure of and answers None to all else; then click reads the same line and says
what is wrong. A property test holds the two together.
"""

from __future__ import annotations

from exitgate.cli.command import ANY, FLAG, MANY, NUMBER, ONE, REPEAT, REST, ParsedArguments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.cli.command import Command, Option


def read(command: Command, words: Sequence[str]) -> ParsedArguments | None:
    """Return what `words` give to `command`, or None where they are not plainly right."""
    by_flag = {flag: option for option in command.options for flag in option.flags}
    values: dict[str, object] = {}
    places: list[str] = []
    to_the_end = ends_in_rest(command)
    waiting = list(reversed(words))
    while waiting:
        word = waiting.pop()
        if word == "--":
            places += reversed(waiting)
            break
        if word == "-" or not word.startswith("-"):
            places.append(word)
            if to_the_end:
                places += reversed(waiting)
                break
            continue
        flag, equals, value = word.partition("=")
        option = by_flag.get(flag)
        if option is None or (equals and (option.kind == FLAG or not flag.startswith("--"))):
            return None
        if option.kind != FLAG and not equals:
            if not waiting:
                return None
            value = waiting.pop()
        if not _keep(option, value, values):
            return None
    return _complete(command, values, places)


def ends_in_rest(command: Command) -> bool:
    """Return whether the command takes another program's command line, from its first word to the end."""
    return bool(command.arguments) and command.arguments[-1].arity == REST


def own_words(command: Command, words: Sequence[str]) -> Sequence[str]:
    """Return the words that are ours to read: those before ``--``, and before another program's command."""
    if not ends_in_rest(command):
        return words[: words.index("--")] if "--" in words else words
    taking = {flag for option in command.options if option.kind != FLAG for flag in option.flags}
    at = 0
    while at < len(words) and words[at] != "--" and words[at][:1] == "-" != words[at]:
        at += 2 if words[at] in taking else 1
    return words[:at]


def _keep(option: Option, value: str, values: dict[str, object]) -> bool:
    if option.kind == FLAG:
        values[option.key] = True
        return True
    if option.choices and value not in option.choices:
        return False
    before = values.get(option.key)
    if option.kind == REPEAT:
        values[option.key] = (*(before if isinstance(before, tuple) else ()), value)
        return True
    found: int | str = value
    if option.kind == NUMBER:
        digits = value.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            return False
        found = int(value)
    values[option.key] = found
    return found != "" and before in (None, found)  # else click says which two values it has


def _complete(command: Command, values: dict[str, object], places: list[str]) -> ParsedArguments | None:
    for argument in command.arguments:
        if argument.arity in (MANY, ANY, REST):
            if places:
                values[argument.key] = tuple(places)
            elif argument.arity != ANY:
                return None
            places = []
        elif places:
            values[argument.key] = places.pop(0)
        elif argument.arity == ONE:
            return None
    if places:
        return None
    defaults = {o.key: o.default for o in command.options if o.default is not None}
    return ParsedArguments({**defaults, **values})
