"""
The lines of a console log as text: UTF-8, else what Windows writes; without escapes, holes and overwriting.

A file that was opened again while its old writer went on has NUL bytes up to the old offset; they are passed
over. Of what a progress bar wrote on one line, the last counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from exitgate.core.facts.text.structure import ESCAPE, strip_escapes
from exitgate.recordings.formats.loops.headers import pattern as pattern_of
from exitgate.recordings.formats.timestamps import instant_of, stamped
from exitgate.recordings.location import Location
from exitgate.recordings.model import Problem

Found = tuple[str, float | None, str]
Form = Callable[[str], Found | None]


#: Bytes of a file that its form is known from, holes left out, and those that are looked through for them.
SAMPLE, REACH = 262_144, 64_000_000
#: Characters of a line that are kept.
LINE = 1_000_000
_HOLE = b"\0"
#: Code pages of Windows: where a byte of UTF-8 is wrong, the line is in one of them.
_WINDOWS = "cp1252"


def sample(place: Location) -> bytes:
    """Return the first bytes of a file that are not a hole, at most `SAMPLE`. Raises OSError."""
    with place.open() as file:
        head = file.read(SAMPLE)
        if wide_of(head) is not None or _HOLE not in head:
            return head
        found = head.replace(_HOLE, b"")
        read = len(head)
        while len(found) < SAMPLE // 4 and read < REACH and (more := file.read(1 << 20)):
            read += len(more)
            found += more.replace(_HOLE, b"")
    return found[:SAMPLE]


def wide_of(head: bytes) -> str | None:
    """Return the encoding of a text of two bytes a character, by its mark or its zeros; else None."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    some = head[:400]
    if len(some) < 16:
        return None
    low, high = some[0::2].count(0), some[1::2].count(0)
    if high > len(some) * 0.4 and low < len(some) * 0.05:
        return "utf-16-le"
    return "utf-16-be" if low > len(some) * 0.4 and high < len(some) * 0.05 else None


def lines_of(place: Location, *, quotes: bool = True) -> Iterator[str]:
    """
    Yield the lines of a file with their escapes, without what is before all. Raises OSError.

    Without `quotes` only a prefix that has a time is taken off: an agent may quote in all it says.
    """
    for _, line in timed_lines_of(place, quotes=quotes):
        yield line


def timed_lines_of(place: Location, *, quotes: bool = True) -> Iterator[tuple[float | None, str]]:
    """Yield the lines of a file as `lines_of` does, each with the time before it or None. Raises OSError."""
    before = prefix_of(raw_lines_in(sample(place)), quotes=quotes)
    for line in _lines_of(place):
        yield before.off(line) if before else (None, line)


def _lines_of(place: Location) -> Iterator[str]:
    wide = wide_of(place.head(400))
    if wide is not None:
        for line in place.read().decode(wide, "replace").lstrip("\ufeff").splitlines():
            yield line[:LINE]
        return
    for raw in place.lines():
        yield decoded(raw)


def lines_in(data: bytes) -> list[str]:
    """Return the lines of a sample without what is before all of them."""
    lines = raw_lines_in(data)
    before = prefix_of(lines)
    return [before.off(line)[1] for line in lines] if before else lines


def raw_lines_in(data: bytes) -> list[str]:
    """Return the lines of a sample as they are."""
    wide = wide_of(data)
    if wide is not None:
        return data.decode(wide, "replace").lstrip("\ufeff").splitlines()
    return [decoded(raw.rstrip(b"\r")) for raw in data.removeprefix(b"\xef\xbb\xbf").split(b"\n")]


def decoded(raw: bytes) -> str:
    """Return one line as text, its last overwriting only."""
    body = raw[: LINE * 4]
    if _HOLE in body:
        body = body.replace(_HOLE, b"")
    if b"\r" in body:
        body = next((part for part in reversed(body.split(b"\r")) if part.strip()), b"")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.end >= len(body) and error.start > len(body) - 4:
            return body.decode("utf-8", "replace")  # cut off within a character
        return body.decode(_WINDOWS, "replace")


def plain(line: str) -> str:
    """Return a line without escapes and the blanks at its end."""
    return (strip_escapes(line) if ESCAPE in line else line).rstrip()


