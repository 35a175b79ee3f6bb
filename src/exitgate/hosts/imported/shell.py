"""
Assignments of a bash file: `.ralphrc`, files of `export NAME=value`. The file is read and never run.

An assignment counts where bash would surely make it: on a line of its own, behind `export` or `readonly`, as
`: "${NAME:=value}"`. One in an `if`, a loop, a function or behind `&&` may or may not be made: its value
is not known.
"""

from __future__ import annotations

from collections.abc import Mapping

from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.yaml.lines import Lines
from exitgate.hosts.imported.projects import FoundSetting
from exitgate.hosts.imported.shell_words import Known, Word, name_end, read_word

_OPENS = frozenset(("if", "while", "until", "for", "case", "select", "function"))
_CLOSES = frozenset(("fi", "done", "esac", "}"))
_GOES_ON = frozenset(("then", "else", "elif", "do", "{", "!", "time"))
_DECLARES = frozenset(("export", "declare", "typeset", "readonly", "local"))
_SOMETIMES = "it is set in an `if`, a loop, a function or after another command"
_ARRAY = "it is an array, and the script would read only its first item"
_OTHERS = frozenset((".", "source", "eval"))
#: Commands that change the variables whose names follow them.
_CHANGES = frozenset(("unset", "read", "readarray", "mapfile", "let", "getopts"))
_CHANGED = "it is changed by a command whose outcome is not known"
#: Options of `declare`: upper case, lower case, the name of another variable.
_SHAPES = frozenset("uln")
_SHAPED = "`declare` changes what is written there"
_PROCESS = "only running it would show its value"
_ENDS = frozenset(("return", "exit"))
_ENDED = "the file may end before it"
_SPACED = "in bash, a name with a space before its `=` is a command"


class _Reading:
    """How far a file is read: what is open around the next command, and what was found."""

    def __init__(self, lines: Lines, around: Mapping[str, str]) -> None:
        self.lines = lines
        self.text = lines.text
        self.known: dict[str, tuple[str | None, str]] = {}
        self.around = around
        self.found: dict[str, FoundSetting] = {}
        self.blocks = 0
        self.brackets = 0
        self.chained = False
        #: Where other files are read, or texts run.
        self.others: list[Location] = []
        #: Words that end the here-documents begun on this line.
        self.documents: list[str] = []
        #: Whether the next brace begins a function's body; how many blocks are open with it, or 0.
        self.defining = False
        self.inside = 0
        #: Functions of the file, the variables that they set, and those of them whose value is known now.
        self.functions: set[str] = set()
        self.bodies: set[str] = set()
        self.live: set[str] = set()
        #: Whether the file may have come to its end.
        self.ended = False

    def word(self, at: int) -> Word:
        """Return the word at `at`."""
        return read_word(self.text, at, Known(self.known, self.around))

    def set(self, name: str, value: str | None, why: str, start: int, end: int) -> None:
        """Take an assignment; a later one of the same name counts."""
        if self.inside:
            self.bodies.add(name)
        if value is not None and (self.blocks or self.brackets or self.chained):
            value, why = None, _SOMETIMES
        if value is not None and self.ended:
            value, why = None, _ENDED
        if value is not None and any("\ud800" <= character <= "\udfff" for character in value):
            value, why = None, "it is not UTF-8"
        if value is not None and name in self.bodies:
            self.live.add(name)
        self.known[name] = (value, why)
        place, written = self.lines.place(start, end), self.text[start:end]
        source = " " * (place.column - 1) + written.partition("\n")[0]
        self.found[name] = FoundSetting(name, value, place, written, why, source)


def assignments(
    lines: Lines, around: Mapping[str, str]
) -> tuple[dict[str, FoundSetting], tuple[Location, ...]]:
    """
    Return variable -> what the file sets it to, the last word on each; and where it reads other files.

    Args:
        lines: The file, its lines ended by LF.
        around: Variables that are set around the script, for `${NAME:-value}`.
    """
    reading = _Reading(lines, around)
    at = 0
    while at < len(reading.text):
        at = _command(reading, at)
        at = _separator(reading, at)
    return reading.found, tuple(reading.others)


def _command(reading: _Reading, at: int) -> int:
    """Read one command and take its assignments; return its end."""
    text = reading.text
    pending: list[tuple[str, str | None, str, int, int]] = []
    first = ""
    declares = shaped = False
    while True:
        at = _blanks(text, at)
        if at >= len(text) or text[at] in "\n;&|()":
            break
        if text[at] == "#":
            at = _line_end(text, at)
            break
        if text[at] in "<>":
            at = _redirection(reading, at)
            continue
        assigned = None if first and not declares else _assignment(reading, at)
        if assigned is not None:
            pending.append(assigned)
            at = assigned[4]
            continue
        start = at
        word = reading.word(at)
        at = max(word.end, at + 1)
        for name, value, why in word.given:
            reading.set(name, value, why, start, at)
        name = text[start:at]
        if not first and not pending and name in _GOES_ON:
            _open(reading, name == "{")
            continue
        if not first:
            first = name
            declares = name in _DECLARES
            _first_word(reading, name, start, at)
        else:
            shaped = _next_word(reading, first, start, at) or shaped
            first = "" if (first, name) == ("function", "{") else first
    if first == "function":
        _defined(reading, at)
    if not first or declares:
        _take(reading, pending, at, shaped)
    return at


def _take(
    reading: _Reading, pending: list[tuple[str, str | None, str, int, int]], at: int, shaped: bool
) -> None:
    """Take the assignments of a command that ends at `at`."""
    text = reading.text
    # What `&` or `|` follows is set in a shell of its own.
    apart = text[at : at + 1] in ("&", "|") and not text.startswith(("&&", "||"), at)
    doubt = _SOMETIMES if apart else _SHAPED if shaped else ""
    for name, value, why, start, end in pending:
        reading.set(name, None if doubt else value, why or doubt, start, end)


