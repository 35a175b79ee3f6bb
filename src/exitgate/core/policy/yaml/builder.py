"""From the events of the YAML reader to parts with places. Nothing that YAML can do beyond plain data."""

from __future__ import annotations

from exitgate.core.facts.text.words import encodable
from exitgate.core.model.diagnostic import Location
from exitgate.core.policy.yaml.cut_text import ask_about_comma, ask_about_comment
from exitgate.core.policy.yaml.node import Written, YamlNode
from exitgate.core.policy.yaml.scalars import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from yaml.error import Mark
    from yaml.events import CollectionStartEvent, Event, ScalarEvent

    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.lines import Lines


DEPTH_LIMIT = 32
VALUES_LIMIT = 200_000
SCALAR_LIMIT = 16_384


def index(mark: object) -> int:
    """Return the offset in characters of a mark of the YAML reader."""
    offset = getattr(mark, "index", None)
    assert isinstance(offset, int)
    return offset


class TooMuch(Exception):  # noqa: N818 - not an error of its own: it ends the reading, already reported
    """A limit is exceeded; reading on would only cost."""


class _Frame:
    """A mapping or sequence that is being filled."""

    __slots__ = ("fields", "flow", "items", "key", "key_place", "label", "start", "waits_for_key")

    def __init__(self, start: int, mapping: bool, label: Location | None, flow: bool) -> None:
        self.start = start
        self.flow = flow
        self.label = label
        self.fields: dict[str, YamlNode] | None = {} if mapping else None
        self.items: list[YamlNode] = []
        self.waits_for_key = mapping
        self.key: str | None = None
        self.key_place: Location | None = None