def encoding_problem(place: Location) -> Problem | None:
    """Return a note where a file is not an UTF-8. Raises OSError."""
    if wide_of(place.head(400)) is not None:
        return None
    for number, raw in enumerate(place.lines(), 1):
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as error:
            if error.end < len(raw):
                return Problem(
                    place.path, "not UTF-8; its lines are read as Windows-1252 where they are not", number
                )
    return None


# What another program writes before every line of a console: the time, a name, a mark of quotation.
#
# `docker logs -t`, `docker compose`, `ts`, the journal, Kubernetes, GitHub Actions, foreman, pm2, and
# loggers that write all output. What is before nearly every line belongs to none of them, and is removed
# before a log is read; the times in it are those of the headers. A time that loops write themselves counts
# as such a prefix only if it is before every line, blank ones among them: no loop logs blank lines.

#: Prefixes that may be before one another.
_DEEP = 3
#: Lines at the beginning by which forms are chosen, and those that are enough to tell a prefix by.
_SOME, _ENOUGH = 60, 3
#: Of ten lines with a text, those that have the prefix.
_MOST = 9
#: What `stamped` takes for the end of a time.
_BEHIND = " \t-\u2013\u2014|:,"
#: Characters of a line in which a prefix is.
_REACH = 300
_COLOUR = r"(?:\x1b\[[\d;]*m)"
_ISO = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"
_EXACT = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{4,9}(?:Z|[+-]\d{2}:?\d{2})"
_CLOCK = r"\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_MONTH_AND_CLOCK = rf"{_MONTH} [ \d]\d {_CLOCK}"
#: Patterns of prefixes that no loop writes; `key` is the same on every line, `at` is a time.
_TIMES = (
    # Kubernetes, GitHub Actions (`gh run view --log`, the raw log), docker with times
    rf"^(?P<at>{_EXACT}) (?P<key>std(?:out|err)) [FP](?: |$)",
    rf"^(?P<key>[^\t]{{1,120}})\t[^\t]{{1,120}}\t\x{{feff}}?(?P<at>{_EXACT})(?: |$)",
    rf"^(?P<key>)(?P<at>{_EXACT})(?: |$)",
    # the journal, `ts`
    rf"^(?P<key>)(?P<at>{_MONTH_AND_CLOCK}|{_ISO}) [\w.\-]+ [\w.\-/@]+\[\d+\]:(?: |$)",
    rf"^(?P<key>)(?P<at>{_MONTH_AND_CLOCK})(?: |$)",
)
#: The same of prefixes that have no time, and look like what agents write.
_QUOTES = (
    # docker compose, foreman and its kin, pm2
    rf"^(?:(?P<at>{_CLOCK}) )?(?P<key>(?:\d+\|)?[\w.\-]+) *\|(?: |$)",
    rf"^{_COLOUR}(?:(?P<at>{_CLOCK}) )?(?P<key>(?:\d+\|)?[\w.\-]+) *\|(?:{_COLOUR} | {_COLOUR}|$)",
    # a quotation
    r"^(?P<key>>)(?: |$)(?P<at>)",
)
_WORDS = r"(?:\[(?:INFO|WARN|WARNING|ERROR|DEBUG)\]|(?:INFO|WARN|WARNING|ERROR|DEBUG)\b)"
#: What a logger writes behind a time of its own, on every line: a level, a dash, both, nothing.
_TAILS = (
    rf"^ *[\-|:]? *{_WORDS} *[\-|](?: |$)",
    rf"^ *[\-|:]? *{_WORDS}:?(?: |$)",
    r"^ ?[\-|](?: |$)",
    r"^:?(?: |$)",
)
#: What GitHub writes before the head of a group of lines, and in place of its end.
_GROUP, _END = "##[group]", "##[endgroup]"


class Prefix:
    """What is before the lines of a log; without forms nothing does."""

    def __init__(self, forms: Sequence[tuple[Form, str]]) -> None:
        self._forms = tuple(forms)

    def __bool__(self) -> bool:
        return bool(self._forms)

    def off(self, line: str) -> tuple[float | None, str]:
        """Return the time in the prefix of a line, seconds since the epoch or None, and the line without."""
        at = None
        for form, key in self._forms:
            found = form(line)
            if found is None or found[0] != key:
                continue
            at = found[1] if found[1] is not None else at
            line = found[2]
        return at, line


NONE = Prefix(())