def _open(reading: _Reading, brace: bool) -> None:
    """Count a brace that opens, which may be that of a function."""
    reading.blocks += brace
    if brace and reading.defining and not reading.inside:
        reading.inside = reading.blocks
    reading.defining = reading.defining and not brace


def _first_word(reading: _Reading, first: str, start: int, end: int) -> None:
    """Take the first word of a command: what it opens or closes, whether it may end the file."""
    if first in _OTHERS:
        reading.others.append(reading.lines.place(start, end))
    if reading.text.startswith("=", _blanks(reading.text, end)) and name_end(first, 0) == len(first):
        reading.set(first, None, _SPACED, start, end)
    if reading.text.startswith("(", _blanks(reading.text, end)):
        reading.functions.add(first)
    elif first in reading.functions:
        for name in reading.live:
            reading.set(name, None, _CHANGED, start, end)
        reading.live.clear()
    reading.blocks += (first in _OPENS) - (first in _CLOSES and reading.blocks > 0)
    if first == "function" and not reading.inside:
        reading.inside = reading.blocks
    if reading.blocks < reading.inside:
        reading.inside = 0
    if first in _ENDS and not reading.inside and not reading.brackets:
        reading.ended = True
    reading.defining = False


def _next_word(reading: _Reading, first: str, start: int, end: int) -> bool:
    """
    Take a further word of a command, which may name a function or a variable that changes.

    Returns whether it is an option of `declare` by which values come out otherwise than they are written.
    """
    word = reading.text[start:end]
    if first == "function":
        reading.functions.add(word)
    elif first in _CHANGES:
        _changed(reading, start, end)
    return first in _DECLARES and word.startswith("-") and not _SHAPES.isdisjoint(word)


def _defined(reading: _Reading, at: int) -> None:
    """Take `function NAME` as no block yet where `()` follows: the brace behind that counts."""
    if reading.text.startswith("(", at):
        reading.blocks -= 1
        if reading.inside > reading.blocks:
            reading.inside = 0


def _changed(reading: _Reading, start: int, end: int) -> None:
    """Take the variable that a command such as `read` names: its value is not known any more."""
    name = reading.text[start:end].strip("\"'")
    name = name[: name_end(name, 0)]
    if name in reading.found:
        reading.set(name, None, _CHANGED, start, end)


def _assignment(reading: _Reading, at: int) -> tuple[str, str | None, str, int, int] | None:
    """Return name, value, why it is not known, start and end of `NAME=value`; None for another word."""
    text = reading.text
    end = name_end(text, at)
    name = text[at:end]
    adds = text.startswith("+=", end)
    if not name or not (adds or text.startswith("=", end)):
        return None
    begin = end + (2 if adds else 1)
    if text.startswith(("<(", ">("), begin):
        return name, None, _PROCESS, at, _array_end(reading, begin + 2)
    if text.startswith("(", begin):
        return name, None, _ARRAY, at, _array_end(reading, begin + 1)
    word = reading.word(begin)
    for other, value, why in word.given:
        reading.set(other, value, why, begin, word.end)
    value, why = word.value, word.why
    if adds and value is not None:
        before, known_why = reading.known.get(name, (None, "the value it adds to is not set in this file"))
        value, why = (None, known_why) if before is None else (before + value, "")
    return name, value, why, at, word.end


def _array_end(reading: _Reading, at: int) -> int:
    text = reading.text
    while at < len(text) and text[at] != ")":
        if text[at] == "#":
            at = _line_end(text, at)
        elif text[at] in " \t\r\n;&|<>(":
            at += 1
        else:
            at = max(reading.word(at).end, at + 1)
    return min(at + 1, len(text))


def _redirection(reading: _Reading, at: int) -> int:
    """Pass `<FILE`, `>FILE`, and note the end of a here-document."""
    text = reading.text
    here = text.startswith("<<", at) and not text.startswith("<<<", at)
    while at < len(text) and text[at] in "<>&-|":
        at += 1
    at = _blanks(text, at)
    if at >= len(text) or text[at] in "\n;&|()":
        return at
    word = reading.word(at)
    if here:
        reading.documents.append(word.value if word.value is not None else text[at : word.end])
    return max(word.end, at + 1)


def _separator(reading: _Reading, at: int) -> int:
    """Pass what is between two commands."""
    text = reading.text
    if at >= len(text):
        return at
    character = text[at]
    if character == "\n":
        reading.chained = False
        at += 1
        for end in reading.documents:
            at = _document_end(text, at, end)
        reading.documents = []
        return at
    if text.startswith(("&&", "||"), at):
        reading.chained = True
        at += 2
        while text[at : at + 1] in ("\n", " ", "\t") and not reading.documents:
            at += 1
        return at
    if character == "(":
        reading.brackets += 1
    elif character == ")":
        reading.brackets = max(0, reading.brackets - 1)
        reading.defining = text[at - 1 : at] == "("
    else:
        reading.chained = character == "|"
    return at + 1


def _document_end(text: str, at: int, end: str) -> int:
    """Return the offset behind the line that ends a here-document."""
    while at < len(text):
        stop = _line_end(text, at)
        if text[at:stop].strip("\t") == end:
            return min(stop + 1, len(text))
        at = stop + 1
    return len(text)


def _blanks(text: str, at: int) -> int:
    while at < len(text):
        if text.startswith("\\\n", at):
            at += 2
        elif text[at] in " \t\r":
            at += 1
        else:
            break
    return at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