class Builder:
    """
    Takes the events of one document one by one; `root` is the finished value.

    Aliases, anchors, merge keys and tags are reported and the value taken without them, so that one
    reading finds them all. Of two equal keys the first is kept.
    """

    def __init__(self, lines: Lines, findings: Findings) -> None:
        self.lines = lines
        self.findings = findings
        self.root: YamlNode | None = None
        self._stack: list[_Frame] = []
        self._values = 0
        #: Where a text ends that YAML ended at a comma: what it makes of the rest is passed over.
        self._cut_until = -1

    def scalar(self, event: ScalarEvent) -> None:
        """Take a scalar, as a key or as a value."""
        start, end = index(event.start_mark), index(event.end_mark)
        if start <= self._cut_until:
            self._pass_over()
            return
        style = event.style if event.style in ("'", '"', "|", ">") else "plain"
        place = self.lines.place(start, self._last(start, end))
        self._count(place)
        self._refuse_extras(event, place)
        if len(event.value) > SCALAR_LIMIT:
            self._stop(f"a text of {len(event.value)} characters; {SCALAR_LIMIT} are allowed", place)
        if encodable(event.value) != event.value:
            self.findings.error("EP102", "an escape of a lone surrogate", place, "write the whole character")
        written = Written(self.lines, start, end, str(style), event.value, self._in_flow())
        value: str | int | float | bool | None = event.value
        if style == "plain":
            try:
                value = resolve(event.value)
            except OverflowError:
                self.findings.error("EP112", f"a number out of range: `{event.value[:40]}`", place,
                                    "write a finite number of at most 300 digits")  # fmt: skip
        if self._stack and self._stack[-1].waits_for_key:
            self._take_key(value, written, place)
        else:
            if style == "plain" and isinstance(value, str):
                keys = [frame.key for frame in self._stack]
                ask_about_comment(value, self._last(start, end), keys, self.lines, self.findings)
                written, value = self._whole(written, value, keys)
            self._put(YamlNode(value, place, self._label(), written))

    def _whole(self, written: Written, value: str, keys: list[str | None]) -> tuple[Written, str]:
        """Return a text as its writer meant it, where YAML ended it at a comma."""
        start, end = written.start, written.end
        if not written.flow or "(" not in value:
            return written, value
        mapping = self._stack[-1].fields is not None
        stop = ask_about_comma(start, end, keys, mapping, self.lines, self.findings)
        if stop == end:
            return written, value
        self._cut_until = stop
        whole = " ".join(self.lines.text[start:stop].split())
        return Written(self.lines, start, stop, "plain", whole, True), whole

    def _pass_over(self) -> None:
        """Take a piece of a text as a key or value to leave out."""
        frame = self._stack[-1]
        if frame.fields is not None:
            frame.waits_for_key = not frame.waits_for_key
            frame.key = None

    def open(self, event: CollectionStartEvent, mapping: bool) -> None:
        """Take the start of a mapping or sequence."""
        start = index(event.start_mark)
        place = self.lines.place(start)
        self._count(place)
        self._refuse_extras(event, place)
        if len(self._stack) >= DEPTH_LIMIT:
            self._stop(f"more than {DEPTH_LIMIT} levels of nesting", place)
        if self._stack and self._stack[-1].waits_for_key:
            self.findings.error("EP110", "a key must be text", place, "write `key: value`")
            self._stop("", None)
        self._stack.append(_Frame(start, mapping, self._label(), bool(event.flow_style)))

    def close(self, event: Event) -> None:
        """Take the end of a mapping or sequence."""
        frame = self._stack.pop()
        place = self.lines.place(frame.start, self._last(frame.start, index(event.end_mark)))
        value = frame.fields if frame.fields is not None else tuple(frame.items)
        self._put(YamlNode(value, place, frame.label))

    def alias(self, event: Event) -> None:
        """Report an alias and take an empty value in its stead."""
        if index(event.start_mark) <= self._cut_until:
            self._pass_over()
            return
        place = self.lines.place(index(event.start_mark), index(event.end_mark))
        self._count(place)
        self._report_anchor(place)
        if self._stack and self._stack[-1].waits_for_key:
            self._stack[-1].waits_for_key = False
            self._stack[-1].key = None
        else:
            self._put(YamlNode(None, place, self._label()))

    def _last(self, start: int, end: int) -> int:
        """Return `end` without the white space and line ends that block values take along."""
        return start + max(1, len(self.lines.text[start:end].rstrip(" \r\n")))

    def _label(self) -> Location | None:
        return self._stack[-1].key_place if self._stack else None

    def _in_flow(self) -> bool:
        return bool(self._stack) and self._stack[-1].flow

    def _count(self, place: Location) -> None:
        self._values += 1
        if self._values > VALUES_LIMIT:
            self._stop(f"more than {VALUES_LIMIT} values in one file", place)

    def _stop(self, message: str, place: Location | None) -> None:
        if message:
            self.findings.error("EP104", message, place, "split the policy, or shorten it")
        raise TooMuch

    def _refuse_extras(self, event: ScalarEvent | CollectionStartEvent, place: Location) -> None:
        if event.anchor is not None:
            self._report_anchor(place)
        if event.tag is not None:
            help = self._quote() or "policies contain plain data; put a text that starts with `!` in quotes"
            self.findings.error("EP108", f"a tag `{event.tag}`", place, help)

    def _report_anchor(self, place: Location) -> None:
        help = self._quote() or "define it once under `parameters:`, `lists:` or `conditions:`"
        self.findings.error("EP106", "anchors (`&`) and aliases (`*`) are not allowed", place, help)

    def _quote(self) -> str:
        """Return the help for a value that is probably a condition, else the empty text."""
        key = self._stack[-1].key if self._stack else None
        return f"put the condition in quotes: `{key}: '...'`" if key in CONDITION_KEYS else ""

    def _take_key(self, value: object, written: Written, place: Location) -> None:
        frame = self._stack[-1]
        assert frame.fields is not None
        frame.waits_for_key = False
        frame.key, frame.key_place = None, place
        if written.style == "plain" and value == "<<":
            self.findings.error("EP107", "merge keys (`<<`) are not allowed", place, "use `extends:`")
        elif not isinstance(value, str) and written.flow and self._is_bare(written):
            frame.key = written.value  # a piece of a text that YAML ended at a comma
        elif not isinstance(value, str):
            help = f"put it in quotes: `'{written.value}'`" if written.value else "write `key: value`"
            self.findings.error("EP110", f"a key must be text, `{written.value}` is not", place, help)
        elif value in frame.fields:
            first = frame.fields[value].label
            help = f"the first `{value}` is on line {first.line}; remove one of them"
            self.findings.error("EP105", f"`{value}` is written twice", place, help, (("first", first),))
        else:
            frame.key = value

    def _is_bare(self, written: Written) -> bool:
        """Return whether a key in braces has no colon behind it."""
        return self.lines.text[written.end :].lstrip()[:1] in (",", "}")

    def _put(self, part: YamlNode) -> None:
        if not self._stack:
            self.root = part
            return
        frame = self._stack[-1]
        if frame.fields is None:
            frame.items.append(part)
            return
        frame.waits_for_key = True
        if frame.key is not None:
            frame.fields[frame.key] = part


# YAML's own syntax errors in words about policies.

#: Keys whose value is a condition or a formula.
CONDITION_KEYS = frozenset(("when", "given", "not", "formula"))

_QUOTE = "put the value in quotes"
_BACKSLASH = "use single quotes, or write the backslash twice"
_INDENT = "check its indentation"

#: Quote -> how it is written inside a text in such quotes.
_INSIDE = {
    "'": "inside single quotes write `''` for a quote",
    '"': 'inside double quotes write `\\"` for a quote',
}