def prefix_of(lines: Sequence[str], *, quotes: bool = True) -> Prefix:
    """Return what is before the lines of a log or its beginning; without `quotes` only a time."""
    forms: list[tuple[Form, str]] = []
    while len(forms) < _DEEP:
        form = _form_of(lines, (*_TIMES, *_QUOTES) if quotes else _TIMES)
        if form is None:
            break
        forms.append(form)
        lines = [Prefix((form,)).off(line)[1] for line in lines]
    return Prefix(forms) if forms else NONE


def _form_of(lines: Sequence[str], patterns: Sequence[str]) -> tuple[Form, str] | None:
    first = [line for line in lines[:_SOME] if line.strip()]
    if len(first) < _ENOUGH:
        return None
    for form in map(_foreign, patterns):
        key = _shared(form, first)
        if key is not None and _shared(form, [line for line in lines if line.strip()]) == key:
            return form, key
    for form in map(_logged, _TAILS):
        key = _shared(form, first)
        if key is not None and _is_before_all(form, lines):
            return form, key
    return None


def _shared(form: Form, lines: Sequence[str]) -> str | None:
    """Return the key of a form where it is before nearly all lines."""
    keys: dict[str, int] = {}
    left = len(lines) * (10 - _MOST) // 10
    for line in lines:
        found = form(line)
        if found is not None:
            keys[found[0]] = keys.get(found[0], 0) + 1
            continue
        left -= 1
        if left < 0:
            return None
    key, most = max(keys.items(), key=lambda pair: pair[1])
    return key if most * 10 >= len(lines) * _MOST else None


def _is_before_all(form: Form, lines: Sequence[str]) -> bool:
    """Return whether a prefix that a loop may write, too, is before every line, blank ones among them."""
    blank = False
    for line in lines:
        found = form(line)
        if found is None:
            if line.strip():
                return False
            continue
        blank = blank or not found[2].strip()
    return blank


def _foreign(pattern: str) -> Form:
    """Return the form that a pattern describes."""

    def form(line: str) -> Found | None:
        found = pattern_of(pattern).match(line[:_REACH])
        if found is None:
            return None
        at, rest = found.group("at"), line[found.end() :]
        if rest.startswith("##["):
            rest = "" if rest.startswith(_END) else rest.removeprefix(_GROUP)
        return found.group("key"), instant_of(at) if at else None, rest

    return form


def _logged(tail: str) -> Form:
    """Return the form of a time that loops write, too, with that behind it."""

    def form(line: str) -> Found | None:
        bare = strip_escapes(line) if line[:1] == ESCAPE else line
        stamp = stamped(bare)
        if stamp is None:
            return None
        head = bare[: len(bare) - len(stamp.rest)].rstrip(_BEHIND)
        found = pattern_of(tail).match(bare[len(head) :])
        return None if found is None else (stamp.kind, stamp.at, bare[len(head) + found.end() :])

    return form


# What an agent said on a console: without escapes, and without what its program draws of calls of tools.
#
# opencode marks each call with a sign in the default colour and ends what it prints of it with a line of
# escapes alone; other programs that print their calls are known from their own readers.

#: What opencode begins a line with, and the signs behind it: of a call with a text below it, and without.
_RESET = "\x1b[0m"
_LONG, _SHORT = ("←", "$", "#", "◇", "│"), ("→", "✱", "%", "~", "⚙", "↳", "⌕", "✗", "•")
_ROLE = "> "


def agent_text(lines: Iterable[str]) -> tuple[str, str | None]:
    """Return what the agent said, and what its tools printed where calls are drawn, else None."""
    lines = list(lines)
    if not any(map(_sign, lines)):
        return "\n".join(map(plain, lines)).strip("\n"), None
    said: list[str] = []
    results: list[str] = []
    inside = reset = False
    for raw in lines:
        text = plain(raw)
        if _RESET in raw and not text.strip():
            inside, reset = False, True
            continue
        sign = _sign(raw)
        if sign:
            inside = sign in _LONG
            results.append(text)
        elif inside:
            results.append(text)
        elif not (reset and text.startswith(_ROLE) and " · " in text):
            said.append(text)
        reset = False
    return "\n".join(said).strip("\n"), "\n".join(results)


def _sign(raw: str) -> str:
    """Return the sign of a call that a line begins with, or the empty text."""
    if not raw.startswith(_RESET):
        return ""
    rest = raw.removeprefix(_RESET)
    sign = rest[:1]
    return sign if sign in (*_LONG, *_SHORT) and rest[1:].lstrip(" ").startswith("\x1b[") else ""
