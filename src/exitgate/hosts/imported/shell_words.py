"""
Words of a bash file, read and never run: quotes and the expansions whose value can be reported.

What only running the file could tell (`$(...)`, arithmetic, patterns) is unknown, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

#: Characters of a value: doubling a variable again and again would fill the memory.
LONGEST = 4000
#: Expansions within expansions.
DEEPEST = 20
#: What ends a word that is not quoted.
ENDS = frozenset(" \t\r\n;&|<>()")
#: Behind these `~` is somebody's home folder.
_BEFORE_HOME = frozenset("=:-+?")
_RUN = "only running it would show its value"
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


class Word(Struct, frozen=True):
    """
    A word and its end.

    Args:
        value: What it stands for; None where that cannot be reported.
        end: Offset behind its last character.
        why: Why it cannot be determined, or the empty text.
        given: Variables that the word itself sets, as `${NAME:=value}` does.
    """

    value: str | None
    end: int
    why: str = ""
    given: tuple[tuple[str, str | None, str], ...] = ()


class Known(Struct, frozen=True):
    """
    Variables whose value is known, or known not to be readable.

    Args:
        set: Variable -> value and why it is not known; set earlier in the file.
        around: Variable -> value; set by who starts the script.
    """

    set: Mapping[str, tuple[str | None, str]]
    around: Mapping[str, str]

    def look(self, name: str) -> tuple[bool, str | None, str]:
        """Return whether a variable is set, its value, and why that is not known."""
        if name in self.set:
            return True, *self.set[name]
        if name in self.around:
            return True, self.around[name], ""
        return False, None, f"`{name}` is not set in this file"


def read_word(text: str, at: int, known: Known, until: str = "", depth: int = 0) -> Word:
    """
    Return the word that begins at `at`.

    Args:
        text: The whole file.
        at: Offset of its first character.
        known: Variables set so far.
        until: The character that ends it, for what is in `"` or in the braces of an expansion;
            empty for a word of a command.
        depth: How many expansions it is in.
    """
    pieces: list[str] = []
    size = 0
    given: list[tuple[str, str | None, str]] = []
    why = ""
    while True:
        if at >= len(text):
            why = why or ("a quote or bracket is not closed" if until else "")
            break
        character = text[at]
        if character == until:
            at += 1
            break
        if not until and character in ENDS:
            break
        piece = _piece(text, at, known, until, depth)
        at = piece.end
        why = why or piece.why
        given += piece.given
        size += len(piece.value or "")
        if size > LONGEST:
            why = why or f"it is longer than {LONGEST} characters"
        if not why:
            pieces.append(piece.value or "")
    return Word(None if why else "".join(pieces), at, why, tuple(given))


def _piece(text: str, at: int, known: Known, until: str, depth: int) -> Word:
    """Return the next stretch of a word: a character, something quoted, an expansion."""
    character = text[at]
    following = text[at + 1 : at + 2]
    quoted = until == '"'
    if character == "\\":
        if following == "\n":
            return Word("", at + 2)
        kept = character + following if quoted and following not in '"\\$`' else following
        return Word(kept, at + 2)
    if character == "'" and not quoted:
        end = text.find("'", at + 1)
        if end < 0:
            return Word(None, len(text), "a quote is not closed")
        return Word(text[at + 1 : end], end + 1)
    if character == '"':
        return read_word(text, at + 1, known, '"', depth + 1) if depth < DEEPEST else _deep(text)
    if character == "~" and not quoted and text[at - 1 : at] in _BEFORE_HOME:
        return Word(None, at + 1, _RUN)
    if character == "`":
        end = text.find("`", at + 1)
        return Word(None, len(text) if end < 0 else end + 1, _RUN)
    if character == "$":
        return _dollar(text, at, known, quoted, depth)
    return Word(character, at + 1)


def _deep(text: str) -> Word:
    return Word(None, len(text), f"more than {DEEPEST} nested expansions")


def _dollar(text: str, at: int, known: Known, quoted: bool, depth: int) -> Word:
    following = text[at + 1 : at + 2]
    if depth >= DEEPEST:
        return _deep(text)
    if following == "(":
        return Word(None, _closed(text, at + 2), _RUN)
    if following == "[":
        return Word(None, read_word(text, at + 2, known, "]", depth + 1).end, _RUN)
    if following == "'" and not quoted:
        return _escaped(text, at + 2)
    if following == '"' and not quoted:
        return read_word(text, at + 2, known, '"', depth + 1)
    if following == "{":
        return _braces(text, at + 2, known, depth)
    end = name_end(text, at + 1)
    if end == at + 1:
        if following and following in "@*#?$!-0123456789":
            return Word(None, at + 2, _RUN)
        return Word("$", at + 1)
    _, value, why = known.look(text[at + 1 : end])
    return Word(value, end, why)


def _braces(text: str, at: int, known: Known, depth: int) -> Word:
    """Return the value of `${NAME...}`; `at` is the offset behind the brace."""
    end = name_end(text, at)
    name = text[at:end]
    sign = text[end : end + 1]
    is_set, value, why = known.look(name)
    if name and sign == "}":
        return Word(value, end + 1, why)
    full = sign == ":"
    operator = text[end + 1 : end + 2] if full else sign
    if not name or not operator or operator not in "-=+?":
        inner = read_word(text, end, known, "}", depth + 1)
        return Word(None, inner.end, _RUN)
    inner = read_word(text, end + (2 if full else 1), known, "}", depth + 1)
    if is_set and value is None:
        return Word(None, inner.end, why)
    stands = is_set and (bool(value) or not full)
    if operator == "+":
        return Word(inner.value if stands else "", inner.end, inner.why if stands else "")
    if stands:
        return Word(value, inner.end)
    if operator == "?":
        return Word(None, inner.end, why)
    given = ((name, inner.value, inner.why),) if operator == "=" else ()
    return Word(inner.value, inner.end, inner.why, given)


def name_end(text: str, at: int) -> int:
    """Return the offset behind the variable's name that begins at `at`; `at` where none does."""
    end = at
    while end < len(text) and text[end].isascii() and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return at if end > at and text[at].isdigit() else end


def _closed(text: str, at: int) -> int:
    """Return the offset behind the `)` that closes the one before `at`."""
    open_ = ["("]
    while at < len(text) and open_:
        character = text[at]
        quoted = open_[-1] == '"'
        if character == "\\":
            at += 1
        elif character == '"':
            open_.pop() if quoted else open_.append(character)
        elif quoted:
            if text.startswith("$(", at):
                open_.append("(")
                at += 1
        elif character == "'":
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end
        elif character == "(":
            open_.append(character)
        elif character == ")":
            open_.pop()
        at += 1
    return min(at, len(text))


def _escaped(text: str, at: int) -> Word:
    """Return the value of `$'...'`; `at` is the offset behind the quote."""
    found = ""
    why = ""
    while at < len(text) and text[at] != "'":
        if text[at] == "\\":
            at += 1
            letter = text[at : at + 1]
            why = why if letter in _ESCAPES else "it contains escapes"
            found += _ESCAPES.get(letter, "")
        elif len(found) <= LONGEST:
            found += text[at]
        at += 1
    if at >= len(text):
        why = "a quote is not closed"
    return Word(None if why else found, min(at + 1, len(text)), why)
