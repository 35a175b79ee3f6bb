"""Strict YAML with the place of everything: `load_yaml`."""

from __future__ import annotations

from exitgate.model.value import Value
from exitgate.policy.builder import DEPTH_LIMIT, VALUES_LIMIT, Builder, TooMuch, index
from exitgate.policy.characters import check_characters
from exitgate.policy.findings import Findings
from exitgate.policy.lines import Lines
from exitgate.policy.part import Part
from exitgate.policy.syntax import report_syntax

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from yaml.events import Event

    from exitgate.model.place import Place

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

    def __init__(self, file: str, lines: Lines, root: Part) -> None:
        self.file = file
        self.lines = lines
        self.root = root

    @property
    def data(self) -> object:
        """The value as plain dicts, lists and scalars of the YAML 1.2 core schema."""
        return self.root.plain()

    def place(self, path: Sequence[str | int]) -> Place:
        """Return where the value at `path` is. Raises KeyError when there is none."""
        return self.root.at(path).place

    def key_place(self, path: Sequence[str | int]) -> Place:
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
    if root is None or not isinstance(root.value, dict):
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