#: Part of the YAML reader's message -> what is wrong, what to do.
_WORDS = (
    ("mapping values are not allowed", "a second `: ` in one value", _QUOTE),
    ("found character that cannot start any token", "a value cannot start with this character", _QUOTE),
    ("unknown escape character", "an unknown escape in double quotes", _BACKSLASH),
    ("hexdecimal number", "an escape without its hexadecimal digits", _BACKSLASH),
    ("hexadecimal numbers", "an escape without its hexadecimal digits", _BACKSLASH),
    ("invalid Unicode character", "an escape that is not a character", "write another escape"),
    ("unexpected end of stream", "a quote is opened here and never closed", "close the quote"),
    ("unexpected document", "a quote is opened here and never closed", "close the quote"),
    ("',' or ']'", "a list in brackets is not closed or lacks a comma", "write `[a, b]`"),
    ("',' or '}'", "a mapping in braces is not closed or lacks a comma", "write `{key: value, key: value}`"),
    ("block sequence entries are not allowed", "a list item cannot start here", "start `- ` on its own line"),
    ("'-' indicator", "a line that neither belongs to this list nor follows it", _INDENT),
    ("could not find expected ':'", "a line without `: `", "write `key: value`, or indent the line more"),
    ("alphabetic or numeric character", "a value cannot start with `&` or `*`", _QUOTE),
    (
        "comment or line break",
        "`>` and `|` start a text on the next line",
        "quote the value, or write it below",
    ),
    (
        "chomping or indentation",
        "`>` and `|` start a text on the next line",
        "quote the value, or write it below",
    ),
    ("mapping keys are not allowed", "a value cannot start with `? `", _QUOTE),
    ("did not find expected key", "a value ends and something follows", "check indentation and quotes"),
    ("<block end>", "a value ends and something follows", "check indentation and quotes"),
    ("<document start>", "something follows the end of the document", _INDENT),
    ("directive", "directives (`%`) are not allowed", "remove the line"),
    ("tag", "a tag (`!`)", _QUOTE),
)


def report_syntax(error: Exception, lines: Lines, findings: Findings) -> None:
    """
    Report an error of the YAML reader where it is, with the likely fix.

    When the line is a condition, quoting it is nearly always what helps, and is what is said.
    """
    problem = str(getattr(error, "problem", None) or error)
    offset = _offset(getattr(error, "problem_mark", None), lines)
    opened = _offset(getattr(error, "context_mark", None), lines)
    message, help = "YAML cannot read this", f"the YAML reader says: {problem}"
    for part, message_, help_ in _WORDS:
        if part in problem:
            message, help = message_, help_
            break
    if "directive" in problem:
        findings.error("EP108", message, lines.place(opened), help)
        return
    if "never closed" in message:
        offset = opened
    key = _condition_key(lines, offset)
    if key and "escape" not in message:
        quoted = f"put the condition in quotes: `{key}: '...'`"
        findings.error("EP114", f"YAML cannot read this condition: {message}", lines.place(offset), quoted)
        return
    if "not closed" in message:
        offset = opened
    offset, message, help = _closer(lines, offset, message, help)
    findings.error("EP100", message, lines.place(offset), help)


def _closer(lines: Lines, offset: int, message: str, help: str) -> tuple[int, str, str]:
    """Return place, message and help with what the line itself and the one above it tell."""
    number, column = lines.locate(offset)
    before = lines.line(number)[: column - 1]
    if "a second" in message and ": " not in before:
        above = number - 1
        while above and not lines.line(above).strip():
            above -= 1
        text = lines.line(above).strip()
        if text and ":" not in text and not text.startswith(("- ", "#")):
            start = offset - len("".join(lines.text[:offset].splitlines(keepends=True)[above - 1 :]))
            return start, "a line without `: `", "write `key: value`, or `key:` above indented lines"
        return offset, "a key is not allowed here", "indent it like the keys it belongs to"
    if "something follows" in message:
        closed = before.rstrip()[-1:]
        if closed in _INSIDE:
            return offset, "a quote ends the text and something follows", _INSIDE[closed]
        if lines.line(number)[column - 1 :].startswith("- "):
            return offset, "a list item is not allowed here", "indent the list like its key, or more"
    return offset, message, help


def _offset(mark: Mark | None, lines: Lines) -> int:
    return min(mark.index, len(lines.text)) if mark is not None else 0


def _condition_key(lines: Lines, offset: int) -> str:
    """Return the key of a condition when the line of `offset` has one before it, else the empty text."""
    number, column = lines.locate(offset)
    before = lines.line(number)[: column - 1]
    found = ""
    last = -1
    for key in CONDITION_KEYS:
        position = before.rfind(key + ":")
        if position > last and (position == 0 or before[position - 1] in " {,"):
            found, last = key, position
    return found
