"""Strict YAML with the place of everything: `load_yaml`."""

from __future__ import annotations

from exitgate.core.model.value import Value
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.builder import (
    DEPTH_LIMIT,
    VALUES_LIMIT,
    Builder,
    TooMuch,
    index,
    report_syntax,
)
from exitgate.core.policy.yaml.lines import Lines
from exitgate.core.policy.yaml.node import YamlNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from yaml.events import Event

    from exitgate.core.model.diagnostic import Location
    from exitgate.core.policy.findings import Findings
    from exitgate.core.policy.yaml.lines import Lines


#: Ten thousand rules with their tests fit; what a hostile file takes of memory and time stays bounded.
BYTES_LIMIT = 4 * 1024 * 1024
#: Help where a file of settings is larger.
TOO_LARGE = f"a file may have {BYTES_LIMIT} bytes, {VALUES_LIMIT} values and {DEPTH_LIMIT} levels"


class Document(Value):
    """
    A file of strict YAML.

    Args:
        file: Its name as the user would write it.
        lines: Its text.
        root: Its value with places.
    """

    __slots__ = ("file", "lines", "root")

    def __init__(self, file: str, lines: Lines, root: YamlNode) -> None:
        self.file = file
        self.lines = lines
        self.root = root

    @property
    def data(self) -> object:
        """The value as plain dicts, lists and scalars of the YAML 1.2 core schema."""
        return self.root.plain()

    def place(self, path: Sequence[str | int]) -> Location:
        """Return where the value at `path` is. Raises KeyError when there is none."""
        return self.root.at(path).place

    def key_place(self, path: Sequence[str | int]) -> Location:
        """Return where the key of the value at `path` is. Raises KeyError when there is none."""
        return self.root.at(path).label


def load_yaml(text: str, file: str) -> Document:
    """
    Read one YAML document: mappings with text keys, sequences, scalars of YAML 1.2, nothing else.

    Args:
        text: The file's text.
        file: Its name, for diagnostics.

    Raises:
        ExitgateError: With everything that is wrong (EP1xx); exit code 65.
    """
    findings = Findings()
    document = read_document(text, file, findings)
    findings.raise_errors()
    assert document is not None
    return document


def read_document(text: str, file: str, findings: Findings) -> Document | None:
    """
    Read as `load_yaml` does, but put what is wrong into `findings` and return what can still be used.

    Returns:
        None when nothing can be used: bad characters, bad syntax, a limit exceeded, no mapping.
    """
    lines = Lines(file, text)
    findings.know(lines)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > BYTES_LIMIT:
        message = f"the file has {size} bytes; {BYTES_LIMIT} are allowed"
        findings.error("EP104", message, lines.place(0), "move long word lists into lexicons of their own")
        return None
    if not check_characters(lines, findings):
        return None
    builder = Builder(lines, findings)
    try:
        if not _feed(builder):
            return None
    except TooMuch:
        return None
    root = builder.root
    if root is None or not root.is_mapping:
        place = root.place if root is not None else lines.place(0)
        findings.error(
            "EP111", "a file must be a mapping of keys to values", place, "start with `policy: NAME`"
        )
        return None
    return Document(file, lines, root)


def _feed(builder: Builder) -> bool:
    """Give every event of the text to the builder; return False after a syntax error."""
    from yaml import YAMLError, events

    documents = 0
    try:
        for event in _events(builder.lines.text):
            if isinstance(event, events.ScalarEvent):
                builder.scalar(event)
            elif isinstance(event, events.MappingStartEvent | events.SequenceStartEvent):
                builder.open(event, isinstance(event, events.MappingStartEvent))
            elif isinstance(event, events.MappingEndEvent | events.SequenceEndEvent):
                builder.close(event)
            elif isinstance(event, events.AliasEvent):
                builder.alias(event)
            elif isinstance(event, events.DocumentStartEvent):
                documents += 1
                if not _check_start(event, documents, builder):
                    return False
    except (YAMLError, ValueError) as error:
        report_syntax(error, builder.lines, builder.findings)
        return False
    return True


def _events(text: str) -> Iterator[Event]:
    """Yield the events of libyaml where it is built in, else of PyYAML's own reader, which agrees."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.parse(text, Loader=loader)


def _check_start(event: Event, documents: int, builder: Builder) -> bool:
    """Report directives and a second document; return False for the latter, which ends the reading."""
    place = builder.lines.place(index(event.start_mark))
    if documents > 1:
        builder.findings.error("EP109", "more than one document in a file", place, "move it to its own file")
        return False
    if getattr(event, "version", None) or getattr(event, "tags", None):
        builder.findings.error("EP108", "directives (`%`) are not allowed", place, "remove the line")
    return True


# Characters a policy file may not hold: what editors hide or YAML readers disagree about.

REPORTED = 10

_NAMED = {
    0x00: "a NUL",
    0x85: "a next-line character",
    0x2028: "a line separator",
    0x2029: "a paragraph separator",
    0xFEFF: "a byte order mark",
}
_BIDI = frozenset((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def complaint(character: str) -> str:
    """Return what `character` is, if it may not be in a policy, else the empty text."""
    code = ord(character)
    if code in _NAMED:
        return _NAMED[code]
    if code in _BIDI:
        return f"a bidirectional control character (U+{code:04X})"
    if 0xD800 <= code <= 0xDFFF:
        return f"a lone surrogate (U+{code:04X})"
    if (code < 0x20 and character not in "\t\n\r") or 0x7F <= code < 0xA0 or code & 0xFFFE == 0xFFFE:
        return f"a control character (U+{code:04X})"
    return ""


def check_characters(lines: Lines, findings: Findings) -> bool:
    """
    Report forbidden characters and tabs, the first `REPORTED` of them; return whether there are none.
    """
    text = lines.text
    if text.isascii() and text.isprintable():
        return True
    suspects = {c for c in set(text) if c == "\t" or complaint(c)}
    if not suspects:
        return True
    places = sorted(_places(text, suspects))[:REPORTED]
    for offset in places:
        character = text[offset]
        if character == "\t":
            help = "indent with spaces; inside a text write `\\t` in double quotes"
            findings.error("EP103", "a tab", lines.place(offset), help)
        else:
            help = "remove it; in a text in double quotes it can be written as an escape"
            if character == "\ufeff" and offset == 0:
                help = "save the file as UTF-8 without a byte order mark"
            findings.error("EP102", f"{complaint(character)} in the file", lines.place(offset), help)
    return False


def _places(text: str, suspects: set[str]) -> list[int]:
    found: list[int] = []
    for character in suspects:
        position = text.find(character)
        while position >= 0 and len(found) < REPORTED * len(suspects):
            found.append(position)
            position = text.find(character, position + 1)
    return found
