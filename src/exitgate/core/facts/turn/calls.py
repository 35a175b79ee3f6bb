"""
Whether patterns of allowed tools cover a call: ``Write``, ``Bash(mvn *)``, ``mcp__x__*``.

A command line is covered when each simple command in it is: a runner that compares the whole line
with a pattern refuses ``mvn test 2>&1 | tail`` although ``mvn *`` is allowed. Commands that only pass
their input on, and those that only change the folder, need no pattern behind or before others. What
cannot be taken apart safely (substitutions, output into files) is not covered.
"""

from __future__ import annotations

from exitgate.core.facts.file_patterns import matches
from exitgate.core.facts.lexicons import lexicon as lexicons
from exitgate.core.facts.text.structure import HIDING_PARTS, SHELL_PARTS
from exitgate.core.model.json_object import object_of, objects_of, one_or_more

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from exitgate.core.facts.lexicons.lexicon import Lexicon
    from exitgate.core.model.json_object import JsonObject


_BETWEEN = ("&&", "||", ";", "|", "&", "\n")
#: What may be in front of the redirections that change nothing.
_HARMLESS = ("2>&1", "1>&2", ">/dev/null", "1>/dev/null", "2>/dev/null", "&>/dev/null", "</dev/null")
_SUBSTITUTIONS = ("$(", "`", "<(", ">(", "<<")
_PREFIX_END = ":*"


def split_patterns(given: object) -> tuple[str, ...]:
    """Return the patterns in a list of texts or one text, each of which may hold several between commas."""
    found: list[str] = []
    for text in one_or_more(given):
        depth, begun = 0, 0
        for at, mark in enumerate(text):
            depth = max(0, depth + (mark == "(") - (mark == ")"))
            if mark == "," and depth == 0:
                found.append(text[begun:at])
                begun = at + 1
        found.append(text[begun:])
    return tuple(pattern.strip() for pattern in found if pattern.strip())


def covers(patterns: Iterable[str], tool: str, input: str, filters: Sequence[str]) -> bool:
    """
    Return whether some of the patterns allow what a call asked for.

    Args:
        patterns: As `split_patterns` gives them.
        tool: Name of the tool.
        input: Its command, file or address.
        filters: Programs that need no pattern of their own beside others.
    """
    arguments = []
    for pattern in patterns:
        name, opened, rest = pattern.partition("(")
        if not matches(name.strip(), tool):
            continue
        if not opened:
            return True
        arguments.append(rest[:-1] if rest.endswith(")") else rest)
    if not arguments:
        return False
    if any(argument in ("*", input.strip()) for argument in arguments):
        return True
    if any(_fits(argument, input.strip()) and _is_simple(input) for argument in arguments):
        return True
    commands = simple_commands(input)
    if commands is None:
        return False
    own = [command for command in commands if _program(command) not in filters]
    return bool(own) and all(any(_fits(argument, command) for argument in arguments) for command in own)


def simple_commands(line: str) -> tuple[str, ...] | None:
    """Return the simple commands of a line, without harmless redirections; None if not safe to tell."""
    if any(mark in line for mark in _SUBSTITUTIONS):
        return None
    commands: list[str] = []
    for words in command_words(line):
        kept = [word for word in words if word not in _HARMLESS]
        while kept and _is_assignment(kept[0]):
            kept = kept[1:]
        if any(word.lstrip("012&").startswith((">", "<")) for word in kept):
            return None
        if kept:
            commands.append(" ".join(kept))
    return tuple(commands)


def command_words(line: str) -> Iterable[list[str]]:
    """
    Yield the words between the marks that part commands, of a line or of several; quoted text, with its
    quotes, is part of a word.
    """
    words: list[str] = []
    word, at, quote = "", 0, ""
    pieces: list[str] = []
    while at <= len(line):
        mark = line[at : at + 1]
        if quote:
            pieces.append(mark)
            quote = "" if mark == quote or not mark else quote
            at += 1
            continue
        redirects = mark == "&" and ((pieces and pieces[-1] in "<>") or line[at + 1 : at + 2] == ">")
        parts = next((b for b in _BETWEEN if line.startswith(b, at)), "") if not redirects else ""
        if parts or not mark or mark in " \t\r":
            word = "".join(pieces)
            pieces = []
            if word:
                # `> /dev/null` is one word, as `>/dev/null` is
                joins = bool(words) and words[-1].endswith(">") and len(words[-1]) <= 2
                if joins:
                    words[-1] += word
                else:
                    words.append(word)
            if parts or not mark:
                yield words
                words = []
            at += max(1, len(parts))
            continue
        if mark == "\\":
            pieces.append(line[at : at + 2])
            at += 2
            continue
        quote = mark if mark in "'\"" else ""
        pieces.append(mark)
        at += 1


