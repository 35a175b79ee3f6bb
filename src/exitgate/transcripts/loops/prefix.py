"""
What another program writes before every line of a console: the time, a name, a mark of quotation.

`docker logs -t`, `docker compose`, `ts`, the journal, Kubernetes, GitHub Actions, foreman, pm2, and loggers
that write all output. What is before nearly every line belongs to none of them, and is removed before a
log is read; the times in it are those of the headers. A time that loops write themselves counts as
such a prefix only if it is before every line, blank ones among them: no loop logs blank lines.
"""

from __future__ import annotations

from exitgate.facts.structural import ESCAPE, strip_escapes
from exitgate.transcripts.loops.marks import pattern as pattern_of
from exitgate.transcripts.loops.times import instant_of, stamped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Found = tuple[str, float | None, str]
    Form = Callable[[str], Found | None]

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
_SHORT = rf"{_MONTH} [ \d]\d {_CLOCK}"
#: Patterns of prefixes that no loop writes; `key` is the same on every line, `at` is a time.
_TIMES = (
    # Kubernetes, GitHub Actions (`gh run view --log`, the raw log), docker with times
    rf"^(?P<at>{_EXACT}) (?P<key>std(?:out|err)) [FP](?: |$)",
    rf"^(?P<key>[^\t]{{1,120}})\t[^\t]{{1,120}}\t\x{{feff}}?(?P<at>{_EXACT})(?: |$)",
    rf"^(?P<key>)(?P<at>{_EXACT})(?: |$)",
    # the journal, `ts`
    rf"^(?P<key>)(?P<at>{_SHORT}|{_ISO}) [\w.\-]+ [\w.\-/@]+\[\d+\]:(?: |$)",
    rf"^(?P<key>)(?P<at>{_SHORT})(?: |$)",
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