def _fits(argument: str, command: str) -> bool:
    argument = argument.strip()
    if argument.endswith(_PREFIX_END):
        start = argument[: -len(_PREFIX_END)]
        return command == start or command.startswith(f"{start} ")
    # `mvn *` allows `mvn` alone, too
    return matches(argument, command) or (argument.endswith(" *") and command == argument[:-2])


def _is_simple(line: str) -> bool:
    """Return whether nothing in a line parts it or writes elsewhere: a pattern may be all of it."""
    found = simple_commands(line)
    return found is not None and len(found) <= 1


def is_compound(line: str) -> bool:
    """Return whether a command line is more than a plain command: parted, redirected, with variables set."""
    found = simple_commands(line)
    return found is None or len(found) > 1 or " ".join(found).split() != line.split()


def _program(command: str) -> str:
    return command.partition(" ")[0].rpartition("/")[2]


def _is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


# The command lines of calls: what they ran, and whether they failed.

#: Characters of a command line that are looked at.
LINE_LIMIT = 4_000


def failed(call: JsonObject) -> bool:
    """Return whether a call came back as an error, or its command with a status other than 0."""
    return call.flag("error", False) or call.whole("exit_status", 0) != 0


def commands(input: object) -> list[str]:
    """Return the commands on the command line of a call, none for a call that ran none."""
    line = line_of(input)
    for mark in SHELL_PARTS:
        line = line.replace(mark, "\n")
    return [part.strip() for part in line.split("\n") if part.strip()]


def hides_status(input: object) -> bool:
    """Return whether the status of a call's command line may be that of another command than the first."""
    line = line_of(input)
    return any(mark in line for mark in HIDING_PARTS)


def line_of(input: object) -> str:
    """Return the command line of a call, cut short; the empty text for one that ran no command."""
    return (whole_line(input) or "")[:LINE_LIMIT]


def whole_line(input: object) -> str | None:
    """Return the command line of a call, the empty text without one, None for one that is not text."""
    line = input
    if isinstance(line, dict):
        given = (line.get("command"), line.get("cmd"), line.get("script"))
        line = next((one for one in given if one is not None), "")
    if isinstance(line, list | tuple):
        line = " ".join(str(part) for part in line)
    return line if isinstance(line, str) else None


def shown(input: object) -> str:
    """Return the command of a call, or the first text that it was given."""
    if isinstance(input, str):
        return input
    given = object_of(input)
    command = given.text("command")
    return next(iter(given.own_texts()), "") if command is None else command


# What commands printed that failed in this iteration and did not succeed later in it.

#: The last calls are looked at, and the last characters of a result: a failure is reported at its end.
CALLS_LIMIT, RESULT_LIMIT = 50, 16_000


def failed_output(calls: Sequence[object], shows: Collection[str]) -> str:
    """
    Return what those commands printed, in order, a line end between them; the empty text without any.

    Of a command its last run counts, and one that succeeds takes back what failed before with the same
    program and subcommand, no matter what its other arguments. A line with one of the programs in `shows`,
    which print what is in files, counts for nothing.
    """
    standing: dict[tuple[str, ...], str] = {}
    for call in objects_of(calls[-CALLS_LIMIT:]):
        result = call.text("result")
        called = [] if result is None else _called(call.get("input"))
        if result is None or not called:
            continue
        for key in called:
            standing = {k: text for k, text in standing.items() if not _same(k, key)}
        if failed(call) and not any(key[0] in shows for key in called):
            standing[called[-1]] = result[-RESULT_LIMIT:]
    return "\n".join(standing.values())


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether two commands are of one program, and of one subcommand where both name one."""
    return all(a == b for a, b in zip(one, other, strict=False))


def _called(input: object) -> list[tuple[str, ...]]:
    """Return program and subcommand of each command of a call's line; none where it ran none."""
    found = []
    for part in commands(input):
        words = [word for word in part.split() if "=" not in word][:2]
        if words and words[0] != "cd":
            name = words[0].rpartition("/")[2] or words[0]
            found.append((name, *(word for word in words[1:] if word.isalpha())))
    return found


# Calls of tools that were not allowed, by what came back in place of a result.

#: Calls that are looked at, the last ones, and characters of the first line of a result.
REFUSED_CALLS_LIMIT = 500
REFUSED_LINE_LIMIT = 400


def of_calls(told: Sequence[object], options: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield tool and input of each call whose result says that it was not allowed."""
    lexicon = _lexicon(options)
    for call in objects_of(told[-REFUSED_CALLS_LIMIT:]):
        result = call.text("result")
        if result is None:
            continue
        line, end, _ = result.strip().partition("\n")
        if (call.flag("error") or not end) and _refuses(line[:REFUSED_LINE_LIMIT], lexicon):
            yield str(call.get("tool") or "tool"), shown(call.get("input"))


def _refuses(line: str, lexicon: Lexicon) -> bool:
    return lexicon.patterns is not None and bool(lexicon.patterns.which(line))


@lexicons.kept
def _lexicon(options: JsonObject) -> Lexicon:
    return lexicons.ready(options.object("lexicon"))
